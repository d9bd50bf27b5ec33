"""Pictures of results: one Display a file. matplotlib is imported when something is drawn."""

from consensa.plotting._affinity import AffinityDisplay
from consensa.plotting._base_comparison import BaseComparisonDisplay
from consensa.plotting._convergence import ConvergenceDisplay
from consensa.plotting._critical_difference import CriticalDifferenceDisplay
from consensa.plotting._matrices import MatricesDisplay
from consensa.plotting._objective import ObjectiveDisplay
from consensa.plotting._order_agreement import OrderAgreementDisplay
from consensa.plotting._order_spectrum import OrderSpectrumDisplay
from consensa.plotting._sweep import SweepDisplay

__all__ = [
    "AffinityDisplay",
    "BaseComparisonDisplay",
    "ConvergenceDisplay",
    "CriticalDifferenceDisplay",
    "MatricesDisplay",
    "ObjectiveDisplay",
    "OrderAgreementDisplay",
    "OrderSpectrumDisplay",
    "SweepDisplay",
]
