"""How many clusters, and which method: questions that come before an answer."""

from consensa.selection._compare import MethodComparison, compare_methods, sample_disagreement

__all__ = [
    "MethodComparison",
    "compare_methods",
    "sample_disagreement",
]
