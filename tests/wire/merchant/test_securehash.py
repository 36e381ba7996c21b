"""ap_SecureHash against independent vectors."""

import json
from pathlib import Path

import pytest

from hundi.wire.merchant import securehash

VECTORS = json.loads((Path(__file__).parents[1] / "vectors" / "wire-v4.json").read_text())


@pytest.mark.parametrize("vector", VECTORS["ap_securehash"], ids=lambda vector: vector["value"])
def test_vectors(vector):
    values = vector["text"].split(":")
    assert securehash.secure_hash(*values) == vector["value"]
    assert securehash.matches(vector["value"], *values)
    assert not securehash.matches("1", *values)
    assert not securehash.matches("é", *values)


def test_an_empty_address_is_no_eighth_value():
    values = ("ORD1", "777", "10.00", "200", "Success", "12345", "demo-user")
    assert securehash.secure_hash(*values, "") == securehash.secure_hash(*values)
