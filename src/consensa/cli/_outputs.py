"""The files of a run: labels with what belongs to them, profiles, a model."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from consensa._random import random_source
from consensa._result import ConsensusResult
from consensa._saved_model import SavedModel, write_model
from consensa.cli._append import appended, goes_into_h5ad, write_into_h5ad
from consensa.cli._columns import Chosen
from consensa.cli._in_blocks import TableInBlocks
from consensa.cli._screen import messages, showing
from consensa.cli._write import (
    MODEL_ENDINGS,
    check_apart,
    check_output,
    rescuing,
    resumable,
    write_blocks,
    write_frame,
)
from consensa.description import cluster_profiles
from consensa.description.clusters import has_features
from consensa.description.outliers import OutlierRule, learn_outlier_rule
from consensa.description.profiles_on_disk import profiles_on_disk
from consensa.description.sample_table import result_columns, rounded
from consensa.ensemble.deferred import DeferredRows, RowValues
from consensa.exceptions import ConsensaError, InvalidInputError
from consensa.features import Features
from consensa.features.column_plan import ColumnPlan
from consensa.features.stored_features import StoredFeatures
from consensa.tables.table import Table

__all__ = ["Outputs", "Samples"]

_TABLES = (".csv", ".tsv", ".parquet", ".xlsx")
_DIGITS = 6  # significant ones of profiles
_DIGITS_OF_P = 3
_DRAWN = 10_000  # rows of features on disk, from which it is learned what outliers are


class Samples(NamedTuple):
    """The columns of the user's table by their roles, and the table in memory or on disk."""

    chosen: Chosen
    table: Table | None = None
    stored: StoredFeatures | None = None


@dataclass(frozen=True)
class Outputs:
    """Files that a command writes besides its report.

    Attributes
    ----------
    labels : Path or None
        File of the labels; None is stdout.
    append : bool
        Whether they follow the columns of the user's table.
    profiles, model : Path or None
        Files of the profiles and of the model.
    escape : bool
        Whether text that looks like a formula is escaped.
    """

    labels: Path | None = None
    append: bool = False
    profiles: Path | None = None
    model: Path | None = None
    escape: bool = False

    def check(self, source: Path, report: Path | None = None) -> None:
        """Refuse files that could not be written, before anything is computed."""
        check_output(self.labels, source=source)
        check_output(self.profiles, source=source, option="--profiles", endings=_TABLES)
        check_output(self.model, source=source, option="--save", endings=MODEL_ENDINGS)
        files = {"--output": self.labels, "--profiles": self.profiles, "--save": self.model}
        check_apart(files | {"--report": report})

    def write_labels(
        self, result: ConsensusResult, data: Any, samples: Samples
    ) -> OutlierRule | None:
        """Write the labels, before anything else is done with them.

        Returns the rule that marks outliers, if there are features.
        """
        rule, outlier = None, None
        on_dask = not isinstance(result.labels, (np.ndarray, RowValues))
        in_blocks = isinstance(data, StoredFeatures) and not on_dask
        if in_blocks and not isinstance(result.ensemble.rows, DeferredRows):
            data = data.load()  # as the generator did
        if isinstance(data, Features) and has_features(result):
            with showing(messages(), "Outliers"):
                rule, outlier = learn_outlier_rule(
                    data, np.asarray(result.labels), rng=random_source(0)
                )
        if in_blocks:
            self._write_in_blocks(result, outlier, samples)
            return rule
        columns = rounded(pd.DataFrame(result_columns(result, outlier)))
        table = samples.table if self.append else None
        if table is not None and goes_into_h5ad(self.labels, table):
            write_into_h5ad(table, columns, self.labels)
            return rule
        found = {name: columns[name].array for name in columns}
        frame = samples.chosen.frame(found)
        if table is not None:
            frame = appended(table, found, samples.chosen.rows)
        write_frame(frame, self.labels, escape=self.escape)
        return rule

    def _write_in_blocks(self, result: ConsensusResult, outlier: Any, samples: Samples) -> None:
        """Write the labels of features on disk as they are made."""
        stored = samples.stored
        assert stored is not None
        with showing(messages(), "Labels"):
            table = TableInBlocks(result, samples.chosen, stored if self.append else None, outlier)
            kept = (
                rescuing(table, from_stdout=self.labels is None)
                if stored.resume is None or not isinstance(result.ensemble.rows, DeferredRows)
                else resumable(stored.resume, self.labels)
            )
            with kept:
                write_blocks(table, self.labels, escape=self.escape, state=stored.resume)

    def write_others(
        self, result: ConsensusResult, rule: OutlierRule | None, samples: Samples
    ) -> None:
        """Say where the labels are, and write the profiles and the model."""
        if self.labels is not None:
            _tell("Labels", self.labels)
        if self.profiles is not None:
            with showing(messages(), "Profiles"):
                profiles = (
                    cluster_profiles(samples.chosen.data, result)
                    if samples.stored is None
                    else profiles_on_disk(samples.stored, result)
                )
            write_frame(_shortened(profiles), self.profiles, escape=self.escape)
            _tell("Profiles", self.profiles)
            messages().print(profiles.attrs["note"], soft_wrap=True)
        if self.model is not None:
            self._save(self.model, result, rule, samples)

    @staticmethod
    def _save(
        path: Path, result: ConsensusResult, rule: OutlierRule | None, samples: Samples
    ) -> None:
        chosen, stored = samples.chosen, samples.stored
        plan = None
        try:
            if has_features(result) and stored is not None:
                with showing(messages(), "Model"):
                    plan = ColumnPlan.of_stored(stored)
                    rule = _rule_of_sample(stored, result) if rule is None else rule
            elif has_features(result):
                plan = ColumnPlan.of(chosen.data, chosen.first_dates)
            write_model(SavedModel(result, plan, rule), path)
        except (ConsensaError, OSError) as error:
            message = f"The model could not be saved. {error} The labels were written before."
            raise InvalidInputError(message) from error
        _tell("Model", path)


def _rule_of_sample(stored: StoredFeatures, result: ConsensusResult) -> OutlierRule:
    """What marks new samples as outliers, from drawn rows of features on disk."""
    numbers, features = stored.drawn_features(_DRAWN)
    return learn_outlier_rule(features, result.labels[numbers], rng=random_source(0))[0]


def _tell(what: str, path: Path) -> None:
    messages().print(f"{what} written to {path}", soft_wrap=True, markup=False)


def _shortened(profiles: pd.DataFrame) -> pd.DataFrame:
    """Profiles as they are written: numbers in a few significant digits."""
    numbers = profiles.select_dtypes("float")
    digits = {name: _DIGITS_OF_P if name == "p_value" else _DIGITS for name in numbers}
    return profiles.assign(
        **{
            str(name): [float(f"{value:.{digits[name]}g}") for value in numbers[name]]
            for name in numbers
        }
    )
