"""Disputes at the stand-in of Cashfree.

Shapes of the published examples, and what each state refuses.
"""

import json
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest

from tests.acquirers.cashfree import published
from tests.acquirers.cashfree.standin import Bank
from tests.acquirers.cashfree.standin_disputes import move, raise_dispute
from tests.acquirers.cashfree.standin_links import running_with_links
from tests.acquirers.cashfree.test_standin import ASKED, HEADERS, call, ordered

WEBHOOKS = {
    "DISPUTE_CREATED": published.DISPUTE_CREATED,
    "DISPUTE_CLOSED": published.DISPUTE_CLOSED,
}


@pytest.fixture
async def bank() -> AsyncIterator[Bank]:
    async with running_with_links() as one:
        yield one


async def raised(bank: Bank) -> dict[str, Any]:
    await ordered(bank)
    bank.world.pay(str(ASKED["order_id"]))
    bank.world.take_webhooks()
    return raise_dispute(bank.world, str(ASKED["order_id"]))


async def sent(
    bank: Bank,
    dispute: dict[str, Any],
    kind: str = "Refund Proof",
    name: str = "a.pdf",
    media: str = "application/pdf",
) -> tuple[int, Any]:
    """Send a document as the published clients do."""
    form = aiohttp.FormData()
    form.add_field("file", b"%PDF-1.4", filename=name, content_type=media)
    form.add_field("doc_type", kind)
    form.add_field("note", "a note")
    url = f"{bank.url}/pg/disputes/{dispute['dispute_id']}/documents"
    async with (
        aiohttp.ClientSession() as session,
        session.post(url, data=form, headers=HEADERS) as answer,
    ):
        return answer.status, await answer.json()


async def test_a_dispute_has_the_fields_of_the_published_one(bank: Bank) -> None:
    dispute = await raised(bank)
    status, said = await call(bank, "GET", f"/disputes/{dispute['dispute_id']}")
    assert status == 200
    example = json.loads(published.DISPUTE)
    assert set(said) == set(example)
    assert set(said["order_details"]) == set(example["order_details"])
    assert await call(bank, "GET", f"/orders/{ASKED['order_id']}/disputes") == (200, [said])
    assert (await call(bank, "GET", "/disputes/1"))[0] == 404
    assert (await call(bank, "GET", "/disputes/one"))[0] == 400


async def test_a_webhook_has_the_fields_of_the_published_one(bank: Bank) -> None:
    dispute = await raised(bank)
    move(bank.world, dispute, "MERCHANT_WON")
    for webhook in bank.world.take_webhooks():
        told = json.loads(webhook.body)
        example = json.loads(WEBHOOKS[told["type"]])
        missing = set(example["data"]["dispute"]) - set(told["data"]["dispute"])
        assert missing <= {"resolved_at"}, "the stand-in says no more than when it was updated"
        assert set(told["data"]["order_details"]) == set(example["data"]["order_details"])
        assert isinstance(told["data"]["dispute"]["dispute_id"], str)


async def test_documents_are_taken_until_the_bank_has_them(bank: Bank) -> None:
    dispute = await raised(bank)
    assert (await sent(bank, dispute, kind="A letter"))[0] == 400
    assert (await sent(bank, dispute, media="text/plain"))[0] == 400
    status, (said,) = await sent(bank, dispute)
    assert (status, said["dispute_status"]) == (200, "CHARGEBACK_DOCS_RECEIVED")
    assert [each["document_name"] for each in said["dispute_evidence"]] == ["a.pdf"]
    move(bank.world, dispute, "UNDER_REVIEW")
    for answered in (
        await sent(bank, dispute),
        await call(bank, "PUT", f"/disputes/{dispute['dispute_id']}/accept"),
    ):
        assert (answered[0], answered[1]["code"]) == (409, "dispute_already_closed")


async def test_an_acceptance_is_for_good(bank: Bank) -> None:
    dispute = await raised(bank)
    status, said = await call(bank, "PUT", f"/disputes/{dispute['dispute_id']}/accept")
    assert (status, said["dispute_status"]) == (200, "CHARGEBACK_MERCHANT_ACCEPTED")
    assert (await sent(bank, dispute))[0] == 409
