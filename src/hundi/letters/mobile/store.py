"""All SQL about registered texts of messages, and who agreed to get them."""

from collections.abc import Sequence
from datetime import datetime

from hundi.infra.postgres.columns import Field, Table, choice
from hundi.infra.postgres.database import Queries
from hundi.letters.mobile.rules import MessageConsent, MessageTemplate
from hundi.letters.rules import LetterChannel, LetterKind

TEMPLATE = Table(
    MessageTemplate,
    {
        "channel": choice(LetterChannel),
        "kind": choice(LetterKind),
        "fields": Field(tuple),
    },
)
WRITE = """
INSERT INTO message_templates (merchant_id, channel, kind, language, template_id, entity_id, header,
    registered, fields, written_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
ON CONFLICT (merchant_id, channel, kind, language) DO UPDATE SET template_id = excluded.template_id,
    entity_id = excluded.entity_id, header = excluded.header, registered = excluded.registered,
    fields = excluded.fields, written_at = excluded.written_at
"""
REMOVE = """
DELETE FROM message_templates
WHERE merchant_id = $1 AND channel = $2 AND kind = $3 AND language = $4 RETURNING template_id
"""
SELECT_ALL = f"""
SELECT {TEMPLATE.listed()} FROM message_templates WHERE merchant_id = $1
ORDER BY channel, kind, language
"""
SELECT_BEST = f"""
SELECT {TEMPLATE.listed()} FROM message_templates
WHERE merchant_id = $1 AND channel = $2 AND kind = $3 AND language IN ($4, 'en')
ORDER BY language <> $4 LIMIT 1
"""
"""In the letter's language before English."""
AGREE = """
INSERT INTO message_consents (merchant_id, channel, address, words, language, given_at)
VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (merchant_id, channel, address) DO UPDATE SET given_at = excluded.given_at,
    words = excluded.words, language = excluded.language, withdrawn_at = NULL
"""
CLAIM = """
INSERT INTO message_consents (merchant_id, channel, address, words, language, given_at)
VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (merchant_id, channel, address) DO NOTHING RETURNING address
"""
"""What a merchant says of a customer never replaces what is there."""
WITHDRAW = """
UPDATE message_consents SET withdrawn_at = $4
WHERE merchant_id = $1 AND channel = $2 AND address = $3 AND withdrawn_at IS NULL
RETURNING address
"""
AGREED = """
SELECT EXISTS (SELECT FROM message_consents
WHERE merchant_id = $1 AND channel = $2 AND address = $3 AND withdrawn_at IS NULL)
"""


async def write(db: Queries, template: MessageTemplate) -> None:
    """Write a template, in place of the one before."""
    await db.execute(WRITE, *[getattr(template, name) for name in MessageTemplate.__slots__])


async def remove(
    db: Queries, merchant_id: int, channel: LetterChannel, kind: LetterKind, language: str
) -> bool:
    """Delete a template; False if there was none."""
    return await db.fetchval(REMOVE, merchant_id, channel, kind, language) is not None


async def select_all(db: Queries, merchant_id: int) -> Sequence[MessageTemplate]:
    """Return the templates of a merchant, or the operator's."""
    return [TEMPLATE.read(row) for row in await db.fetch(SELECT_ALL, merchant_id)]


async def select_best(
    db: Queries, merchant_id: int, channel: LetterChannel, kind: LetterKind, language: str
) -> MessageTemplate | None:
    """Return the template of a place that a letter goes by, None without one."""
    row = await db.fetchrow(SELECT_BEST, merchant_id, channel, kind, language)
    return TEMPLATE.read(row) if row else None


async def agree(db: Queries, consent: MessageConsent, now: datetime) -> None:
    """Keep that a customer agreed, in its words."""
    await db.execute(AGREE, *[getattr(consent, name) for name in MessageConsent.__slots__], now)


async def claim(db: Queries, consent: MessageConsent, now: datetime) -> bool:
    """Keep that a customer agreed, as its merchant says; False if something is kept already."""
    values = [getattr(consent, name) for name in MessageConsent.__slots__]
    return await db.fetchval(CLAIM, *values, now) is not None


async def withdraw(
    db: Queries, merchant_id: int, channel: LetterChannel, address: str, now: datetime
) -> bool:
    """Keep that a customer took its consent back; False if it had given none."""
    return await db.fetchval(WITHDRAW, merchant_id, channel, address, now) is not None


async def has_agreed(db: Queries, merchant_id: int, channel: LetterChannel, address: str) -> bool:
    """Return whether a customer agrees now."""
    return bool(await db.fetchval(AGREED, merchant_id, channel, address))
