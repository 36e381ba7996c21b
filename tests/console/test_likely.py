"""The hints of the work list name the payout, with its settlement, or what was handed over."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from hashlib import sha256
from typing import TYPE_CHECKING, Any, cast

from hundi.console import likely
from hundi.infra.postgres.database import Database
from hundi.kernel.ids import first_id
from hundi.money.reconciliation.rules import LINE_IDS_FROM
from tests.console.test_needs import NOW, plant
from tests.money.settlements.books import MERCHANT

if TYPE_CHECKING:
    from hundi.console.visits import ConsoleVisit

DAY = date(2026, 11, 16)


@dataclass(frozen=True)
class Visit:
    """What hints read of a visit."""

    db: Database


async def hints(db: Database, utr: str, net_paise: int) -> list[str]:
    line: dict[str, Any] = {"line_id": 1, "utr": utr, "net_paise": net_paise, "day": DAY}
    visit = cast("ConsoleVisit", Visit(db))
    told = await likely.of_account_lines(visit, [line], {MERCHANT: "Asha"})
    return [f"{each['words']}: {each['why']}" for each in told[1]]


async def hand_over(db: Database, utr: str, net_paise: int, day: date) -> None:
    """Write what an acquirer's file of a day, imported at its end, says was handed over."""
    digest = sha256(f"{utr} {day}".encode()).digest()
    file_id = LINE_IDS_FROM + first_id(datetime.combine(day, time(18), UTC))
    await plant(
        db, "statement_files", file_id=file_id, connector="razorpay", first_day=day, last_day=day,
        format="csv", merchants=[MERCHANT], lines=2, sha256=digest,
    )  # fmt: skip
    await plant(
        db, "statement_handovers", connector="razorpay", utr=utr, file_id=file_id, lines=2,
        net_paise=net_paise,
    )  # fmt: skip


async def test_a_debit_names_the_payout_and_its_settlement(db: Database) -> None:
    await plant(
        db, "settlement_shares", merchant_id=MERCHANT, share_id=5, beneficiary="primary",
        settlement_id=217_383_559_000_000, amount_paise=10_000,
    )  # fmt: skip
    await plant(
        db, "payouts", merchant_id=MERCHANT, payout_id=6, share_id=5, state="done", utr="UTR1",
        amount_paise=10_000, channel="api", rail="imps", source="settlement_due", maker="Meera",
        checker="Chetan", sent_at=NOW, settled_at=NOW,
    )  # fmt: skip
    assert await hints(db, "UTR1", -10_000) == [
        f"Payout to Asha, ₹100.00, of settlement {MERCHANT}-217383559000000: It has the same UTR."
    ]
    assert await hints(db, "UTR2", -99) == []


async def test_a_credit_names_what_an_acquirer_handed_over(db: Database) -> None:
    await hand_over(db, "H1", 70_00, DAY)
    await hand_over(db, "H1", 30_00, DAY + timedelta(days=30))
    assert await hints(db, "OTHER", 100_00) == [
        "Settlement H1 of razorpay, 4 lines, ₹100.00: It has the same amount, and another UTR."
    ]
    assert await hints(db, "H1", 99_00) == [
        "Settlement H1 of razorpay, 4 lines, ₹100.00: It has the same UTR, and another amount."
    ]
    assert await hints(db, "OTHER", 1) == []


async def test_the_same_amount_of_another_month_explains_nothing(db: Database) -> None:
    await hand_over(db, "H1", 100_00, DAY - timedelta(days=30))
    await hand_over(db, "H2", 100_00, DAY + timedelta(days=30))
    assert await hints(db, "OTHER", 100_00) == []
    assert len(await hints(db, "H2", 99_00)) == 1, "a UTR is found whenever it was"
