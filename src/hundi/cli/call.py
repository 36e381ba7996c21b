"""`hundi call`: every operation of the payment interface, called as a merchant calls it."""

from collections.abc import Callable
from dataclasses import asdict, is_dataclass
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from hundi.cli.output import Json, fail, show
from hundi.infra.settings import DEMO_FILE, load_settings
from hundi.sdk import (
    Buyer,
    Client,
    Credentials,
    Gateway,
    HundiError,
    QrOrder,
    RefundItem,
    Split,
    SplitType,
    paise,
)
from hundi.sdk import Order as PageOrder

app = typer.Typer(help="Call the gateway as a merchant: each operation once, and its reply.", no_args_is_help=True)

Who = Annotated[
    Path | None,
    typer.Option("--credentials", help="A JSON file: demo.json, or what `merchant add --json` printed."),
]
DataDir = Annotated[str | None, typer.Option("--data-dir", help="Where demo.json is, without --credentials.")]
Merchant = Annotated[str, typer.Option(help="Which merchant of demo.json; the first one otherwise.")]
Order = Annotated[str, typer.Argument(help="Order id.")]
Rupees = Annotated[str, typer.Argument(help="Rupees with two places.")]
Transaction = Annotated[str, typer.Argument(help="ap_transactionid.")]
Amount = Annotated[str, typer.Option(help="Rupees with two places; all of it when left out.")]


class _Merchant(msgspec.Struct):
    merchant_id: str
    username: str
    password: str
    secret: str
    client_id: str
    client_secret: str
    webhook_key: str = ""
    webhook_keys: tuple[str, ...] = ()
    base_url: str = ""


class _Demo(msgspec.Struct):
    merchants: list[_Merchant]
    base_url: str


def _client(credentials: Path | None, data_dir: str | None, merchant: str) -> Client:
    path = credentials or load_settings(data_dir=data_dir).data_dir / DEMO_FILE
    try:
        content = path.read_bytes()
    except OSError as error:
        raise fail(f"{path}: {error.strerror}; name the merchant's credentials with --credentials") from None
    try:
        if b'"merchants"' in content:
            demo = msgspec.json.decode(content, type=_Demo)
            known = [each for each in demo.merchants if merchant in {"", each.merchant_id}]
            base_url = demo.base_url
        else:
            known = [msgspec.json.decode(content, type=_Merchant)]
            base_url = known[0].base_url or load_settings(data_dir=data_dir).base_url
    except msgspec.DecodeError as error:
        raise fail(f"{path} holds no credentials: {error}") from None
    if not known:
        raise fail(f"{path} has no merchant {merchant}")
    one = known[0]
    keys = Credentials(
        merchant_id=one.merchant_id,
        username=one.username,
        password=one.password,
        api_secret=one.secret,
        oauth_client_id=one.client_id,
        oauth_client_secret=one.client_secret,
        webhook_keys=one.webhook_keys or (one.webhook_key,),
    )
    return Client(keys, Gateway(base_url=base_url))


def _call(
    act: Callable[[Client], object], who: Path | None, data_dir: str | None, merchant: str, *, json: bool, title: str
) -> None:
    """Make one call and print what it came to; a refusal is printed with its code, and is exit status 2."""
    try:
        with _client(who, data_dir, merchant) as client:
            result = act(client)
    except HundiError as error:
        raise fail(f"{type(error).__name__}: {error}") from None
    except OSError as error:
        raise fail(f"{error.filename}: {error.strerror}") from None
    show(_plain(result), json=json, title=title)


def _plain(result: object) -> Any:  # noqa: ANN401 (one object or a list of them)
    if is_dataclass(result) and not isinstance(result, type):
        return msgspec.to_builtins({name: value for name, value in asdict(result).items() if name != "png"})
    return [_plain(each) for each in result] if isinstance(result, tuple) else result


def _codes(joined: str) -> tuple[str, ...]:
    return tuple(each for each in joined.split("_") if each)


def _paise(amount: str) -> int | None:
    return paise(amount) if amount else None


@app.command()
def token(*, merchant: Merchant = "", credentials: Who = None, data_dir: DataDir = None, json: Json = False) -> None:
    """Fetch an access token, for tools that speak to the gateway themselves."""
    _call(
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
    form: Annotated[Path, typer.Argument(help="Where to write the HTML that takes a browser to the payment page.")],
    *,
    email: Annotated[str, typer.Option()] = "asha@example.in",
    phone: Annotated[str, typer.Option()] = "9876543210",
    name: Annotated[str, typer.Option(help="First and last name.")] = "Asha Rao",
    channels: Annotated[str, typer.Option(help="Codes joined by _ ; all when left out.")] = "",
    authorise_only: Annotated[bool, typer.Option("--authorise-only", help="Capture it later.")] = False,
    moto: Annotated[bool, typer.Option("--moto", help="The card's holder is on the telephone.")] = False,
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
        made = client.payment_form(order)
        # Nobody else of this machine may use the token in it, not even in a file that was there.
        form.touch()
        form.chmod(0o600)
        form.write_text(made.html(), encoding="utf-8")
        return {"form": str(form), "order_id": order_id, "amount_paise": order.amount_paise}

    _call(act, credentials, data_dir, merchant, json=json, title="Form")


@app.command()
def verify(
    reference: Order,
    amount: Rupees,
    *,
    transaction_id: Annotated[str, typer.Option(help="Look up by this instead; it must be of this order.")] = "",
    rrn: Annotated[str, typer.Option(help="Look up by this instead; it must be of this order.")] = "",
    merchant: Merchant = "",
    credentials: Who = None,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Ask how a transaction stands."""
    _call(
        lambda client: client.verify(
            order_id=reference, amount_paise=paise(amount), transaction_id=transaction_id, rrn=rrn
        ),
        credentials,
        data_dir,
        merchant,
        json=json,
        title="Transaction",
    )


@app.command()
def banks(
    channels: Annotated[str, typer.Argument(help="Channel codes joined by _ ; all when left out.")] = "",
    *,
    merchant: Merchant = "",
    credentials: Who = None,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """List channels and banks with their health."""
    chosen = _codes(channels)
    _call(lambda client: client.banks(chosen), credentials, data_dir, merchant, json=json, title="Banks")


@app.command()
def refund(
    items: Annotated[
        list[str], typer.Argument(help="TRANSACTION for all of it, or TRANSACTION=AMOUNT; 1,000 at most.")
    ],
    *,
    request_id: Annotated[str, typer.Option(help="Of your own books: the same again refunds once.")],
    merchant: Merchant = "",
    credentials: Who = None,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Give money back; each item is answered on its own."""
    pairs = [each.partition("=") for each in items]

    def act(client: Client) -> object:
        wanted = [RefundItem(transaction, _paise(amount)) for transaction, _, amount in pairs]
        return client.refund(wanted, request_id=request_id)

    _call(act, credentials, data_dir, merchant, json=json, title="Refund")


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

    _call(act, credentials, data_dir, merchant, json=json, title="QR")


@app.command()
def vpa(
    address: Annotated[str, typer.Argument(help="A UPI address.")],
    *,
    merchant: Merchant = "",
    credentials: Who = None,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Ask whether a UPI address is registered, and whose it is."""
    _call(lambda client: client.validate_vpa(address), credentials, data_dir, merchant, json=json, title="Address")


@app.command()
def capture(
    transaction: Transaction,
    *,
    amount: Amount = "",
    merchant: Merchant = "",
    credentials: Who = None,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Collect what was authorised."""
    _call(
        lambda client: client.capture(transaction, amount_paise=_paise(amount)),
        credentials,
        data_dir,
        merchant,
        json=json,
        title="Transaction",
    )


@app.command()
def void(
    transaction: Transaction,
    *,
    merchant: Merchant = "",
    credentials: Who = None,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Give back what was authorised."""
    _call(lambda client: client.void(transaction), credentials, data_dir, merchant, json=json, title="Transaction")


@app.command()
def split(
    transaction: Transaction,
    rrn: Annotated[str, typer.Argument(help="As verify shows it.")],
    shares: Annotated[list[str], typer.Argument(help="IDENTIFIER=VALUE, each with two places.")],
    *,
    request_id: Annotated[str, typer.Option(help="1 to 15 digits of your own.")],
    primary: Annotated[str, typer.Option(help="What stays with the merchant.")] = "0.00",
    absolute: Annotated[bool, typer.Option("--absolute", help="Values are rupees, not per cents.")] = False,
    merchant: Merchant = "",
    credentials: Who = None,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Say how a transaction is shared with linked accounts."""
    pairs = [each.partition("=") for each in shares]

    def act(client: Client) -> object:
        asked = Split(
            transaction_id=transaction,
            rrn=rrn,
            request_id=request_id,
            primary=0 if primary in {"0", "0.00"} else paise(primary),
            shares={identifier: paise(value) for identifier, _, value in pairs},
            unit=SplitType.ABSOLUTE if absolute else SplitType.PERCENTAGE,
        )
        return client.split(asked)

    _call(act, credentials, data_dir, merchant, json=json, title="Split")
