"""Whether the default agrees with itself: other orders of the rows, other seeds, fewer rows.

On every development set: the least adjusted Rand index of the answers in three orders of the rows
to that in another one, which must be 1; the mean one of five seeds; and that of five answers with
one seed, each without another hundredth of the rows. The older default is beside it. Kept
in the store of `batteries.py`. Needs CONSENSA_DATA. The exit status is 1 if an order changed an
answer.

    python benchmarks/steadiness.py
    python benchmarks/steadiness.py --batteries tables,fcps --output out
"""

from __future__ import annotations

import sys

import numpy as np
from batteries import arguments_of_a_run, asked_sets, compute_missing
from batteries_cells import (
    LEFT_OUT,
    N_ORDERS,
    N_SEEDS,
    OURS,
    compute_agreement,
    compute_left_out,
    own_code,
)
from dev_sets import load_dev, names_of

from consensa.study.cells import Cell
from consensa.study.store import Store

HEAD = f"""# Steadiness of the default

Adjusted Rand index of the answers of one method on one set: the least of {N_ORDERS} other orders
of the rows with the first, the mean over all pairs of {N_SEEDS} seeds, and the mean over all pairs
of {N_SEEDS} answers with one seed, each without another {1 / LEFT_OUT:.0%} of the rows, on those
that both have. Embeddings do not depend on the seed, so the last says more about how certain an
answer is. A set on which a method raised an error, or which was not run, has no number; a mean is
over the sets that have one.

"""


MEASURES = {"agreement": ("orders", "seeds"), "left out": ("left out",)}


def cells_of(sets, what):
    """A cell of one kind for each set and method."""
    return [
        Cell(what, name, "shuffled", 0, method,
             {"data": load_dev(name).fingerprint} | own_code())
        for name in sets
        for method in OURS
    ]  # fmt: skip


def collect(store, cells):
    """{set: {(method, measure): value}}."""
    found = {}
    for cell in cells:
        record = store.get(cell)
        if record is not None:
            for name in MEASURES[cell.experiment]:
                value = record.payload.get(name, np.nan)
                found.setdefault(cell.dataset, {})[cell.method, name] = value
    return found


def table(found):
    """Rows of Markdown, and the means in the last one."""
    keys = [(method, what) for method in OURS for names in MEASURES.values() for what in names]
    columns = [f"{OURS[method].rows[0]}: {what}" for method, what in keys]
    yield "| set | " + " | ".join(columns) + " |"
    yield "|---" * (1 + len(columns)) + "|"
    order = [name for name in names_of("all") if name in found]
    values = [[found[name].get(key, np.nan) for key in keys] for name in order]
    for name, row in zip([*order, "mean"], [*values, np.nanmean(values, axis=0)], strict=True):
        shown = ["–" if np.isnan(one) else f"{one:.3f}" for one in row]
        yield f"| {name} | " + " | ".join(shown) + " |"


def main():
    """Compute what is missing, and write the page."""
    asked = arguments_of_a_run(__doc__).parse_args()
    sets = asked_sets(asked)
    with Store(asked.store) as store:
        if not asked.tables:
            compute_missing(store, cells_of(sets, "agreement"), compute_agreement, asked)
            compute_missing(store, cells_of(sets, "left out"), compute_left_out, asked)
        found = collect(store, [cell for what in MEASURES for cell in cells_of(sets, what)])
    text = HEAD + "\n".join(table(found)) + "\n"
    print(text)
    asked.output.mkdir(parents=True, exist_ok=True)
    (asked.output / "steadiness.md").write_text(text)
    moved = [name for name, by in found.items() if by.get(("default", "orders"), 1) < 1]
    if moved:
        sys.exit(f"The order of the rows changed the answer of the default on {moved}.")


if __name__ == "__main__":
    main()
