"""GTLEC and LTA on the seven sets, on a GPU: for the audit, and for the leaderboard from labels.

    python benchmarks/audit_gpu.py --out cells.jsonl              # resumable; CUDA
    python benchmarks/audit_gpu.py --out cells.jsonl --into out/study/study.sqlite
    python benchmarks/audit_gpu.py --out cells.jsonl --part leaderboard

A cell is a line of JSON, written as soon as it is computed: the same command continues after a
stop. What is needed first comes first. For the audit: 3 draws of the small sets in both orders,
the degrees, the large sets, then the other draws. For the leaderboard: LTA on ensembles of 20,
then 3 draws of GTLEC on these, then its other draws of ensembles of 10 and 20. The second command
puts the lines into a store, for `consensa study audit` or `leaderboard.py --gather`. Needs
CONSENSA_DATA.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from pathlib import Path

from consensa.study import RunOptions, protocol_of
from consensa.study._pool import in_workers
from consensa.study._worker import read_answer
from consensa.study.cells import Cell
from consensa.study.figures import FIGURES, Plan, compute_cell
from consensa.study.material import read_sets
from consensa.study.store import Store

SMALL, LARGE = ("binalpha", "semeion", "mf", "caltech20"), ("mnist5k", "texture", "isolet")
BY_DEGREES = ("binalpha", "mf", "semeion")


def of_the_audit(arguments, datasets):
    """Lists of cells, the most important first, and the number of processes for each."""
    small = [name for name in arguments.sets if name not in LARGE]
    large = [name for name in arguments.sets if name in LARGE]
    chosen = [name for name in arguments.degrees if name in arguments.sets]
    few = min(arguments.few, arguments.draws)

    def tables(sets, draws):
        return protocol_of(sets=sets, methods=["gtlec"], draws=draws).cells(datasets)

    figure = FIGURES["degrees"]
    by_degrees = protocol_of(sets=chosen, methods=["lta", "gtlec"], draws=few)
    degrees = figure.cells(Plan(by_degrees, figure.values), datasets)
    first = tables(small, few) + degrees
    # A run on isolet has 36 arrays of 0.5 GB, so fewer of them run at a time.
    return [
        (first, arguments.jobs),
        (tables(large, few), max(1, arguments.jobs // 2)),
        (tables(small, arguments.draws), arguments.jobs),
    ]


def of_the_leaderboard(arguments, datasets):
    """The same for part (a) of `leaderboard.py`: rows shuffled, ensembles of 10 and 20."""
    small = [name for name in arguments.sets if name in SMALL]
    large = [name for name in arguments.sets if name in LARGE]
    few = min(arguments.few, arguments.draws)

    def tables(method, members, sets, draws):
        protocol = protocol_of(
            sets=sets, methods=[method], orders=["shuffled"], draws=draws, members=members
        )
        return sorted(protocol.cells(datasets), key=lambda cell: cell.draw)

    some, one = max(1, arguments.jobs // 2), max(1, arguments.jobs // 3)
    # GTLEC has 3 arrays for each partition: 66 of 0.5 GB on isolet with 20 of them.
    return [
        (tables("lta", 20, small, arguments.draws), arguments.jobs),
        (tables("lta", 20, large, arguments.draws), arguments.jobs),
        (tables("gtlec", 20, small, few), some),
        *((tables("gtlec", 20, [name], few), one) for name in large),
        (tables("gtlec", 20, small, arguments.draws), arguments.jobs),
        (tables("gtlec", 10, large, arguments.draws), some),
        (tables("gtlec", 20, large, arguments.draws), one),
    ]


PARTS = {"audit": of_the_audit, "leaderboard": of_the_leaderboard}


def lines_of(path):
    """The whole lines of a file, by the key of their cell; the last one of each counts."""
    found = {}
    if path.exists():
        for text in path.read_text(encoding="utf-8").splitlines():
            try:
                line = json.loads(text)
            except ValueError:  # cut off when the process was stopped
                continue
            found[line.pop("key")] = line
    return found


def end_last_line(path):
    """If the last line was cut off, end it, so that the next one does not continue it."""
    data = path.read_bytes() if path.exists() else b""
    if data and not data.endswith(b"\n"):
        with path.open("ab") as file:
            file.write(b"\n")


def compute(arguments):
    """Compute the cells that the file does not have, until the time is over."""
    deadline = time.monotonic() + arguments.seconds
    path = Path(arguments.out)
    end_last_line(path)
    options = RunOptions(path.parent, device=arguments.device, cubic_limit=None)
    datasets = read_sets(arguments.sets, options)
    for cells, jobs in PARTS[arguments.part](arguments, datasets):
        done = {key for key, line in lines_of(path).items() if line["state"] == "done"}
        todo = list({cell.key: cell for cell in cells if cell.key not in done}.values())
        print(f"{len(todo)} of {len(cells)} cells to compute, {jobs} at a time", flush=True)
        running = RunOptions(path.parent, jobs=jobs, device=arguments.device, cubic_limit=None)
        with path.open("a", encoding="utf-8") as file:
            for record in in_workers(todo, compute_cell, running, deadline):
                line = {name: value for name, value in vars(record).items() if name != "cell"}
                file.write(json.dumps({"key": record.cell.key, **line}) + "\n")
                file.flush()
                reason = "" if record.state == "done" else f" {record.state}: {record.reason}"
                print(f"{record.cell}: {record.seconds:.1f} s{reason}", flush=True)
    print(Counter(line["state"] for line in lines_of(path).values()))


def store(path, into):
    """Put the lines into a store that does not have these cells."""
    with Store(into) as target:
        known = {key for key, record in target.records().items() if record.state == "done"}
        new = {key: line for key, line in lines_of(Path(path)).items() if key not in known}
        for key, line in new.items():
            target.put(read_answer(Cell.from_key(key), json.dumps(line)))
    print(f"{len(new)} cells stored in {into}")


def names_of_sets(text):
    """The sets of a list; raise an error for a name that is in neither group."""
    names = text.split(",")
    unknown = [name for name in names if name not in (*SMALL, *LARGE)]
    if unknown:
        known = ", ".join((*SMALL, *LARGE))
        message = f"wanted some of {known}. Got {', '.join(map(repr, unknown))}. Leave these out."
        raise argparse.ArgumentTypeError(message)
    return names


def main():
    """Read the options; compute or store."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", required=True, help="file of the lines")
    parser.add_argument("--into", help="store that gets the lines; nothing is computed")
    parser.add_argument("--part", choices=PARTS, default="audit")
    parser.add_argument("--seconds", type=float, default=450, help="when to stop")
    parser.add_argument("--jobs", type=int, default=10)
    parser.add_argument("--draws", type=int, default=20, help="draws of the small sets")
    parser.add_argument("--few", type=int, default=3, help="draws of the large sets")
    parser.add_argument("--sets", type=names_of_sets, default=[*SMALL, *LARGE])
    parser.add_argument("--degrees", type=names_of_sets, default=[*BY_DEGREES])
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cuda")
    arguments = parser.parse_args()
    if arguments.into:
        store(arguments.out, arguments.into)
    else:
        compute(arguments)
    return 0


if __name__ == "__main__":
    sys.exit(main())
