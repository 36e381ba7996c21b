"""The simulator's signature holds for its key and message only, and for a short time."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hundi.acquirers.simulator import SIGNATURE_AGE_S_MAX, sign, signature_holds

KEY = b"shared"
NOW = 1_790_000_000


@given(st.binary(max_size=200), st.integers(0, SIGNATURE_AGE_S_MAX))
def test_our_own_signature_holds_while_it_is_fresh(message, age):
    assert signature_holds(KEY, sign(KEY, NOW - age, message), message, NOW)


@pytest.mark.parametrize(
    "header",
    [
        "",
        "t=1,v1=",
        "v1=00",
        f"t={NOW}",
        sign(KEY, NOW - SIGNATURE_AGE_S_MAX - 1, b"body"),
        sign(KEY, NOW + SIGNATURE_AGE_S_MAX + 1, b"body"),
        sign(KEY, NOW, b"another body"),
        sign(b"another key", NOW, b"body"),
        sign(KEY, NOW, b"body").upper(),
        sign(KEY, NOW, b"body").replace(f"t={NOW}", f"t={NOW + 1}"),
        "t=" + "9" * 5000 + ",v1=00",
        "t=१२,v1=00",
    ],
)
def test_a_signature_of_another_key_body_or_time_does_not_hold(header):
    assert not signature_holds(KEY, header, b"body", NOW)


def test_without_a_key_nobody_is_believed():
    assert not signature_holds(b"", sign(b"", NOW, b"body"), b"body", NOW)
