"""The consensus methods: one file, one estimator and one function each."""

from consensa.consensus._cdec import CDEC, cdec
from consensa.consensus._cdkm import CDKM, cdkm
from consensa.consensus._ceam import CEAM, ceam
from consensa.consensus._ceshl import CESHL, ceshl
from consensa.consensus._cspa import CSPA, cspa
from consensa.consensus._cumulativevoting import CumulativeVoting, cumulativevoting
from consensa.consensus._drec import DREC, drec
from consensa.consensus._eac import EAC, eac
from consensa.consensus._eccms import ECCMS, eccms
from consensa.consensus._ecpcshc import ECPCSHC, ecpcshc
from consensa.consensus._ecpcsmc import ECPCSMC, ecpcsmc
from consensa.consensus._emconsensus import EMConsensus, emconsensus
from consensa.consensus._gpmgla import GPMGLA, gpmgla
from consensa.consensus._gtlec import GTLEC, gtlec
from consensa.consensus._hbgf import HBGF, hbgf
from consensa.consensus._hgpa import HGPA, hgpa
from consensa.consensus._kcc import KCC, kcc
from consensa.consensus._lce import LCE, lce
from consensa.consensus._lta import LTA, lta
from consensa.consensus._lwea import LWEA, lwea
from consensa.consensus._lwgp import LWGP, lwgp
from consensa.consensus._lwsc import LWSC, lwsc
from consensa.consensus._mcla import MCLA, mcla
from consensa.consensus._nmfconsensus import NMFConsensus, nmfconsensus
from consensa.consensus._pta import PTA, pta
from consensa.consensus._ptgp import PTGP, ptgp
from consensa.consensus._sc3consensus import SC3Consensus, sc3consensus
from consensa.consensus._sdgca import SDGCA, sdgca
from consensa.consensus._sec import SEC, sec
from consensa.consensus._spce import SPCE, spce
from consensa.consensus._tea import TEA, tea
from consensa.consensus._trce import TRCE, trce
from consensa.consensus._voting import Voting, voting
from consensa.consensus._weac import WEAC, weac

__all__ = [
    "CDEC",
    "CDKM",
    "CEAM",
    "CESHL",
    "CSPA",
    "DREC",
    "EAC",
    "ECCMS",
    "ECPCSHC",
    "ECPCSMC",
    "GPMGLA",
    "GTLEC",
    "HBGF",
    "HGPA",
    "KCC",
    "LCE",
    "LTA",
    "LWEA",
    "LWGP",
    "LWSC",
    "MCLA",
    "PTA",
    "PTGP",
    "SDGCA",
    "SEC",
    "SPCE",
    "TEA",
    "TRCE",
    "WEAC",
    "CumulativeVoting",
    "EMConsensus",
    "NMFConsensus",
    "SC3Consensus",
    "Voting",
    "cdec",
    "cdkm",
    "ceam",
    "ceshl",
    "cspa",
    "cumulativevoting",
    "drec",
    "eac",
    "eccms",
    "ecpcshc",
    "ecpcsmc",
    "emconsensus",
    "gpmgla",
    "gtlec",
    "hbgf",
    "hgpa",
    "kcc",
    "lce",
    "lta",
    "lwea",
    "lwgp",
    "lwsc",
    "mcla",
    "nmfconsensus",
    "pta",
    "ptgp",
    "sc3consensus",
    "sdgca",
    "sec",
    "spce",
    "tea",
    "trce",
    "voting",
    "weac",
]
