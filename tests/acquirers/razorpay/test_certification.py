"""A certification names the step at which an account is not what its connector promises."""

from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

import pytest

from hundi.acquirers.certification.steps import StepVerdict
from hundi.acquirers.port.checkout import Trigger, UpiLink
from hundi.acquirers.port.memory import ShortMemory
from hundi.acquirers.port.payments import Charge
from hundi.acquirers.razorpay.api import Account
from hundi.acquirers.razorpay.connector import RazorpayConnector
from hundi.kernel.records import replace
from hundi.payments.certifications.rules import Readiness
from tests.acquirers.certifying import StandinCertification, certified
from tests.acquirers.razorpay.conftest import Clock
from tests.acquirers.razorpay.standin_recurring import RecurringStandin
from tests.acquirers.razorpay.test_contract import given, payment_at

__all__ = ["given"]


@pytest.fixture
async def plain(
    account: Account, memory: ShortMemory, clock: Clock
) -> AsyncIterator[RazorpayConnector]:
    made = RazorpayConnector("razorpay", account, memory, now=clock)
    yield made
    await made.close()


def failed(found: StandinCertification, *names: str) -> bool:
    """Return whether these steps failed and no other one, so that the account is not ready."""
    wrong = {name for name, one in found.results.items() if one.verdict is StepVerdict.FAILED}
    return not found.is_ready() and wrong == set(names)


async def test_another_amount_in_the_answer_is_not_ready(
    plain: RazorpayConnector, given: Any, bank: RecurringStandin
) -> None:
    async def pay_link(charge: Charge, _link: UpiLink) -> None:
        bank.books.pay(payment_at(bank, charge.reference), amount=charge.amount.paise + 100)

    found = await certified(plain, replace(given, pay_link=pay_link))
    assert failed(found, "upi_link-paid")
    assert "₹2.00 was asked for and ₹3.00 came back" in found.results["upi_link-paid"].words
    assert found.not_ready() == ["MakesUpiLinks"]


async def test_a_webhook_without_its_proof_is_not_ready(
    plain: RazorpayConnector, given: Any
) -> None:
    def unsigned(reference: str) -> tuple[dict[str, str], bytes]:
        _, body = given.webhook(reference)
        return {"content-type": "application/json"}, body

    found = await certified(plain, replace(given, webhook=unsigned))
    assert failed(found, "webhook", "webhook-forged")
    assert found.not_ready() == ["SendsTriggers"]


class Gullible(RazorpayConnector):
    """A connector that believes every webhook."""

    def read_trigger(self, headers: dict[str, str], body: bytes, *, now_s: int) -> Trigger | None:
        signed = super().read_trigger(headers, body, now_s=now_s)
        start = body.find(b"0-")
        return signed or Trigger("", (body[start : start + 17].decode(),))


async def test_a_forged_webhook_that_is_believed_is_not_ready(
    account: Account, memory: ShortMemory, clock: Clock, given: Any
) -> None:
    gullible = Gullible("razorpay", account, memory, now=clock)
    assert failed(await certified(gullible, given), "webhook-forged")
    await gullible.close()


class Forgetful(dict[str, Any]):
    """The keys of a stand-in that remembers none."""

    def get(self, key: str, default: Any = None) -> Any:
        del key
        return default


async def test_a_refund_that_moves_twice_under_one_reference_is_not_ready(
    plain: RazorpayConnector, given: Any, bank: RecurringStandin
) -> None:
    bank.keys = Forgetful()
    found = await certified(plain, given)
    assert "refund-twice" in found.failed()
    assert found.not_ready() == ["Refunds"]


async def test_a_fee_of_the_customer_is_told_apart_from_the_order(
    plain: RazorpayConnector, given: Any, bank: RecurringStandin
) -> None:
    bank.books.customer_fee = 5
    found = await certified(plain, given, fee_paise=5)
    assert found.results["fee"].words.endswith("₹2.05, of which ₹0.05 is the fee")
    assert found.readiness()["CustomerFees"] is Readiness.READY
    # The stand-in captures what was authorised, with the fee, and nothing less.
    assert list(found.failed()) == ["hold-captured"]


async def test_a_fee_step_without_a_fee_is_not_ready_and_nothing_else_is(
    plain: RazorpayConnector, given: Any
) -> None:
    found = await certified(plain, given)
    (fees,) = (each for each in found.capabilities if each.subject == "CustomerFees")
    assert (found.results["fee"].verdict, fees.readiness) == (
        StepVerdict.UNAVAILABLE,
        Readiness.NOT_TRIED,
    )
    assert found.is_ready()


async def test_a_step_that_is_left_out_is_told_apart(plain: RazorpayConnector, given: Any) -> None:
    found = await certified(plain, given, without=["hold-voided"])
    readiness = {each.subject: (each.readiness, each.why) for each in found.capabilities}
    assert readiness["CompletesAuthorisations"] == (
        Readiness.LEFT_OUT,
        "hold-voided: skipped, a test leaves it out",
    )
    assert found.is_ready()


async def test_the_evidence_has_the_calls_and_no_secret(
    plain: RazorpayConnector, given: Any, account: Account
) -> None:
    found = await certified(plain, given, notice=timedelta(hours=40))
    (first, *_) = found.results["upi_link-paid"].exchanges
    assert (first.method, first.path) == ("POST", "/v1/orders")
    assert '"amount": 200' in first.request
    every = repr([one.exchanges for one in found.results.values()])
    assert account.key_secret not in every
    assert "9000090000" not in every
    assert "shop@example.in" not in every
