"""`hundi link`: payment links, made, listed, shown and cancelled."""

from datetime import timedelta
from typing import Annotated, Any

import typer

from hundi.api.addresses import LINK_PAGE
from hundi.bootstrap import OperatorContext
from hundi.cli.context import by_command, check_merchant, payment_page_url, run
from hundi.cli.output import ID_MAX, DataDir, Json, MerchantId, fail, show
from hundi.infra.postgres.database import Beside, Connection
from hundi.kernel.clock import utc_now
from hundi.kernel.ids import new_id
from hundi.masking import masked
from hundi.payments.links import actions, rules
from hundi.payments.links.rules import Link, LinkOrder, NewLink
from hundi.payments.orders.rules import Buyer
from hundi.sdk import errors, paise
from hundi.staff.trail import actions as trail

app = typer.Typer(
    help="Payment links: amounts that are paid at an address of their own.", no_args_is_help=True
)
LinkId = Annotated[int, typer.Argument(min=1, max=ID_MAX, help="The link's id.")]


@app.command()
def make(
    merchant_id: MerchantId,
    amount: Annotated[str, typer.Argument(help="Rupees, such as 1499.50.")],
    description: Annotated[
        str, typer.Argument(parser=masked, help="What it is for; the customer reads it.")
    ],
    *,
    minimum: Annotated[
        str, typer.Option(help="Least of one part in rupees; without it the link is paid at once.")
    ] = "",
    days: Annotated[
        int, typer.Option(min=1, max=rules.LIFE_MAX.days, help="How long it can be paid.")
    ] = 30,
    reference: Annotated[
        str, typer.Option(help="Your own name of it: the same one makes the same link.")
    ] = "",
    keep_surplus: Annotated[
        bool, typer.Option(help="Keep what is paid beyond the amount; else it goes back.")
    ] = False,
    email: Annotated[str, typer.Option(help="The customer's e-mail address.")] = "",
    phone: Annotated[str, typer.Option(help="The customer's phone number.")] = "",
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Make a payment link and print its address."""

    async def act(context: OperatorContext) -> dict[str, Any]:
        await check_merchant(context, merchant_id)
        now = utc_now()
        new = NewLink(
            reference=reference or f"cli-{new_id(now)}",
            amount_paise=_paise(amount, "amount"),
            description=description,
            expires_at=now + timedelta(days=days),
            expiry=f"{days} days",
            minimum_paise=_paise(minimum, "minimum") if minimum else 0,
            surplus="keep" if keep_surplus else "refund",
            buyer=Buyer(email=email, phone=phone),
        )
        recorded = _recording(
            context,
            merchant_id,
            "link.make",
            amount_paise=new.amount_paise,
            description=new.description,
        )
        return _shown(
            context, await actions.make(context.db, merchant_id, new, "the operator", now, recorded)
        )

    show(run(data_dir, act), json=json, title="Payment link")


@app.command("list")
def list_links(merchant_id: MerchantId, *, data_dir: DataDir = None, json: Json = False) -> None:
    """List a merchant's links, newest first."""

    async def act(context: OperatorContext) -> list[dict[str, Any]]:
        await check_merchant(context, merchant_id)
        return [_shown(context, each) for each in await actions.list_of(context.db, merchant_id)]

    show(run(data_dir, act, reading=True), json=json, title="Payment links")


@app.command("show")
def show_link(
    merchant_id: MerchantId, link_id: LinkId, *, data_dir: DataDir = None, json: Json = False
) -> None:
    """Show a link and the orders that customers began under it."""

    async def act(context: OperatorContext) -> dict[str, Any]:
        found = await actions.known(context.db, merchant_id, link_id)
        if found is None:
            raise fail(f"merchant {merchant_id} has no payment link {link_id}")
        return _shown(context, found.link) | {"orders": [_order(each) for each in found.orders]}

    story = run(data_dir, act, reading=True)
    if json:
        show(story, json=True)
        return
    orders = story.pop("orders")
    show(story, json=False, title="Payment link")
    show(orders, json=False, title="Orders")


@app.command()
def cancel(
    merchant_id: MerchantId, link_id: LinkId, *, data_dir: DataDir = None, json: Json = False
) -> None:
    """Cancel a link for good; what is paid of it stays paid."""

    async def act(context: OperatorContext) -> dict[str, Any]:
        recorded = _recording(context, merchant_id, "link.cancel")
        return _shown(
            context, await actions.cancel(context.db, merchant_id, link_id, utc_now(), recorded)
        )

    show(run(data_dir, act), json=json, title="Payment link")


def _recording(context: OperatorContext, merchant_id: int, act: str, **detail: object) -> Beside:
    async def write(conn: Connection, link_id: int) -> None:
        await trail.record(
            conn, merchant_id, by_command(context), act, link_id, utc_now(), **detail
        )

    return write


def _paise(text: str, name: str) -> int:
    try:
        return paise(text)
    except errors.InvalidOrderError as error:
        raise fail(f"{name} was {text!r}; allowed: {error.allowed}") from None


def _shown(context: OperatorContext, link: Link) -> dict[str, Any]:
    return {
        "link_id": str(link.link_id),
        "address": payment_page_url(context.settings) + LINK_PAGE + link.address,
        "state": rules.state_of(link, utc_now()),
        "amount_paise": link.amount_paise,
        "paid_paise": link.paid_paise,
        "least_paise": link.minimum_paise or None,
        "description": link.description,
        "reference": link.reference,
        "surplus": link.surplus,
        "made_by": link.made_by,
        "expires_at": link.expires_at,
    }


def _order(order: LinkOrder) -> dict[str, Any]:
    return {
        "order": order.order_id,
        "payment_id": str(order.payment_id) if order.payment_id else None,
        "amount_paise": order.amount_paise,
        "counted_paise": order.counted_paise,
        "given_back_paise": order.back_paise,
        "counted_at": order.counted_at,
    }
