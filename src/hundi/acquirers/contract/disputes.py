"""The contract of connectors that report disputes and take answers to them."""

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta

from hundi.acquirers.contract.steps import AMOUNT, HALF, ConnectorCase, demand, take_payment
from hundi.acquirers.port.answers import Accepted, Declined, NothingThere
from hundi.acquirers.port.disputes import (
    DECIDED,
    AcceptsDisputes,
    ContestsDisputes,
    DisputeAnswer,
    DisputePage,
    DisputeWord,
    EvidenceFile,
    ListsDisputes,
    PhaseName,
    Standing,
    TellsDisputes,
)
from hundi.acquirers.port.payments import Charge, Connector
from hundi.kernel.money import Money
from hundi.kernel.records import replace
from hundi.kernel.states import DisputePhase

PAGES_MAX = 1_000
LISTED_SINCE = timedelta(days=1)
PHASE_NOBODY_RAISED = PhaseName("DSP0123456789AB", DisputePhase.CHARGEBACK)
PDF = b"%PDF-1.4\n%%EOF\n"
Raise = Callable[[str], Awaitable[PhaseName]]


async def check_disputes(connector: Connector, case: ConnectorCase) -> None:
    """Prove that disputes are listed and found, and that an answer counts once."""
    if not isinstance(connector, TellsDisputes):
        return
    gaps = connector.dispute_gaps_s
    demand(gaps and all(gap > 0 for gap in gaps), "the schedule of disputes has positive gaps")
    demand(
        isinstance(await connector.inquire_dispute(PHASE_NOBODY_RAISED), NothingThere),
        "an unused phase is none",
    )
    unsigned = (
        b'{"kind":"dispute","event_id":"1","dispute":"DSP0123456789AB",'
        b'"phase":"chargeback","reference":"7-1"}'
    )
    demand(
        connector.read_dispute({}, unsigned, now_s=0) is None,
        "an unsigned callback about a dispute is nobody's",
    )
    if isinstance(connector, ListsDisputes):
        demand(await _listed(connector) is not None, "a list of disputes ends")
    if case.raise_dispute is None:
        demand(not connector.simulated, "a simulated network can raise a dispute")
        return
    if isinstance(connector, AcceptsDisputes):
        paid = await take_payment(connector, case)
        word = await _raised(connector, paid, case.raise_dispute)
        await _check_accepted(connector, case, word)
    if isinstance(connector, ContestsDisputes):
        paid = await take_payment(connector, case)
        word = await _raised(connector, paid, case.raise_dispute)
        await _check_contested(connector, case, word)


async def _listed(connector: ListsDisputes) -> list[DisputeWord] | None:
    """Return all that a connector lists, or None where its list does not end."""
    words: list[DisputeWord] = []
    after = ""
    for _ in range(PAGES_MAX):
        page = await connector.disputes(datetime.now(UTC) - LISTED_SINCE, after)
        if not isinstance(page, DisputePage):
            return None
        words += page.words
        if not page.next:
            return words
        after = page.next
    return None


async def _raised(connector: TellsDisputes, paid: Charge, raise_dispute: Raise) -> DisputeWord:
    """Have a payment disputed, and return the bank's news of it."""
    name = await raise_dispute(paid.reference)
    word = await connector.inquire_dispute(name)
    demand(isinstance(word, DisputeWord), f"a phase that was raised is found, not {word}")
    assert isinstance(word, DisputeWord)
    demand(word.name == name, "the bank's word is about the phase that was asked about")
    demand(word.original == paid.reference, "a dispute names our reference of the payment")
    demand(
        word.standing is Standing.OPEN and not word.taken_paise,
        "a new phase is open, and nothing is taken",
    )
    demand(word.amount == AMOUNT, "a dispute says what is wanted")
    if isinstance(connector, ListsDisputes):
        listed = await _listed(connector)
        demand(
            listed is not None and name in {each.name for each in listed},
            "an open phase is in the list",
        )
    return word


async def _check_accepted(
    connector: AcceptsDisputes, case: ConnectorCase, word: DisputeWord
) -> None:
    answer = DisputeAnswer(word.name, case.new_reference(), word.amount)
    for _ in range(2):
        reply = await connector.answer_dispute(answer)
        demand(
            isinstance(reply, DisputeWord) and reply.name == word.name,
            "an answer is taken, also when sent twice",
        )
    after = await connector.inquire_dispute(word.name)
    demand(
        isinstance(after, DisputeWord) and after.standing is not Standing.WON,
        "what was accepted is never won",
    )
    if isinstance(after, DisputeWord) and after.standing in DECIDED:
        demand(
            after.standing is Standing.LOST and after.taken_paise == AMOUNT.paise,
            "what was accepted is taken",
        )
        demand(after.rrn, "what was taken has an RRN")


async def _check_contested(
    connector: ContestsDisputes, case: ConnectorCase, word: DisputeWord
) -> None:
    evidence = EvidenceFile(case.new_reference(), "application/pdf", PDF)
    for _ in range(2):
        demand(
            isinstance(await connector.send_evidence(word.name, evidence), Accepted),
            "a document is taken",
        )
    answer = DisputeAnswer(word.name, case.new_reference(), Money(0), "sent on time")
    reply = await connector.answer_dispute(answer)
    demand(
        isinstance(reply, DisputeWord) and reply.standing is not Standing.OPEN,
        "an answered phase is open no more",
    )
    demand(
        isinstance(reply, DisputeWord) and reply.taken_paise == 0,
        "what is contested is not taken with the answer",
    )
    other = await connector.answer_dispute(
        replace(answer, reference=case.new_reference(), accepted=HALF)
    )
    after = await connector.inquire_dispute(word.name)
    demand(
        isinstance(after, DisputeWord) and after.taken_paise == 0, "a second answer takes nothing"
    )
    nobodys = replace(answer, name=PHASE_NOBODY_RAISED)
    unknown = await connector.answer_dispute(nobodys)
    demand(not isinstance(unknown, DisputeWord), "an answer to an unused phase is not taken")
    demand(not isinstance(other, Declined) or other.code, "a refused answer has a code")
