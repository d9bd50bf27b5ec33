"""The data sets on OpenML, by their ids."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from consensa._machine.progress import track
from consensa.exceptions import InvalidInputError

__all__ = ["PARTS", "fetch"]

# Numbers of the parts whose columns make the set, in the order of the columns.
PARTS = {
    "mf": (14, 12, 16, 20, 22, 18),  # Fourier, factors, Karhunen, pixels, Zernike, morphology
    "semeion": (1501,),
    "texture": (40499,),
    "isolet": (300,),
}


def fetch(name: str, *, advice: str) -> tuple[Any, Any]:
    """Features and classes of a data set; scikit-learn caches them."""
    features, classes = [], []
    with track(f"{name} from OpenML", len(PARTS[name])) as advance:
        for number in PARTS[name]:
            answer = _fetch_part(name, number, advice)
            features.append(np.asarray(answer.data, dtype=np.float64))
            classes.append(np.asarray(answer.target))
            advance()
    if any(len(other) != len(classes[0]) or (other != classes[0]).any() for other in classes):
        message = f"The parts of {name} on OpenML do not list the same samples in the same order."
        raise InvalidInputError(message)
    return np.hstack(features), classes[0]


def _fetch_part(name: str, number: int, advice: str) -> Any:
    from sklearn.datasets import fetch_openml  # loads readers of many formats

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # that it tries again
            return fetch_openml(data_id=number, as_frame=False, parser="liac-arff")
    except (OSError, ValueError) as error:  # no network, no such set, a copy cut short
        message = (
            f"{name} could not be fetched from OpenML (set {number}): {error}. Is there a "
            f"network? {advice}"
        )
        raise InvalidInputError(message) from error
