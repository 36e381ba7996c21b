"""Mandates of bank accounts at Razorpay: what it published, and what its stand-in does."""

from collections.abc import AsyncIterator
from datetime import date
from typing import Any

import msgspec
import pytest
from aiohttp import ClientSession

from hundi.acquirers.calls.banks import ANY_BANK
from hundi.acquirers.port.answers import (
    Accepted,
    Approved,
    Declined,
    NothingThere,
    Redirect,
    Unknown,
)
from hundi.acquirers.port.mandates import MandateRequest, MandateStanding, MandateState
from hundi.acquirers.port.memory import ShortMemory
from hundi.acquirers.razorpay import mandate_questions, mandate_rules
from hundi.acquirers.razorpay.api import Account
from hundi.acquirers.razorpay.enach import LINK_LIFE_S, RazorpayBankMandateConnector
from hundi.acquirers.razorpay.messages import RazorpayPayment, RegistrationLink
from hundi.kernel.money import Money
from hundi.kernel.records import replace
from tests.acquirers.between import Mishap, between
from tests.acquirers.razorpay import published_mandates as published
from tests.acquirers.razorpay.conftest import Clock
from tests.acquirers.razorpay.played import ASHA, CHARGE, RETURN_URL
from tests.acquirers.razorpay.standin_answers import Fault
from tests.acquirers.razorpay.standin_recurring import RecurringStandin
from tests.acquirers.razorpay.test_contract import collect_first_amounts

MANDATE = MandateRequest(
    "Tea House", Money(2_000_00), "MONTHLY", date(2026, 11, 28), date(2027, 11, 28)
)
REGISTERED = replace(CHARGE, mandate=MANDATE)
LINKS = "/subscription_registration/auth_links"


@pytest.fixture
async def enach(
    account: Account, memory: ShortMemory, clock: Clock
) -> AsyncIterator[RazorpayBankMandateConnector]:
    made = RazorpayBankMandateConnector("razorpay", account, memory, now=clock)
    yield made
    await made.close()


async def opened(connector: RazorpayBankMandateConnector) -> Redirect | Declined | Unknown:
    return await connector.start_redirect(
        REGISTERED, method="enach", bank_code=ANY_BANK, return_url=RETURN_URL
    )


async def begun(connector: RazorpayBankMandateConnector) -> str:
    """Open the page, and return the payment of nothing that begins there."""
    page = await opened(connector)
    assert isinstance(page, Redirect)
    async with ClientSession() as browser, browser.get(page.url) as shown:
        return await shown.text()


def test_the_page_is_asked_for_in_the_published_fields() -> None:
    request = mandate_questions.registration(
        REGISTERED, MANDATE, ASHA, auth_type="netbanking", until_s=1_880_480_689
    )
    assert set(request) == set(published.REGISTRATION)
    theirs = published.REGISTRATION["subscription_registration"]
    ours = request["subscription_registration"]
    assert set(ours) == set(theirs)
    # The customer types the account's number and IFSC at Razorpay, and not here.
    assert set(theirs["bank_account"]) - set(ours["bank_account"]) == {
        "account_number",
        "ifsc_code",
    }
    assert (request["amount"], ours["first_payment_amount"]) == (0, CHARGE.amount.paise)
    assert not request["sms_notify"]
    nameless = mandate_questions.registration(
        REGISTERED, MANDATE, replace(ASHA, name="Asa"), auth_type="aadhaar", until_s=1
    )
    account = nameless["subscription_registration"]["bank_account"]
    assert account == {"account_type": "savings"}


def test_a_published_link_names_its_order_and_its_customer() -> None:
    link = msgspec.convert(published.REGISTRATION_LINK, RegistrationLink)
    assert (link.order_id, link.customer_id) == ("order_FHrY6tiC2y7NNN", "cust_BMB3EwbqnqZ2EI")
    assert mandate_rules.approves(msgspec.convert(published.REGISTERED, RazorpayPayment))


@pytest.mark.parametrize(
    ("reason", "over"),
    [
        ("mandate_not_active", False),
        ("bank_account_invalid", True),
        ("incorrect_ifsc", True),
        ("insufficient_funds", False),
    ],
)
def test_a_debit_of_an_account_ends_its_mandate_for_fewer_reasons(
    reason: str, *, over: bool
) -> None:
    failed: dict[str, Any] = {"amount": 100, "status": "failed", "error_reason": reason}
    payment = msgspec.convert(published.REGISTERED | failed, RazorpayPayment)
    answer = mandate_rules.debit_outcome((payment,), Money(100), payment.created_at)
    assert isinstance(answer, Declined)
    assert answer.mandate_over is over


async def test_a_registration_is_paid_by_its_first_debit(
    enach: RazorpayBankMandateConnector, bank: RecurringStandin
) -> None:
    payment = await begun(enach)
    waiting = await enach.inquire(CHARGE.reference)
    assert isinstance(waiting, Unknown)
    token = bank.mandates.authorise(payment, "initiated")
    assert isinstance(await enach.inquire(CHARGE.reference), Unknown)
    bank.mandates.confirm(token)
    assert isinstance(await enach.inquire(CHARGE.reference), Unknown)
    collect_first_amounts(bank)
    paid = await enach.inquire(CHARGE.reference)
    assert isinstance(paid, Approved)
    assert (paid.amount, paid.approval_code) == (CHARGE.amount, "")


async def test_a_registration_that_the_bank_rejects_is_declined(
    enach: RazorpayBankMandateConnector, bank: RecurringStandin
) -> None:
    token = bank.mandates.authorise(await begun(enach), "initiated")
    bank.mandates.reject(token)
    answer = await enach.inquire(CHARGE.reference)
    assert isinstance(answer, Declined)
    assert not answer.left


async def test_a_page_that_nobody_used_is_left(
    enach: RazorpayBankMandateConnector, clock: Clock
) -> None:
    assert isinstance(await opened(enach), Redirect)
    waiting = await enach.inquire(CHARGE.reference)
    assert isinstance(waiting, Unknown)
    assert waiting.awaiting_customer
    clock.ahead_s += LINK_LIFE_S + 3_600
    left = await enach.inquire(CHARGE.reference)
    assert isinstance(left, Declined)
    assert left.left


async def test_a_page_is_made_once(
    enach: RazorpayBankMandateConnector, bank: RecurringStandin
) -> None:
    first, again = await opened(enach), await opened(enach)
    assert isinstance(first, Redirect)
    assert first == again
    assert len(bank.mandates.invoices) == 1


@pytest.mark.parametrize("fault", [Fault.LOST_AFTER, Fault.LOST_BEFORE, Fault.HTML])
async def test_a_page_whose_address_is_lost_registers_nobody(
    enach: RazorpayBankMandateConnector, play: Any, fault: Fault
) -> None:
    play(LINKS, fault)
    for _ in range(2):
        answer = await opened(enach)
        assert isinstance(answer, Unknown)
        assert not answer.sent
    assert isinstance(await enach.inquire(CHARGE.reference), NothingThere)


async def test_only_a_mandate_is_registered_and_only_at_the_listed_bank(
    enach: RazorpayBankMandateConnector,
) -> None:
    for charge, bank in ((CHARGE, ANY_BANK), (REGISTERED, "HDFC")):
        answer = await enach.start_redirect(
            charge, method="enach", bank_code=bank, return_url=RETURN_URL
        )
        assert isinstance(answer, Declined)


async def test_a_mandate_whose_deletion_was_not_answered_is_over(
    account: Account, memory: ShortMemory, bank: RecurringStandin
) -> None:
    async with between(bank.url.removesuffix("/v1")) as wire:
        bank.url = f"{wire.url}/v1"
        enach = RazorpayBankMandateConnector(
            "razorpay", replace(account, base_url=bank.url), memory
        )
        token = bank.mandates.authorise(await begun(enach))
        wire.begin({1: Mishap.LOST_AFTER})
        assert isinstance(await enach.end_mandate(CHARGE.reference), Unknown)
        assert token.forgotten
        assert await enach.end_mandate(CHARGE.reference) == Accepted()
        ended = await enach.inquire_mandate(CHARGE.reference)
        await enach.close()
    assert isinstance(ended, MandateStanding)
    assert ended.state is MandateState.ENDED
