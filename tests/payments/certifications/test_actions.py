"""A certification's steps run one after the other, and go on after an interruption."""

import asyncio
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import asyncpg
import pytest

from hundi.acquirers.certification.catalogue import steps_of
from hundi.acquirers.certification.paying_out import PAYOUTS
from hundi.acquirers.certification.steps import (
    CertificationStep,
    MovedAmount,
    StepOutcome,
    StepRun,
    StepVerdict,
    StepWaiting,
    WebhookProof,
)
from hundi.acquirers.certification.webhooks import WebhookBody
from hundi.acquirers.port.answers import Approved, NothingThere, Redirect, Unknown
from hundi.acquirers.port.checkout import Trigger
from hundi.acquirers.port.payments import Charge, InquirySchedule, RefundOrder
from hundi.acquirers.port.sandbox import SandboxData
from hundi.infra.postgres.database import Database
from hundi.kernel.money import Money
from hundi.kernel.records import replace
from hundi.payments.certifications import actions, store
from hundi.payments.certifications.actions import (
    CertificationContext,
    StepRefusedError,
    WantedSteps,
)
from hundi.payments.certifications.rules import CertifiedAccount, is_ready
from hundi.payments.certifications.rules import capabilities as found_in
from hundi.staff.trail.actions import at_command_line
from tests.staff.members import VAULT

ACCOUNT = CertifiedAccount("north", "razorpay", "a" * 64, "0.1.0", is_live=False)


class Page:
    """An acquirer with a page and refunds; the customer pays at once, unless told otherwise."""

    name, simulated = "north", True
    inquiry_schedule = refund_schedule = InquirySchedule((3,))
    checkout_origins = ("https://page.example",)

    def __init__(self) -> None:
        self.paid: dict[str, Money] = {}
        self.refunds: dict[str, RefundOrder] = {}
        self.pays, self.breaks_at = True, ""

    async def start_checkout(self, charge: Charge, **_more: Any) -> Redirect:
        if self.pays:
            self.paid[charge.reference] = charge.amount
        return Redirect("https://page.example/1", "1")

    async def inquire(self, reference: str) -> Approved | Unknown | NothingThere:
        if reference in self.paid:
            return Approved(self.paid[reference], "123456789012")
        return NothingThere() if self.pays else Unknown(awaiting_customer=True)

    async def refund(self, order: RefundOrder) -> Approved:
        self.refunds.setdefault(order.reference, order)
        if self.breaks_at == "refund":
            raise KeyboardInterrupt
        return Approved(order.amount, "1")

    async def inquire_refund(self, reference: str) -> Approved | NothingThere:
        order = self.refunds.get(reference)
        return Approved(order.amount, "1") if order else NothingThere()

    def reachable(self) -> bool:
        return True

    async def close(self) -> None: ...


class Silent:
    """A person who only listens."""

    async def begins(self, name: str, expected: str, place: str) -> None: ...

    async def do(self, task: Any) -> bool:
        del task
        return False

    async def waiting(self, words: str, left_s: float) -> None: ...

    async def card(self, *, declined: bool) -> None: ...

    async def account(self, *, is_good: bool) -> None: ...

    async def adds_fee(self) -> bool:
        return False

    async def total(self, task: Any) -> None: ...


@pytest.fixture
def page() -> Page:
    return Page()


def context(db: Database, page: Any, account: CertifiedAccount = ACCOUNT) -> CertificationContext:
    return CertificationContext(
        db=db,
        account=account,
        connector=page,
        steps=steps_of(page, ["card_page"]),
        sandbox=SandboxData(),
        person=Silent(),
        waiting=StepWaiting(sleep=asyncio.sleep, wait_s=0.01, gap_s=0.01),
        secrets=(),
        most_paise=None,
        return_url="https://pay.example.in",
        who=at_command_line("asha", VAULT),
        now=lambda: datetime.now(UTC),
    )


async def ran(of: CertificationContext, **wanted: Any) -> dict[str, StepVerdict]:
    return {each.step: each.verdict async for each in actions.certify(of, WantedSteps(**wanted))}


async def test_what_has_passed_is_not_repeated(db: Database, page: Page) -> None:
    first = await ran(context(db, page), only=["inquiry", "card_page-paid"])
    assert first == {"inquiry": StepVerdict.PASSED, "card_page-paid": StepVerdict.PASSED}
    assert len(page.paid) == 1
    later = await ran(context(db, page), skips={"fee": "none here"})
    assert "card_page-paid" not in later
    assert "inquiry" not in later
    assert later["fee"] is StepVerdict.SKIPPED


async def test_a_payment_that_was_made_while_nobody_looked_is_found(
    db: Database, page: Page
) -> None:
    page.pays = False
    assert await ran(context(db, page), only=["card_page-paid"]) == {
        "card_page-paid": StepVerdict.OPEN
    }
    ((_, entry),) = (await store.newest(db, "north")).items()
    page.paid[f"0-{entry.number}"] = Money(2_00)
    assert await ran(context(db, page), only=["card_page-paid"]) == {
        "card_page-paid": StepVerdict.PASSED
    }
    assert list(page.paid) == [f"0-{entry.number}"]


async def test_a_refund_that_was_interrupted_goes_on_under_its_reference(
    db: Database, page: Page
) -> None:
    await ran(context(db, page), only=["card_page-paid"])
    page.breaks_at = "refund"
    with pytest.raises(KeyboardInterrupt):
        await ran(context(db, page), only=["refund-part"])
    page.breaks_at = ""
    assert (await store.newest(db, "north"))["refund-part"].verdict is StepVerdict.BEGUN
    assert await ran(context(db, page), only=["refund-part"]) == {"refund-part": StepVerdict.PASSED}
    assert len(page.refunds) == 1


async def test_a_step_that_moved_money_is_not_repeated_alone(db: Database, page: Page) -> None:
    await ran(context(db, page), only=["card_page-paid", "refund-part"])
    with pytest.raises(StepRefusedError, match="would move money again"):
        await ran(context(db, page), only=["refund-part"])
    with pytest.raises(StepRefusedError, match="no step refunded"):
        await ran(context(db, page), only=["refunded"])


class Payer(Page):
    """An account with real money that pays out; each payout is counted."""

    simulated = False


async def test_real_money_is_paid_out_once(db: Database) -> None:
    paid: list[int] = []

    async def pay(run: StepRun) -> StepOutcome:
        paid.append(run.number)
        return StepOutcome("paid", MovedAmount(run.payout, Money(2_00), run.now()))

    live = CertifiedAccount("south", "razorpayx", "b" * 64, "0.1.0", is_live=True)
    step = CertificationStep("payout-imps", PAYOUTS, "paid once", pay)
    of = replace(context(db, Payer(), live), steps=(step,), most_paise=10_00)
    assert await ran(of) == {"payout-imps": StepVerdict.PASSED}
    assert await ran(of, again=True) == {}
    with pytest.raises(StepRefusedError, match="pay out real money again"):
        await ran(of, only=["payout-imps"])
    await ran(of, skips={"payout-imps": "so that it is not the newest"})
    assert await ran(of) == {}
    assert len(paid) == 1
    rows = await db.fetch("SELECT act, about, detail FROM trail_entries")
    assert {(row["act"], row["about"]) for row in rows} == {("acquirer.certify", "south")}
    assert [row for row in rows if '"again":true' in row["detail"]]
    assert len(rows) == 4, "a refused run is none"


@pytest.mark.parametrize("reference", ["7-215000000000001", "07-1", "x"])
async def test_what_moved_is_never_a_merchants(db: Database, page: Page, reference: str) -> None:
    await ran(context(db, page), only=["card_page-paid"])
    entry = (await store.newest(db, "north"))["card_page-paid"]
    bent = replace(entry, evidence_id=entry.evidence_id + 1, moved_reference=reference)
    assert bent.moved is None
    with pytest.raises(asyncpg.CheckViolationError):
        await store.insert(db, bent)


async def test_a_skipped_step_keeps_its_reason(db: Database, page: Page) -> None:
    of = context(db, page)
    await ran(of, only=["inquiry"], skips={"card_page-declined": "the sandbox cannot"})
    stood = await actions.standings(of)
    told = {each.step.name: (each.verdict, each.evidence) for each in stood}
    verdict, entry = told["card_page-declined"]
    assert entry is not None
    assert (verdict, entry.words) == (StepVerdict.SKIPPED, "the sandbox cannot")
    assert not is_ready(found_in(stood, ()))


async def test_evidence_is_never_changed(db: Database, page: Page) -> None:
    await ran(context(db, page), only=["inquiry"])
    for statement in (
        "UPDATE certification_evidence SET verdict = 'passed'",
        "DELETE FROM certification_evidence",
    ):
        with pytest.raises(asyncpg.RestrictViolationError):
            await db.execute(statement)


class Signed:
    """An acquirer whose webhooks have a proof in a header."""

    def read_trigger(
        self, headers: Mapping[str, str], body: bytes, *, now_s: int
    ) -> Trigger | None:
        del now_s
        proven = headers.get("proof") == "right"
        return Trigger("1", (body.decode(),)) if proven else None


async def test_a_webhook_about_a_certification_is_noted_and_no_other(db: Database) -> None:
    for reference in ("0-215000000000001", "7-215000000000001"):
        arrived = WebhookBody({"proof": "right"}, reference.encode(), 0)
        signed: Any = Signed()
        trigger = signed.read_trigger(arrived.headers, arrived.body, now_s=0)
        for _ in range(2):
            await actions.note_webhook(db, "north", signed, trigger, arrived)
    assert await store.webhook(db, "north", "7-215000000000001") is None
    assert await store.webhook(db, "north", "0-215000000000001") == WebhookProof(
        refused=True, covers=False
    )
