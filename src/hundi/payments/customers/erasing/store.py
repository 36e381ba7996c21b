"""All SQL that erases what is kept of a customer, and counts it before."""

from dataclasses import dataclass
from datetime import datetime

from hundi.infra.postgres.database import Queries
from hundi.payments.customers.erasing.rules import ErasableRows, StayingRows
from hundi.payments.customers.rules import CustomerMarks
from hundi.payments.customers.store import OF_ADDRESS, OF_LETTER, OF_LINK, three
from hundi.payments.links.store import STATE
from hundi.payments.saved_cards import store as saved_cards

_OPEN_LINK = f"{OF_LINK} AND {STATE.format(now='$5')} IN ('open', 'partly_paid')"
_LINK_OVER = f"{OF_LINK} AND {STATE.format(now='$5')} NOT IN ('open', 'partly_paid')"
_CONSENT = "address = $2 AND (withdrawn_at IS NULL OR language = '' AND words <> '')"
"""One that still counts, or has words that people typed."""
COUNT_LETTERS = f"""
SELECT count(*) FILTER (WHERE state <> 'waiting') AS erasable,
    count(*) FILTER (WHERE state = 'waiting') AS staying
FROM letters WHERE merchant_id = $1 AND {OF_LETTER}
"""
COUNT_LINKS = f"""
SELECT count(*) FILTER (WHERE {_LINK_OVER}) AS erasable,
    count(*) FILTER (WHERE {_OPEN_LINK}) AS staying
FROM payment_links WHERE merchant_id = $1 AND {OF_LINK}
"""
COUNT_CARDS = """
SELECT count(*) FROM saved_cards WHERE merchant_id = $1 AND customer = $2 AND customer <> ''
    AND deleted_at IS NULL
"""
COUNT_CONSENTS = f"SELECT count(*) FROM message_consents WHERE merchant_id = $1 AND {_CONSENT}"
COUNT_ADDRESSES = f"SELECT count(*) FROM dead_addresses WHERE merchant_id = $1 AND {OF_ADDRESS}"
COUNT_LANGUAGES = """
SELECT count(*) FROM page_languages WHERE merchant_id = $1 AND payment_id = ANY ($2::bigint[])
"""
DELETE_LETTERS = f"""
DELETE FROM letters WHERE merchant_id = $1 AND {OF_LETTER} AND state <> 'waiting'
    RETURNING letter_id
"""
WITHDRAW_CONSENTS = f"""
UPDATE message_consents SET withdrawn_at = coalesce(withdrawn_at, $3),
    words = CASE WHEN language = '' THEN '' ELSE words END
    WHERE merchant_id = $1 AND {_CONSENT} RETURNING address
"""
"""The words of a page of ours are the same for everybody, and prove the consent of before."""
DELETE_ADDRESSES = f"""
DELETE FROM dead_addresses WHERE merchant_id = $1 AND {OF_ADDRESS}
    RETURNING address
"""
DELETE_LANGUAGES = """
DELETE FROM page_languages WHERE merchant_id = $1
    AND payment_id = ANY ($2::bigint[]) RETURNING payment_id
"""
FORGET_BUYERS = f"""
UPDATE payment_links SET buyer = '{{}}' WHERE merchant_id = $1 AND {_LINK_OVER}
    RETURNING link_id
"""


@dataclass(frozen=True, slots=True)
class ErasureScope:
    """Whose rows are erased: those with the marks, and what hangs on the payments."""

    merchant_id: int
    marks: CustomerMarks
    payment_ids: list[int]
    now: datetime

    @property
    def texts(self) -> list[str]:
        """Return the payments as letters name them."""
        return [str(each) for each in self.payment_ids]


async def count(source: Queries, scope: ErasureScope) -> tuple[ErasableRows, StayingRows]:
    """Return how many rows would be erased, and how many stay until somebody acts."""
    phone, email, reference = three(scope.marks)
    whose = scope.merchant_id
    letters = await source.fetchrow(COUNT_LETTERS, whose, phone, email, scope.texts)
    links = await source.fetchrow(COUNT_LINKS, whose, phone, email, reference, scope.now)
    assert letters is not None
    assert links is not None
    erasable = ErasableRows(
        saved_cards=await source.fetchval(COUNT_CARDS, whose, reference),
        letters=letters["erasable"],
        consents=await source.fetchval(COUNT_CONSENTS, whose, phone),
        addresses=await source.fetchval(COUNT_ADDRESSES, whose, phone, email),
        languages=await source.fetchval(COUNT_LANGUAGES, whose, scope.payment_ids),
        links=links["erasable"],
    )
    return erasable, StayingRows(letters["staying"], links["staying"])


async def erase(conn: Queries, scope: ErasureScope) -> ErasableRows:
    """Erase the rows, and return how many there were; done again, it finds none."""
    phone, email, reference = three(scope.marks)
    whose, now = scope.merchant_id, scope.now
    letters = await conn.fetch(DELETE_LETTERS, whose, phone, email, scope.texts)
    consents = await conn.fetch(WITHDRAW_CONSENTS, whose, phone, now)
    addresses = await conn.fetch(DELETE_ADDRESSES, whose, phone, email)
    languages = await conn.fetch(DELETE_LANGUAGES, whose, scope.payment_ids)
    links = await conn.fetch(FORGET_BUYERS, whose, phone, email, reference, now)
    return ErasableRows(
        saved_cards=await saved_cards.forget(conn, whose, reference, now) if reference else 0,
        letters=len(letters),
        consents=len(consents),
        addresses=len(addresses),
        languages=len(languages),
        links=len(links),
    )
