"""Whether the default agrees with itself, in other orders of the rows and with other seeds.

On every development set: the least adjusted Rand index of the answers in three orders of the rows
to that in another one, which must be 1, and the mean one of five seeds; the older default beside
it. Kept in the store of `batteries.py`. Needs CONSENSA_DATA. The exit status is 1 if an order
changed an answer.

    python benchmarks/steadiness.py
    python benchmarks/steadiness.py --batteries tables,fcps --output out
"""

from __future__ import annotations

import sys

import numpy as np
from batteries import arguments_of_a_run, asked_sets, compute_missing
from batteries_cells import N_ORDERS, N_SEEDS, OURS, compute_agreement, own_code
from dev_sets import load_dev, names_of

from consensa.study.cells import Cell
from consensa.study.store import Store

HEAD = f"""# Steadiness of the default

Adjusted Rand index of the answers of one method on one set: the least of {N_ORDERS} other orders
of the rows with the first, and the mean over all pairs of {N_SEEDS} seeds. A set on which a method
raised an error has no number.

"""


def cells_of(sets):
    """A cell for each set and method."""
    return [
        Cell("agreement", name, "shuffled", 0, method,
             {"data": load_dev(name).fingerprint} | own_code())
        for name in sets
        for method in OURS
    ]  # fmt: skip


def collect(store, cells):
    """{set: {method: (orders, seeds)}}."""
    found = {}
    for cell in cells:
        record = store.get(cell)
        if record is not None:
            shown = [record.payload.get(name, np.nan) for name in ("orders", "seeds")]
            found.setdefault(cell.dataset, {})[cell.method] = shown
    return found


def table(found):
    """Rows of Markdown, and the means in the last one."""
    names = [OURS[method].rows[0] for method in OURS]
    columns = [f"{name}: {what}" for name in names for what in ("orders", "seeds")]
    yield "| set | " + " | ".join(columns) + " |"
    yield "|---" * (1 + len(columns)) + "|"
    order = [name for name in names_of("all") if name in found]
    values = [
        [one for method in OURS for one in found[name].get(method, [np.nan] * 2)] for name in order
    ]
    for name, row in zip([*order, "mean"], [*values, np.nanmean(values, axis=0)], strict=True):
        shown = ["–" if np.isnan(one) else f"{one:.3f}" for one in row]
        yield f"| {name} | " + " | ".join(shown) + " |"


def main():
    """Compute what is missing, and write the page."""
    asked = arguments_of_a_run(__doc__).parse_args()
    cells = cells_of(asked_sets(asked))
    with Store(asked.store) as store:
        if not asked.tables:
            compute_missing(store, cells, compute_agreement, asked)
        found = collect(store, cells)
    text = HEAD + "\n".join(table(found)) + "\n"
    print(text)
    asked.output.mkdir(parents=True, exist_ok=True)
    (asked.output / "steadiness.md").write_text(text)
    moved = [name for name, by in found.items() if by.get("default", [1])[0] < 1]
    if moved:
        sys.exit(f"The order of the rows changed the answer of the default on {moved}.")


if __name__ == "__main__":
    main()
