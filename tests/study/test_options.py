"""The options of a run: checked once, and the same in every worker."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import study_cells

from consensa.exceptions import InvalidParameterError
from consensa.study._worker import greeting
from consensa.study.options import RunOptions


@pytest.mark.parametrize(
    "wrong", [{"jobs": -1}, {"budget": 0}, {"device": "tpu"}, {"cubic_limit": 0}]
)
def test_wrong_numbers_are_refused(tmp_path, wrong):
    with pytest.raises(InvalidParameterError, match=next(iter(wrong))):
        RunOptions(tmp_path, **wrong)


def test_a_worker_reads_the_options_that_were_given(tmp_path):
    options = RunOptions(tmp_path, Path("data"), 3, 0.5, "cpu", None)
    hello = json.loads(greeting(study_cells.square, options))
    assert hello["function"] == "study_cells:square"
    assert RunOptions(**hello["options"]) == options


def test_the_store_and_the_pools_are_in_the_folder(tmp_path):
    options = RunOptions(tmp_path)
    assert options.store.parent == options.pools.parent == tmp_path
