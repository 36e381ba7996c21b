"""privatekey against an independent vector."""

import json
from pathlib import Path

import pytest

from hundi.wire.merchant import privatekey

VECTORS = json.loads((Path(__file__).parents[1] / "vectors" / "wire-v4.json").read_text())
DERIVED = privatekey.derive("demo-secret", "demo-user", "demo-pass")


def test_vector():
    assert VECTORS["privatekey"] == DERIVED


@pytest.mark.parametrize(
    ("given", "same"),
    [
        (DERIVED, True),
        (DERIVED.upper(), True),
        (f" {DERIVED}\n", True),
        (DERIVED[:-1], False),
        ("", False),
        ("é", False),
    ],
)
def test_matches(given, same):
    assert privatekey.matches(DERIVED, given) is same
