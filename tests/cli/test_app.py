"""The commands together."""

from __future__ import annotations

import inspect
import sys

import pytest

from consensa.cli._app import COMMANDS, load_command


@pytest.mark.parametrize("name", COMMANDS)
def test_the_list_of_commands_has_the_first_line_of_each(name):
    text = inspect.cleandoc(load_command(name).help)
    assert text.partition("\n\n")[0] == COMMANDS[name].line


def test_help_lists_every_command(consensa):
    printed = consensa("--help").out
    for name, command in COMMANDS.items():
        assert name in printed
        assert command.line in printed


@pytest.mark.parametrize("name", COMMANDS)
def test_commands_have_no_options_of_the_shell(name):
    options = {option for parameter in load_command(name).params for option in parameter.opts}
    assert not options & {"--install-completion", "--show-completion"}


def test_a_misspelled_command_is_refused(consensa):
    said = consensa("clutser").err
    assert "No such command 'clutser'" in said


def test_without_pandas_a_command_says_what_to_install(consensa, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    outcome = consensa("methods")
    assert outcome.status == 2
    assert "The command line needs pandas" in outcome.err
    assert consensa("--help").status == 0
