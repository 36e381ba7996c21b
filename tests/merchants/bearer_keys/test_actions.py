"""Bearer keys in the database: which of them opens something."""

from datetime import UTC, datetime, timedelta

import pytest

from hundi.infra.postgres.database import Connection, Database
from hundi.kernel.refusals import RefusalCode, Refused
from hundi.merchants.bearer_keys import actions, rules
from hundi.merchants.bearer_keys.actions import WantedKey
from hundi.merchants.directory.api_keys.rules import KeyScope
from tests.shop import VAULT, open_shop

NOW = datetime(2026, 11, 29, 8, 0, tzinfo=UTC)
WANTED = WantedKey("server", [KeyScope.REFUND], 50_000, 1, "asha@example.in")


async def beside(conn: Connection, merchant_id: int) -> None:
    assert await conn.fetchval("SELECT count(*) FROM merchants WHERE merchant_id = $1", merchant_id)


async def refusal_of(
    db: Database, merchant_id: int, text: str, now: datetime = NOW
) -> RefusalCode | None:
    """Return why a key opens nothing, None for one that does."""
    try:
        await actions.proven(db, VAULT, merchant_id, text, now)
    except Refused as refused:
        return refused.refusal.code
    return None


async def test_a_key_opens_until_it_expires(db: Database) -> None:
    merchant_id = (await open_shop(db)).merchant.merchant_id
    text, _ = await actions.make(db, VAULT, merchant_id, WANTED, NOW, beside)
    assert await refusal_of(db, merchant_id, text) is None
    after = NOW + timedelta(days=1)
    assert await refusal_of(db, merchant_id, text, after) is RefusalCode.TOKEN_EXPIRED


@pytest.mark.parametrize(
    "change",
    [
        "refund_paise = 900000000",
        "scopes = '{read,page,refund,manage}'",
        "expires_at = NULL",
        "name = 'another'",
        "made_by = 'chetan@example.in'",
        "proof = ''",
    ],
)
async def test_a_key_that_sql_changed_opens_nothing(db: Database, change: str) -> None:
    merchant_id = (await open_shop(db)).merchant.merchant_id
    text, _ = await actions.make(db, VAULT, merchant_id, WANTED, NOW, beside)
    await db.execute("ALTER TABLE bearer_keys DISABLE TRIGGER USER")
    await db.execute(f"UPDATE bearer_keys SET {change}")
    assert await refusal_of(db, merchant_id, text) is RefusalCode.TOKEN_UNKNOWN


async def test_a_key_that_sql_wrote_opens_nothing(db: Database) -> None:
    merchant_id = (await open_shop(db)).merchant.merchant_id
    await actions.make(db, VAULT, merchant_id, WANTED, NOW, beside)
    text = rules.new_text(merchant_id)
    await db.execute(
        "INSERT INTO bearer_keys SELECT merchant_id, 'forged', $1, scopes, refund_paise, made_by,"
        " made_at, expires_at, ended_at, used_at, proof FROM bearer_keys",
        rules.digest_of(text),
    )
    assert await refusal_of(db, merchant_id, text) is RefusalCode.TOKEN_UNKNOWN
