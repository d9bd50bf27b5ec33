"""What the README says is what there is."""

import re
from pathlib import Path

from consensa.cli._methods import markdown_table

README = (Path(__file__).parent.parent / "README.md").read_text()


def test_table_of_methods_is_that_of_the_command_line():
    (table,) = re.findall(r"<!-- methods -->\n(.*?)\n<!-- /methods -->", README, flags=re.S)
    assert table == markdown_table(), "run: consensa methods --markdown"


def test_python_quick_start_runs(capsys):
    (code,) = re.findall(r"```python\n(.*?)```", README, flags=re.S)
    exec(compile(code, "README.md", "exec"), {})
    assert "'acc': 0." in capsys.readouterr().out


def test_links_lead_somewhere():
    for target in re.findall(r"\]\(([^)#]+)\)", README):
        if not target.startswith("http"):
            assert (Path(__file__).parent.parent / target).exists(), target
