"""Find a merchant's customers by any reference, and read what is kept of one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from asyncpg import Record

from hundi.infra.postgres.database import Database, Queries
from hundi.infra.secrets.vault import Vault
from hundi.kernel.records import replace
from hundi.payments.customers import rules, store
from hundi.payments.customers.rules import (
    AnchorKind,
    CustomerAnchor,
    CustomerMarks,
    CustomerTrace,
    KnownCustomer,
)
from hundi.payments.search import actions as searching
from hundi.payments.search.rules import Meanings, SearchKeyKind, meanings_of

FOUND_MAX = 50
"""Payments of a customer, or of each meaning of a text, that are shown."""
NEWEST_MAX = 200
"""Payments whose customers are shown without a search."""
NEWEST = timedelta(days=90)
"""The age of these payments."""
_AMBIGUOUS = (SearchKeyKind.AMOUNT, SearchKeyKind.CARD_ENDING)
"""What payments of many people share."""


@dataclass(frozen=True, slots=True)
class CustomerPayments:
    """A customer's payments, newest first. more: there are older ones."""

    traces: Sequence[CustomerTrace]
    more: bool

    @property
    def ids(self) -> list[int]:
        """Return their ids."""
        return [each.anchor.number for each in self.traces]


@dataclass(frozen=True, slots=True)
class MerchantCustomer:
    """A customer: the row that names it, what joins its rows, and its newest payments."""

    trace: CustomerTrace
    marks: CustomerMarks
    payments: CustomerPayments


async def newest(db: Queries, merchant_id: int, now: datetime) -> list[KnownCustomer]:
    """Return the customers of a merchant's newest payments."""
    traces = await store.newest_traces(db, merchant_id, now - NEWEST, NEWEST_MAX)
    return rules.each_once(traces)


async def find(
    db: Queries, vault: Vault, merchant_id: int, text: str, now: datetime
) -> list[CustomerTrace]:
    """Return the contact data of payments, and of a link by its number, that a text may name.

    text: a phone number, an e-mail address, the merchant's name of the customer, or any reference
    of a payment, refund, dispute, subscription or link.
    """
    meanings = _unambiguous(meanings_of(text))
    if not meanings.text:
        return []
    ids = await searching.find(db, vault, merchant_id, meanings, now, FOUND_MAX)
    traces = await store.traces(db, merchant_id, sorted(ids, reverse=True)[:FOUND_MAX])
    named = await store.link_trace(db, merchant_id, meanings.gateway_id, meanings.text)
    return [*traces, *named]


async def find_links(db: Queries, merchant_id: int, text: str) -> list[CustomerTrace]:
    """Return the contact data of payment links that name their customer by a text, newest first.

    It reads all of a merchant's links.
    """
    meanings = meanings_of(text)
    marks = CustomerMarks(
        meanings.text_of(SearchKeyKind.PHONE) or "",
        meanings.text_of(SearchKeyKind.EMAIL) or "",
        meanings.text,
    )
    if not marks:
        return []
    return await store.link_traces(db, merchant_id, marks, FOUND_MAX)


def _unambiguous(meanings: Meanings) -> Meanings:
    keys = {kind: text for kind, text in meanings.keys.items() if kind not in _AMBIGUOUS}
    return replace(meanings, keys=keys)


async def trace_of(db: Queries, merchant_id: int, anchor: CustomerAnchor) -> CustomerTrace | None:
    """Return the contact data of the row that names a customer, None for no such row."""
    if anchor.kind is AnchorKind.LINK:
        traces = await store.link_trace(db, merchant_id, anchor.number, None)
    else:
        traces = await store.traces(db, merchant_id, [anchor.number])
    return next(iter(traces), None)


async def customer_at(
    db: Queries, vault: Vault, merchant_id: int, anchor: CustomerAnchor, now: datetime
) -> MerchantCustomer | None:
    """Return the customer that a row names, None for a row that is not there or names nobody."""
    trace = await trace_of(db, merchant_id, anchor)
    if trace is None or not trace.marks:
        return None
    payments = await payments_of(db, vault, merchant_id, trace.marks, now, FOUND_MAX)
    marks = rules.widened(trace.marks, payments.traces)
    if marks != trace.marks:
        payments = await payments_of(db, vault, merchant_id, marks, now, FOUND_MAX)
    return MerchantCustomer(trace, marks, payments)


async def payments_of(
    db: Queries, vault: Vault, merchant_id: int, marks: CustomerMarks, now: datetime, limit: int
) -> CustomerPayments:
    """Return the newest payments that share a mark, each compared with it itself."""
    if not marks:
        return CustomerPayments([], more=False)
    ids = await searching.find(db, vault, merchant_id, marks.meanings, now, limit)
    traces = await store.traces(db, merchant_id, sorted(ids, reverse=True)[: limit + 1])
    shared = [each for each in traces if marks.shares(each.marks)]
    return CustomerPayments(shared[:limit], more=len(traces) > limit)


async def kept_of(
    db: Database,
    merchant_id: int,
    marks: CustomerMarks,
    payment_ids: Sequence[int],
    now: datetime,
    limit: int,
) -> Mapping[str, Sequence[Record]]:
    """Return all rows that are kept of a customer, by their kinds, for an export.

    limit: of links and of letters.
    """
    phone, _, reference = store.three(marks)
    async with db.transaction() as conn:
        whose = conn, merchant_id
        return {
            "payments": await store.payments(*whose, payment_ids),
            "tries": await store.attempts(*whose, payment_ids),
            "refunds": await store.refunds(*whose, payment_ids),
            "disputes": await store.disputes(*whose, payment_ids),
            "complaints": await store.complaints(*whose, payment_ids),
            "subscriptions": await store.subscriptions(*whose, payment_ids),
            "debits": await store.debits(*whose, payment_ids),
            "saved_cards": await store.cards(*whose, reference),
            "payment_links": await store.links(*whose, marks, now, limit),
            "letters": await store.letters(*whose, marks, payment_ids, limit),
            "consents": await store.consents(*whose, phone),
            "addresses_without_letters": await store.dead_addresses(*whose, marks),
            "notes": await store.notes(*whose, payment_ids),
            "languages": await store.languages(*whose, payment_ids),
        }
