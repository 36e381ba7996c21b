"""Subscriptions: the list, and one with its mandate, its debits, their notices, and its end."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from asyncpg import Record
from litestar import Response

from hundi.console import lists, verdicts
from hundi.console.guard import ConsoleRoute
from hundi.console.list_pages import ListKind, in_pages, page_of, values_of
from hundi.console.lists import ListAddress, asked_of, tone_of, words
from hundi.console.queries import subscriptions as queries
from hundi.console.queries.subscriptions import SubscriptionFilters
from hundi.console.verb_forms import form_of
from hundi.console.visits import ConsoleVisit
from hundi.instruments.methods import CHANNELS
from hundi.kernel.clock import for_people
from hundi.kernel.masks import masked_email, masked_name, masked_phone
from hundi.kernel.money import shown
from hundi.kernel.states import DebitState, SubscriptionPeriod, SubscriptionState
from hundi.money.reports.rules import amount, cell, moment
from hundi.payments.customers import actions as customers
from hundi.payments.customers.rules import AnchorKind, CustomerAnchor
from hundi.payments.subscriptions import actions as subscriptions
from hundi.payments.subscriptions import rules, store
from hundi.payments.subscriptions.actions import SHOWN_MAX, SubscriptionView
from hundi.payments.subscriptions.rules import WAITING, Debit, Subscription
from hundi.staff.people.rules import Permission
from hundi.verbs.subscription import cancel, pause, resume

MANDATES = {code: each.name for code, each in CHANNELS.items() if each.debits is not None}
"""The channels for approving a mandate, by their codes."""
_HEAD = (
    *(
        "subscription_id",
        "orderid",
        "created_ist",
        "state",
        "currency",
        "amount",
        "maximum",
        "period",
        "channel",
    ),
    *(
        "umrn",
        "first_debit",
        "next_debit_ist",
        "debits_done",
        "debits_failed",
        "debits_in_all",
        "valid_until",
    ),
)
_UNITS = {
    SubscriptionPeriod.DAY: "day",
    SubscriptionPeriod.WEEK: "week",
    SubscriptionPeriod.MONTH: "month",
    SubscriptionPeriod.YEAR: "year",
}
_RUNS = frozenset({SubscriptionState.ACTIVE, SubscriptionState.PAUSED})
STATES = {
    SubscriptionState.CREATED: "Its order is open: the customer has not approved the mandate yet.",
    SubscriptionState.ACTIVE: (
        "The customer approved it. Each debit is announced a day before, and made on its day."
    ),
    SubscriptionState.PAUSED: "Nothing is announced or taken until it is resumed.",
    SubscriptionState.CANCELLED: (
        "It is over: nothing is taken any more, and the mandate ends at the bank."
    ),
    SubscriptionState.COMPLETED: "Its last period is over, or the mandate's validity.",
    SubscriptionState.FAILED: "The customer never approved the mandate.",
}


def period_of(subscription: Subscription) -> str:
    """Return the period between debits, for people."""
    if subscription.period is SubscriptionPeriod.AS_PRESENTED:
        return "whenever you ask for a debit"
    unit = _UNITS[subscription.period]
    return (
        f"every {unit}"
        if subscription.frequency == 1
        else f"every {subscription.frequency} {unit}s"
    )


def next_debit(subscription: Subscription, waiting_for: datetime | None) -> datetime | None:
    """Return the time of the next debit, None where it is not known.

    waiting_for: the first announced debit.
    """
    if waiting_for is not None:
        return waiting_for
    if subscription.state is not SubscriptionState.ACTIVE:
        return None
    if rules.notice_due(subscription, subscription.next_period) is None:
        return None
    return rules.planned_at(subscription, subscription.next_period)


def _filters_of(address: ListAddress) -> SubscriptionFilters:
    return SubscriptionFilters(
        state=address.one_of("state", SubscriptionState),
        channel=address.one_of("channel", MANDATES),
        **address.narrowed,
    )


_LIST = ListKind(
    path="subscriptions",
    noun=("subscription", "subscriptions"),
    filters=("state", "channel", "from", "upto", "since", "until"),
    key=("subscription_id",),
    select_page=queries.select_page,
    select_sums=queries.select_sums,
    sums={"amount_paise": "for one debit of each"},
)


async def show_list(visit: ConsoleVisit) -> Response[Any]:
    """Show a page of subscriptions, newest first."""
    filters = _filters_of(asked_of(visit))
    page = await page_of(visit, _LIST, filters)
    if page is None:
        return lists.too_long(visit)
    return visit.page(
        "subscriptions.html",
        "Subscriptions",
        **await values_of(visit, _LIST, filters, page),
        rows=[_row_of(row) for row in page.rows],
        states=[(each.value, words(each)) for each in SubscriptionState],
        channels=list(MANDATES.items()),
    )


def _row_of(row: Record) -> dict[str, Any]:
    one = store.SUBSCRIPTION.read(row)
    name = masked_name(f"{row['firstname'] or ''} {row['lastname'] or ''}".strip())
    return {
        "id": one.subscription_id,
        "order": one.order_id,
        "state": words(one.state),
        "tone": tone_of(one.state),
        "customer": f"{name} {masked_phone(row['phone'] or '')}".strip(),
        "amount": shown(one.amount),
        "period": period_of(one),
        "next": next_debit(one, row["waiting_for"]),
        "done": f"{row['debits_done']} of {one.debits_max}"
        if one.debits_max
        else str(row["debits_done"]),
        "failed": row["debits_failed"],
    }


async def export(visit: ConsoleVisit) -> Response[Any]:
    """Stream the list as CSV."""
    filters = _filters_of(asked_of(visit))
    read = in_pages(visit, _LIST, filters)
    return await lists.exported(
        visit, "subscription", "subscriptions", filters, _HEAD, read, _cells
    )


def _cells(row: Record) -> Sequence[str]:
    one = store.SUBSCRIPTION.read(row)
    following = next_debit(one, row["waiting_for"])
    return (
        *(
            str(one.subscription_id),
            cell(one.order_id),
            moment(one.created_at),
            one.state,
            one.amount.currency,
        ),
        *(
            amount(one.amount.paise),
            amount(one.max_paise),
            period_of(one),
            one.channel,
            cell(one.umrn),
        ),
        *(
            one.starts_on.isoformat(),
            moment(following) if following else "",
            str(row["debits_done"]),
        ),
        *(str(row["debits_failed"]), str(one.debits_max or ""), one.valid_until.isoformat()),
    )


# --- one subscription ---


async def _found(visit: ConsoleVisit) -> SubscriptionView:
    return await lists.named(visit, "subscription", subscriptions.find)


async def show(visit: ConsoleVisit) -> Response[Any]:
    """Show one subscription: the approved mandate, each debit, and the possible acts."""
    subscription = await _found(visit)
    one = subscription.subscription
    changes = visit.may(Permission.SUBSCRIPTIONS_CHANGE)
    began = CustomerAnchor(AnchorKind.PAYMENT, one.subscription_id)
    trace = await customers.trace_of(visit.db, visit.merchant_id, began)
    return visit.page(
        "subscription.html",
        f"Subscription {one.order_id}",
        number=one.subscription_id,
        order=one.order_id,
        state=words(one.state),
        tone=tone_of(one.state),
        verdict=verdicts.of_subscription(
            one,
            period_of(one),
            subscription.debits,
            _following(subscription),
            STATES[one.state],
        ),
        facts=_facts(subscription),
        names_customer=trace is not None and bool(trace.marks),
        debits=[_debit(each) for each in subscription.debits],
        debits_max=SHOWN_MAX,
        may={
            "pause": changes and one.state is SubscriptionState.ACTIVE,
            "resume": changes and one.state is SubscriptionState.PAUSED,
            "cancel": changes and one.state in _RUNS,
        },
        waiting=sum(each.state in WAITING for each in subscription.debits),
        subscription_href=visit.href(f"subscriptions/{one.subscription_id}"),
    )


def _facts(subscription: SubscriptionView) -> list[tuple[str, str]]:
    one = subscription.subscription
    following = _following(subscription)
    facts = [
        ("Each debit", f"{shown(one.amount)}, {period_of(one)}"),
        ("At most", shown(one.maximum)),
        ("First debit", f"{one.starts_on:%d %b %Y}".lstrip("0")),
        ("Next debit", for_people(following) if following else ""),
        ("Debits in all", str(one.debits_max or "no end")),
        ("Tries after a decline", str(one.retries_max)),
        ("Approved by", MANDATES.get(one.channel, one.channel)),
        ("From", masked_email(one.payer)),
        ("UMRN", one.umrn),
        ("Mandate", one.mandate_reference),
        ("Approved", for_people(one.activated_at) if one.activated_at else ""),
        ("Valid until", f"{one.valid_until:%d %b %Y}".lstrip("0")),
        ("Ended", for_people(one.ended_at) if one.ended_at else ""),
    ]
    return [(name, value) for name, value in facts if value]


def _following(subscription: SubscriptionView) -> datetime | None:
    tries = (_next_try(each) for each in subscription.debits if each.state in WAITING)
    return next_debit(subscription.subscription, min(tries, default=None))


def _next_try(debit: Debit) -> datetime:
    return debit.due_at if debit.state is DebitState.RETRYING and debit.due_at else debit.planned_at


def _debit(debit: Debit) -> dict[str, Any]:
    return {
        "period": debit.period_no,
        "state": words(debit.state),
        "tone": tone_of(debit.state),
        "planned": debit.planned_at,
        "noticed": debit.noticed_at,
        "tries": debit.tries,
        "amount": shown(debit.amount),
        "payment": debit.payment_id,
        "ended": debit.settled_at,
    }


_ONE = "subscriptions/{subscription_id:int}"
_AFTER = "subscriptions/{subscription_id}"
ROUTES = (
    ConsoleRoute("GET", "subscriptions", show_list, Permission.PAYMENTS_SEE),
    ConsoleRoute("GET", "subscriptions/export", export, Permission.PAYMENTS_EXPORT),
    ConsoleRoute("GET", _ONE, show, Permission.PAYMENTS_SEE),
    *(form_of(each, f"{_ONE}/{each.name}", _AFTER) for each in (pause, resume, cancel)),
)
