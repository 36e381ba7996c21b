"""`hundi acquirer certify` at a running gateway: walked through, with webhooks that really come."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.acquirers.razorpay.standin import KEY_ID, KEY_SECRET, WEBHOOK_SECRET, Standin
from tests.conftest import NewFolder
from tests.system.acquirer_accounts import acquirer, alongside, running_apart
from tests.system.running import RunningGateway
from tests.system.test_console_payments import OPERATOR, session_of

SECRETS = (KEY_SECRET, WEBHOOK_SECRET)
QUICK = ("--wait", "6", "--gap", "0.2")


@pytest.fixture(scope="module")
def apart(new_folder: NewFolder) -> Iterator[RunningGateway]:
    with running_apart(new_folder("certify"), "north") as running:
        yield running


class Customer:
    """Razorpay's stand-in, where a customer pays every link that is made, and is told of."""

    def __init__(self, bank: Standin, loop: asyncio.AbstractEventLoop) -> None:
        self.bank = bank
        self.loop = loop
        self.callback = ""
        self.pays = True

    async def work(self) -> None:
        told = 0
        while True:
            await asyncio.sleep(0.05)
            for payment in tuple(self.bank.books.payments.values()):
                if self.pays and payment.status == "created":
                    self.bank.books.pay(payment.id)
            events = self.bank.events()
            for event in events[told:]:
                assert await self.bank.send(event, self.callback) == 200
            told = len(events)


@pytest.fixture
def customer(apart: RunningGateway) -> Iterator[Customer]:
    with alongside(Standin.running()) as (bank, loop):
        made = Customer(bank, loop)
        made.callback = f"{apart.base_url}/callbacks/north"
        task = asyncio.run_coroutine_threadsafe(made.work(), loop)
        yield made
        task.cancel()


def steps(report: dict[str, Any]) -> dict[str, str]:
    return {each["step"]: each["outcome"] for each in report["steps"]}


def test_an_account_is_tried_step_by_step_and_nothing_of_it_is_in_the_books(
    apart: RunningGateway, customer: Customer, tmp_path: Path
) -> None:
    fields = {
        "mode": "test",
        "key_id": KEY_ID,
        "key_secret": KEY_SECRET,
        "webhook_secret": WEBHOOK_SECRET,
        "email": "pay@shop.example",
        "phone": "9000090000",
        "url": customer.bank.url,
        "methods": ["upi_link"],
    }
    acquirer(apart, "add", "north", "razorpay", fields=fields)
    before = apart.operate("acquirer", "certify", "north", "--look", status=1)
    assert (before["ready"], set(steps(before).values())) == (False, {"not tried"})
    skips = [
        part
        for step in ("upi_link-declined", "upi_link-left")
        for part in ("--skip", f"{step}=the stand-in's customers always pay")
    ]
    page = tmp_path / "report.md"
    report = apart.operate(
        "acquirer", "certify", "north", *QUICK, *skips, "--report", str(page), status=0
    )
    outcome = steps(report)
    assert outcome == {
        "inquiry": "passed",
        "upi_link-paid": "passed",
        "upi_link-declined": "skipped",
        "upi_link-left": "skipped",
        "again-paid": "passed",
        "refund-part": "passed",
        "refund-twice": "passed",
        "refund-too-much": "passed",
        "refund-whole": "passed",
        "fee": "unavailable",
        "report": "passed",
        "webhook": "passed",
        "webhook-forged": "passed",
    }
    ready = {each["capability"]: each["ready"] for each in report["capabilities"]}
    assert (ready["Refunds"], ready["SendsTriggers"]) == ("ready", "ready")
    assert ready["MakesUpiLinks"] == "left out"
    text = page.read_text("utf-8")
    assert "# Certification of north: ready" in text
    assert "the stand-in's customers always pay" in text
    everything = json.dumps(report) + text
    assert not [each for each in SECRETS if each in everything]
    assert apart.rows("SELECT 1 FROM attempts WHERE connector = 'north'") == []
    assert apart.rows("SELECT 1 FROM ledger_postings") == []
    see_the_accounts_page(apart)
    see_that_a_change_makes_it_older(apart)


def see_the_accounts_page(gateway: RunningGateway) -> None:
    with session_of(gateway, OPERATOR, "198.51.100.83") as operator:
        page = operator.get("all/acquirers/north").text
    assert "Certification" in page
    assert "the stand-in&#39;s customers always pay" in page
    assert page.index(">Refunds<") < page.index("refund-twice")
    assert "says that the account is certified" not in page


def see_that_a_change_makes_it_older(gateway: RunningGateway) -> None:
    acquirer(gateway, "rotate", "north", fields={"email": "other@shop.example"})
    report = gateway.operate("acquirer", "certify", "north", "--look", status=1)
    assert steps(report)["refund-part"] == "older"
    assert not report["ready"]


def test_a_setting_that_says_certified_without_evidence_is_named(
    apart: RunningGateway, customer: Customer
) -> None:
    fields = {"key_id": KEY_ID, "key_secret": KEY_SECRET, "mode": "test", "certified": True}
    acquirer(apart, "add", "typed", "razorpay", fields={**fields, "url": customer.bank.url})
    report = apart.operate("acquirer", "certify", "typed", "--look", status=1)
    assert report["said_without_evidence"] == ["certified"]
    with session_of(apart, OPERATOR, "198.51.100.84") as operator:
        page = operator.get("all/acquirers/typed").text
    assert "<code>certified</code> says that the account is certified" in page


def test_real_money_has_to_be_asked_for_with_a_bound(
    apart: RunningGateway, customer: Customer
) -> None:
    del customer
    refused = apart.invoke("acquirer", "certify", "north", "--live", "5")
    assert (refused.exit_code, "no real money moves" in refused.output) == (2, True), refused.output
    refused = apart.invoke("acquirer", "certify", "north", "--live", "11")
    assert refused.exit_code == 2
    refused = apart.invoke("acquirer", "certify", "nobody")
    assert refused.exit_code == 2
    unfounded = apart.invoke("acquirer", "certify", "north", "--skip", "inquiry")
    assert "say why" in unfounded.output
    unknown = apart.invoke("acquirer", "certify", "north", "--step", "refunded", *QUICK)
    assert (unknown.exit_code, "no step refunded" in unknown.output) == (2, True)
