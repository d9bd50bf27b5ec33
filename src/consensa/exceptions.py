"""Every error and warning of Consensa.

::

    ConsensaError
    ├── InvalidParameterError (ValueError, TypeError)   a parameter of a class or function
    ├── InvalidInputError (ValueError)                  data: features, labels, files
    ├── NotEnoughMemoryError (MemoryError)              a step needs more memory than there is
    ├── ClusterError (RuntimeError)                     a Dask cluster without workers, or lost
    ├── TooSlowError                                    raised before anything is computed
    └── MissingExtraError (ImportError)                 an optional library is not installed

    ConsensaWarning (UserWarning)
    ├── ConvergenceWarning                              a solver ran out of iterations
    ├── DegenerateRefinementWarning                     the refined matrix is nearly constant
    ├── DoubtWarning                                    the result may not be what was wanted
    │   ├── DecidingColumnWarning                       one column decides alone
    │   ├── DisagreeingKindsWarning                     kinds of base partitions disagree
    │   ├── IdColumnWarning                             a column looks like a row number or a name
    │   ├── LabelColumnsWarning                         features look like partitions
    │   ├── LowConfidenceWarning                        the mean confidence is low
    │   ├── TransposedLabelsWarning                     the samples may be in the columns
    │   └── UnusedScalingWarning                        text columns are scaled in another way
    ├── EmptyClustersWarning                            empty clusters were filled
    ├── FewerClustersWarning                            fewer clusters than requested
    ├── OrderSensitivityWarning                         the result depends on the order of the rows
    ├── ThinEvidenceWarning                             too many labels are missing
    ├── UndecidedTieWarning                             exchangeable samples were separated
    ├── UnknownLabelsWarning                            new samples have labels not seen in fit
    └── UnstoredChunksWarning                           chunks of a Zarr array are not on disk
"""

from __future__ import annotations

from typing import ClassVar

from sklearn.exceptions import ConvergenceWarning as _SklearnConvergenceWarning

from consensa._recorder import record as _record

__all__ = [
    "ClusterError",
    "ConsensaError",
    "ConsensaWarning",
    "ConvergenceWarning",
    "DecidingColumnWarning",
    "DegenerateRefinementWarning",
    "DisagreeingKindsWarning",
    "DoubtWarning",
    "EmptyClustersWarning",
    "FewerClustersWarning",
    "IdColumnWarning",
    "InvalidInputError",
    "InvalidParameterError",
    "LabelColumnsWarning",
    "LowConfidenceWarning",
    "MissingExtraError",
    "NotEnoughMemoryError",
    "OrderSensitivityWarning",
    "ThinEvidenceWarning",
    "TooSlowError",
    "TransposedLabelsWarning",
    "UndecidedTieWarning",
    "UnknownLabelsWarning",
    "UnstoredChunksWarning",
    "UnusedScalingWarning",
]


class ConsensaError(Exception):
    """Base class of all errors that Consensa raises."""


class InvalidParameterError(ConsensaError, ValueError, TypeError):
    """A parameter has an invalid value."""


class InvalidInputError(ConsensaError, ValueError):
    """The data are invalid; the message states what is expected and what was given."""


class NotEnoughMemoryError(ConsensaError, MemoryError):
    """A step needs more memory than is available.

    Raised before its arrays are allocated, or when an allocation fails nevertheless.
    """


class ClusterError(ConsensaError, RuntimeError):
    """A Dask cluster has no workers, or the connection to its scheduler was lost."""


class TooSlowError(ConsensaError):
    """A step would take longer than a limit allows. Raised before anything is computed."""


class MissingExtraError(ConsensaError, ImportError):
    """An optional library is required but not installed."""


class ConsensaWarning(UserWarning):
    """Base class of all warnings of Consensa. The result of the fit keeps them as remarks."""

    title: ClassVar[str] = "Warning during the fit"  # of the remark

    def __init__(self, *args: object) -> None:
        super().__init__(*args)
        _record(self)


class ConvergenceWarning(ConsensaWarning, _SklearnConvergenceWarning):
    """An iterative solver stopped at `max_iter` before it reached its tolerance."""

    title = "The solver did not converge"


class DegenerateRefinementWarning(ConsensaWarning):
    """The refined matrix is nearly constant and contains no information on the clusters."""

    title = "The refined matrix is nearly constant"


class DoubtWarning(ConsensaWarning):
    """The result may not be what was wanted, although nothing went wrong."""


class DecidingColumnWarning(DoubtWarning):
    """One column of X gives nearly the same clusters alone, and the others do not."""

    title = "One column decides alone"


class DisagreeingKindsWarning(DoubtWarning):
    """Base partitions of different kinds disagree, as they do on data without clusters."""

    title = "The kinds of base partitions disagree"


class IdColumnWarning(DoubtWarning):
    """A column of X looks like a row number or a name of the samples, and is used as a feature."""

    title = "A column looks like a row number or a name"


class LabelColumnsWarning(DoubtWarning):
    """Every column of X looks like a partition, and X is read as features."""

    title = "The columns look like partitions"


class LowConfidenceWarning(DoubtWarning):
    """The mean confidence of the samples is low."""

    title = "The mean confidence is low"


class TransposedLabelsWarning(DoubtWarning):
    """A label matrix has many more columns than rows: the samples may be in its columns."""

    title = "The samples may be in the columns"


class UnusedScalingWarning(DoubtWarning):
    """The scaling of the generator is not used, because X has text columns."""

    title = "The scaling is not used"


class EmptyClustersWarning(ConsensaWarning):
    """The method left clusters empty; each was filled with a distinct row that fitted worst."""

    title = "Some clusters were empty and were filled"


class FewerClustersWarning(ConsensaWarning):
    """The ensemble does not separate as many clusters as requested."""

    title = "Fewer clusters than requested"


class OrderSensitivityWarning(ConsensaWarning):
    """The method is not order-free: its result depends on the order of the rows."""

    title = "The result depends on the order of the rows"


class ThinEvidenceWarning(ConsensaWarning):
    """Too many labels are missing for a reliable consensus."""

    title = "Too many labels are missing for a reliable consensus"


class UndecidedTieWarning(ConsensaWarning):
    """The partitions do not determine the clusters; the order of the samples decides a tie.

    Some samples could change places without changing any partition, up to the names of its
    clusters, and the answer tells them apart. Of such samples, the one that comes first in the
    data goes first.
    """


class UnknownLabelsWarning(ConsensaWarning):
    """Some labels of new samples did not occur in the fit, and are ignored."""


class UnstoredChunksWarning(ConsensaWarning):
    """Chunks of a Zarr array are not stored, and are read as labels that may be wrong."""
