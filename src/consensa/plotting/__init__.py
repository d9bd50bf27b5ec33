"""Pictures of results: one Display a file. matplotlib is imported when something is drawn."""

from consensa.plotting._affinity import AffinityDisplay
from consensa.plotting._convergence import ConvergenceDisplay

__all__ = ["AffinityDisplay", "ConvergenceDisplay"]
