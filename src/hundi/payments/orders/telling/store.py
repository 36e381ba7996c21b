"""All SQL about the language in which a customer uses the payment page."""

from datetime import datetime

from hundi.infra.postgres.database import Database, Queries

WRITE_LANGUAGE = """
INSERT INTO page_languages (merchant_id, payment_id, language, written_at)
VALUES ($1, $2, $3, $4)
ON CONFLICT (merchant_id, payment_id)
DO UPDATE SET language = excluded.language, written_at = excluded.written_at
"""
SELECT_LANGUAGE = "SELECT language FROM page_languages WHERE merchant_id = $1 AND payment_id = $2"
SWEEP_LANGUAGES = "DELETE FROM page_languages WHERE written_at < $1"
"""Across merchants."""


async def write_language(
    db: Queries, merchant_id: int, payment_id: int, language: str, now: datetime
) -> None:
    """Write the language of a payment's page, in place of the one before."""
    await db.execute(WRITE_LANGUAGE, merchant_id, payment_id, language, now)


async def language_of(db: Queries, merchant_id: int, payment_id: int) -> str | None:
    """Return the language of a payment's page, None where the merchant's own holds."""
    return await db.fetchval(SELECT_LANGUAGE, merchant_id, payment_id)


async def sweep(db: Database, before: datetime) -> None:
    """Delete what was written before a time."""
    await db.execute(SWEEP_LANGUAGES, before)
