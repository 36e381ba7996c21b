"""Disputes by the SDK: what it sends, reads and does not believe."""

from datetime import UTC, datetime

import pytest

from hundi.sdk import errors
from hundi.wire.message import write_reply
from tests.sdk.both_clients import Call
from tests.sdk.dispute_double import DISPUTED, DOCUMENT
from tests.sdk.gateway_double import GatewayDouble

ID = DISPUTED.dispute_id


def test_a_dispute_is_listed_looked_at_and_answered(call: Call) -> None:
    double = GatewayDouble()
    (listed,) = call(double, "disputes", state="open")
    assert (listed.now, listed.phases, listed.evidence) == (DISPUTED.now, (), ())
    assert call(double, "disputes", state="won") == ()
    told = call(double, "dispute", ID)
    assert told == DISPUTED
    assert (told.is_open, told.now.respond_by) == (True, datetime(2026, 11, 26, 4, 30, tzinfo=UTC))
    kept = call(double, "add_evidence", ID, b"%PDF-1.7", name="bill.pdf")
    assert (kept.name, kept.bytes, kept.sha256) == ("bill.pdf", 8, DOCUMENT.sha256)
    assert call(double, "contest_dispute", ID, note="delivered").now.state == "under_review"
    assert call(double, "accept_dispute", ID).now.accepted_paise == DISPUTED.now.amount_paise
    assert "amount" not in double.opened[-1]
    assert call(double, "accept_dispute", ID, amount_paise=50_000).now.accepted_paise == 50_000


def test_an_id_with_zeros_in_front_is_the_same(call: Call) -> None:
    assert call(GatewayDouble(), "dispute", f"00{ID}") == DISPUTED


@pytest.mark.parametrize("name", ["dispute", "contest_dispute", "accept_dispute"])
def test_anothers_dispute_is_a_mismatch(call: Call, name: str) -> None:
    with pytest.raises(errors.MismatchError):
        call(GatewayDouble(odd=write_reply(DISPUTED) | {"dispute_id": "8"}), name, ID)


@pytest.mark.parametrize(
    ("name", "arguments", "named", "field"),
    [
        ("dispute", ("x",), {}, "dispute_id"),
        ("disputes", (), {"state": "asleep"}, "state"),
        ("add_evidence", (ID, b""), {}, "content"),
        ("add_evidence", (ID, b"%PDF-1.7"), {"name": "n" * 101}, "name"),
        ("accept_dispute", (ID,), {"amount_paise": 0}, "amount"),
    ],
)
def test_what_would_be_refused_is_not_sent(
    call: Call, name: str, arguments: tuple[object, ...], named: dict[str, object], field: str
) -> None:
    double = GatewayDouble()
    with pytest.raises(errors.InvalidRequestError) as caught:
        call(double, name, *arguments, **named)
    assert (caught.value.field, double.paths) == (field, [])
