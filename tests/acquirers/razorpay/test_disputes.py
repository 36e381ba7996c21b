"""Razorpay's disputes: phases, documents, answers, webhooks, and what decides nothing."""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from hundi.acquirers.calls.razorpay_wire import decoded
from hundi.acquirers.contract.steps import AMOUNT
from hundi.acquirers.port.answers import Accepted, Declined, NothingThere, Unknown
from hundi.acquirers.port.disputes import (
    DisputeAnswer,
    DisputePage,
    DisputeWord,
    EvidenceFile,
    PhaseName,
    Standing,
)
from hundi.acquirers.port.payments import Charge
from hundi.acquirers.razorpay import cases
from hundi.acquirers.razorpay.cases import RazorpayDispute
from hundi.acquirers.razorpay.connector import RazorpayConnector
from hundi.kernel.money import Money
from hundi.kernel.states import DisputePhase as P
from tests.acquirers.razorpay.standin import Standin
from tests.acquirers.razorpay.standin_answers import Fault

PAID = "10001-219876543210001"
PDF = b"%PDF-1.4\n%%EOF\n"
# github.com/razorpay/markdown-docs, api/disputes/entity.md, commit ab3bda5f.
ENTITY = b"""{"id":"disp_AHfqOvkldwsbqt","entity":"dispute","payment_id":"pay_EsyWjHrfzb59eR",
"amount":10000,
"currency":"INR","amount_deducted":0,"reason_code":"chargeback","respond_by":1590604200,"status":"open",
"phase":"chargeback","created_at":1590059211,"evidence":{"amount":9000,"summary":"goods delivered",
"shipping_proof":["doc_EFtmUsbwpXwBH9","doc_EFtmUsbwpXwBH8"],"billing_proof":["doc_EFtmUsbwpXwBG9"],
"cancellation_proof":null,"customer_communication":null,"others":[{"type":"receipt_signed_by_customer",
"document_ids":["doc_EFtmUsbwpXwBH1","doc_EFtmUsbwpXwBH7"]}],"submitted_at":null}}"""


def entity(**changes: object) -> RazorpayDispute:
    found = decoded(RazorpayDispute, json.dumps(json.loads(ENTITY) | changes).encode())
    assert found is not None
    return found


@pytest.fixture
async def raised(connector: RazorpayConnector, bank: Standin) -> PhaseName:
    """Have our payment paid and disputed."""
    await connector.upi_link(Charge(PAID, AMOUNT), expires_in_s=600)
    payment = bank.books.payments_of(next(iter(bank.books.orders)))[-1]
    bank.books.pay(payment.id)
    return PhaseName(bank.money.raise_dispute(payment.id)["id"], P.CHARGEBACK)


def test_the_published_dispute_is_read() -> None:
    name = PhaseName("disp_AHfqOvkldwsbqt", P.CHARGEBACK)
    word = cases.word_of(entity(), name, PAID)
    ends = datetime(2020, 5, 27, 18, 30, tzinfo=UTC)
    assert word == DisputeWord(name, PAID, Standing.OPEN, Money(10_000), "chargeback", ends)


@pytest.mark.parametrize(
    ("changes", "asked", "expected"),
    [
        ({"status": "under_review"}, P.CHARGEBACK, (Standing.UNDER_REVIEW, 0)),
        ({"status": "won"}, P.CHARGEBACK, (Standing.WON, 0)),
        ({"status": "closed", "phase": "fraud"}, P.RETRIEVAL, (Standing.CLOSED, 0)),
        ({"status": "lost", "amount_deducted": 4_000}, P.CHARGEBACK, (Standing.LOST, 4_000)),
        ({"status": "lost", "phase": "retrieval"}, P.RETRIEVAL, (Standing.CLOSED, 0)),
        ({"phase": "pre_arbitration"}, P.CHARGEBACK, (Standing.WON, 0)),
        ({"phase": "chargeback"}, P.RETRIEVAL, (Standing.CLOSED, 0)),
    ],
)
def test_what_a_status_means(
    changes: dict[str, object], asked: P, expected: tuple[Standing, int]
) -> None:
    word = cases.word_of(entity(**changes), PhaseName("disp_AHfqOvkldwsbqt", asked), PAID)
    assert isinstance(word, DisputeWord)
    assert (word.standing, word.taken_paise) == expected
    assert bool(word.rrn) is bool(word.taken_paise)


@pytest.mark.parametrize(
    "changes",
    [
        {"status": "lost"},
        {"status": "lost", "amount_deducted": 10_001},
        {"status": "merged"},
        {"phase": "mediation"},
        {"amount": 0},
        {"id": "disp_another0000000"},
    ],
)
def test_what_cannot_be_understood_decides_nothing(changes: dict[str, object]) -> None:
    assert (
        cases.word_of(entity(**changes), PhaseName("disp_AHfqOvkldwsbqt", P.CHARGEBACK), PAID)
        is None
    )


@pytest.mark.parametrize("respond_by", [0, 10**17, -(10**17)])
def test_a_deadline_that_no_calendar_has_is_none(respond_by: int) -> None:
    word = cases.word_of(
        entity(respond_by=respond_by), PhaseName("disp_AHfqOvkldwsbqt", P.CHARGEBACK), PAID
    )
    assert isinstance(word, DisputeWord)
    assert word.respond_by is None


def test_a_later_phase_is_not_there_before_it_begins() -> None:
    asked = PhaseName("disp_AHfqOvkldwsbqt", P.ARBITRATION)
    assert cases.word_of(entity(), asked, PAID) == NothingThere()


async def test_documents_are_attached_once_and_all_are_kept(
    connector: RazorpayConnector, bank: Standin, raised: PhaseName
) -> None:
    for number in (1, 2, 1):
        evidence = EvidenceFile(f"10001-E{number}", "application/pdf", PDF + b"\r\n--hundi-")
        assert await connector.send_evidence(raised, evidence) == Accepted()
    attached = bank.money.disputes[raised.case]["evidence"]["others"]
    assert [each["type"] for each in attached] == ["10001-E1", "10001-E2"]
    assert [bank.money.documents[each["document_ids"][0]] for each in attached] == [
        PDF + b"\r\n--hundi-"
    ] * 2


async def test_a_part_is_given_up_and_the_rest_contested(
    connector: RazorpayConnector, bank: Standin, raised: PhaseName
) -> None:
    await connector.send_evidence(raised, EvidenceFile("10001-E1", "image/png", b"\x89PNG"))
    word = await connector.answer_dispute(
        DisputeAnswer(raised, "10001-D1", Money(50_000), "one of two came back")
    )
    assert isinstance(word, DisputeWord)
    assert word.standing is Standing.UNDER_REVIEW
    evidence = bank.money.disputes[raised.case]["evidence"]
    assert (evidence["amount"], evidence["summary"]) == (
        AMOUNT.paise - 50_000,
        "one of two came back",
    )
    bank.money.decide(raised.case, "lost", 50_000)
    after = await connector.inquire_dispute(raised)
    assert isinstance(after, DisputeWord)
    assert (after.standing, after.taken_paise, after.rrn) == (Standing.LOST, 50_000, raised.case)


async def test_a_contest_without_a_document_is_refused_before_it_is_sent(
    connector: RazorpayConnector, bank: Standin, raised: PhaseName
) -> None:
    answer = await connector.answer_dispute(
        DisputeAnswer(raised, "10001-D1", Money(0), "delivered")
    )
    assert answer == Declined("no_document", "Razorpay takes no contest without a document.")
    assert not [each for each in bank.seen if each.path.endswith("/contest")]


async def test_a_lost_answer_is_found_to_be_given(
    connector: RazorpayConnector, raised: PhaseName, play: Callable[[str, Fault], None]
) -> None:
    play("/accept", Fault.LOST_AFTER)
    answer = DisputeAnswer(raised, "10001-D1", AMOUNT)
    assert isinstance(await connector.answer_dispute(answer), Unknown)
    again = await connector.answer_dispute(answer)
    assert isinstance(again, DisputeWord)
    assert (again.standing, again.taken_paise) == (Standing.LOST, AMOUNT.paise)


async def test_old_decisions_are_left_out_of_the_list(
    connector: RazorpayConnector, bank: Standin, raised: PhaseName
) -> None:
    bank.money.disputes[raised.case]["created_at"] = 1_590_059_211
    now = datetime.now(UTC)
    page = await connector.disputes(now - timedelta(days=30))
    assert isinstance(page, DisputePage)
    assert [each.name for each in page.words] == [raised], "an old one that is open is still listed"
    bank.money.decide(raised.case, "won")
    assert await connector.disputes(now - timedelta(days=30)) == DisputePage((), "")


async def test_a_webhook_names_its_dispute_and_proves_nothing_more(
    connector: RazorpayConnector, bank: Standin, raised: PhaseName
) -> None:
    event = bank.events()[-1]
    assert event.name == "payment.dispute.created"
    headers = {name.lower(): value for name, value in event.headers.items()}
    assert connector.read_dispute(headers, event.body, now_s=0) == (raised, PAID)
    assert connector.read_dispute(headers, event.body + b" ", now_s=0) is None
    paid = next(each for each in bank.events() if each.name == "payment.captured")
    assert (
        connector.read_dispute({n.lower(): v for n, v in paid.headers.items()}, paid.body, now_s=0)
        is None
    )


@pytest.mark.parametrize("receipt", [PAID, None])
async def test_a_tampered_note_of_a_payment_does_not_move_its_dispute(
    receipt: str | None, connector: RazorpayConnector, bank: Standin, raised: PhaseName
) -> None:
    payment = bank.books.payments[bank.money.disputes[raised.case]["payment_id"]]
    payment.notes = {"hundi_reference": "10002-219876543210009"}
    bank.books.orders[payment.order_id].receipt = receipt
    word = await connector.inquire_dispute(raised)
    assert isinstance(word, DisputeWord)
    assert word.original == (receipt or payment.id), (
        "the note came through a browser, and the order's receipt did not"
    )


@pytest.mark.parametrize(
    "fault", [Fault.HTML, Fault.CUT, Fault.EMPTY, Fault.UNAUTHORIZED, Fault.TOO_MANY]
)
async def test_an_answer_that_cannot_be_read_decides_nothing(
    fault: Fault,
    connector: RazorpayConnector,
    raised: PhaseName,
    play: Callable[[str, Fault], None],
) -> None:
    play(raised.case, fault)
    assert isinstance(await connector.inquire_dispute(raised), Unknown)
    play("/disputes", fault)
    assert isinstance(await connector.disputes(datetime.now(UTC)), Unknown)
