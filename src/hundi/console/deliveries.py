"""Deliveries: notifications with their tries and content, and replaying them."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from asyncpg import Record
from litestar import Response

from hundi.console import lists, story
from hundi.console.days import day_of
from hundi.console.downloads import leave
from hundi.console.guard import ConsoleRoute
from hundi.console.list_pages import ListKind, in_pages, page_of, values_of
from hundi.console.lists import ID_DIGITS, ListAddress, asked_of, id_of, tone_of, words
from hundi.console.names import EVENT_NAMES
from hundi.console.queries import deliveries as queries
from hundi.console.queries.deliveries import DeliveryFilters, span_of
from hundi.console.recording import recording
from hundi.console.verb_forms import do
from hundi.console.visits import ConsoleVisit
from hundi.infra.postgres.database import Connection
from hundi.kernel.clock import business_day
from hundi.kernel.events import Kind
from hundi.kernel.refusals import RefusalCode, Refused, refuse
from hundi.money.reports.rules import cell, moment
from hundi.notifications import actions as notifications
from hundi.notifications.actions import GIVEN_UP, REPLAYED_MAX, DeliverySpan
from hundi.notifications.rules import DeliveryKey, DeliveryState
from hundi.payments.story.actions import notifications_of
from hundi.payments.story.rules import StoryNotification
from hundi.staff.people.rules import Permission
from hundi.verbs.delivery import replay as replay_deliveries

_HEAD = (
    *(
        "webhook_id",
        "ap_transactionid",
        "orderid",
        "kind",
        "state",
        "created_ist",
        "delivered_ist",
        "tries",
    ),
    *("last_try_ist", "last_status", "last_problem"),
)
STATES = {
    DeliveryState.WAITING: "It is sent when its time comes.",
    DeliveryState.SENDING: "It is being sent.",
    DeliveryState.DELIVERED: "Your server took it.",
    DeliveryState.EXHAUSTED: (
        "Your server did not take it in three days of tries. It is sent again when somebody asks."
    ),
    DeliveryState.UNWANTED: (
        "You chose not to be told of this event. Once you do, it can be sent again."
    ),
    DeliveryState.NO_ENDPOINT: "There was no address to send it to. It is sent when somebody asks.",
    DeliveryState.SUPERSEDED: (
        "Later news of the payment made it untrue before your server took it: it is not sent."
    ),
}


def _filters_of(visit: ConsoleVisit) -> DeliveryFilters:
    address = asked_of(visit)
    return DeliveryFilters(
        address.one_of("state", DeliveryState),
        address.one_of("kind", Kind),
        address.since,
        address.until,
        visit.now,
    )


_LIST = ListKind(
    path="deliveries",
    noun=("notification", "notifications"),
    filters=("state", "kind", "since", "until"),
    key=("payment_id", "event_no"),
    select_page=queries.select_page,
    select_sums=queries.select_sums,
    export=Permission.DEVELOPERS_SEE,
)


async def show_list(visit: ConsoleVisit) -> Response[Any]:
    """Show a page of deliveries, those of the newest payments first."""
    filters = _filters_of(visit)
    page = await page_of(visit, _LIST, filters)
    if page is None:
        return lists.too_long(visit)
    may_replay = visit.may(Permission.DELIVERIES_REPLAY)
    span = DeliverySpan(*filters.span, filters.kind or "")
    given_up = (
        await notifications.count_given_up(visit.db, visit.merchant_id, span) if may_replay else 0
    )
    days = {
        name: visit.query.get(name, "")
        for name in ("kind", "since", "until")
        if visit.query.get(name)
    }
    return visit.page(
        "deliveries.html",
        "Deliveries",
        **await values_of(visit, _LIST, filters, page),
        rows=[_row_of(visit.merchant_id, row) for row in page.rows],
        states=[(each.value, words(each)) for each in DeliveryState],
        kinds=list(EVENT_NAMES.items()),
        given_up=given_up,
        may_replay=may_replay,
        replay_href=visit.href("deliveries/replay") + (f"?{urlencode(days)}" if days else ""),
    )


def _row_of(merchant_id: int, row: Record) -> dict[str, Any]:
    state = DeliveryState(row["state"])
    answered = str(row["status"]) if row["status"] else "no answer"
    return {
        "key": f"{row['payment_id']}-{row['event_no']}",
        "path": f"deliveries/{row['payment_id']}/{row['event_no']}",
        "webhook_id": DeliveryKey(merchant_id, row["payment_id"], row["event_no"]).webhook_id,
        "kind": words(row["kind"]),
        "payment": row["payment_id"],
        "order": row["order_id"] or row["payment_id"],
        "state": words(state),
        "tone": tone_of(state),
        "at": row["created_at"],
        "tries": row["tries"],
        "last": (row["problem"] or answered) if row["tried_at"] else "",
        "tried_at": row["tried_at"],
        "again": row["due_at"] if state is DeliveryState.WAITING and row["tries"] else None,
    }


async def export(visit: ConsoleVisit) -> Response[Any]:
    """Stream the list as CSV."""
    filters = _filters_of(visit)
    chosen = {
        "state": filters.state,
        "kind": filters.kind,
        "since": str(filters.since),
        "until": filters.until,
    }
    details = {name: str(value) for name, value in chosen.items() if value is not None}
    read = in_pages(visit, _LIST, filters)
    file = lists.as_file("deliveries", _HEAD, read, lambda row: _cells(visit.merchant_id, row))
    return await leave(visit, file, "delivery.export", "deliveries", **details)


def _cells(merchant_id: int, row: Record) -> Sequence[str]:
    def at(when: datetime | None) -> str:
        return moment(when) if when else ""

    return (
        DeliveryKey(merchant_id, row["payment_id"], row["event_no"]).webhook_id,
        *(
            str(row["payment_id"]),
            cell(row["order_id"] or ""),
            row["kind"],
            row["state"],
            at(row["created_at"]),
        ),
        *(
            at(row["delivered_at"]),
            str(row["tries"]),
            at(row["tried_at"]),
            str(row["status"] or ""),
        ),
        cell(row["problem"]),
    )


# --- one delivery ---


async def _found(visit: ConsoleVisit) -> StoryNotification:
    payment_id, event_no = int(visit.params["payment_id"]), int(visit.params["event_no"])
    is_id = 0 < payment_id < 10**ID_DIGITS
    notifications = (
        await notifications_of(visit.db, (visit.merchant_id, payment_id)) if is_id else []
    )
    notification = next((each for each in notifications if each.key.event_no == event_no), None)
    if notification is None:
        raise refuse(RefusalCode.NO_RECORDS, field="delivery", received=f"{payment_id}-{event_no}")
    return notification


async def show(visit: ConsoleVisit) -> Response[Any]:
    """Show one notification: its content, and every try with the merchant's answer."""
    notification = await _found(visit)
    announced, *tries = story.notification(notification)
    again = notification.state not in {DeliveryState.SENDING, DeliveryState.SUPERSEDED}
    return visit.page(
        "delivery.html",
        announced.title,
        webhook_id=notification.key.webhook_id,
        payment=notification.key.payment_id,
        state=words(notification.state),
        tone=tone_of(notification.state),
        state_words=STATES[notification.state],
        due=notification.due_at if notification.state is DeliveryState.WAITING else None,
        at=notification.created_at,
        body=announced.body,
        tries=tries,
        can_resend=again and visit.may(Permission.DELIVERIES_REPLAY),
        delivery_href=visit.href(
            f"deliveries/{notification.key.payment_id}/{notification.key.event_no}"
        ),
    )


async def resend(visit: ConsoleVisit) -> Response[Any]:
    """Send one notification again, under the same webhook id."""
    key = (await _found(visit)).key
    await do(visit, replay_deliveries, {"webhook_id": key.webhook_id})
    return visit.see(f"deliveries/{key.payment_id}/{key.event_no}", "resent")


# --- all that were given up ---


def _span(visit: ConsoleVisit, address: ListAddress) -> DeliverySpan:
    return DeliverySpan(
        *span_of(address.since, address.until, visit.now), address.one_of("kind", Kind) or ""
    )


async def confirm(visit: ConsoleVisit) -> Response[Any]:
    """Ask before replaying the abandoned deliveries of a span of days, with their number."""
    return await _asked_again(visit, asked_of(visit))


async def _asked_again(
    visit: ConsoleVisit, address: ListAddress, was: int | None = None
) -> Response[Any]:
    number = await notifications.count_given_up(visit.db, visit.merchant_id, _span(visit, address))
    until = address.until or business_day(visit.now)
    return visit.page(
        "replay.html",
        "Send again",
        200 if was is None else 409,
        number=number,
        was=was,
        most=REPLAYED_MAX,
        chosen={
            "kind": address.one_of("kind", Kind) or "",
            "since": address.since.isoformat(),
            "until": until.isoformat(),
        },
        days=(f"{address.since:%d %b %Y}".lstrip("0"), f"{until:%d %b %Y}".lstrip("0")),
        kinds=list(EVENT_NAMES.items()),
        states=[words(each).lower() for each in GIVEN_UP],
        replay_href=visit.href("deliveries/replay"),
    )


async def replay(visit: ConsoleVisit) -> Response[Any]:
    """Replay the abandoned deliveries of a span of days: the number on the page, or none."""
    if day_of(visit.form.get("since", "")) is None:
        raise refuse(RefusalCode.FIELD_INVALID, field="since", allowed="a day such as 2026-11-23")
    address = ListAddress(visit.form, visit.now)
    number_on_page = id_of(visit.form.get("number", "")) or 0
    details = {
        "since": str(address.since),
        "until": str(address.until or ""),
        "kind": address.one_of("kind", Kind) or "any",
    }
    recorded = recording(visit, "delivery.replay", "deliveries", number=number_on_page, **details)

    async def beside(conn: Connection, number: int) -> None:
        await recorded(conn, number)

    try:
        await notifications.replay_given_up(
            visit.db, visit.merchant_id, _span(visit, address), number_on_page, visit.now, beside
        )
    except Refused as refused:
        if refused.refusal.field != "number":
            raise
        return await _asked_again(visit, address, number_on_page)
    return visit.see("deliveries", "replayed")


_ONE = "deliveries/{payment_id:int}/{event_no:int}"
ROUTES = (
    ConsoleRoute("GET", "deliveries", show_list, Permission.DEVELOPERS_SEE),
    ConsoleRoute("GET", "deliveries/export", export, Permission.DEVELOPERS_SEE),
    ConsoleRoute("GET", "deliveries/replay", confirm, Permission.DELIVERIES_REPLAY),
    ConsoleRoute("POST", "deliveries/replay", replay, Permission.DELIVERIES_REPLAY),
    ConsoleRoute("GET", _ONE, show, Permission.DEVELOPERS_SEE),
    ConsoleRoute("POST", f"{_ONE}/resend", resend, Permission.DELIVERIES_REPLAY),
)
