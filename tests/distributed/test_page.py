"""What the page on scale shows runs."""

from __future__ import annotations

import re
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "scale.md"


def test_examples_of_the_page_print_what_they_say(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    text = PAGE.read_text()
    blocks = re.findall(r"```python\n(.*?)```", text, flags=re.S)
    assert len(blocks) == 3
    for code in blocks:
        exec(compile(code, "scale.md", "exec"), {})
    printed = capsys.readouterr().out.split("\n")
    assert [line for line in printed if line] == re.findall(r"^# (.+)$", "\n".join(blocks), re.M)
