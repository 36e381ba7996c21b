"""`hundi payment`: a merchant's payments, and the whole story of one."""

import re
from datetime import datetime, timedelta
from typing import Annotated, Any

import typer
from msgspec import convert

from hundi.bootstrap import OperatorContext
from hundi.cli.context import check_merchant, run
from hundi.cli.output import ID_MAX, DataDir, Json, MerchantId, fail, show
from hundi.cli.payment_fees import fees_of
from hundi.kernel.clock import INDIA
from hundi.kernel.ids import first_id
from hundi.kernel.money import Money, rupees, shown
from hundi.kernel.states import PaymentState
from hundi.money.ledger import store as ledger
from hundi.payments.archive import store as archive
from hundi.payments.orders import store
from hundi.payments.orders.finding import store as finding
from hundi.payments.orders.rules import PaymentView
from hundi.payments.refunds import store as refunds
from hundi.payments.reviews import store as reviews
from hundi.payments.risk import store as risk
from hundi.payments.risk.rules import Checked

app = typer.Typer(help="Payments: what happened to one, from the order to the postings.", no_args_is_help=True)
LIST_MAX = 1_000
_DAY = "%Y-%m-%d"
_NUMBER = re.compile(r"[0-9]{1,15}\Z")


@app.command("list")
def list_payments(
    merchant_id: MerchantId,
    *,
    state: Annotated[PaymentState | None, typer.Option(help="Only those in this state.")] = None,
    since: Annotated[datetime | None, typer.Option(formats=[_DAY], help="From this Indian business day on.")] = None,
    until: Annotated[datetime | None, typer.Option(formats=[_DAY], help="Up to this day, which is included.")] = None,
    most: Annotated[int, typer.Option(min=1, max=LIST_MAX, help="How many at most.")] = 50,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """List a merchant's payments, newest first; those in the archive are shown one by one only."""
    span = (
        first_id(since.replace(tzinfo=INDIA)) if since else 0,
        first_id(until.replace(tzinfo=INDIA) + timedelta(days=1)) if until else ID_MAX,
    )

    async def act(context: OperatorContext) -> list[dict[str, Any]]:
        rows = await finding.select_newest(context.db, merchant_id, state, span, most)
        if not rows:
            await check_merchant(context, merchant_id)
        return [
            {
                "ap_transactionid": str(row["payment_id"]),
                "orderid": row["order_id"],
                "amount": shown(Money(row["amount_paise"], row["currency"])),
                "state": row["state"],
                "chmod": row["method"],
                "created": row["created_at"],
            }
            for row in rows
        ]

    show(run(data_dir, act, reading=True), json=json, title="Payments")


@app.command("show")
def show_payment(
    merchant_id: MerchantId,
    reference: Annotated[str, typer.Argument(help="ap_transactionid, order id or RRN.")],
    *,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Show a payment: its state, attempts, fees, refunds, events and postings."""

    async def act(context: OperatorContext) -> dict[str, Any] | None:
        found = await _find(context, merchant_id, reference)
        return None if found is None else await _story(context, found)

    story = run(data_dir, act, reading=True)
    if story is None:
        raise fail(f"merchant {merchant_id} has no payment with the order id, ap_transactionid or RRN {reference!r}")
    if json:
        show(story, json=True)
        return
    for title in ("payment", "attempts", "fees", "refunds", "risk", "reviews", "events", "postings"):
        show(story[title], json=False, title=title.capitalize())


async def _find(context: OperatorContext, merchant_id: int, reference: str) -> PaymentView | None:
    """Look a reference up in each of its possible meanings."""
    by_order = await finding.select_by_references(context.db, merchant_id, reference, None, None)
    if by_order is not None or not _NUMBER.match(reference):
        return by_order
    for named in ((None, None, reference), (None, int(reference), None)):
        found = await finding.select_by_references(context.db, merchant_id, *named)
        if found is not None:
            return found
    return None


async def _story(context: OperatorContext, view: PaymentView) -> dict[str, Any]:
    payment = view.payment
    events = await store.select_events(context.db, payment.merchant_id, payment.payment_id)
    reviewed = await reviews.select_decisions(context.db, payment.merchant_id, payment.payment_id)
    refunded = await refunds.of_payment(context.db, payment.merchant_id, payment.payment_id)
    blocked = await risk.select_blocks(context.db, payment.merchant_id, payment.payment_id)
    posted = await ledger.postings_of(context.db, payment.merchant_id, [each.attempt_id for each in view.attempts])
    postings = [(each.kind, each.debit, each.credit, each.amount.paise) for each in posted]
    if not events:
        events = await archive.select_events(context.db, payment.merchant_id, payment.payment_id)
        postings = [
            tuple(row) for row in await archive.select_postings(context.db, payment.merchant_id, payment.payment_id)
        ]
    return {
        "payment": {
            "ap_transactionid": str(payment.payment_id),
            "orderid": payment.order_id,
            "amount": shown(payment.amount),
            "state": payment.state,
            "chmod": payment.method,
            "bank": f"{payment.bank_code} {payment.bank_message}".strip(),
            "created": payment.created_at,
        },
        "attempts": [
            {
                "reference": each.reference,
                "method": each.method,
                "state": each.state,
                "rrn": each.rrn,
                "bank": f"{each.bank_code} {each.bank_message}".strip(),
                "at": each.created_at,
            }
            for each in view.attempts
        ],
        "fees": await fees_of(context, view, posted),
        "refunds": [
            {
                "refund_id": str(each.refund_id),
                "refund_request_id": each.request_id,
                "why": each.cause,
                "amount": rupees(each.amount.paise),
                "state": each.state,
                "rrn": each.rrn,
                "bank": f"{each.bank_code} {each.bank_message}".strip(),
                "at": each.created_at,
            }
            for each in refunded
        ],
        "risk": [
            *(_verdict(each.created_at, each.method, each.risk) for each in view.attempts if each.risk.verdict.rule),
            *(_verdict(row["at"], row["method"], convert(row["risk"], Checked)) for row in blocked),
        ],
        "reviews": [dict(row) for row in reviewed],
        "events": [
            {
                "no": row["event_no"],
                "at": f"{row['at']:%Y-%m-%d %H:%M:%S.%f} UTC",
                "event": row["kind"],
                "state": row["state"],
                "by": row["actor"],
            }
            for row in events
        ],
        "postings": [
            {"why": kind, "debit": debit, "credit": credit, "amount": rupees(paise)}
            for kind, debit, credit, paise in postings
        ],
    }


def _verdict(at: datetime, method: str, checked: Checked) -> dict[str, Any]:
    """Return what the risk rules said of a try, and by what the same payer would be known again."""
    said, seen = checked.verdict, checked.seen
    owner = str(said.owner) if said.owner else "operator"
    return {
        "at": at,
        "method": method,
        "action": said.action,
        "rule": said.rule,
        "rule_set": f"{owner}, version {said.version}",
        "because": said.because,
        "ip_address": seen.ip_address,
        "device": seen.device,
        "card": seen.card,
    }
