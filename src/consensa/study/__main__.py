"""``python -m consensa.study``: fill a store without the command line.

It computes cells and writes no tables; ``consensa study gather`` imports its store.
"""

from __future__ import annotations

import argparse
import sys

from consensa._array import DEVICES
from consensa._machine.printable import printable
from consensa.exceptions import ConsensaError
from consensa.study.options import CUBIC_LIMIT, RunOptions
from consensa.study.progress import ProgressLines
from consensa.study.protocol import ORDERS, protocol_of
from consensa.study.run import fill


def _list(text: str) -> list[str]:
    return text.split(",")


def main() -> int:
    """Read the options, fill the store and print a summary."""
    parser = argparse.ArgumentParser("python -m consensa.study", description=__doc__)
    parser.add_argument("--out", required=True, help="folder of the store")
    parser.add_argument("--sets", type=_list)
    parser.add_argument("--methods", type=_list)
    parser.add_argument("--order", choices=(*ORDERS, "both"), default="both")
    parser.add_argument("--draws", type=int, default=20)
    parser.add_argument("--members", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--data",
        dest="folder",
        metavar="DATA",
        help="folder of the data sets; by default CONSENSA_DATA",
    )
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--budget", type=float, help="minutes")
    parser.add_argument("--device", choices=DEVICES)
    parser.add_argument("--cubic-limit", type=int, default=CUBIC_LIMIT)
    given = vars(parser.parse_args())
    order = given.pop("order")
    what = {name: given.pop(name) for name in ("sets", "methods", "draws", "members", "seed")}
    try:
        protocol = protocol_of(**what, orders=ORDERS if order == "both" else (order,))
        report = fill(protocol, RunOptions(**given), progress=ProgressLines(sys.stderr))
    except (ConsensaError, OSError) as error:
        sys.stderr.write(f"Error: {printable(error)}\n")
        return 2
    sys.stderr.write(printable("\n".join(report.sentences())) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
