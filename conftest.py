"""What pytest does not look into: modules whose library is not installed."""

from importlib.util import find_spec

collect_ignore = []
if find_spec("triton") is None:
    collect_ignore.append("src/consensa/tensor/_cuda_kernels.py")
