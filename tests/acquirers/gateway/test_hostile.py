"""Answers of the other gateway that are none, refusals, and records of something else.

Nothing of them is believed.
"""

from typing import Any

import pytest
from structlog.testing import capture_logs

from hundi.acquirers.gateway.seamless import SeamlessCardsGateway
from hundi.acquirers.port.answers import Declined, Unknown
from tests.acquirers.gateway.played import CALLS, OPERATION, forgetful
from tests.acquirers.gateway.standin import SPOILT, Standin, answer, record


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("fault", SPOILT)
async def test_an_answer_that_is_none_decides_nothing(
    asking: SeamlessCardsGateway, other: Standin, name: str, fault: str
) -> None:
    other.faults[OPERATION[name]] = SPOILT[fault]
    with capture_logs() as logs:
        assert isinstance(await CALLS[name](asking), Unknown)
    assert "token=" not in str(logs), "the access token stands in every address"


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("fault", SPOILT)
async def test_without_a_token_nothing_was_sent(
    asking: SeamlessCardsGateway, other: Standin, name: str, fault: str
) -> None:
    other.faults["oauth2"] = SPOILT[fault]
    said = await CALLS[name](asking)
    assert isinstance(said, Unknown)
    assert not said.sent
    assert set(other.calls) == {"oauth2"}


@pytest.mark.parametrize(
    ("code", "sent"), [("903", False), ("501", False), ("999", True), ("429", False)]
)
async def test_a_refused_token_lets_the_customer_try_again(
    asking: SeamlessCardsGateway, other: Standin, code: str, *, sent: bool
) -> None:
    other.said["oauth2"] = answer({"success": False}, code)
    for name in ("page", "link", "bank", "card"):
        said = await CALLS[name](forgetful(asking))
        assert isinstance(said, Unknown)
        assert not said.sent
    assert other.calls == ["oauth2"], "who is refused does not knock all the time"


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("110", Declined),
        ("113", Declined),
        ("146", Declined),
        ("120", Unknown),
        ("112", Unknown),
        ("111", Unknown),
        ("777", Unknown),
    ],
)
async def test_a_refusal_is_a_no_unless_the_order_may_have_been_begun_before(
    asking: SeamlessCardsGateway, other: Standin, code: str, kind: type
) -> None:
    other.said["seamless"] = other.said["generateorder"] = answer([], code)
    for name in ("link", "bank", "card"):
        assert type(await CALLS[name](forgetful(asking))) is kind


@pytest.mark.parametrize(
    "changes",
    [
        {"orderid": "10001-2"},
        {"merchant_id": "40002"},
        {"currency_code": "840", "iso_currency": "USD"},
        {"ap_SecureHash": "1"},
        {"transaction_payment_status": "SOMETHING NEW"},
        {"detailed_status": "EXCESS", "transaction_status": 211},
        {"refund_id": "7", "transaction_type": 340},
        {"amount": "many"},
        {"amount": "-1.00"},
    ],
    ids=str,
)
async def test_a_record_of_something_else_is_no_word_about_ours(
    asking: SeamlessCardsGateway, other: Standin, changes: dict[str, Any]
) -> None:
    told = record(**{name: value for name, value in changes.items() if name != "ap_SecureHash"})
    other.said["verify"] = answer(
        told | {name: value for name, value in changes.items() if name == "ap_SecureHash"}
    )
    assert isinstance(await asking.inquire("10001-1"), Unknown)
