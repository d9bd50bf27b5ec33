"""Every error and warning of Consensa.

::

    ConsensaError
    ├── InvalidParameterError (ValueError, TypeError)   a constructor argument
    ├── InvalidInputError (ValueError)                  data: features, labels, files
    ├── NotEnoughMemoryError (MemoryError)              said before anything is allocated
    └── MissingExtraError (ImportError)                 an optional library is not installed

    ConsensaWarning (UserWarning)
    ├── ConvergenceWarning                              a solver ran out of iterations
    ├── DegenerateRefinementWarning                     the refined matrix is nearly constant
    ├── FewerClustersWarning                            fewer clusters came back than were asked
    ├── OrderSensitivityWarning                         the answer depends on the order of the rows
    ├── ThinEvidenceWarning                             too many labels are missing to tell
    ├── UndecidedTieWarning                             exchangeable samples were told apart
    └── UnknownLabelsWarning                            new samples have labels that no fit saw
"""

from __future__ import annotations

from sklearn.exceptions import ConvergenceWarning as _SklearnConvergenceWarning

__all__ = [
    "ConsensaError",
    "ConsensaWarning",
    "ConvergenceWarning",
    "DegenerateRefinementWarning",
    "FewerClustersWarning",
    "InvalidInputError",
    "InvalidParameterError",
    "MissingExtraError",
    "NotEnoughMemoryError",
    "OrderSensitivityWarning",
    "ThinEvidenceWarning",
    "UndecidedTieWarning",
    "UnknownLabelsWarning",
]


class ConsensaError(Exception):
    """Base of every error that Consensa raises on purpose."""


class InvalidParameterError(ConsensaError, ValueError, TypeError):
    """A parameter is not what its declaration asks for."""


class InvalidInputError(ConsensaError, ValueError):
    """The data cannot be used; the message says what was wanted and what came."""


class NotEnoughMemoryError(ConsensaError, MemoryError):
    """A step needs more memory than there is. Raised before anything is allocated."""


class MissingExtraError(ConsensaError, ImportError):
    """An optional library is needed and not installed."""


class ConsensaWarning(UserWarning):
    """Base of every warning of Consensa."""


class ConvergenceWarning(ConsensaWarning, _SklearnConvergenceWarning):
    """An iterative solver stopped at `max_iter` before it met its tolerance."""


class DegenerateRefinementWarning(ConsensaWarning):
    """The refined matrix is nearly constant, so it says nothing about the samples."""


class FewerClustersWarning(ConsensaWarning):
    """The ensemble does not separate as many groups as were asked for."""


class OrderSensitivityWarning(ConsensaWarning):
    """The method reads the order of the rows, which says nothing about the samples."""


class ThinEvidenceWarning(ConsensaWarning):
    """So many labels are missing that the partitions hardly say which samples belong together."""


class UndecidedTieWarning(ConsensaWarning):
    """The partitions do not decide between answers: the order of the samples does.

    Some samples could change places without changing any partition, up to the names of its
    clusters, and the answer tells them apart. Of such samples, the one that comes first in the
    data goes first.
    """


class UnknownLabelsWarning(ConsensaWarning):
    """Some labels of new samples did not occur in the fit, and cannot vote."""
