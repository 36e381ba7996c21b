"""The actions of payment links: create, cancel, begin an order under one, and count what was paid.

The worker counts, and so does each look at a link: the order's row says whether it was counted, and
the link's lock serialises the counts. Money goes back by an ordinary refund with its own key.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

import msgspec
import structlog
from asyncpg import UniqueViolationError

from hundi.infra.postgres.database import Beside, Connection, Database
from hundi.kernel.ids import ID_TRIES_MAX, new_id
from hundi.kernel.records import replace
from hundi.kernel.refusals import RefusalCode, Refused, refuse, wrong_state
from hundi.kernel.states import RefundState
from hundi.merchants.directory.rules import Merchant
from hundi.payments.links import rules, store
from hundi.payments.links.reminders import actions as reminders
from hundi.payments.links.rules import Link, LinkOrder, NewLink
from hundi.payments.orders import actions as payments
from hundi.payments.orders.actions import PaymentContext
from hundi.payments.orders.opening import actions as opening
from hundi.payments.orders.rules import NewOrder, PaymentView
from hundi.payments.refunds import actions as refunds
from hundi.payments.refunds import store as refund_rows
from hundi.payments.refunds.actions import ItemToRefund
from hundi.payments.refunds.rules import CAME_TO_NOTHING, RequestKey
from hundi.payments.risk.actions import NOBODY, PayerTrace

DUE_CHANNEL = "payment_links_due"
"""NOTIFY channel: whoever commits an order under a link, or a surplus to refund, sends it."""
LIST_MAX = 100
_NEWEST = 10**15
_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class LinkView:
    """A link with the orders that customers began under it, oldest first."""

    link: Link
    orders: tuple[LinkOrder, ...]


async def make(
    db: Database,
    merchant_id: int,
    new: NewLink,
    made_by: str,
    now: datetime,
    beside: Beside | None = None,
) -> Link:
    """Create a link; the same request again returns the same link.

    beside: writes more in its transaction, if the link is new. Raises Refused: FIELD_INVALID,
    REQUEST_ID_REUSED for another link under the same reference.
    """
    for _ in range(ID_TRIES_MAX):
        try:
            async with db.transaction() as conn:
                link, is_new = await make_within(conn, merchant_id, new_id(now), new, made_by, now)
                if is_new and beside is not None:
                    await beside(conn, link.link_id)
        except UniqueViolationError:
            continue  # another link of this second has this id
        return link
    message = "no free link id found"
    raise RuntimeError(message)


async def make_within(
    conn: Connection, merchant_id: int, link_id: int, new: NewLink, made_by: str, now: datetime
) -> tuple[Link, bool]:
    """Create a link in the caller's transaction; return it, and whether it is new.

    link_id: drawn for it. Raises Refused as `make` does, and UniqueViolationError where that id is
    taken.
    """
    rules.check(new, now)
    link = rules.new_link(merchant_id, link_id, new, made_by, now)
    if await store.insert(conn, link):
        await reminders.plan(conn, link, new.reminders, now)
        return link, True
    standing = await store.by_reference(conn, merchant_id, new.reference)
    if standing is None or standing.content_hash != link.content_hash:
        raise refuse(RefusalCode.REQUEST_ID_REUSED, field="reference", received=new.reference)
    return standing, False


async def list_of(db: Database, merchant_id: int, before: int = 0) -> list[Link]:
    """Return a merchant's links, newest first. before: a link's id, 0 for the newest."""
    return await store.select_list(db, merchant_id, min(before or _NEWEST, _NEWEST), LIST_MAX)


async def find(
    context: PaymentContext,
    merchant_id: int,
    now: datetime,
    *,
    link_id: int = 0,
    reference: str = "",
) -> LinkView | None:
    """Return a merchant's current link, by its id or its reference; both must agree."""
    if link_id:
        link = await store.select(context.db, merchant_id, link_id)
    else:
        link = await store.by_reference(context.db, merchant_id, reference)
    if link is None or (reference and link.reference != reference):
        return None
    return await _counted(context, link, now)


async def at_address(
    context: PaymentContext, merchant_id: int, code: str, now: datetime
) -> LinkView | None:
    """Return the current link at an address."""
    link = await store.by_code(context.db, merchant_id, code)
    return await _counted(context, link, now) if link else None


async def known(db: Database, merchant_id: int, link_id: int) -> LinkView | None:
    """Return a link and its orders as they were last counted."""
    link = await store.select(db, merchant_id, link_id)
    return LinkView(link, tuple(await store.orders(db, merchant_id, link_id))) if link else None


async def cancel(
    db: Database, merchant_id: int, link_id: int, now: datetime, beside: Beside | None = None
) -> Link:
    """Cancel a link for ever; what was paid stays paid. A repeat changes nothing.

    beside: writes more in its transaction. Raises Refused: NO_RECORDS, STATE_FORBIDS for one that
    is paid.
    """
    async with db.transaction() as conn:
        if await store.cancel(conn, merchant_id, link_id, now) and beside is not None:
            await beside(conn, link_id)
    link = await store.select(db, merchant_id, link_id)
    if link is None:
        raise refuse(RefusalCode.NO_RECORDS)
    if link.cancelled_at is None:
        raise Refused(wrong_state("link", rules.state_of(link, now), *sorted(rules.PAYABLE)))
    return link


async def begin(
    context: PaymentContext,
    merchant: Merchant,
    link: Link,
    paise: int | None,
    now: datetime,
    payer: PayerTrace = NOBODY,
) -> PaymentView:
    """Open an order under a link. paise: what the customer chose to pay, None for all that is left.

    The order is written before its payment is opened, so none can be paid without being counted.
    Raises Refused: STATE_FORBIDS, FIELD_INVALID, TOO_MANY_REQUESTS, and what opening a payment
    raises.
    """
    for _ in range(ID_TRIES_MAX):
        order = await _write_order(context.db, link, paise, now, context.session)
        try:
            return await opening.initiate(context, merchant, order, now, payer)
        except Refused as refused:
            if refused.refusal.code is RefusalCode.ORDER_CONTENT_DIFFERS:
                continue  # the merchant's own order has this id
            raise
    raise refuse(RefusalCode.STATE_FORBIDS, field="link", received="its order ids are used")


async def _write_order(
    db: Database, link: Link, paise: int | None, now: datetime, session: timedelta
) -> NewOrder:
    async with db.transaction() as conn:
        locked = await store.lock(conn, link.merchant_id, link.link_id)
        if locked is None:
            raise refuse(RefusalCode.NO_RECORDS)
        amount, number = rules.amount_now(locked, paise, now), await store.next_no(conn, locked)
        if await store.count_open(conn, locked, now - session) >= rules.OPEN_MAX:
            raise refuse(
                RefusalCode.TOO_MANY_REQUESTS,
                field="link",
                allowed=f"{rules.OPEN_MAX} orders at a time",
            )
        due_at = rules.next_look(now, now)
        began = LinkOrder(link.merchant_id, link.link_id, number, amount, now, due_at=due_at)
        await store.insert_order(conn, began)
    db.wake(DUE_CHANNEL)
    return rules.order_of(locked, began)


async def settle(context: PaymentContext, merchant_id: int, link_id: int, now: datetime) -> bool:
    """Do the due work on a link's orders; return whether there was any."""
    merchant = await context.directory.get(merchant_id)
    orders = await store.due_orders(context.db, merchant_id, link_id, now)
    if merchant is None:
        return False
    for order in orders:
        view = await _view_of(context, order)
        if order.counted_at is None and (view is None or view.payment.state not in rules.PAID):
            await store.put_off(context.db, order, rules.next_look(order.created_at, now))
        elif view is not None:
            counted = order if order.counted_at else await _count(context.db, order, view, now)
            if counted.back_paise and counted.due_at is not None and counted.due_at <= now:
                await _give_back(context, merchant, counted, view, now)
    return bool(orders)


async def _view_of(context: PaymentContext, order: LinkOrder) -> PaymentView | None:
    """Return the payment of an order under a link, or None.

    None also where the merchant's own order has this id.
    """
    view = await payments.find(
        context, order.merchant_id, order_id=order.order_id, payment_id=None, rrn=None
    )
    return view if view is not None and rules.link_of(view.payment) == order.link_id else None


async def _counted(context: PaymentContext, link: Link, now: datetime) -> LinkView:
    """Count a link's paid orders, and return the link."""
    key = link.merchant_id, link.link_id
    for each in await store.paid_orders(context.db, *key):
        view = await _view_of(context, each)
        if view is not None and view.payment.state in rules.PAID:
            await _count(context.db, each, view, now)
    after = await store.select(context.db, *key)
    return LinkView(after or link, tuple(await store.orders(context.db, *key)))


async def _count(db: Database, order: LinkOrder, view: PaymentView, now: datetime) -> LinkOrder:
    """Count a paid order exactly once, and return it."""
    async with db.transaction() as conn:
        link = await store.lock(conn, order.merchant_id, order.link_id)
        current = await store.lock_order(conn, order)
        if link is None or current.counted_at is not None:
            return current
        paid_at = (view.success and view.success.settled_at) or now
        counted = rules.LinkCount(0, 0)
        if not await _goes_back(conn, view):
            counted = rules.count(link, current.amount_paise, paid_at)
        await store.add_paid(conn, link, counted.counted_paise)
        after = replace(
            current,
            payment_id=view.payment.payment_id,
            counted_at=now,
            counted_paise=counted.counted_paise,
            back_paise=counted.back_paise,
            due_at=now if counted.back_paise else None,
        )
        await store.count(conn, after)
    if after.due_at is not None:
        db.wake(DUE_CHANNEL)
    return after


async def _goes_back(conn: Connection, view: PaymentView) -> bool:
    """Return whether the gateway refunds all of a payment.

    It came too late for this merchant.
    """
    return view.success is not None and await refund_rows.goes_back(conn, view.success)


async def _give_back(
    context: PaymentContext, merchant: Merchant, order: LinkOrder, view: PaymentView, now: datetime
) -> None:
    """Begin the refund of a surplus, or look whether it arrived.

    If a bank refuses it, another try follows.
    """
    standing = [
        each for each in await refunds.of_payment(context, view.payment) if each.state in _STANDING
    ]
    under_way, again_at = sum(each.amount.paise for each in standing), now + rules.BACK_GAP
    if under_way >= order.back_paise:
        arrived = all(each.settled_at is not None for each in standing)
        await store.write_tries(context.db, order, order.tries, None if arrived else again_at)
        return
    if order.tries >= rules.BACK_TRIES_MAX:
        _log.error(
            "link_surplus_not_given_back", merchant_id=order.merchant_id, order_id=order.order_id
        )
        await store.write_tries(context.db, order, order.tries, None)
        return
    # The gateway's own refund ignores the merchant's choice to refund in one part.
    settings = msgspec.structs.replace(merchant.settings, multiple_partial_refunds=True)
    able, asking = (
        replace(merchant, settings=settings),
        ItemToRefund(order.back_paise - under_way, _key(order)),
    )
    (answer,) = await refunds.request(context, able, view.payment.payment_id, [asking], now)
    if answer.refusal is not None:
        _log.warning(
            "link_surplus_refused", order_id=order.order_id, why=answer.refusal.code.log_name
        )
    await store.write_tries(context.db, order, order.tries + 1, again_at)


_STANDING = frozenset(RefundState) - CAME_TO_NOTHING


def _key(order: LinkOrder) -> RequestKey:
    """Return the key that keeps one refund try from being made twice."""
    return RequestKey(
        f"{order.order_id}-back-{order.tries}", 0, order.back_paise.to_bytes(32, "big")
    )
