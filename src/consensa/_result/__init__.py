"""The result of every method."""

from consensa._result._remark import Remark
from consensa._result._result import ConsensusResult
from consensa._result._trace import SolverTrace, Tree

__all__ = ["ConsensusResult", "Remark", "SolverTrace", "Tree"]
