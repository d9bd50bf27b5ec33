"""Displays of results, one per file. matplotlib is imported when something is plotted."""

from consensa.plotting._affinity import AffinityDisplay
from consensa.plotting._base_comparison import BaseComparisonDisplay
from consensa.plotting._base_quality import BaseQualityDisplay
from consensa.plotting._cluster_profile import ClusterProfileDisplay
from consensa.plotting._confidence import ConfidenceDisplay
from consensa.plotting._consensus_cdf import ConsensusCDFDisplay
from consensa.plotting._convergence import ConvergenceDisplay
from consensa.plotting._critical_difference import CriticalDifferenceDisplay
from consensa.plotting._delta_area import DeltaAreaDisplay
from consensa.plotting._dendrogram import DendrogramDisplay
from consensa.plotting._matrices import MatricesDisplay
from consensa.plotting._null_reference import NullReferenceDisplay
from consensa.plotting._objective import ObjectiveDisplay
from consensa.plotting._order_agreement import OrderAgreementDisplay
from consensa.plotting._order_spectrum import OrderSpectrumDisplay
from consensa.plotting._partition_agreement import PartitionAgreementDisplay
from consensa.plotting._sample_map import SampleMapDisplay
from consensa.plotting._selection import SelectionDisplay
from consensa.plotting._sweep import SweepDisplay
from consensa.plotting._tracking import TrackingDisplay

__all__ = [
    "AffinityDisplay",
    "BaseComparisonDisplay",
    "BaseQualityDisplay",
    "ClusterProfileDisplay",
    "ConfidenceDisplay",
    "ConsensusCDFDisplay",
    "ConvergenceDisplay",
    "CriticalDifferenceDisplay",
    "DeltaAreaDisplay",
    "DendrogramDisplay",
    "MatricesDisplay",
    "NullReferenceDisplay",
    "ObjectiveDisplay",
    "OrderAgreementDisplay",
    "OrderSpectrumDisplay",
    "PartitionAgreementDisplay",
    "SampleMapDisplay",
    "SelectionDisplay",
    "SweepDisplay",
    "TrackingDisplay",
]
