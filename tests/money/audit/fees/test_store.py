"""The audit computes what was quoted for every kind of payment, and names a changed plan."""

from datetime import timedelta
from itertools import product

import pytest

from hundi.infra.postgres.database import Database
from hundi.instruments.methods import METHODS
from hundi.money.audit.fees.store import CHECKS
from hundi.money.audit.rules import Violation
from hundi.money.fees import actions as fees
from hundi.money.settlements import actions as settlements
from tests.money.settlements.books import MERCHANT, NOON, TUESDAY, open_merchant, pay
from tests.recording import BY

PLAN = """
[[rules]]
name = "credit"
channels = ["pg", "emi"]
card_types = ["credit", "unknown"]
basis_points = 187
fixed_paise = 3
maximum_paise = 40000
[[rules]]
name = "debit"
channels = ["pg"]
card_types = ["debit"]
not_networks = ["RuPay"]
basis_points = 40
maximum_paise = 20000
[[rules]]
name = "small"
channels = ["nb", "ppc"]
up_to_paise = 100000
fixed_paise = 501
[[rules]]
name = "large"
channels = ["nb", "ppc"]
above_paise = 100000
basis_points = 133
minimum_paise = 1500
[otherwise]
basis_points = 111
"""
CARDS = [
    {"scheme": scheme, "type": kind}
    for scheme, kind in product(("Visa", "RuPay", ""), ("credit", "debit", ""))
]
AMOUNTS = (1, 7_77, 1_000_00, 1_000_01, 2_000_00, 2_000_01, 33_333_33)
OF_FEES = (Violation.FEE_DIFFERS, Violation.FEE_RULE_DIFFERS)


@pytest.fixture
async def settled(db: Database) -> None:
    """A merchant with payments of every kind, settled by a plan with every kind of rule."""
    await open_merchant(db)
    assert isinstance(
        await fees.publish(db, MERCHANT, PLAN, None, "asha", BY, NOON - timedelta(days=1)), tuple
    )
    number = 0
    for method in METHODS:
        for card, paise in product(CARDS if method.startswith("card") else [{}], AMOUNTS):
            number += 1
            await pay(db, number, paise, method=method, card=card)
    await db.execute(
        "UPDATE attempts SET emi_discount_paise = amount_paise / 20 WHERE method = 'card_emi'"
    )
    await settlements.run(db, TUESDAY)


async def found(db: Database) -> dict[Violation, list[str]]:
    return {each: [row["found"] for row in await db.fetch(CHECKS[each])] for each in OF_FEES}


async def test_every_fee_is_what_its_plan_gives(db: Database, settled: None) -> None:
    rules = {row[0] for row in await db.fetch("SELECT DISTINCT rule FROM settlement_items")}
    assert rules == {"credit", "debit", "small", "large", "otherwise", "zero_by_law"}
    assert await db.fetchval("SELECT count(*) FROM settlement_items WHERE tax_paise > 0") > 30
    assert (
        await db.fetchval(
            "SELECT count(*) FROM settlement_items WHERE fee_paise > 0 AND tax_paise = 0"
        )
        > 30
    )
    assert await found(db) == {each: [] for each in OF_FEES}


@pytest.mark.parametrize(
    ("change", "violation"),
    [
        (
            "UPDATE fee_plans SET document = jsonb_set(document, '{rules,0,basis_points}', '188')",
            Violation.FEE_DIFFERS,
        ),
        (
            "UPDATE fee_plans SET document = document || '{\"aggregator\": false}'",
            Violation.FEE_DIFFERS,
        ),
        ("UPDATE fee_plans SET document = document - 'otherwise'", Violation.FEE_RULE_DIFFERS),
        (
            "UPDATE fee_plans SET document = document #- '{rules,0,card_types}'",
            Violation.FEE_RULE_DIFFERS,
        ),
        ("UPDATE fee_plans SET first_day = '2026-11-17'", Violation.FEE_RULE_DIFFERS),
        ("DELETE FROM fee_plans", Violation.FEE_RULE_DIFFERS),
        (
            (
                "INSERT INTO fee_plans SELECT merchant_id, 2, first_day, document, 'x',"
                " published_at FROM fee_plans"
            ),
            Violation.FEE_RULE_DIFFERS,
        ),
        (
            "UPDATE settlement_items SET rule = 'otherwise' WHERE rule = 'debit'",
            Violation.FEE_RULE_DIFFERS,
        ),
        (
            "UPDATE settlement_items SET rule = 'credit' WHERE rule = 'zero_by_law'",
            Violation.FEE_RULE_DIFFERS,
        ),
        ("UPDATE settlement_items SET plan_no = 0, rule = 'no_plan'", Violation.FEE_DIFFERS),
        ("UPDATE attempts SET emi_discount_paise = 0", Violation.FEE_DIFFERS),
        (
            'UPDATE attempts SET card = \'{"scheme": "RuPay", "type": "debit"}\'',
            Violation.FEE_RULE_DIFFERS,
        ),
    ],
)
async def test_what_is_bent_is_named(
    db: Database, settled: None, change: str, violation: Violation
) -> None:
    for table in ("fee_plans", "settlement_items", "attempts"):
        await db.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
    await db.execute(change)
    assert (await found(db))[violation]
