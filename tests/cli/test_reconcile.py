"""`hundi reconcile fetch`: an acquirer's report becomes a statement, once."""

from collections.abc import AsyncIterator
from datetime import UTC, date, datetime

import pytest

from hundi.infra.postgres.database import Database
from hundi.kernel.ids import refund_reference
from hundi.money.reconciliation.proposals import actions as proposals
from tests.acquirers.razorpay.standin import KEY_ID, KEY_SECRET, Standin
from tests.cli.conftest import Operate
from tests.money.reconciliation.test_actions import AT, REFUND, attempt_id, named, pay

DAY = date(2026, 11, 20)


@pytest.fixture
async def bank(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Standin]:
    """Razorpay, configured under the name that the books' payments have: sandbox."""
    async with Standin.running() as standin:
        fields = {
            "KIND": "razorpay",
            "KEY_ID": KEY_ID,
            "KEY_SECRET": KEY_SECRET,
            "MODE": "test",
            "URL": standin.url,
        }
        for field, value in fields.items():
            monkeypatch.setenv(f"HUNDI_ACQUIRERS__SANDBOX__{field}", value)
        yield standin


@pytest.fixture
async def merchant_id(db: Database, operate: Operate) -> int:
    """Return a merchant whose keys can be opened, with three payments and a refund."""
    added = int((await operate("merchant", "add", "Asha"))["merchant_id"])
    for number in (1, 2, 3):
        await pay(db, added, number)
    await db.execute(REFUND, added, attempt_id(90), attempt_id(2), 5_000, AT)
    return added


def line(merchant_id: int, number: int, **changes: object) -> dict[str, object]:
    """Return a line of the report about one payment of the books, of which nothing was kept."""
    paise = 10_000 * number
    return {
        "entity_id": f"pay_{number:014d}",
        "type": "payment",
        "debit": 0,
        "credit": paise,
        "amount": paise,
        "currency": "INR",
        "settled": True,
        "settled_at": int(AT.timestamp()),
        "settlement_id": "setl_DGlQ1Rj8os78Ec",
        "settlement_utr": "1568176960vxp0rj",
        "order_receipt": named(merchant_id, number),
        "notes": [],
        "dispute_id": None,
        **changes,
    }


async def test_a_day_is_fetched_once_and_compared(
    db: Database, merchant_id: int, operate: Operate, bank: Standin
) -> None:
    refund = refund_reference(merchant_id, attempt_id(90))
    back = {
        "type": "refund",
        "credit": 0,
        "debit": 5_000,
        "amount": 5_000,
        "notes": {"hundi_reference": refund},
    }
    bank.money.lines = [
        line(merchant_id, 1),
        line(merchant_id, 2, **back, entity_id="rfnd_1"),
        line(merchant_id, 3, order_receipt="of somebody else"),
    ]
    asked = ("reconcile", "fetch", "sandbox", "--day", "2026-11-21", "--days", "2", "--as", "asha")
    first = await operate(*asked)
    assert [(each["day"], each["lines"], each["new"]) for each in first["days"]] == [
        ("2026-11-20", 3, 3),
        ("2026-11-21", 0, 0),
    ]
    assert (first["matched"], first["posted"]) == (2, 0)
    again = await operate(*asked)
    assert [each["new"] for each in again["days"]] == [0, 0]
    assert again["matched"] == 0
    assert [
        tuple(row)
        for row in await db.fetch("SELECT name, last_day FROM statement_files ORDER BY file_id")
    ] == [
        ("sandbox-2026-11-20.csv", DAY),
        ("sandbox-2026-11-21.csv", date(2026, 11, 21)),
    ]
    work = await proposals.work(db)
    assert [each["reference"] for each in work["items"] if each["class"] == "missing_here"] == [
        "of somebody else"
    ]


@pytest.mark.usefixtures("bank")
async def test_what_cannot_be_fetched_is_said_and_imports_nothing(
    db: Database, refused: Operate, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "no acquirer payu is configured: sandbox" in await refused("reconcile", "fetch", "payu")
    today = datetime.now(UTC).date().replace(year=2090).isoformat()
    assert "has not ended" in await refused("reconcile", "fetch", "sandbox", "--day", today)
    monkeypatch.setenv("HUNDI_ACQUIRERS__SANDBOX__KEY_SECRET", "of somebody else")
    said = await refused("reconcile", "fetch", "sandbox", "--day", "2026-11-20")
    assert "sandbox does not say what it handed over on 2026-11-20" in said
    assert KEY_SECRET not in said
    assert await db.fetchval("SELECT count(*) FROM statement_files") == 0


async def test_an_acquirer_without_reports_says_what_to_do(
    refused: Operate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HUNDI_ACQUIRERS__SANDBOX__KIND", "sandbox")
    monkeypatch.setenv("HUNDI_ACQUIRERS__SANDBOX__URL", "http://127.0.0.1:1")
    monkeypatch.setenv("HUNDI_ACQUIRERS__SANDBOX__KEY", "0" * 32)
    assert "hundi reconcile import" in await refused("reconcile", "fetch", "sandbox")
