"""What `import consensa` and `consensa --help` cost, beside `import sklearn.cluster`.

Every number is the least processor time of several fresh processes, so that a busy machine
matters little. ``python benchmarks/imports.py``
"""

from __future__ import annotations

import argparse
import re
import resource
import subprocess
import sys

RUNS = {
    "import sklearn.cluster": ["-c", "import sklearn.cluster"],
    "import consensa": ["-c", "import consensa"],
    "from consensa import *": ["-c", "from consensa import *"],
    "consensa --help": ["-m", "consensa", "--help"],
    "consensa --version": ["-m", "consensa", "--version"],
}
TABLE = "import sklearn.cluster\nfrom consensa import *"


def seconds(arguments: list[str]) -> float:
    """Processor time of one process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def import_times() -> dict[str, int]:
    """Microseconds that each module takes by itself, of those loaded after sklearn.cluster."""
    command = [sys.executable, "-X", "importtime", "-c", TABLE]
    report = subprocess.run(command, check=True, capture_output=True, text=True).stderr
    rows = re.findall(r"import time: +(\d+) \| +\d+ \| +(\S+)", report)
    first = [name for _, name in rows].index("sklearn.cluster") + 1
    return {name: int(own) for own, name in rows[first:]}


def print_seconds(repeats: int) -> None:
    """The least time of each run, and what the imports cost on top of scikit-learn."""
    least = dict.fromkeys(RUNS, float("inf"))
    for _ in range(repeats + 1):  # the first writes byte code
        least = {name: min(least[name], seconds(RUNS[name])) for name in RUNS}
    base = least["import sklearn.cluster"]
    for name, time in least.items():
        more = f"{time - base:+7.2f} s, {time / base:.2f} times" if "import " in name else ""
        print(f"{name:24}{time:6.2f} s  {more}")


def print_table(repeats: int, rows: int) -> None:
    """Modules that take longest by themselves after scikit-learn is loaded, and the sum."""
    least = import_times()
    for _ in range(repeats - 1):
        for name, own in import_times().items():
            least[name] = min(own, least.get(name, own))
    print(f"\nwhat `from consensa import *` loads after sklearn.cluster: {len(least)} modules")
    print(f"{sum(least.values()) / 1000:8.1f} ms  all")
    for name, own in sorted(least.items(), key=lambda row: -row[1])[:rows]:
        print(f"{own / 1000:8.1f} ms  {name}")


def main() -> None:
    """Print both."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--rows", type=int, default=15)
    options = parser.parse_args()
    print_seconds(options.repeats)
    print_table(options.repeats, options.rows)


if __name__ == "__main__":
    main()
