"""Every method and generator has a guide page, and what all pages show runs."""

import re
import warnings
from pathlib import Path

import pytest

import consensa

GUIDE = Path(__file__).parent.parent / "docs" / "guide"
METHODS = [name for name in consensa.consensus.__all__ if name.islower()]
GENERATORS = [
    re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower() for name in consensa.generation.__all__
]
WRITTEN = {page.stem for page in GUIDE.glob("*.md")} - {"index"}
PAGES = sorted({*METHODS, *GENERATORS, *WRITTEN, "../audit"})


@pytest.mark.parametrize("name", PAGES)
def test_examples_of_the_guide_run_and_print_what_they_say(name, capsys):
    text = (GUIDE / f"{name}.md").read_text()
    blocks = re.findall(r"```python\n(.*?)```", text, flags=re.S)
    assert blocks, f"{name}.md shows no example"
    for code in blocks:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", consensa.exceptions.ConsensaWarning)
            exec(compile(code, f"{name}.md", "exec"), {})
    printed = capsys.readouterr().out
    for said in re.findall(r"print\(.*\)\s+# ([\[\w][^:\n]*)", text):
        assert said.strip() in printed, f"{name}.md promises {said!r}; it printed {printed!r}"
