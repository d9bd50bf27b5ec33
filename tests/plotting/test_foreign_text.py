"""Names from outside are drawn as they are: no formulas, no errors."""

from __future__ import annotations

import numpy as np
import pytest

from consensa import Ensemble
from consensa.plotting import (
    AffinityDisplay,
    BaseComparisonDisplay,
    BaseQualityDisplay,
    ConfidenceDisplay,
    DendrogramDisplay,
    PartitionAgreementDisplay,
)
from consensa.plotting.axes import figure_bytes, plain_text, short_name

NAMES = ["$^$", "a$b_{$", "x\udce9", "\x1b[2J", "名\n前", "$\\frac$"]
ENSEMBLE = Ensemble.from_labels(
    np.array([[0, 0, 1, 1, 2, 2], [0, 0, 0, 1, 1, 1], [0, 1, 1, 1, 2, 2]]).T.repeat(2, axis=1),
)


def named(display, names):
    """The display with these names of samples or partitions."""
    display.names = names
    return display.plot()


DRAWN = {
    "partitions": lambda: named(PartitionAgreementDisplay(np.eye(6)), NAMES),
    "quality": lambda: named(BaseQualityDisplay.from_ensemble(ENSEMBLE, NAMES), NAMES),
    "tree": lambda: named(DendrogramDisplay.from_ensemble(ENSEMBLE, NAMES), NAMES),
    "clusters": lambda: ConfidenceDisplay(np.ones(6), NAMES).plot(),
    "affinity": lambda: AffinityDisplay(np.eye(6), NAMES).plot(),
    "sets": lambda: BaseComparisonDisplay(
        {name: [0.5, 0.6] for name in NAMES}, {"EAC": {name: [0.7] for name in NAMES}}
    ).plot(),
}


@pytest.mark.parametrize("what", DRAWN)
def test_no_name_is_taken_for_a_formula(what):
    assert figure_bytes(DRAWN[what]().figure_, "svg")


def test_a_name_is_drawn_on_one_line_with_its_dollars():
    assert plain_text("a\nb $c$") == r"a b \$c\$"
    assert short_name("$" * 30, 5) == r"\$" * 4 + "…"
