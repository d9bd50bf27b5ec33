"""Arrays in a page: what is packed can be unpacked, and equal contents give equal text."""

from __future__ import annotations

import base64
import gzip
import json

import numpy as np
import pytest

from consensa.report._packed import packed, smallest_type


def unpacked(found):
    data = gzip.decompress(base64.b64decode(found.data))
    values = {}
    for name, kind, length in found.parts:
        part, data = data[:length], data[length:]
        values[name] = json.loads(part) if kind == "json" else np.frombuffer(part, kind).tolist()
    assert data == b""
    return values


def test_what_is_packed_comes_back():
    given = {
        "codes": np.array([0, 255], np.uint8),
        "rows": np.array([65535], ">u2"),
        "distance": np.array([0.5, np.inf]),
        "names": ["a", "日本", "\udcff"],
        "bytes": b"\x01\x02",
        "none": np.empty(0, np.uint32),
    }
    found = unpacked(packed(given))
    assert found["names"] == given["names"]
    assert found["bytes"] == [1, 2]
    assert found["rows"] == [65535]
    assert found["codes"] == [0, 255]
    assert found["distance"] == [0.5, np.inf]
    assert found["none"] == []


def test_equal_contents_give_equal_text():
    assert packed({"a": [1]}) == packed({"a": [1]})


@pytest.mark.parametrize(("largest", "kind"), [(255, "uint8"), (256, "uint16"), (65536, "uint32")])
def test_the_smallest_type_is_found(largest, kind):
    assert smallest_type(largest) == kind
