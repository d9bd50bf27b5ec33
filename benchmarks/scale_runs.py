"""Label matrices of any size, and one run of a method on them in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

N_PARTITIONS, N_CLASSES = 20, 10
PARTITION_CLUSTERS = 35  # on average


def make_labels(folder: Path, n: int) -> Path:
    """Noisy partitions of planted classes, written block by block."""
    path = folder / f"labels_{n}.npy"
    if path.exists():
        return path
    rng = np.random.default_rng(0)
    counts = rng.integers(20, 51, N_PARTITIONS)
    classes = [rng.permutation(np.arange(count) % N_CLASSES) for count in counts]
    partial = path.with_suffix(".partial.npy")
    labels = np.lib.format.open_memmap(partial, "w+", np.int32, (n, N_PARTITIONS))
    for start in range(0, n, 2**18):
        truth = rng.integers(0, N_CLASSES, min(2**18, n - start))
        for j, of_cluster in enumerate(classes):
            seen = np.where(
                rng.uniform(size=len(truth)) < 0.15, rng.integers(0, N_CLASSES, len(truth)), truth
            )
            order = np.argsort(of_cluster, kind="stable")
            sizes = np.bincount(of_cluster, minlength=N_CLASSES)
            first = np.cumsum(sizes) - sizes
            pick = first[seen] + (rng.uniform(size=len(truth)) * sizes[seen]).astype(int)
            labels[start : start + len(truth), j] = order[pick]
    labels.flush()
    partial.rename(path)
    return path


ONE_RUN = """
import json, sys, time, warnings
warnings.simplefilter("ignore")
import numpy as np
import consensa
from consensa import open_labels
name, path, engine = sys.argv[1:4]
def used():  # getrusage would begin with the peak of the process that started this one
    import re
    status = open("/proc/self/status").read()
    return int(re.search(r"VmHWM:\\s+(\\d+)", status)[1]) * 1024
start, begun = time.perf_counter(), time.process_time()
if engine == "dask":
    import distributed
    from consensa import distributed as twins
    cluster = distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None)
    client = distributed.Client(cluster)
    client.wait_for_workers(2)
    client.run(__import__, "consensa")
    start = time.perf_counter()
    model = getattr(twins, name)(10, generator="precomputed", random_state=0)
    model.fit(open_labels(path))
    labels = model.labels_.compute()
else:
    model = getattr(consensa, name)(10, generator="precomputed", random_state=0)
    labels = model.fit(open_labels(path)).labels_
seconds, cpu = time.perf_counter() - start, time.process_time() - begun
peak = used()
workers = []
if engine == "dask":
    workers = list(client.run(used).values())
    client.close(); cluster.close()
print(json.dumps({"seconds": seconds, "cpu": cpu, "peak": peak, "workers": workers}))
"""


def run_alone(name: str, path: Path, engine: str = "local") -> dict[str, float]:
    """One run in a process of its own."""
    every_core = {name: value for name, value in os.environ.items() if name != "OMP_NUM_THREADS"}
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", suffix=".py") as script:
        script.write(f"if __name__ == '__main__':\n    exec({ONE_RUN!r})\n")
        script.flush()
        done = subprocess.run(
            [sys.executable, script.name, name, str(path), engine],
            capture_output=True, text=True, check=True, env=every_core,
        )  # fmt: skip
    return json.loads(done.stdout.strip().splitlines()[-1])
