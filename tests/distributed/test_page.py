"""What the page on scale shows runs."""

from __future__ import annotations

import re
from pathlib import Path

import snippets

PAGE = Path(__file__).parents[2] / "docs" / "scale.md"


def test_examples_of_the_page_print_what_they_say(tmp_path):
    seen = set()
    for step, printed in snippets.run_page(PAGE, tmp_path):
        seen.add(step.language)
        if step.language == "python":  # what is printed is a comment
            assert re.findall(r"^# (.+)$", step.code, re.M) == printed.splitlines()
        else:
            assert snippets.agrees(step, printed), printed
    assert seen == {"python", "console"}
