"""Write the page of a result."""

from __future__ import annotations

import os
from typing import Any

from consensa._machine.atomic import replacing
from consensa.report._collect import collect_report
from consensa.report._data import Run
from consensa.report._html import to_html
from consensa.selection import SelectionResult

__all__ = ["write_report"]


def write_report(
    result: Any,
    path: str | os.PathLike[str],
    *,
    X: Any = None,
    truth: Any = None,
    ids: Any = None,
    selection: SelectionResult | None = None,
    title: str | None = None,
    run: Run | None = None,
) -> None:
    """Write a report on a result as a self-contained HTML page.

    The page contains the clusters and their confidence, remarks on possible problems, the
    parameters, versions and seed, and Python code that reproduces the result. It loads nothing
    from the network. In it the tree of the result, if its method builds one, can be cut into
    other numbers of clusters, and samples can be selected and looked up; for more than 100,000
    samples the page shows the result alone.

    Parameters
    ----------
    result : ConsensusResult or fitted estimator
        The result to report on. An estimator and its ``result_`` give the same page.
    path : path
        File to write, such as ``"page.html"``; written whole or not at all.
    X : frame, array-like or sparse matrix, of shape (n_samples, n_features), or None, \
            default=None
        Features of the samples. With them the page shows the profiles of the clusters and a
        map of the samples.
    truth : array-like of shape (n_samples,) or None, default=None
        Known classes of the samples, to compare the clusters with.
    ids : array-like of shape (n_samples,) or None, default=None
        Names of the samples; None takes those of the frame, or numbers from 0.
    selection : SelectionResult or None, default=None
        Selection of the number of clusters, shown as a section of its own.
    title : str or None, default=None
        Heading; None is the number of clusters and samples.
    run : Run or None, default=None
        Further information on the run: file, command, time, scores.

    See Also
    --------
    consensa.cluster_profiles : The profiles of the clusters.
    consensa.select_n_clusters : The evidence for a number of clusters.
    consensa.metrics.sample_confidence : The confidence of a sample.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import consensa as cs
    >>> from consensa.report import write_report
    >>> partitions = [["a", 1, 5], ["a", 1, 5], ["b", 1, 6], ["b", 2, 6], ["b", 2, 6]]
    >>> result = cs.combine(partitions, 2)
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "page.html"
    >>> write_report(result, path, ids=["ann", "bob", "cid", "dan", "eve"])
    >>> "2 clusters in 5 samples" in path.read_text()
    True
    """
    data = collect_report(
        result, X=X, truth=truth, ids=ids, selection=selection, title=title, run=run
    )
    page = to_html(data)
    with replacing(path) as temporary:
        # Names of files may hold what is no text; the page shows a question mark there.
        temporary.write_bytes(page.encode("utf-8", "replace"))
