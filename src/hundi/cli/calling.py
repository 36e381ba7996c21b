"""Calls to the gateway as a merchant: the credentials, one call, and its printed result."""

import os
from collections.abc import Callable
from dataclasses import asdict, is_dataclass
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from hundi.cli.context import base_url
from hundi.cli.output import fail, show
from hundi.infra.settings import DEMO_FILE, Settings, load_settings
from hundi.sdk import Client, Credentials, Gateway, HundiError

_BASE_URL = "HUNDI_BASE_URL"
Who = Annotated[
    Path | None,
    typer.Option(
        "--credentials", help="A JSON file: demo.json, or what `merchant add --json` printed."
    ),
]
DataDir = Annotated[
    str | None, typer.Option("--data-dir", help="Where demo.json is, without --credentials.")
]
Merchant = Annotated[
    str, typer.Option(help="Which merchant of demo.json; the first one otherwise.")
]


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


def client_of(credentials: Path | None, data_dir: str | None, merchant: str) -> Client:
    """Return a client with a merchant's credentials; exits when there are none."""
    settings = load_settings(data_dir=data_dir)
    path = credentials or settings.data_dir / DEMO_FILE
    try:
        content = path.read_bytes()
    except OSError as error:
        raise fail(
            f"{path}: {error.strerror}; name the merchant's credentials with --credentials"
        ) from None
    try:
        if b'"merchants"' in content:
            demo = msgspec.json.decode(content, type=_Demo)
            merchants = [each for each in demo.merchants if merchant in {"", each.merchant_id}]
            gateway = demo.base_url
        else:
            merchants = [msgspec.json.decode(content, type=_Merchant)]
            gateway = merchants[0].base_url or _gateway(settings)
    except (msgspec.DecodeError, RecursionError) as error:
        raise fail(f"{path} holds no credentials: {error}") from None
    if not merchants:
        raise fail(f"{path} has no merchant {merchant}")
    one = merchants[0]
    keys = Credentials(
        merchant_id=one.merchant_id,
        username=one.username,
        password=one.password,
        api_secret=one.secret,
        oauth_client_id=one.client_id,
        oauth_client_secret=one.client_secret,
        webhook_keys=one.webhook_keys or (one.webhook_key,),
    )
    return Client(keys, Gateway(base_url=gateway))


def _gateway(settings: Settings) -> str:
    """Return the gateway of credentials that name none: the environment's, else a demo's."""
    return settings.base_url if _BASE_URL in os.environ else base_url(settings)


def call(
    act: Callable[[Client], object],
    who: Path | None,
    data_dir: str | None,
    merchant: str,
    *,
    json: bool,
    title: str,
) -> None:
    """Make one call and print what it came to.

    A refusal is printed with its code, and is exit status 2.
    """
    try:
        with client_of(who, data_dir, merchant) as client:
            result = act(client)
    except HundiError as error:
        raise fail(f"{type(error).__name__}: {error}") from None
    except OSError as error:
        raise fail(f"{error.filename}: {error.strerror}") from None
    show(plain(result), json=json, title=title)


def plain(result: object) -> Any:  # noqa: ANN401 (one object or a list of them)
    """Return a call's result for printing."""
    if is_dataclass(result) and not isinstance(result, type):
        return msgspec.to_builtins(
            {name: value for name, value in asdict(result).items() if name != "png"}
        )
    return [plain(each) for each in result] if isinstance(result, tuple) else result
