"""Cashfree's disputes: phases, documents, answers, webhooks and books, and what decides nothing."""

from datetime import UTC, datetime
from decimal import Decimal

import msgspec
import pytest

from hundi.acquirers.cashfree import cases, reports
from hundi.acquirers.cashfree.cases import CashfreeDispute
from hundi.acquirers.port.answers import Accepted, Declined, NothingThere, Unknown
from hundi.acquirers.port.disputes import (
    DisputeAnswer,
    DisputeWord,
    EvidenceFile,
    PhaseName,
    Standing,
)
from hundi.acquirers.port.settlement_reports import ReportedKind
from hundi.kernel.clock import business_day
from hundi.kernel.money import Money
from hundi.kernel.states import DisputePhase as P
from tests.acquirers.cashfree import published
from tests.acquirers.cashfree.account import AMOUNT, GARBAGE, Shop, at_checkout, press
from tests.acquirers.cashfree.disputed import (
    CASE,
    OURS,
    PDF,
    entity,
    listed,
    names,
    raised,
    standing,
)
from tests.acquirers.cashfree.standin import Fault
from tests.acquirers.cashfree.standin_disputes import WANTED, move, raise_dispute

# --- what is said ---


def test_the_published_dispute_is_read() -> None:
    ends = datetime(2023, 1, 18, 18, 30, tzinfo=UTC)
    expected = DisputeWord(CASE, OURS, Standing.UNDER_REVIEW, Money(1_000), "1401", ends)
    assert cases.word_of(entity(), CASE, OURS) == expected


def test_the_published_acceptance_is_read() -> None:
    word = cases.word_of(
        msgspec.json.decode(published.DISPUTE_ACCEPTED, type=CashfreeDispute), CASE, OURS
    )
    assert isinstance(word, DisputeWord)
    assert (word.standing, word.taken_paise, word.rrn) == (Standing.LOST, 1_000, "433447817")


@pytest.mark.parametrize(
    ("kind", "state", "more", "expected"),
    [
        ("CHARGEBACK", "CREATED", {"dispute_evidence": None}, (Standing.OPEN, 0)),
        ("CHARGEBACK", "CREATED", {}, (Standing.UNDER_REVIEW, 0)),
        ("CHARGEBACK", "UNDER_REVIEW", {}, (Standing.UNDER_REVIEW, 0)),
        ("ARBITRATION", "MERCHANT_WON", {}, (Standing.WON, 0)),
        ("PRE_ARBITRATION", "MERCHANT_LOST", {}, (Standing.LOST, 1_000)),
        ("DISPUTE", "MERCHANT_LOST", {}, (Standing.LOST, 1_000)),
        # Their page of states has it open, their guide has it lost: when it was closed tells.
        ("CHARGEBACK", "INSUFFICIENT_EVIDENCE", {}, (Standing.OPEN, 0)),
        ("CHARGEBACK", "INSUFFICIENT_EVIDENCE", {"resolved_at": None}, (Standing.OPEN, 0)),
        (
            "CHARGEBACK",
            "INSUFFICIENT_EVIDENCE",
            {"resolved_at": "2023-01-20T11:00:00"},
            (Standing.LOST, 1_000),
        ),
        ("RETRIEVAL", "MERCHANT_WON", {}, (Standing.CLOSED, 0)),
        ("RETRIEVAL", "MERCHANT_LOST", {}, (Standing.CLOSED, 0)),
        ("RETRIEVAL", "MERCHANT_ACCEPTED", {}, (Standing.LOST, 1_000)),
    ],
)
def test_what_a_state_means(
    kind: str, state: str, more: dict[str, object], expected: tuple[Standing, int]
) -> None:
    found = entity(dispute_type=kind, dispute_status=f"{kind}_{state}", **more)
    assert found.name is not None
    word = cases.word_of(found, found.name, OURS)
    assert isinstance(word, DisputeWord)
    assert (word.standing, word.taken_paise) == expected
    assert bool(word.rrn) is bool(word.taken_paise)


@pytest.mark.parametrize(
    ("now", "asked", "expected"),
    [
        ("PRE_ARBITRATION", P.CHARGEBACK, Standing.WON),
        ("CHARGEBACK", P.RETRIEVAL, Standing.CLOSED),
        ("CHARGEBACK", P.ARBITRATION, None),
    ],
)
def test_a_later_phase_ends_an_earlier_one_and_has_not_begun_before(
    now: str, asked: P, expected: Standing | None
) -> None:
    found = entity(dispute_type=now, dispute_status=f"{now}_CREATED")
    word = cases.word_of(found, PhaseName(CASE.case, asked), OURS)
    assert (word.standing if isinstance(word, DisputeWord) else word) == (
        expected or NothingThere()
    )


@pytest.mark.parametrize(
    "changes",
    [
        {"dispute_status": "DISPUTE_MERGED"},
        {"dispute_status": "CHARGEBACK_CREATED"},
        {"dispute_status": "MERCHANT_WON"},
        {"dispute_type": "MEDIATION", "dispute_status": "MEDIATION_CREATED"},
        {"dispute_amount": 0},
        {"dispute_amount": -10},
        {"dispute_amount": 10.005},
        {"dispute_amount": 10**12},
        {"dispute_id": 433447818},
        {"dispute_id": "433447817/accept"},
    ],
)
def test_what_cannot_be_understood_decides_nothing(changes: dict[str, object]) -> None:
    assert cases.word_of(entity(**changes), CASE, OURS) is None


@pytest.mark.parametrize(
    "respond_by",
    [None, "", "soon", "9999-09-09T00:00:00", "9999-12-31T23:59:59-05:30", "0001-01-01T00:00:00"],
)
def test_a_deadline_that_no_calendar_has_is_none(respond_by: str | None) -> None:
    word = cases.word_of(entity(respond_by=respond_by, resolved_at=respond_by), CASE, OURS)
    assert isinstance(word, DisputeWord)
    assert word.respond_by is None


def test_rupees_become_paise_without_a_float() -> None:
    word = cases.word_of(entity(dispute_amount=3067.26), CASE, OURS)
    assert isinstance(word, DisputeWord)
    assert word.amount == Money(306_726)


async def test_a_dispute_of_a_payment_link_names_our_reference(shop: Shop) -> None:
    charge, page = await at_checkout(shop)
    await press(page.url, "SUCCESS")
    dispute = raise_dispute(shop.bank.world, charge.reference)
    assert dispute["order_details"]["order_id"] != charge.reference
    word = await shop.connector.inquire_dispute(PhaseName(str(dispute["dispute_id"]), P.CHARGEBACK))
    assert isinstance(word, DisputeWord)
    assert word.original == charge.reference
    assert [each.original for each in await listed(shop) or ()] == [charge.reference]


@pytest.mark.parametrize("case", ["", "DSP1", "4334/accept", "٤٣٣", "9" * 19])
async def test_what_is_no_number_of_theirs_is_not_asked_about(shop: Shop, case: str) -> None:
    assert await shop.connector.inquire_dispute(PhaseName(case, P.CHARGEBACK)) == NothingThere()
    assert not shop.bank.calls


# --- documents and answers ---


async def test_documents_are_sent_once_each_as_what_cashfree_wants(shop: Shop) -> None:
    dispute, name = await raised(shop)
    for number in (1, 2, 1, 3):
        evidence = EvidenceFile(
            f"10001-E{number}", "application/pdf", PDF, "delivered on 3 May\r\n--hundi-"
        )
        assert await shop.connector.send_evidence(name, evidence) == Accepted()
    files = [each["document_name"] for each in dispute["dispute_evidence"]]
    assert files == ["10001-E1.pdf", "10001-E2.pdf", "10001-E3.pdf"]
    assert [each["document_type"] for each in dispute["dispute_evidence"]] == [*WANTED, WANTED[-1]]
    sent = [each for each in shop.bank.bodies if "content" in each]
    assert {(each["content"], each["note"]) for each in sent} == {
        (PDF, "delivered on 3 May\r\n--hundi-")
    }


@pytest.mark.parametrize("fault", GARBAGE)
async def test_a_document_is_there_once_whatever_becomes_of_its_answer(
    shop: Shop, fault: Fault
) -> None:
    dispute, name = await raised(shop)
    evidence = EvidenceFile("10001-E1", "image/png", b"\x89PNG\r\n\x1a\n")
    shop.bank.faults.append(("/documents", fault))
    assert isinstance(await shop.connector.send_evidence(name, evidence), Unknown | Accepted)
    assert await shop.connector.send_evidence(name, evidence) == Accepted()
    assert [each["document_name"] for each in dispute["dispute_evidence"]] == ["10001-E1.png"]


async def test_a_contest_is_begun_by_its_documents_and_decided_by_cashfree(shop: Shop) -> None:
    dispute, name = await raised(shop)
    answer = DisputeAnswer(name, "10001-D1", Money(0), "delivered")
    refused = await shop.connector.answer_dispute(answer)
    assert refused == Declined("no_document", "Cashfree takes no contest without a document.")
    await shop.connector.send_evidence(
        name, EvidenceFile("10001-E1", "application/pdf", PDF, "delivered")
    )
    word = await shop.connector.answer_dispute(answer)
    assert isinstance(word, DisputeWord)
    assert word.standing is Standing.UNDER_REVIEW
    move(shop.bank.world, dispute, "UNDER_REVIEW")
    late = await shop.connector.send_evidence(
        name, EvidenceFile("10001-E2", "application/pdf", PDF)
    )
    assert isinstance(late, Declined), (
        "a document that is refused for good does not keep the answer from being read"
    )
    move(shop.bank.world, dispute, "MERCHANT_LOST")
    assert await standing(shop, name) == (Standing.LOST, AMOUNT.paise)


async def test_a_part_is_not_given_up_by_accepting_all(shop: Shop) -> None:
    dispute, name = await raised(shop)
    answer = await shop.connector.answer_dispute(DisputeAnswer(name, "10001-D1", AMOUNT - Money(1)))
    assert isinstance(answer, Declined)
    assert answer.code == "no_part"
    assert dispute["dispute_status"] == "CHARGEBACK_CREATED"


async def test_what_has_documents_can_still_be_accepted(shop: Shop) -> None:
    dispute, name = await raised(shop, amount=Decimal("400.50"))
    await shop.connector.send_evidence(name, EvidenceFile("10001-E1", "application/pdf", PDF))
    word = await shop.connector.answer_dispute(DisputeAnswer(name, "10001-D1", Money(40_050)))
    assert isinstance(word, DisputeWord)
    assert (word.standing, word.taken_paise) == (Standing.LOST, 40_050)
    assert dispute["dispute_status"] == "CHARGEBACK_MERCHANT_ACCEPTED"


@pytest.mark.parametrize("fault", GARBAGE)
async def test_a_lost_acceptance_is_found_to_be_given(shop: Shop, fault: Fault) -> None:
    _, name = await raised(shop)
    answer = DisputeAnswer(name, "10001-D1", AMOUNT)
    shop.bank.faults.append(("/accept", fault))
    assert isinstance(await shop.connector.answer_dispute(answer), Unknown | DisputeWord)
    again = await shop.connector.answer_dispute(answer)
    assert isinstance(again, DisputeWord)
    assert (again.standing, again.taken_paise) == (Standing.LOST, AMOUNT.paise)


async def test_an_answer_to_a_phase_that_is_over_takes_nothing_in_the_next_one(shop: Shop) -> None:
    dispute, name = await raised(shop)
    move(shop.bank.world, dispute, "MERCHANT_WON")
    move(shop.bank.world, dispute, "CREATED", kind="PRE_ARBITRATION")
    word = await shop.connector.answer_dispute(DisputeAnswer(name, "10001-D1", AMOUNT))
    assert isinstance(word, DisputeWord)
    assert (word.standing, word.taken_paise) == (Standing.WON, 0)
    assert isinstance(
        await shop.connector.send_evidence(name, EvidenceFile("10001-E1", "image/png", PDF)),
        Declined,
    )
    assert await standing(shop, PhaseName(name.case, P.PRE_ARBITRATION)) == (Standing.OPEN, 0)


# --- the books ---


async def test_the_books_find_what_no_webhook_told(shop: Shop) -> None:
    _, name = await raised(shop, told=False)
    assert await names(shop) == [name]


async def test_what_a_lost_dispute_took_is_found_in_the_settlement_by_its_number(
    shop: Shop,
) -> None:
    dispute, name = await raised(shop)
    move(shop.bank.world, dispute, "MERCHANT_LOST")
    word = await shop.connector.inquire_dispute(name)
    assert isinstance(word, DisputeWord)
    line = reports.line_of(
        msgspec.convert(shop.bank.world.books[-1], reports.CashfreeReportLine),
        business_day(datetime.now(UTC)),
    )
    assert line is not None
    assert (line.kind, line.is_credit, line.gross_paise) == (
        ReportedKind.CHARGEBACK,
        False,
        word.taken_paise,
    )
    assert (line.number, line.reference) == (word.rrn, word.original)


async def test_the_books_name_each_disputed_order_once_and_all_of_its_disputes(shop: Shop) -> None:
    dispute, name = await raised(shop)
    move(shop.bank.world, dispute, "MERCHANT_WON")
    soft = raise_dispute(shop.bank.world, dispute["order_details"]["order_id"], "RETRIEVAL")
    expected = {name, PhaseName(str(soft["dispute_id"]), P.RETRIEVAL)}
    assert set(await names(shop)) == expected
    assert len([each for each in shop.bank.calls if each.endswith("/disputes")]) == 1


async def test_the_books_are_read_page_by_page_and_their_old_days_once(shop: Shop) -> None:
    many = [await raised(shop) for _ in range(3)]
    noise = {
        "event_details": {
            "event_type": "PAYMENT",
            "event_time": many[0][0]["created_at"] + "+05:30",
        }
    }
    shop.bank.world.books[:0] = [noise] * 99
    assert set(await names(shop)) == {name for _, name in many}
    first = shop.bank.calls.count("POST /pg/recon")
    assert first >= 32, "30 days, today, and its second page"
    await listed(shop)
    assert shop.bank.calls.count("POST /pg/recon") - first <= 4, (
        "yesterday, today, perhaps tomorrow, a second page"
    )


@pytest.mark.parametrize("path", ["/recon", "/disputes"])
@pytest.mark.parametrize("fault", GARBAGE)
async def test_books_that_cannot_be_read_are_read_again(
    shop: Shop, fault: Fault, path: str
) -> None:
    _, name = await raised(shop, told=False)
    shop.bank.faults.extend([(path, fault)] * 4)
    assert await listed(shop) is None
    shop.bank.faults.clear()
    assert await names(shop) == [name]


async def test_a_dispute_that_cannot_be_used_does_not_hide_the_others(shop: Shop) -> None:
    broken, _ = await raised(shop)
    broken["dispute_status"] = "CHARGEBACK_MERGED"
    _, name = await raised(shop)
    assert await names(shop) == [name]


@pytest.mark.parametrize("fault", [*GARBAGE, "keys"])
async def test_an_answer_that_cannot_be_read_decides_nothing(shop: Shop, fault: Fault) -> None:
    dispute, name = await raised(shop)
    shop.bank.faults.extend([("", fault)] * 4)
    assert isinstance(await shop.connector.inquire_dispute(name), Unknown)
    assert dispute["dispute_status"] == "CHARGEBACK_CREATED"
