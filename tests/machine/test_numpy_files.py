"""NPY and NPZ files: headers, single arrays, and files that lie about their content."""

from __future__ import annotations

import io

import numpy as np
import pytest

from consensa._machine.numpy_files import NpzArchive, check_characters, read_npy
from consensa.exceptions import InvalidInputError


def saved(array):
    buffer = io.BytesIO()
    np.save(buffer, array)
    return buffer.getvalue()


def test_headers_are_read_without_the_arrays(tmp_path):
    np.savez(tmp_path / "a.npz", X=np.eye(3), y=np.array(["a", "bc"]))
    archive = NpzArchive(tmp_path / "a.npz")
    assert {name: header.shape for name, header in archive.headers.items()} == {
        "X": (3, 3),
        "y": (2,),
    }
    assert archive.headers["X"].nbytes == 72
    assert archive.read("y").tolist() == ["a", "bc"]


@pytest.mark.parametrize(
    "array",
    [np.eye(3), np.zeros((0, 3)), np.asfortranarray(np.eye(2, 3)), np.array([["a", "bc"]])],
    ids=["matrix", "empty", "by columns", "text"],
)
def test_an_array_is_read_as_numpy_reads_it(tmp_path, array):
    np.save(tmp_path / "a.npy", array)
    np.testing.assert_array_equal(read_npy(tmp_path / "a.npy"), array)


@pytest.mark.parametrize(
    ("old", "new"), [(b"(3, 3)", b"(9, 9)"), (b"(3, 3)", b"(-3,3)"), (b"(3, 3)", b"(1e3,)")]
)
def test_a_header_that_does_not_fit_is_refused_before_anything_is_allocated(tmp_path, old, new):
    (tmp_path / "a.npy").write_bytes(saved(np.eye(3)).replace(old, new))
    with pytest.raises(ValueError, match=r"damaged|shape"):
        read_npy(tmp_path / "a.npy")


def test_another_format_is_refused(tmp_path):
    (tmp_path / "a.npy").write_text("a,b")
    with pytest.raises(InvalidInputError, match="must be a file written by NumPy"):
        read_npy(tmp_path / "a.npy")


@pytest.mark.parametrize("number", [0x110000, 0xD800])
@pytest.mark.parametrize("order", ["<", ">"])
def test_numbers_that_are_no_characters_are_refused(number, order):
    array = np.array([97, number], f"{order}u4").view(f"{order}U1")
    with pytest.raises(ValueError, match="no character with the number"):
        check_characters(array)
    check_characters(np.array([["a", "\U0010ffff"]]).astype(f"{order}U1"))
