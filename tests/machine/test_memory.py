"""Too little memory is said before anything is allocated."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import psutil
import pytest

from consensa import Ensemble, coassociation, coherent_links
from consensa._machine import memory as _memory
from consensa._machine.memory import available_bytes, human_bytes, require_square
from consensa.exceptions import NotEnoughMemoryError
from consensa.partition import linkage_tree

GIB = 2**30


def test_too_little_memory_names_the_samples_and_both_numbers_of_bytes(monkeypatch):
    monkeypatch.setattr(_memory, "available_bytes", lambda: 3 * GIB)
    with pytest.raises(NotEnoughMemoryError) as caught:
        require_square(32_768, "float64", arrays=1.5, step="The step")
    said = str(caught.value)
    assert said.startswith("The step of n = 32768 samples needs about 12 GiB")
    assert "3 GiB are available" in said
    assert "1.5 matrices of n × n float64" in said
    assert "Use fewer samples" in said
    assert isinstance(caught.value, MemoryError)


def test_the_memory_of_a_device_is_asked_for_arrays_on_it(monkeypatch):
    monkeypatch.setattr(_memory, "is_on_gpu", lambda array: array == "there")
    monkeypatch.setattr(_memory, "free_device_bytes", lambda array: GIB)
    monkeypatch.setattr(_memory, "available_bytes", lambda: 100 * GIB)
    require_square(32_768, "float64", arrays=1.5, step="The step", like="here")
    with pytest.raises(NotEnoughMemoryError, match=r"12 GiB .* 1 GiB are available on the device"):
        require_square(32_768, "float64", arrays=1.5, step="The step", like="there")


def test_what_just_fits_is_allowed(monkeypatch):
    monkeypatch.setattr(_memory, "available_bytes", lambda: 8 * 100**2)
    require_square(100, np.float64, arrays=1, step="The step")
    require_square(100, "float32", arrays=2, step="The step")
    with pytest.raises(NotEnoughMemoryError):
        require_square(101, np.float64, arrays=1, step="The step")


@pytest.mark.parametrize("function", [coassociation, coherent_links])
def test_a_matrix_of_200_000_samples_is_refused_before_it_is_allocated(function, monkeypatch):
    ensemble = Ensemble.from_labels(np.arange(400_000).reshape(-1, 2) % 7)

    def never(*args, **kwargs):
        pytest.fail("allocated")

    monkeypatch.setattr(_memory, "available_bytes", lambda: 16 * GIB)
    monkeypatch.setattr(np, "empty", never)
    with pytest.raises(NotEnoughMemoryError, match="n = 200000"):
        function(ensemble)


def test_a_tree_that_does_not_fit_is_refused(monkeypatch):
    monkeypatch.setattr(_memory, "available_bytes", lambda: 100)
    with pytest.raises(NotEnoughMemoryError, match="agglomerative tree"):
        linkage_tree(np.eye(10))


@pytest.mark.parametrize(
    ("count", "said"),
    [
        (0, "0 bytes"),
        (1000, "1000 bytes"),
        (1023, "1023 bytes"),
        (1024, "1 KiB"),
        (1536, "1.5 KiB"),
        (1010 * 2**20, "1010 MiB"),
        (320e9, "298 GiB"),
        (2**42, "4 TiB"),
        (20_000 * 2**40, "20,000 TiB"),
    ],
)
def test_bytes_are_written_as_people_say_them(count, said):
    assert human_bytes(count) == said


@pytest.fixture
def container(tmp_path, monkeypatch):
    """A container with 1000 bytes free outside of it; returns what writes its limits."""
    monkeypatch.setattr(_memory, "_CGROUP", tmp_path)
    monkeypatch.setattr(_memory, "_OWN_CGROUP", tmp_path / "own")
    monkeypatch.setattr(psutil, "virtual_memory", lambda: SimpleNamespace(available=1000))

    def limits(most, used, cached=0):
        (tmp_path / "memory.max").write_text(f"{most}\n")
        (tmp_path / "memory.current").write_text(f"{used}\n")
        (tmp_path / "memory.stat").write_text(f"anon 5\ninactive_file {cached}\nslab 7\n")

    return limits


def test_without_a_container_free_memory_counts(container):
    assert available_bytes() == 1000


@pytest.mark.parametrize(
    ("most", "used", "cached", "wanted"),
    [
        ("max", 500, 0, 1000),
        (800, 500, 0, 300),
        (800, 500, 200, 500),
        (9000, 500, 0, 1000),
        (800, 900, 0, 0),
    ],
)
def test_the_limit_of_a_container_counts_if_lower(container, most, used, cached, wanted):
    container(most, used, cached)
    assert available_bytes() == wanted


def group(folder, version, most, used, cached=0):
    """Write the files of a control group."""
    names = {
        1: ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
        2: ("memory.max", "memory.current", "inactive_file"),
    }
    limit, current, inactive = names[version]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / limit).write_text(f"{most}\n")
    (folder / current).write_text(f"{used}\n")
    (folder / "memory.stat").write_text(f"rss 5\n{inactive} {cached}\n")


def test_the_strictest_of_the_groups_above_this_process_counts(container, tmp_path):
    (tmp_path / "own").write_text("0::/user/job\n")
    group(tmp_path / "user" / "job", 2, "max", 90)
    assert available_bytes() == 1000
    group(tmp_path / "user", 2, 500, 100, cached=50)
    assert available_bytes() == 450
    group(tmp_path / "user" / "job", 2, 200, 90)
    assert available_bytes() == 110


def test_the_limit_of_a_version_1_group_counts(container, tmp_path):
    (tmp_path / "own").write_text("3:cpuset:/a\n4:memory,hugetlb:/jobs/mine\n0::/\n")
    group(tmp_path / "memory", 1, 2**63 - 4096, 70)
    group(tmp_path / "memory" / "jobs" / "mine", 1, 300, 100, cached=20)
    assert available_bytes() == 220
    group(tmp_path / "memory" / "jobs", 1, 150, 100)
    assert available_bytes() == 50


def test_a_container_that_sees_its_own_group_as_the_root_counts(container, tmp_path):
    (tmp_path / "own").write_text("4:memory:/docker/0123\n")  # not there inside the container
    group(tmp_path / "memory", 1, 400, 100)
    assert available_bytes() == 300


@pytest.mark.parametrize("limit", ["RLIMIT_AS", "RLIMIT_DATA"])
def test_a_limit_of_this_process_counts(container, limit, monkeypatch):
    resource = pytest.importorskip("resource")
    used = SimpleNamespace(vms=600, data=600)
    monkeypatch.setattr(psutil, "Process", lambda: SimpleNamespace(memory_info=lambda: used))
    limits = {getattr(resource, limit): (700, resource.RLIM_INFINITY)}
    nothing = (resource.RLIM_INFINITY,) * 2
    monkeypatch.setattr(resource, "getrlimit", lambda which: limits.get(which, nothing))
    assert available_bytes() == 100
