"""`hundi call`: every operation of the payment interface, called as a merchant calls it."""

from pathlib import Path
from typing import Annotated

import typer

from hundi.cli import call_disputes, call_operations
from hundi.cli.calling import DataDir, Merchant, Who, call
from hundi.cli.output import Json
from hundi.sdk import Buyer, Client, QrOrder, RefundItem, Split, SplitType, paise
from hundi.sdk import Order as PageOrder

app = typer.Typer(
    help="Call the gateway as a merchant: each operation once, and its reply.", no_args_is_help=True
)

Order = Annotated[str, typer.Argument(help="Order id.")]
Rupees = Annotated[str, typer.Argument(help="Rupees with two places.")]
Transaction = Annotated[str, typer.Argument(help="ap_transactionid.")]


def _codes(joined: str) -> tuple[str, ...]:
    return tuple(each for each in joined.split("_") if each)


def _paise(amount: str) -> int | None:
    return paise(amount) if amount else None


def token(
    *,
    merchant: Merchant = "",
    credentials: Who = None,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Fetch an access token, for tools that speak to the gateway themselves."""
    call(
        lambda client: {"access_token": client.access_token()},
        credentials,
        data_dir,
        merchant,
        json=json,
        title="Token",
    )


@app.command()
def pay(
    order_id: Order,
    amount: Rupees,
    form: Annotated[
        Path,
        typer.Argument(help="Where to write the HTML that takes a browser to the payment page."),
    ],
    *,
    email: Annotated[str, typer.Option()] = "asha@example.in",
    phone: Annotated[str, typer.Option()] = "9876543210",
    name: Annotated[str, typer.Option(help="First and last name.")] = "Asha Rao",
    channels: Annotated[str, typer.Option(help="Codes joined by _ ; all when left out.")] = "",
    authorise_only: Annotated[
        bool, typer.Option("--authorise-only", help="Capture it later.")
    ] = False,
    moto: Annotated[
        bool, typer.Option("--moto", help="The card's holder is on the telephone.")
    ] = False,
    months: Annotated[int, typer.Option(help="Instalments: 3, 6, 9, 12 or 18.")] = 0,
    merchant: Merchant = "",
    credentials: Who = None,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Write the form that sends a customer to the payment page; its token lives some minutes."""
    first, _, last = name.rpartition(" ")

    def act(client: Client) -> object:
        order = PageOrder(
            order_id=order_id,
            amount_paise=paise(amount),
            buyer=Buyer(first_name=first, last_name=last, email=email, phone=phone),
            channels=_codes(channels),
            authorise_only=authorise_only,
            moto=moto,
            instalment_months=months,
        )
        payment_form = client.payment_form(order)
        # Before writing: no other user of the machine may read the token, also from an existing
        # file.
        form.touch()
        form.chmod(0o600)
        form.write_text(payment_form.html(), encoding="utf-8")
        return {"form": str(form), "order_id": order_id, "amount_paise": order.amount_paise}

    call(act, credentials, data_dir, merchant, json=json, title="Form")


def verify(
    reference: Order,
    amount: Rupees,
    *,
    transaction_id: Annotated[
        str, typer.Option(help="Look up by this instead; it must be of this order.")
    ] = "",
    rrn: Annotated[
        str, typer.Option(help="Look up by this instead; it must be of this order.")
    ] = "",
    merchant: Merchant = "",
    credentials: Who = None,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Ask how a transaction stands."""
    call(
        lambda client: client.verify(
            order_id=reference, amount_paise=paise(amount), transaction_id=transaction_id, rrn=rrn
        ),
        credentials,
        data_dir,
        merchant,
        json=json,
        title="Transaction",
    )


def refund(
    items: Annotated[
        list[str],
        typer.Argument(help="TRANSACTION for all of it, or TRANSACTION=AMOUNT; 1,000 at most."),
    ],
    *,
    request_id: Annotated[
        str, typer.Option(help="Of your own books: the same again refunds once.")
    ],
    merchant: Merchant = "",
    credentials: Who = None,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Give money back; each item is answered on its own."""
    pairs = [each.partition("=") for each in items]

    def act(client: Client) -> object:
        refund_items = [RefundItem(transaction, _paise(amount)) for transaction, _, amount in pairs]
        return client.refund(refund_items, request_id=request_id)

    call(act, credentials, data_dir, merchant, json=json, title="Refund")


@app.command()
def qr(
    order_id: Order,
    amount: Rupees,
    *,
    picture: Annotated[Path | None, typer.Option(help="Where to write the PNG.")] = None,
    merchant: Merchant = "",
    credentials: Who = None,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Open an order that is paid by scanning a QR."""

    def act(client: Client) -> object:
        code = client.generate_qr(QrOrder(order_id=order_id, amount_paise=paise(amount)))
        if picture is not None:
            picture.write_bytes(code.png)
        return code

    call(act, credentials, data_dir, merchant, json=json, title="QR")


@app.command()
def split(
    transaction: Transaction,
    rrn: Annotated[str, typer.Argument(help="As verify shows it.")],
    shares: Annotated[list[str], typer.Argument(help="IDENTIFIER=VALUE, each with two places.")],
    *,
    request_id: Annotated[str, typer.Option(help="1 to 15 digits of your own.")],
    primary: Annotated[str, typer.Option(help="What stays with the merchant.")] = "0.00",
    absolute: Annotated[
        bool, typer.Option("--absolute", help="Values are rupees, not per cents.")
    ] = False,
    merchant: Merchant = "",
    credentials: Who = None,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Say how a transaction is shared with linked accounts."""
    pairs = [each.partition("=") for each in shares]

    def act(client: Client) -> object:
        request = Split(
            transaction_id=transaction,
            rrn=rrn,
            request_id=request_id,
            primary=0 if primary in {"0", "0.00"} else paise(primary),
            shares={identifier: paise(value) for identifier, _, value in pairs},
            unit=SplitType.ABSOLUTE if absolute else SplitType.PERCENTAGE,
        )
        return client.split(request)

    call(act, credentials, data_dir, merchant, json=json, title="Split")


call_operations.add_to(
    app,
    {
        "token": token,
        "verify": verify,
        "refund": refund,
        "dispute/contest": call_disputes.contest,
        "generateorder": None,
        "split": None,
        # It may hold a card number, which must never be typed into a shell.
        "seamless": None,
    },
)
