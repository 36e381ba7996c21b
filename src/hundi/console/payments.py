"""Payments: search, the list with its filters, the list as a file, and one payment's story."""

from collections.abc import Mapping
from typing import Any

from asyncpg import Record
from litestar import Response

from hundi.console import lists, story
from hundi.console.complaints import KINDS as COMPLAINTS
from hundi.console.guard import ConsoleRoute
from hundi.console.list_pages import ListKind, in_pages, page_of, values_of
from hundi.console.lists import ID_DIGITS, ListAddress, asked_of, tone_of, words
from hundi.console.names import method_name
from hundi.console.queries import payments as queries
from hundi.console.queries import refunds as refund_queries
from hundi.console.queries import subscriptions as subscription_queries
from hundi.console.queries.payments import PaymentFilters
from hundi.console.refund_askers import askers_of
from hundi.console.visits import ConsoleVisit
from hundi.instruments.methods import CHANNELS
from hundi.kernel.clock import for_people
from hundi.kernel.ids import new_id
from hundi.kernel.masks import masked_email, masked_phone
from hundi.kernel.money import Money, shown
from hundi.kernel.records import replace
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.kernel.states import PaymentKind, PaymentState
from hundi.merchants.directory.rules import CURRENCIES
from hundi.money.reports.payments import rules as payment_lines
from hundi.money.reports.rules import amount
from hundi.payments.complaints import store as complaints
from hundi.payments.customers.rules import marks_of
from hundi.payments.orders.finding import store as finding
from hundi.payments.orders.rules import PaymentView
from hundi.payments.search import actions as searching
from hundi.payments.search import rules as meanings
from hundi.payments.story.actions import story_of
from hundi.payments.story.verdicts.rules import verdict_of
from hundi.staff.people.rules import Permission
from hundi.staff.trail import store as trail
from hundi.staff.trail.rules import Entry
from hundi.verbs.payment import NOTE

_TRAIL_MAX = 100
_NOT_PAID = frozenset({"failed", "not_registered", "abandoned", "unknown"})


def row_of(row: Record) -> dict[str, Any]:
    """Return a payment as a list shows it."""
    return {
        "id": row["payment_id"],
        "order": row["order_id"],
        "amount": shown(Money(row["amount_paise"], row["currency"])),
        "state": words(row["state"]),
        "tone": tone_of(row["state"]),
        "method": method_name(row["method"]) if row["method"] else "",
        "at": row["created_at"],
        **dict.fromkeys(("customer", "said", "bank_said"), ""),
    }


def _reason_of(visit: ConsoleVisit, row: Record) -> dict[str, str]:
    """Return the masked customer of a payment, and why it is not paid, in both kinds of words."""
    failed = row["state"] in _NOT_PAID and row["method"] in CHANNELS
    said = visit.gateway.customer_words
    return {
        "customer": masked_phone(row["phone"] or "") or masked_email(row["email"] or ""),
        "said": said(CHANNELS[row["method"]].method.name, row["state"], row["bank_code"])
        if failed
        else "",
        "bank_said": f"{row['bank_message']} ({row['bank_code']})"
        if failed and row["bank_code"]
        else "",
    }


# --- the search box ---


async def search(visit: ConsoleVisit) -> Response[Any]:
    """Show the possible meanings of a text; redirect where there is only one."""
    text = visit.query.get("q", "").strip()[: meanings.TEXT_MAX]
    matches = await searching.search(
        visit.db, visit.gateway.vault, visit.merchant_id, text, visit.now
    )
    if len(matches.payments) == 1 and not matches.payouts:
        return visit.see(f"payments/{matches.payments[0]['payment_id']}")
    payouts = [
        {
            "id": row["payout_id"],
            "settlement": row["settlement_id"],
            "to": row["beneficiary"] or "merchant",
            "amount": shown(Money(row["amount_paise"])),
            "state": words(row["state"]),
            "tone": tone_of(row["state"]),
            "utr": row["utr"],
            "at": row["created_at"],
        }
        for row in matches.payouts
    ]
    rows = [row_of(row) for row in matches.payments]
    return visit.page(
        "search.html",
        "Search",
        asked=text,
        rows=rows,
        more=matches.more,
        payouts=payouts,
        most=searching.SHOWN_MAX,
    )


# --- the list ---


def filters_of(address: ListAddress) -> PaymentFilters:
    """Return the filters of the address."""
    return PaymentFilters(
        state=address.one_of("state", PaymentState),
        method=address.one_of("method", CHANNELS),
        currency=address.one_of("currency", CURRENCIES),
        bank=address.text("bank"),
        **address.narrowed,
    )


_LIST = ListKind(
    path="payments",
    noun=("payment", "payments"),
    filters=("state", "method", "currency", "bank", "from", "upto", "since", "until"),
    key=("payment_id",),
    select_page=queries.select_page,
    select_sums=queries.select_sums,
    sums={"amount_paise": "in all", "paid_paise": "paid", "refunded_paise": "refunded"},
    by_amount=True,
)


async def show_list(visit: ConsoleVisit) -> Response[Any]:
    """Show a page of payments, newest first."""
    filters = filters_of(asked_of(visit))
    page = await page_of(visit, _LIST, filters)
    if page is None:
        return lists.too_long(visit)
    return visit.page(
        "payments.html",
        "Payments",
        **await values_of(visit, _LIST, filters, page),
        rows=[row_of(row) | _reason_of(visit, row) for row in page.rows],
        can_pick=visit.may(Permission.REFUNDS_MAKE),
        states=[(each.value, words(each)) for each in PaymentState],
        methods=[(code, each.name) for code, each in CHANNELS.items()],
        currencies=[(each, each) for each in CURRENCIES],
    )


async def export(visit: ConsoleVisit) -> Response[Any]:
    """Stream the list as CSV: masked, and without formulas that a spreadsheet would run."""
    filters = filters_of(asked_of(visit))
    read = in_pages(visit, replace(_LIST, select_page=queries.select_lines), filters)

    def cells(row: Record) -> tuple[str, ...]:
        return payment_lines.cells(visit.merchant_id, dict(row))

    return await lists.exported(
        visit, "payment", "payments", filters, payment_lines.HEAD, read, cells
    )


# --- one payment ---


async def find(visit: ConsoleVisit) -> PaymentView:
    """Return the path's payment, archived or not. Raises Refused (NO_RECORDS)."""
    number = visit.params["payment_id"]
    is_id = 0 < number < 10**ID_DIGITS
    view = (
        await finding.select_by_references(visit.db, visit.merchant_id, None, number, None)
        if is_id
        else None
    )
    if view is None:
        raise refuse(RefusalCode.NO_RECORDS, field="payment", received=str(number))
    return view


async def show(visit: ConsoleVisit) -> Response[Any]:
    """Show the story of one payment, and the acts that are possible now."""
    return await shown_with(visit, {})


async def shown_with(visit: ConsoleVisit, revealed: Mapping[str, str]) -> Response[Any]:
    """Show the story. revealed: phone and e-mail, after the person gave a reason."""
    view = await find(visit)
    payment_story = await story_of(visit.db, view)
    about = str(view.payment.payment_id)
    acts = await _acts(visit, about)
    askers, _ = await askers_of(visit.db, visit.merchant_id, view.payment.payment_id)
    buyer = view.payment.buyer
    return visit.page(
        "payment.html",
        f"Payment {view.payment.order_id}",
        number=about,
        verdict=verdict_of(payment_story),
        facts=story.facts_of(payment_story, revealed=bool(revealed)),
        phone=revealed.get("phone", masked_phone(buyer.phone)),
        email=revealed.get("email", masked_email(buyer.email)),
        names_customer=bool(marks_of(buyer)),
        can_reveal=bool(buyer.phone or buyer.email)
        and not revealed
        and visit.may(Permission.PERSONAL_REVEAL),
        state=words(view.payment.state),
        tone=tone_of(view.payment.state),
        timeline=[
            each if each.needs is None or visit.may(each.needs) else replace(each, path="")
            for each in story.timeline_of(
                payment_story,
                acts,
                askers,
                revealed=bool(revealed),
                of_operator=visit.is_operator,
            )
        ],
        charges=story.charges_of(payment_story) if visit.may(Permission.MONEY_SEE) else [],
        postings=story.postings_of(payment_story) if visit.may(Permission.MONEY_SEE) else [],
        may=_possible(visit, view),
        repeat=[
            (each.key.webhook_id, f"{words(each.kind)}, {for_people(each.created_at)}")
            for each in payment_story.notifications
        ]
        if visit.may(Permission.PAYMENTS_NOTE)
        else [],
        left=amount(view.payment.remaining.paise),
        held=amount(view.payment.amount.paise),
        act_id=new_id(visit.now),
        seen=await refund_seen(visit, view.payment.payment_id),
        asked_for=await _waiting(visit, view.payment.payment_id),
        alone=_alone(visit, view.payment.amount.currency),
        subscription=await _subscription(visit, view),
        complaints=await _complaints(visit, view.payment.payment_id),
        payment_href=visit.href(f"payments/{about}"),
    )


async def _complaints(visit: ConsoleVisit, payment_id: int) -> list[tuple[int, str, str]]:
    """Return what payers complained of: number, words, state."""
    known = await complaints.of_payment(visit.db, visit.merchant_id, payment_id)
    return [(each.complaint_id, COMPLAINTS[each.kind], words(each.state)) for each in known]


async def refund_seen(visit: ConsoleVisit, payment_id: int) -> str:
    """Return the refunds and requests on a form's page, for its hidden field."""
    counted = await refund_queries.count_of(visit.db, visit.merchant_id, payment_id)
    return f"{counted[0]}-{counted[1]}"


async def _waiting(visit: ConsoleVisit, payment_id: int) -> list[Record]:
    """Return the refunds of a payment that wait for a second person."""
    requests = await refund_queries.requests_of(visit.db, visit.merchant_id, payment_id)
    return (
        [each for each in requests if each["state"] == "waiting"]
        if visit.may(Permission.APPROVALS_SEE)
        else []
    )


async def _subscription(visit: ConsoleVisit, view: PaymentView) -> int | None:
    """Return the subscription that a payment began or is a debit of."""
    payment = view.payment
    if payment.kind is PaymentKind.SUBSCRIPTION:
        return payment.payment_id
    return await subscription_queries.of_debit(visit.db, visit.merchant_id, payment.payment_id)


def _alone(visit: ConsoleVisit, currency: str) -> str:
    """Return how much of a payment one person may refund alone, "" for nothing."""
    assert visit.place is not None
    assert visit.place.merchant is not None
    most = visit.place.merchant.settings.refund_alone_paise
    return shown(Money(most)) if most and currency == "INR" else ""


async def _acts(visit: ConsoleVisit, about: str) -> list[Entry]:
    """Return the acts on a payment that the visitor may see.

    Notes, or the whole trail.
    """
    if visit.may(Permission.TRAIL_SEE):
        return await trail.select_page(visit.db, visit.merchant_id, about=about, limit=_TRAIL_MAX)
    if visit.may(Permission.PAYMENTS_NOTE):
        return await trail.select_page(
            visit.db, visit.merchant_id, act=NOTE, about=about, limit=_TRAIL_MAX
        )
    return []


def _possible(visit: ConsoleVisit, view: PaymentView) -> dict[str, bool]:
    payment = view.payment
    held = payment.state is PaymentState.AUTHORISED and visit.may(Permission.PAYMENTS_COMPLETE)
    return {
        "refund": payment.remaining.paise > 0 and visit.may(Permission.REFUNDS_MAKE),
        "complete": held,
        "note": visit.may(Permission.PAYMENTS_NOTE),
    }


ROUTES = (
    ConsoleRoute("GET", "search", search, Permission.PAYMENTS_SEE),
    ConsoleRoute("GET", "payments", show_list, Permission.PAYMENTS_SEE),
    ConsoleRoute("GET", "payments/export", export, Permission.PAYMENTS_EXPORT),
    ConsoleRoute("GET", "payments/{payment_id:int}", show, Permission.PAYMENTS_SEE),
)
