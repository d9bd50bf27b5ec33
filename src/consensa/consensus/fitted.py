"""Fitted attributes of the estimators, which are read from ``result_``."""

from __future__ import annotations

from typing import Any

from consensa._result import ConsensusResult

__all__ = ["Detail", "Fitted"]


class Fitted:
    """A fitted attribute that reads an attribute of ``result_``.

    As in scikit-learn, the attribute does not exist before `fit`. It does not exist after `fit`
    either if the method does not compute it, so that `hasattr` can be used.
    """

    def __init__(self, of_result: str) -> None:
        self.of_result = of_result

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, instance: Any, owner: type) -> Any:
        if instance is None:
            return self
        result = vars(instance).get("result_")
        value = None if result is None else self._read(result)
        if value is None:
            why = "call fit first" if result is None else "this fit did not compute it"
            message = f"{owner.__name__!r} object has no attribute {self.name!r}: {why}."
            raise AttributeError(message)
        return value

    def __set__(self, instance: Any, value: Any) -> None:
        message = f"{self.name} is read from result_ and cannot be set."
        raise AttributeError(message)

    def _read(self, result: ConsensusResult) -> Any:
        return getattr(result, self.of_result)


class Detail(Fitted):
    """A fitted attribute ``name_`` that reads ``result_.details["name"]``."""

    def __init__(self) -> None:
        super().__init__("details")

    def _read(self, result: ConsensusResult) -> Any:
        return result.details.get(self.name.removesuffix("_"))
