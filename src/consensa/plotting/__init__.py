"""Pictures of results: one Display a file. matplotlib is imported when something is drawn."""

from consensa.plotting._affinity import AffinityDisplay
from consensa.plotting._convergence import ConvergenceDisplay
from consensa.plotting._order_agreement import OrderAgreementDisplay
from consensa.plotting._order_spectrum import OrderSpectrumDisplay

__all__ = [
    "AffinityDisplay",
    "ConvergenceDisplay",
    "OrderAgreementDisplay",
    "OrderSpectrumDisplay",
]
