"""A settlement on paper adds up, or is not printed."""

import csv
import io

import pytest

from hundi.infra.postgres.database import Database
from hundi.kernel.refusals import RefusalCode, Refused
from hundi.money.fees import actions as fees
from hundi.money.reports.actions import UnbalancedError
from hundi.money.reports.pages import settlement_pdf
from hundi.money.reports.settlements import actions
from hundi.money.settlements import actions as settlements
from tests.money.settlements.books import MERCHANT, NOON, TUESDAY, open_merchant, pay, refund, share
from tests.recording import BY

PLAN = (
    "[otherwise]\nbasis_points = 200\n[[rules]]\nname = '=debit'\nchannels = ['pg']\ncard_types ="
    " ['debit']\n"
)


@pytest.fixture
async def settlement_id(db: Database) -> int:
    """A settlement of payments with fees, a refund and a linked account's share."""
    await open_merchant(db)
    await fees.publish(db, MERCHANT, PLAN, None, "asha", BY, NOON)
    await pay(db, 1, 5_000_00, method="netbanking")
    await pay(db, 2, 300_00)
    await pay(db, 3, 700_00, method="card", card={"scheme": "Visa", "type": "debit"})
    await share(db, 1, 5_000_00, {"WEAVER": 1_000_00})
    await refund(db, 9, 2, 50_00)
    await settlements.run(db, TUESDAY)
    found = await db.fetchval("SELECT settlement_id FROM settlements")
    assert found is not None
    return found


async def test_rows_and_totals_are_those_of_the_settlement(
    db: Database, settlement_id: int
) -> None:
    out = io.StringIO(newline="")
    written = await actions.write_settlement(db, MERCHANT, settlement_id, csv.writer(out))
    lines = list(csv.DictReader(io.StringIO(out.getvalue(), newline="")))
    assert written == len(lines) + 1
    items = [line for line in lines if line["at"]]
    assert [
        (each["order_id"], each["credit"], each["fee"], each["tax"], each["rule"]) for each in items
    ] == [
        ("order-1", "5000.00", "100.00", "18.00", "otherwise"),
        ("order-2", "300.00", "", "", "zero_by_law"),
        ("order-3", "700.00", "", "", "'=debit"),
        ("", "", "", "", "none"),
    ]
    totals = {
        line["entry"]: (line["net_debit"], line["net_credit"]) for line in lines if not line["at"]
    }
    assert totals == {
        "payments": ("", "6000.00"),
        "refunds": ("50.00", ""),
        "fees": ("100.00", ""),
        "GST on fees": ("18.00", ""),
        "paid out to the merchant": ("", "4832.00"),
        "paid out to linked accounts": ("", "1000.00"),
        "share of primary": ("", "4832.00"),
        "share of WEAVER": ("", "1000.00"),
    }
    again = io.StringIO(newline="")
    await actions.write_settlement(db, MERCHANT, settlement_id, csv.writer(again))
    assert again.getvalue() == out.getvalue()


async def test_a_pdf_has_the_same_bytes_again(db: Database, settlement_id: int) -> None:
    report = await actions.read_settlement(db, MERCHANT, settlement_id)
    assert len(report.rows) == 4
    drawn = settlement_pdf(report, "Asha")
    assert drawn.startswith(b"%PDF-")
    again = await actions.read_settlement(db, MERCHANT, settlement_id)
    assert drawn == settlement_pdf(again, "Asha") != settlement_pdf(again, "Bela")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            (
                "UPDATE settlement_items SET fee_paise = 1, net_paise = net_paise - 1 WHERE"
                " cause_id = 2"
            ),
            "fee_paise",
        ),
        ("DELETE FROM settlement_items WHERE cause_id = 2", "items"),
        (
            (
                "UPDATE settlement_shares SET amount_paise = amount_paise - 1 WHERE beneficiary ="
                " 'WEAVER'"
            ),
            "shares",
        ),
    ],
)
async def test_what_does_not_add_up_is_not_printed(
    db: Database, settlement_id: int, change: str, words: str
) -> None:
    for table in ("settlement_items", "settlement_shares"):
        await db.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
    await db.execute(change)
    for printed in (
        actions.write_settlement(db, MERCHANT, settlement_id, csv.writer(io.StringIO())),
        actions.read_settlement(db, MERCHANT, settlement_id),
    ):
        with pytest.raises(UnbalancedError, match=words):
            await printed


async def test_a_settlement_that_is_not_there_is_refused(db: Database) -> None:
    with pytest.raises(Refused) as refused:
        await actions.write_settlement(db, MERCHANT, 1, csv.writer(io.StringIO()))
    assert refused.value.refusal.code is RefusalCode.NO_RECORDS
