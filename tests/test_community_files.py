"""Files for people: changelog, policies, templates, workflows, the paper."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
UNSET = "to be set"
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
KINDS = {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}


def text_of(name):
    return (ROOT / name).read_text(encoding="utf-8")


def test_the_changelog_has_the_form_of_keep_a_changelog():
    versions = re.findall(r"^## (.*)$", text_of("CHANGELOG.md"), flags=re.M)
    assert versions
    for version in versions:
        assert re.fullmatch(r"\[\d+\.\d+\.\d+\] - (\d{4}-\d{2}-\d{2}|unreleased)", version)
    assert set(re.findall(r"^### (.*)$", text_of("CHANGELOG.md"), flags=re.M)) <= KINDS


@pytest.mark.parametrize("name", ["SECURITY.md", "CODE_OF_CONDUCT.md", "CITATION.cff"])
def test_what_nobody_has_decided_is_not_invented(name):
    facts = tomllib.loads(text_of("pyproject.toml"))["tool"]["consensa"]["release"]
    if UNSET in facts.values():
        assert UNSET in text_of(name)
    assert not re.search(r"\S+@\S+\.\w+|orcid\.org/\d", text_of(name))


def test_links_of_the_policies_lead_somewhere():
    for name in ("SECURITY.md", "CODE_OF_CONDUCT.md", "CHANGELOG.md", "CONTRIBUTING.md"):
        for target in re.findall(r"\]\(([^)#\s]+)\)", text_of(name)):
            assert target.startswith("https://") or (ROOT / target).exists(), target


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_may_do_little_and_ends(path):
    yaml = pytest.importorskip("yaml")
    read = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert read["permissions"] == {}
    for job in read["jobs"].values():
        allowed = {name for name, kind in job["permissions"].items() if kind == "write"}
        assert allowed <= {"id-token", "attestations"}
        assert "uses" in job or job["timeout-minutes"] <= 60


def test_the_workflows_run_on_every_supported_python():
    classified = re.findall(r"Python :: (3\.\d+)\"", text_of("pyproject.toml"))
    assert classified == ["3.11", "3.12", "3.13", "3.14"]
    listed = re.findall(r"python: \[([^\]]+)\]", text_of(".github/workflows/wheel.yml"))
    assert re.findall(r"3\.\d+", listed[0]) == classified


def test_every_work_that_the_paper_cites_is_in_its_bibliography():
    cited = set(re.findall(r"@([a-z]+\d{4})", text_of("paper/paper.md")))
    listed = re.findall(r"^@\w+\{(\w+),", text_of("paper/paper.bib"), flags=re.M)
    assert len(cited) > 10
    assert cited == set(listed)
    assert len(listed) == len(set(listed))
    assert (ROOT / "paper" / "order.png").exists()
