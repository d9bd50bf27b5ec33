"""Numbers of other people's programs beside ours, on the same resampling or the same labels.

ConsensusClusterPlus (R) clusters 80 % of the samples 50 times and notes the labels of every
resampling; Consensa gets these labels. `ensembleclustering` and PCE (py-cluster-ensemble) get a
label matrix. What is not installed is left out of the table.

    python benchmarks/agreement.py --ensembleclustering PYTHON --pce FOLDER

prints the table of docs/results/agreement.md. PYTHON is that of an environment with
ensembleclustering; FOLDER holds the package `pce`.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from sklearn.datasets import load_iris
from sklearn.metrics import adjusted_rand_score

import consensa as cs
from consensa.selection import ambiguous_pairs, cdf_area, consensus_cdf, delta_area
from consensa.similarity import cluster_certainty, locally_weighted_coassociation

MOST_CLUSTERS = 6
DRAWS = 50
# In the interpreter of the other program: labels.npy in, an array for each name out.
ENSEMBLECLUSTERING = """
import sys, numpy as np
from importlib.metadata import version
from ensembleclustering import ClusterEnsembles as other
labels = np.load(sys.argv[1])
hypergraph = other.create_hypergraph(labels.T)
shared = (hypergraph @ hypergraph.T).toarray() / labels.shape[1]
connected = other.create_connectivity_matrix(labels.T).toarray()
np.savez(sys.argv[2], coassociation=shared, connectivity=connected)
print(version("ensembleclustering"))
"""
# Parts of PCE alone are imported: the package itself asks for torch and much else.
PCE = """
import sys, types, importlib, numpy as np
for name in ("pce", "pce.consensus", "pce.consensus.methods"):
    part = types.ModuleType(name)
    part.__path__ = ["/".join([sys.argv[3], *name.split(".")])]
    sys.modules[name] = part
def load(path, name):
    return getattr(importlib.import_module("pce.consensus.methods." + path), name)
labels = np.load(sys.argv[1])
folder = "LWEA_LWGP_TCYB_2018."
numbered, segments = load(folder + "getAllSegs", "getAllSegs")(labels + 1)
certainty = load(folder + "computeECI", "computeECI")(numbered, segments, 0.4)
weighted = load(folder + "computeLWCA", "computeLWCA")(segments, certainty, labels.shape[1])
weighted = np.array(weighted.todense() if hasattr(weighted, "todense") else weighted)
np.savez(
    sys.argv[2],
    coassociation=load("CELTA_AAAI_2021.compute_CA_jyh", "compute_CA_jyh")(labels),
    certainty=certainty,
    weighted=weighted,
    lwea=load(folder + "runLWEA", "runLWEA")(weighted.copy(), [3])[:, 0],
)
print("1.0.0")
"""


class Row(NamedTuple):
    """One comparison."""

    program: str
    what: str
    ours: str
    difference: float


def difference(theirs: np.ndarray, ours: np.ndarray) -> float:
    """The largest absolute difference."""
    return float(np.max(np.abs(np.asarray(theirs) - np.asarray(ours))))


def in_r(folder: Path) -> Iterator[Row]:
    """ConsensusClusterPlus, on iris."""
    np.savetxt(folder / "features.csv", load_iris().data, delimiter=",", fmt="%.17g")
    script = Path(__file__).with_suffix(".R")
    asked = ["Rscript", script, folder / "features.csv", folder, str(MOST_CLUSTERS), str(DRAWS)]
    said = subprocess.run(asked, check=True, capture_output=True, text=True).stdout.split()
    name = f"ConsensusClusterPlus {said[-3]} (R {said[-2]}.{said[-1]})"

    def read(what: str) -> np.ndarray:
        return np.genfromtxt(folder / f"{what}.csv", delimiter=",")

    rows: dict[tuple[str, str], list[float]] = {}
    areas, exact = [], []
    for k in range(2, MOST_CLUSTERS + 1):
        ensemble = cs.Ensemble.from_labels(read(f"labels{k}"))
        matrix = cs.coassociation(ensemble)
        cdf = consensus_cdf(matrix)[1][1:]  # at the right ends of their hundred intervals
        areas.append(cdf.mean())
        exact.append(cdf_area(matrix))
        by_ecdf, strict = read(f"pac{k}")
        found = {
            ("consensus matrix", "`coassociation`"): difference(read(f"matrix{k}"), matrix),
            ("CDF", "`consensus_cdf`"): difference(read(f"cdf{k}"), cdf),
            ("PAC, 0.1 < x < 0.9", "`ambiguous_pairs`"): strict - ambiguous_pairs(matrix),
            ("PAC as F(0.9) − F(0.1)", "`ambiguous_pairs`"): by_ecdf - ambiguous_pairs(matrix),
            ("clusters, 1 − ARI", "`eac`"): 1
            - adjusted_rand_score(read(f"class{k}"), cs.eac(ensemble, k).labels),
        }
        for what, value in found.items():
            rows.setdefault(what, []).append(abs(float(value)))
    theirs = read("areas")
    rows["area, sum over 100 intervals", "mean of `consensus_cdf`"] = [
        difference(theirs[:, 0], areas)
    ]
    rows["delta area, of these areas", "`delta_area`"] = [
        difference(theirs[:, 1], delta_area(areas))
    ]
    rows["area, as an integral", "`cdf_area`"] = [difference(theirs[:, 0], exact)]
    rows["delta area, of integrals", "`delta_area`"] = [
        difference(theirs[:, 1], delta_area(exact))
    ]
    for (what, ours), values in rows.items():
        yield Row(name, what, ours, max(values))


def elsewhere(python: str, code: str, labels: np.ndarray, folder: Path, *more: str):
    """What a program in another interpreter made of the labels, and its version."""
    np.save(folder / "labels.npy", labels)
    out = folder / "out.npz"
    asked = [python, "-c", code, folder / "labels.npy", out, *more]
    said = subprocess.run(asked, check=True, capture_output=True, text=True).stdout
    return dict(np.load(out)), said.split()[-1]


def given_labels() -> np.ndarray:
    """Twenty k-means partitions of iris."""
    ensemble = cs.RandomKMeans(20).generate(load_iris().data, random_state=0)
    return np.asarray(ensemble.codes, dtype=np.int64)


def in_ensembleclustering(python: str, folder: Path) -> Iterator[Row]:
    """Its two co-association matrices."""
    labels = given_labels()
    theirs, version = elsewhere(python, ENSEMBLECLUSTERING, labels, folder)
    ours = cs.coassociation(cs.Ensemble.from_labels(labels))
    program = f"ensembleclustering {version}"
    for what in ("coassociation", "connectivity"):
        yield Row(program, f"{what} matrix", "`coassociation`", difference(theirs[what], ours))


def in_pce(place: str, folder: Path) -> Iterator[Row]:
    """Co-association, certainty of the clusters, weighted co-association, and LWEA's labels."""
    labels = given_labels()
    theirs, version = elsewhere(sys.executable, PCE, labels, folder, place)
    ensemble = cs.Ensemble.from_labels(labels)
    ours = {
        "coassociation": ("`coassociation`", cs.coassociation(ensemble)),
        "certainty": ("`cluster_certainty`", cluster_certainty(ensemble, theta=0.4)),
        "weighted": (
            "`locally_weighted_coassociation`",
            locally_weighted_coassociation(ensemble, theta=0.4),
        ),
    }
    words = {"coassociation": "co-association", "certainty": "certainty of the base clusters"}
    for what, (function, value) in ours.items():
        named = words.get(what, "locally weighted co-association")
        yield Row(f"PCE {version}", named, function, difference(theirs[what], value))
    same = adjusted_rand_score(theirs["lwea"], cs.lwea(ensemble, 3, theta=0.4).labels)
    yield Row(f"PCE {version}", "clusters of LWEA, 1 − ARI", "`lwea`", 1 - same)


def main() -> None:
    """Print the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ensembleclustering", metavar="PYTHON")
    parser.add_argument("--pce", metavar="FOLDER")
    options = parser.parse_args()
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if shutil.which("Rscript"):
            rows += in_r(folder)
        if options.ensembleclustering:
            rows += in_ensembleclustering(options.ensembleclustering, folder)
        if options.pce:
            rows += in_pce(options.pce, folder)
    print("| program | what | ours | largest difference |\n|---|---|---|---|")
    for row in rows:
        shown = "0" if row.difference == 0 else f"{row.difference:.1e}"
        print(f"| {row.program} | {row.what} | {row.ours} | {shown} |")


if __name__ == "__main__":
    main()
