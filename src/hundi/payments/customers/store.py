"""All SQL that reads what is kept of one customer of a merchant.

Payments are found by the search's index; what hangs on them by their ids; links and letters by a
look at all that a merchant has of them, as no index of theirs has an address.
"""

from collections.abc import Sequence
from datetime import datetime

from asyncpg import Record

from hundi.infra.postgres.database import Queries
from hundi.kernel.ids import first_id
from hundi.payments.archive.store import held
from hundi.payments.customers.rules import (
    AnchorKind,
    CustomerAnchor,
    CustomerMark,
    CustomerMarks,
    CustomerTrace,
)
from hundi.payments.links.store import STATE
from hundi.payments.orders.rules import Buyer

_ARCHIVED = """
FROM archived_payments k CROSS JOIN {0} AS {1}
WHERE k.merchant_id = $1 AND k.payment_id = ANY ($2::bigint[])"""
OF_LINK = """
(NOT $2 = '' AND right(translate(buyer ->> 'phone', '+-() ', ''), 10) = $2
    OR NOT $3 = '' AND lower(trim(buyer ->> 'email')) = $3
    OR NOT $4 = '' AND trim(buyer ->> 'customer') = $4)"""
"""A link that names a customer. $2, $3, $4: phone, e-mail, reference; "" for none.

A link's phone has no other characters between its digits (`links.rules`).
"""
OF_LETTER = """
person_id = 0 AND (NOT $2 = '' AND address = $2 OR NOT $3 = '' AND lower(address) = $3
    OR cause LIKE 'payment:%' AND split_part(cause, ':', 2) = ANY ($4::text[])
    OR cause LIKE 'complaint:%' AND facts ->> 'payment' = ANY ($4::text[]))"""
"""A letter to a customer, about a payment of theirs, or with the answer to a complaint about one.

$2, $3: phone, e-mail; $4: payments.
"""
OF_ADDRESS = "(NOT $2 = '' AND address = $2 OR NOT $3 = '' AND lower(address) = $3)"
SELECT_TRACES = f"""
SELECT payment_id, buyer, created_at FROM payments WHERE merchant_id = $1
    AND payment_id = ANY ($2::bigint[])
UNION ALL
SELECT p.payment_id, p.buyer, p.created_at {_ARCHIVED.format(held("payments"), "p")}
ORDER BY payment_id DESC
"""
SELECT_NEWEST_TRACES = """
SELECT payment_id, buyer, created_at FROM payments WHERE merchant_id = $1 AND payment_id >= $2
ORDER BY payment_id DESC LIMIT $3
"""
SELECT_LINK_TRACE = """
SELECT link_id, buyer, created_at FROM payment_links WHERE merchant_id = $1
    AND (link_id = $2 OR reference = $3)
"""
SELECT_LINK_TRACES = f"""
SELECT link_id, buyer, created_at FROM payment_links WHERE merchant_id = $1 AND {OF_LINK}
ORDER BY link_id DESC LIMIT $5
"""
_PAYMENT = """p.payment_id, p.order_id, p.created_at, p.amount_paise, p.currency, p.kind, p.state,
    p.method, p.captured_paise, p.refunded_paise, p.settled_at, p.bank_code, p.bank_message,
    p.custom_var, p.buyer"""
SELECT_PAYMENTS = f"""
SELECT {_PAYMENT}, false AS is_archived FROM payments p WHERE p.merchant_id = $1
    AND p.payment_id = ANY ($2::bigint[])
UNION ALL
SELECT {_PAYMENT}, true {_ARCHIVED.format(held("payments"), "p")} ORDER BY payment_id DESC
"""
_ATTEMPT = """a.payment_id, a.attempt_id, a.created_at, a.method, a.state, a.amount_paise,
    a.received_paise, a.currency, a.rrn, a.bank_code, a.bank_message, a.payer_vpa, a.bank_name,
    a.card ->> 'last4' AS card_ending, a.card ->> 'scheme' AS card_scheme,
    a.card ->> 'issuer' AS card_issuer, a.risk #>> '{seen,ip_address}' AS ip_address,
    a.settled_at"""
SELECT_ATTEMPTS = f"""
SELECT {_ATTEMPT} FROM attempts a WHERE a.merchant_id = $1 AND a.payment_id = ANY ($2::bigint[])
UNION ALL
SELECT {_ATTEMPT} {_ARCHIVED.format(held("attempts"), "a")} ORDER BY attempt_id DESC
"""
"""Without the token of a card, which pays, and without what the risk rules made of a try."""
SELECT_REFUNDS = """
SELECT refund_id, payment_id, created_at, amount_paise, currency, cause, state, rrn, bank_message,
    request_id, settled_at, reversed_at
FROM refunds WHERE merchant_id = $1 AND payment_id = ANY ($2::bigint[]) ORDER BY refund_id DESC
"""
SELECT_DISPUTES = """
SELECT stage_id, payment_id, opened_at, phase, amount_paise, currency, reason, state, settled_at
FROM dispute_stages WHERE merchant_id = $1 AND payment_id = ANY ($2::bigint[])
ORDER BY stage_id DESC
"""
SELECT_COMPLAINTS = """
SELECT complaint_id, payment_id, made_at, kind, words, state, answer, answered_at, closed_at
FROM complaints
WHERE merchant_id = $1 AND payment_id = ANY ($2::bigint[]) ORDER BY complaint_id DESC
"""
_SUBSCRIBED = """subscription_id = ANY ($2::bigint[]) OR subscription_id IN (
    SELECT d.subscription_id FROM subscription_debits d WHERE d.merchant_id = $1
        AND d.payment_id = ANY ($2::bigint[]))"""
SELECT_SUBSCRIPTIONS = f"""
SELECT subscription_id, order_id, created_at, state, amount_paise, max_paise, currency, period,
    frequency, starts_on, valid_until, channel, umrn, payer, activated_at, ended_at
FROM subscriptions WHERE merchant_id = $1 AND ({_SUBSCRIBED}) ORDER BY subscription_id DESC
"""
SELECT_DEBITS = f"""
SELECT debit_id, subscription_id, period_no, amount_paise, currency, state, planned_at, noticed_at,
    payment_id, settled_at
FROM subscription_debits WHERE merchant_id = $1 AND ({_SUBSCRIBED}) ORDER BY debit_id DESC
"""
SELECT_CARDS = """
SELECT DISTINCT ON (s.agreed_at, s.token) s.agreed_at, a.payment_id,
    a.card ->> 'last4' AS card_ending, a.card ->> 'scheme' AS card_scheme,
    a.card ->> 'issuer' AS card_issuer, s.customer
FROM saved_cards s JOIN attempts a ON a.merchant_id = $1 AND a.saved_card = s.token
    AND a.state IN ('paid', 'authorised') AND a.card ->> 'token' <> ''
WHERE s.merchant_id = $1 AND s.customer = $2 AND s.deleted_at IS NULL
ORDER BY s.agreed_at DESC, s.token, a.created_at
"""
SELECT_LINKS = f"""
SELECT link_id, reference, description, created_at, expires_at, cancelled_at, amount_paise,
    paid_paise, 'INR' AS currency, {STATE.format(now="$5")} AS state, items, buyer
FROM payment_links WHERE merchant_id = $1 AND {OF_LINK} ORDER BY link_id DESC LIMIT $6
"""
SELECT_LETTERS = f"""
SELECT letter_id, created_at, kind, channel, address, language, state, sent_at, said, facts
FROM letters WHERE merchant_id = $1 AND {OF_LETTER} ORDER BY letter_id DESC LIMIT $5
"""
SELECT_CONSENTS = """
SELECT channel, address, given_at, words, language, withdrawn_at FROM message_consents
WHERE merchant_id = $1 AND address = $2 ORDER BY given_at DESC
"""
SELECT_DEAD = f"""
SELECT channel, address, since, answer FROM dead_addresses WHERE merchant_id = $1 AND {OF_ADDRESS}
"""
SELECT_NOTES = """
SELECT about AS payment_id, at, person, detail::jsonb ->> 'note' AS note FROM trail_entries
WHERE merchant_id = $1 AND act = 'payment.note' AND about = ANY ($2::text[]) ORDER BY entry_no DESC
"""
SELECT_LANGUAGES = """
SELECT payment_id, language, written_at FROM page_languages WHERE merchant_id = $1
    AND payment_id = ANY ($2::bigint[])
ORDER BY payment_id DESC
"""


def three(marks: CustomerMarks) -> tuple[str, str, str]:
    """Return phone, e-mail and reference, as statements here take them."""
    phone, email, reference = (marks.known.get(each, "") for each in CustomerMark)
    return phone, email, reference


async def traces(
    source: Queries, merchant_id: int, payment_ids: Sequence[int]
) -> list[CustomerTrace]:
    """Return the contact data of payments, newest first, archived or not."""
    rows = await source.fetch(SELECT_TRACES, merchant_id, payment_ids)
    return [_trace(AnchorKind.PAYMENT, row) for row in rows]


async def newest_traces(
    source: Queries, merchant_id: int, since: datetime, limit: int
) -> list[CustomerTrace]:
    """Return the contact data of a merchant's newest payments since a time, without the archive."""
    rows = await source.fetch(SELECT_NEWEST_TRACES, merchant_id, first_id(since), limit)
    return [_trace(AnchorKind.PAYMENT, row) for row in rows]


async def link_trace(
    source: Queries, merchant_id: int, link_id: int | None, reference: str | None
) -> list[CustomerTrace]:
    """Return the contact data of the payment links with an id or a reference."""
    rows = await source.fetch(SELECT_LINK_TRACE, merchant_id, link_id, reference)
    return [_trace(AnchorKind.LINK, row) for row in rows]


async def link_traces(
    source: Queries, merchant_id: int, marks: CustomerMarks, limit: int
) -> list[CustomerTrace]:
    """Return the contact data of the links that name a customer, newest first."""
    rows = await source.fetch(SELECT_LINK_TRACES, merchant_id, *three(marks), limit)
    return [_trace(AnchorKind.LINK, row) for row in rows]


async def payments(source: Queries, merchant_id: int, payment_ids: Sequence[int]) -> list[Record]:
    """Return payments, newest first, archived or not."""
    return await source.fetch(SELECT_PAYMENTS, merchant_id, payment_ids)


async def attempts(source: Queries, merchant_id: int, payment_ids: Sequence[int]) -> list[Record]:
    """Return the tries of payments, newest first, archived or not."""
    return await source.fetch(SELECT_ATTEMPTS, merchant_id, payment_ids)


async def refunds(source: Queries, merchant_id: int, payment_ids: Sequence[int]) -> list[Record]:
    """Return the refunds of payments, newest first."""
    return await source.fetch(SELECT_REFUNDS, merchant_id, payment_ids)


async def disputes(source: Queries, merchant_id: int, payment_ids: Sequence[int]) -> list[Record]:
    """Return the phases of disputes about payments, newest first."""
    return await source.fetch(SELECT_DISPUTES, merchant_id, payment_ids)


async def complaints(source: Queries, merchant_id: int, payment_ids: Sequence[int]) -> list[Record]:
    """Return what payers complained of, with the answers, newest first."""
    return await source.fetch(SELECT_COMPLAINTS, merchant_id, payment_ids)


async def subscriptions(
    source: Queries, merchant_id: int, payment_ids: Sequence[int]
) -> list[Record]:
    """Return the subscriptions that payments began, or are debits of, newest first."""
    return await source.fetch(SELECT_SUBSCRIPTIONS, merchant_id, payment_ids)


async def debits(source: Queries, merchant_id: int, payment_ids: Sequence[int]) -> list[Record]:
    """Return all debits of the subscriptions that payments began, or are debits of."""
    return await source.fetch(SELECT_DEBITS, merchant_id, payment_ids)


async def cards(source: Queries, merchant_id: int, reference: str) -> list[Record]:
    """Return the saved cards of a merchant's customer, newest first, without what pays."""
    return await source.fetch(SELECT_CARDS, merchant_id, reference)


async def links(
    source: Queries, merchant_id: int, marks: CustomerMarks, now: datetime, limit: int
) -> list[Record]:
    """Return the payment links that name a customer, newest first, without their addresses."""
    return await source.fetch(SELECT_LINKS, merchant_id, *three(marks), now, limit)


async def letters(
    source: Queries,
    merchant_id: int,
    marks: CustomerMarks,
    payment_ids: Sequence[int],
    limit: int,
) -> list[Record]:
    """Return the letters to a customer, or about payments of theirs, newest first."""
    phone, email, _ = three(marks)
    about = [str(each) for each in payment_ids]
    return await source.fetch(SELECT_LETTERS, merchant_id, phone, email, about, limit)


async def consents(source: Queries, merchant_id: int, phone: str) -> list[Record]:
    """Return what a phone number agreed to, and took back."""
    return await source.fetch(SELECT_CONSENTS, merchant_id, phone)


async def dead_addresses(source: Queries, merchant_id: int, marks: CustomerMarks) -> list[Record]:
    """Return the addresses of a customer that take no letters."""
    phone, email, _ = three(marks)
    return await source.fetch(SELECT_DEAD, merchant_id, phone, email)


async def notes(source: Queries, merchant_id: int, payment_ids: Sequence[int]) -> list[Record]:
    """Return what people noted on payments, newest first."""
    return await source.fetch(SELECT_NOTES, merchant_id, [str(each) for each in payment_ids])


async def languages(source: Queries, merchant_id: int, payment_ids: Sequence[int]) -> list[Record]:
    """Return the language in which the page of each payment was seen."""
    return await source.fetch(SELECT_LANGUAGES, merchant_id, payment_ids)


def _trace(kind: AnchorKind, row: Record) -> CustomerTrace:
    return CustomerTrace(CustomerAnchor(kind, row[0]), Buyer(**row["buyer"]), row["created_at"])
