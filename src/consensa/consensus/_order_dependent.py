"""What methods whose result depends on the order of the rows have in common: LTA and GTLEC."""

from __future__ import annotations

import warnings
from typing import Any

from consensa._array import DEVICES, is_on_gpu, to_device, to_library, to_numpy
from consensa._defaults import DEFAULT_METHOD
from consensa._params import Constraint, NoneType, OneOf, Real
from consensa.ensemble import Ensemble
from consensa.exceptions import OrderSensitivityWarning
from consensa.metrics.spectrum import ORDER_MATTERS_ABOVE

__all__ = ["OPTIONS_OF_THE_SOLVER", "moved", "returned", "warn_about_order"]

OPTIONS_OF_THE_SOLVER: dict[str, tuple[Constraint, ...]] = {
    "tol": (Real(above=0), NoneType()),
    "dtype": (OneOf(("float64", "float32")),),
    "device": (OneOf(DEVICES), NoneType()),
}


def moved(ensemble: Ensemble, device: str | None) -> Ensemble:
    """The ensemble with its labels on the device."""
    if device is None or is_on_gpu(ensemble.labels) == (device == "cuda"):
        return ensemble
    return Ensemble(to_device(ensemble.labels, device))


def returned(affinity: Any, labels: Any) -> Any:
    """The affinity on the device of the labels."""
    elsewhere = is_on_gpu(affinity) != is_on_gpu(labels)
    return to_library(to_numpy(affinity), like=labels) if elsewhere else affinity


def warn_about_order(method: str, information: float) -> None:
    """Warn that the method uses the order, and say whether there is anything to use."""
    if information > ORDER_MATTERS_ABOVE:
        finding = (
            f"The order of the rows is related to the partitions (order_information "
            f"{information:.2f}), and {method} uses it: the clusters may come from how the file "
            f"is sorted rather than from the data."
        )
    else:
        finding = (
            f"{method} uses the order of the rows, although no relation to the partitions was "
            f"found (order_information {information:.2f}). In small data, and for clusters of a "
            f"few rows, there may be one all the same."
        )
    remedy = (
        f"Use an order-free method, such as {DEFAULT_METHOD}, or measure the effect with "
        f"metrics.order_sensitivity."
    )
    warnings.warn(f"{finding} {remedy}", OrderSensitivityWarning, stacklevel=5)
