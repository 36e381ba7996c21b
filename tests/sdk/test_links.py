"""Payment links by the SDK: what it sends, reads and does not believe."""

from datetime import UTC, datetime

import pytest

from hundi.sdk import NewPaymentLink, errors
from hundi.wire.message import write_reply
from tests.sdk.both_clients import Call
from tests.sdk.gateway_double import GatewayDouble
from tests.sdk.link_double import LINK

NEW = NewPaymentLink(
    reference="INV-7", amount_paise=150_000, description="Sarees", minimum_paise=50_000
)


def test_a_link_is_made_looked_at_listed_and_cancelled(call: Call) -> None:
    double = GatewayDouble()
    made = call(double, "create_link", NEW)
    assert (made.reference, made.amount_paise, made.minimum_paise, made.payments) == (
        "INV-7",
        150_000,
        50_000,
        (),
    )
    assert "pay.example" not in repr(made)
    found = call(double, "link", LINK.link_id)
    assert (found.state, found.is_paid, found.paid_paise) == ("partly_paid", False, 60_000)
    (paid,) = found.payments
    assert (paid.order_id, paid.counted_paise, paid.returned_paise) == (
        "link-217572764752030-1",
        60_000,
        0,
    )
    assert paid.paid_at == datetime(2026, 11, 23, 4, 54, tzinfo=UTC)
    assert [each.link_id for each in call(double, "links")] == [LINK.link_id]
    assert call(double, "cancel_link", LINK.link_id).state == "cancelled"


@pytest.mark.parametrize("changes", [{"link_reference": "INV-8"}, {"link_id": "1"}])
def test_anothers_link_is_a_mismatch(call: Call, changes: dict[str, str]) -> None:
    with pytest.raises(errors.MismatchError):
        call(
            GatewayDouble(odd=write_reply(LINK) | changes), "link", LINK.link_id, reference="INV-7"
        )


def test_what_the_gateway_would_refuse_is_not_sent(call: Call) -> None:
    double = GatewayDouble()
    for changes in (
        {"reference": "a b"},
        {"description": ""},
        {"valid_days": 367},
        {"amount_paise": 0},
    ):
        with pytest.raises(errors.InvalidRequestError):
            call(
                double,
                "create_link",
                NewPaymentLink(
                    **{"reference": "R", "amount_paise": 1, "description": "d"} | changes
                ),
            )
    assert double.paths == []
