"""Refunds at another gateway: sent again when lost, and ended as its record says."""

from typing import Any

import pytest

from hundi.acquirers.gateway.seamless import SeamlessCardsGateway
from hundi.acquirers.port.answers import Approved, Declined, NothingThere, Unknown
from hundi.acquirers.port.memory import ShortMemory
from hundi.kernel.money import Money
from tests.acquirers.gateway import standin
from tests.acquirers.gateway.played import REFUND, paid
from tests.acquirers.gateway.standin import Standin, answer, record


def accepted(**changes: Any) -> dict[str, Any]:
    item = {
        "ap_transactionid": 217383559059812,
        "amount": "500.00",
        "success": "true",
        "message": "",
        "refund_id": 7,
    }
    return answer({"transactions": [item | changes]})


async def test_a_lost_refund_is_sent_again_under_its_reference(
    asking: SeamlessCardsGateway, other: Standin, memory: ShortMemory
) -> None:
    paid(other)
    other.said["refund"] = accepted()
    other.faults["refund"] = standin.hang_up
    assert isinstance(await asking.refund(REFUND), Unknown)
    assert await asking.inquire_refund(REFUND.reference) == NothingThere(), (
        "so that it is sent again"
    )
    del other.faults["refund"]
    assert isinstance(await asking.refund(REFUND), Unknown)
    assert (await memory.known(REFUND.reference))["refund_id"] == "7"


@pytest.mark.parametrize(
    ("changes", "kind"),
    [
        ({"success": "false", "response_code": "121", "refund_id": 0}, Declined),
        ({"success": "false", "response_code": "123", "refund_id": 0}, Declined),
        ({"success": "false", "response_code": "122", "refund_id": 0}, Unknown),
        ({"amount": "500.01"}, Unknown),
        ({"ap_transactionid": 1}, Unknown),
    ],
)
async def test_a_refused_refund_gives_nothing_back(
    asking: SeamlessCardsGateway, other: Standin, changes: dict[str, Any], kind: type
) -> None:
    paid(other)
    other.said["refund"] = accepted(**changes)
    assert type(await asking.refund(REFUND)) is kind
    assert await asking.inquire_refund(REFUND.reference) == NothingThere()


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"refund_status": "done", "refund_rrn": "99"}, Approved(Money(50_000), "99", message="")),
        ({"refund_status": "failed"}, Declined("failed")),
        ({"refund_status": "sent"}, Unknown("sent")),
        (
            {"refund_status": "done", "refund_id": "8"},
            Unknown(message="the other gateway speaks of something else"),
        ),
        (
            {"refund_status": "done", "refund_id": ""},
            Unknown(message="the other gateway speaks of something else"),
        ),
        (
            {"refund_status": "done", "refund_request_id": "10001-R2"},
            Unknown(message="the other gateway speaks of something else"),
        ),
    ],
)
async def test_a_refund_ends_as_its_own_record_says(
    asking: SeamlessCardsGateway, other: Standin, changes: dict[str, Any], expected: object
) -> None:
    paid(other)
    other.said["refund"] = accepted()
    await asking.refund(REFUND)
    about = {
        "amount": "500.00",
        "transaction_type": 340,
        "transaction_status": 211,
        "refund_id": "7",
    }
    about |= {"detailed_status": "REFUNDED", "refund_request_id": REFUND.reference}
    other.said["verify"] = answer(record(**(about | changes)))
    assert await asking.inquire_refund(REFUND.reference) == expected


async def test_a_refund_of_what_is_not_there_is_declined(
    asking: SeamlessCardsGateway, other: Standin
) -> None:
    assert isinstance(await asking.refund(REFUND), Declined)
    assert "refund" not in other.calls
