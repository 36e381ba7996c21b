"""UPI mandates at PayU, by what it published, and by a server that answers so."""

import json
from collections.abc import AsyncIterator
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from aiohttp import web

from hundi.acquirers.calls.form_hashes import hash_of
from hundi.acquirers.kinds import AcquirerContext
from hundi.acquirers.payu import hashes, mandate_rules
from hundi.acquirers.payu.kind import KIND
from hundi.acquirers.payu.mandates import PayUMandateConnector
from hundi.acquirers.port.answers import Accepted, Approved, Declined, NothingThere, Unknown
from hundi.acquirers.port.checkout import UpiLink
from hundi.acquirers.port.mandates import (
    MandateDebit,
    MandateNotice,
    MandateRequest,
    MandateStanding,
    MandateState,
    NoticeGiven,
    TakesMandates,
)
from hundi.acquirers.port.memory import ShortMemory
from hundi.kernel.money import Money
from hundi.kernel.records import replace
from tests.acquirers.payu import opened
from tests.acquirers.payu import published_mandates as published
from tests.acquirers.payu.opened import CALLBACK, charge
from tests.acquirers.payu.standin import PayU
from tests.acquirers.payu.standin_payments import KEY, SALT
from tests.acquirers.server import BROKEN, Server
from tests.acquirers.shared import Clock

MANDATE = MandateRequest(
    "Asha Handlooms", Money(2_000_00), "MONTHLY", date(2026, 11, 28), date(2027, 11, 28)
)
APPROVED = replace(charge(), mandate=MANDATE)
PAYU_ID = "10731087875"
DEBIT_AT = datetime(2026, 12, 31, 20, tzinfo=UTC)
NOTICE = MandateNotice("10001-N1-2", "10001-1", 2, Money(500_00), DEBIT_AT)
DEBIT = MandateDebit("10001-7", "10001-1", 2, Money(500_00), NOTICE.reference, "ADDA049409")
LINK = "pa=payu@axis&pn=Asha&tr=1&am=2000.00&fam=1000.00&cu=INR"


class CommandServer(Server):
    """Answers commands as a test sets them. sent: command and variable of each."""

    def __init__(self) -> None:
        super().__init__()
        self.sent: list[tuple[str, dict[str, Any] | str]] = []
        self.forms: list[dict[str, str]] = []
        self.transactions: dict[str, dict[str, str]] = {}
        self.answers: dict[str, dict[str, Any]] = {
            "upi_mandate_status": published.STATUS,
            "pre_debit_SI": published.NOTICE_GIVEN,
            "si_transaction": published.DEBITED,
            "upi_mandate_revoke": published.REVOKED,
        }
        self.debits_as = "captured"

    def routes(self, app: web.Application) -> None:
        app.router.add_post("/_payment", self._payment)
        app.router.add_post("/merchant/postservice.php", self._command)

    async def _payment(self, request: web.Request) -> web.Response:
        form = {name: str(value) for name, value in (await request.post()).items()}
        self.forms.append(form)
        result = {"intentURIData": LINK}
        return web.json_response({"metaData": {"txnId": form["txnid"]}, "result": result})

    async def _command(self, request: web.Request) -> web.Response:
        form = {name: str(value) for name, value in (await request.post()).items()}
        command, var1 = form["command"], form["var1"]
        assert form["hash"] == hashes.command_hash(KEY, command, var1, SALT)
        if command == "verify_payment":
            return web.json_response(self._verified(var1))
        asked = json.loads(var1)
        self.sent.append((command, asked))
        if command == "si_transaction" and self.debits_as:
            self.record(asked["txnid"], asked["amount"], self.debits_as)
        return web.json_response(self.answers[command])

    def record(self, txnid: str, amount: str, state: str, payu_id: str = "6611427463") -> None:
        status = {"captured": "success", "pending": "pending"}.get(state, "failure")
        self.transactions[txnid] = {
            "mihpayid": payu_id,
            "status": status,
            "unmappedstatus": state,
            "txnid": txnid,
            "amt": amount,
            "transaction_amount": amount,
        }

    def _verified(self, txnid: str) -> dict[str, Any]:
        found = self.transactions.get(txnid)
        missing = {"mihpayid": "Not Found", "status": "Not Found"}
        return {"status": int(found is not None), "transaction_details": {txnid: found or missing}}

    def named(self, command: str) -> list[Any]:
        return [asked for sent, asked in self.sent if sent == command]


@pytest.fixture
async def server() -> AsyncIterator[CommandServer]:
    made = CommandServer()
    await made.open()
    yield made
    await made.close()


@pytest.fixture
async def connector(server: CommandServer, clock: Clock) -> AsyncIterator[PayUMandateConnector]:
    made = opened.connector_at(
        PayU(), ShortMemory(), clock, kind=PayUMandateConnector, url=server.url
    )
    assert isinstance(made, PayUMandateConnector)
    yield made
    await made.close()


@pytest.fixture
async def active(
    connector: PayUMandateConnector, server: CommandServer, clock: Clock
) -> PayUMandateConnector:
    """Return a connector whose mandate 10001-1 was approved."""
    assert isinstance(await connector.upi_link(APPROVED, expires_in_s=900), UpiLink)
    server.record("10001-1", "1000.00", "captured", PAYU_ID)
    clock.now_s += 3_600
    return connector


def test_requests_have_the_published_fields() -> None:
    details = json.loads(mandate_rules.approved(MANDATE)["si_details"])
    assert set(published.SI_DETAILS) - set(details) == {"remarks"}
    assert (details["billingAmount"], details["billingCycle"]) == ("2000.00", "MONTHLY")
    other = mandate_rules.approved(replace(MANDATE, recur="QUARTERLY"))
    assert json.loads(other["si_details"])["billingCycle"] == "ADHOC"
    notice = json.loads(mandate_rules.notice(NOTICE, PAYU_ID))
    assert set(notice) == set(published.NOTICE_REQUEST)
    # 20:00 UTC is the next day in India.
    assert (notice["debitDate"], notice["amount"]) == ("2027-01-01", "500.00")
    debit = json.loads(mandate_rules.debit(DEBIT, PAYU_ID, opened.ASHA))
    assert set(published.DEBIT_REQUEST) - set(debit) == {"udf2", "udf3", "udf4", "udf5"}


@pytest.mark.parametrize(
    ("word", "state"),
    [
        ("active", MandateState.ACTIVE),
        ("paused", MandateState.PAUSED),
        ("revoked", MandateState.ENDED),
        ("cancelled", MandateState.ENDED),
        ("discarded", MandateState.ENDED),
    ],
)
def test_a_published_status_says_how_a_mandate_stands(word: str, state: MandateState) -> None:
    found = mandate_rules.standing({**published.STATUS, "status": word}, PAYU_ID)
    assert found == MandateStanding(state, PAYU_ID)


@pytest.mark.parametrize(
    "answer",
    [
        published.NO_STATUS,
        {**published.STATUS, "status": "new"},
        {**published.STATUS, "status": "1"},
    ],
)
def test_another_status_says_nothing_of_a_mandate(answer: dict[str, Any]) -> None:
    assert isinstance(mandate_rules.standing(answer, PAYU_ID), Unknown)
    assert isinstance(mandate_rules.standing(published.STATUS, "1"), Unknown)


def test_published_answers_to_a_notice() -> None:
    assert mandate_rules.notice_outcome(published.NOTICE_GIVEN) == NoticeGiven("ADDA049409")
    by_bank = mandate_rules.notice_outcome(published.NOTICE_REFUSED_BY_BANK)
    assert isinstance(by_bank, Declined)
    assert (by_bank.code, by_bank.mandate_over) == ("QC", False)
    refused = mandate_rules.notice_outcome(published.NOTICE_REFUSED)
    assert isinstance(refused, Declined)
    assert refused.mandate_over
    assert isinstance(mandate_rules.notice_outcome({}), Unknown)


async def test_the_link_of_a_mandate_approves_it_with_its_hash(
    connector: PayUMandateConnector, server: CommandServer
) -> None:
    link = await connector.upi_link(APPROVED, expires_in_s=900)
    assert isinstance(link, UpiLink)
    assert link.url.startswith("upi://mandate?pa=payu@axis")
    (form,) = server.forms
    assert (form["si"], form["api_version"], form["bankcode"]) == ("1", "7", "INTENT")
    named = [form[name] for name in ("key", "txnid", "amount", "productinfo", "firstname", "email")]
    # key|txnid|amount|productinfo|firstname|email|udf1|udf2|udf3|udf4|udf5||||||si_details|SALT
    assert form["hash"] == hash_of(*named, *[""] * 10, form["si_details"], SALT)
    standing = await connector.inquire_mandate("10001-1")
    assert standing == MandateStanding(MandateState.PENDING)


async def test_a_link_for_another_amount_is_not_shown(connector: PayUMandateConnector) -> None:
    other = replace(APPROVED, amount=Money(999_00))
    assert isinstance(await connector.upi_link(other, expires_in_s=900), Unknown)


async def test_a_mandate_is_noticed_debited_and_ended(
    active: PayUMandateConnector, server: CommandServer
) -> None:
    assert isinstance(await active.inquire("10001-1"), Approved)
    for _ in range(2):
        assert await active.give_notice(NOTICE) == NoticeGiven("ADDA049409")
    assert len(server.named("pre_debit_SI")) == 1
    for _ in range(2):
        debited = await active.debit_mandate(DEBIT)
        assert isinstance(debited, Approved)
        assert debited.amount == DEBIT.amount
    (sent,) = server.named("si_transaction")
    assert (sent["authpayuid"], sent["invoiceDisplayNumber"]) == (PAYU_ID, "ADDA049409")
    for _ in range(2):
        assert isinstance(await active.end_mandate("10001-1"), Accepted)
    assert len(server.named("upi_mandate_revoke")) == 1
    standing = await active.inquire_mandate("10001-1")
    assert standing == MandateStanding(MandateState.ENDED, PAYU_ID)
    later = replace(NOTICE, reference="10001-N1-3")
    for refused in (
        await active.give_notice(later),
        await active.debit_mandate(replace(DEBIT, reference="10001-8")),
    ):
        assert isinstance(refused, Declined)
        assert refused.mandate_over


async def test_a_debit_that_is_open_is_not_sent_again(
    active: PayUMandateConnector, server: CommandServer
) -> None:
    server.debits_as = "pending"
    for _ in range(2):
        assert isinstance(await active.debit_mandate(DEBIT), Unknown)
    assert len(server.named("si_transaction")) == 1
    server.record(DEBIT.reference, "500.00", "failed")
    assert isinstance(await active.debit_mandate(DEBIT), Declined)


async def test_a_debit_whose_answer_is_lost_is_never_sent_twice(
    active: PayUMandateConnector, server: CommandServer
) -> None:
    server.debits_as = ""
    server.answers["si_transaction"] = {}
    assert isinstance(await active.debit_mandate(DEBIT), Unknown)
    assert isinstance(await active.debit_mandate(DEBIT), Unknown)
    assert isinstance(await active.inquire(DEBIT.reference), NothingThere)
    assert len(server.named("si_transaction")) == 1


async def test_a_debit_that_payu_refuses_and_has_no_record_of_is_declined(
    active: PayUMandateConnector, server: CommandServer
) -> None:
    server.debits_as = ""
    server.answers["si_transaction"] = {"status": 0, "message": "Mandate is not active"}
    refused = await active.debit_mandate(DEBIT)
    assert isinstance(refused, Declined)
    assert refused.mandate_over


async def test_a_reference_belongs_to_one_debit(active: PayUMandateConnector) -> None:
    assert isinstance(await active.debit_mandate(DEBIT), Approved)
    other = replace(DEBIT, amount=Money(1))
    assert isinstance(await active.debit_mandate(other), Unknown)


@pytest.mark.parametrize(
    ("word", "paused"), [("paused", True), ("revoked", False), ("something new", False)]
)
async def test_nothing_is_asked_of_a_mandate_that_is_not_active(
    active: PayUMandateConnector, server: CommandServer, word: str, *, paused: bool
) -> None:
    server.answers["upi_mandate_status"] = {**published.STATUS, "status": word}
    for answer in (await active.give_notice(NOTICE), await active.debit_mandate(DEBIT)):
        if word == "something new":
            assert isinstance(answer, Unknown)
        else:
            assert isinstance(answer, Declined)
            assert (answer.mandate_paused, answer.mandate_over) == (paused, not paused)
    assert not server.named("pre_debit_SI")
    assert not server.named("si_transaction")


async def test_a_mandate_that_nobody_paid_for_is_none(
    connector: PayUMandateConnector, server: CommandServer, clock: Clock
) -> None:
    assert isinstance(await connector.inquire_mandate("10001-1"), NothingThere)
    assert isinstance(await connector.upi_link(APPROVED, expires_in_s=900), UpiLink)
    assert isinstance(await connector.end_mandate("10001-1"), Unknown)
    clock.now_s += 3_600
    assert await connector.inquire_mandate("10001-1") == MandateStanding(MandateState.FAILED)
    assert isinstance(await connector.end_mandate("10001-1"), Accepted)
    # A payment without a mandate is none, either.
    assert isinstance(
        await connector.upi_link(charge(reference="10001-5"), expires_in_s=900), Unknown
    )
    assert isinstance(await connector.inquire_mandate("10001-5"), NothingThere)


async def test_a_refused_end_is_an_end_only_where_the_mandate_is_over(
    active: PayUMandateConnector, server: CommandServer
) -> None:
    server.answers["upi_mandate_revoke"] = published.NOT_REVOKED
    assert isinstance(await active.end_mandate("10001-1"), Unknown)
    server.answers["upi_mandate_status"] = {**published.STATUS, "status": "revoked"}
    assert isinstance(await active.end_mandate("10001-1"), Accepted)


@pytest.mark.parametrize("broken", BROKEN)
async def test_nothing_else_decides_anything(
    active: PayUMandateConnector, server: CommandServer, broken: tuple[int, bytes]
) -> None:
    assert isinstance(await active.inquire_mandate("10001-1"), MandateStanding)
    server.answer_next = [broken] * 40
    for answer in (
        await active.inquire_mandate("10001-1"),
        await active.give_notice(NOTICE),
        await active.debit_mandate(DEBIT),
        await active.end_mandate("10001-1"),
    ):
        assert isinstance(answer, Unknown)


async def test_only_an_account_with_mandates_takes_them() -> None:
    for mandates in (False, True):
        fields = opened.settings(
            PayU(),
            payment_url="https://one.example",
            command_url="https://two.example",
            mandates=mandates,
        )
        made = KIND.open("payu", fields, AcquirerContext(CALLBACK, ShortMemory()))
        assert isinstance(made, TakesMandates) is mandates
        await made.close()
    assert PayUMandateConnector.mandate_terms["upi"].notice_before == timedelta(hours=48)
