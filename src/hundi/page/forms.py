"""Incoming forms: origin, size, and the return of a refused form to its page without a cookie."""

import base64
import binascii
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

import msgspec
from litestar import Request

from hundi.infra.secrets.vault import Vault, VaultError
from hundi.instruments.card import NUMBER_LENGTH_MIN
from hundi.page.facts import Typed
from hundi.wire.forms import UnreadableForm, pairs

BODY_BYTES_MAX = 16 * 1024
FIELDS_MAX = 20
SENT_BACK_LIFE_S = 600
# Returned texts travel in an address, so they are cut to what a person types.
_TEXT_LENGTH_MAX = 255
_PURPOSE = "payment-page-form"


class ForeignError(Exception):
    """A form was posted from another site."""


class _SentBack(msgspec.Struct, frozen=True):
    """The content of a returned form, for one session and a few minutes. at: Unix seconds."""

    path: str
    at: int
    typed: Typed


def check_same_site(headers: Mapping[str, str]) -> None:
    """Raise ForeignError unless a POST comes from a page of our own.

    The session's address alone gives the right to act, without a cookie, so this is a second lock.
    Our pages send no referrer, so their Origin is `null`: then Sec-Fetch-Site decides, else the
    address alone.
    """
    site = headers.get("sec-fetch-site", "")
    if site and site not in {"same-origin", "none"}:
        raise ForeignError(site)
    origin = headers.get("origin", "null")
    if origin != "null" and urlsplit(origin).netloc != headers.get("host", ""):
        raise ForeignError(origin)


async def read(request: Request[Any, Any, Any]) -> dict[str, str]:
    """Return the fields of a URL-encoded form.

    An unreadable form has none, and so gets its errors.
    """
    body = await request.body()
    try:
        return dict(pairs(body, FIELDS_MAX))
    except UnreadableForm:
        return {}


def send_back(vault: Vault, path: str, typed: Typed, now_s: int) -> str:
    """Return the session's address with a refused form in it, sealed because people typed it."""
    cut = msgspec.structs.replace(
        typed,
        expiry=_without_card(typed.expiry[:_TEXT_LENGTH_MAX]),
        holder=_without_card(typed.holder[:_TEXT_LENGTH_MAX]),
        vpa=typed.vpa[:_TEXT_LENGTH_MAX],
        bank=_without_card(typed.bank[:_TEXT_LENGTH_MAX]),
        plan=_without_card(typed.plan[:_TEXT_LENGTH_MAX]),
    )
    sealed = vault.seal(msgspec.json.encode(_SentBack(path, now_s, cut)), _PURPOSE)
    return f"{path}?f={base64.urlsafe_b64encode(sealed).decode()}"


def _without_card(text: str) -> str:
    """Return a text, or "" if it has as many digits as a card (typed into the wrong field)."""
    return "" if sum(map(str.isdigit, text)) >= NUMBER_LENGTH_MIN else text


def sent_back(vault: Vault, path: str, text: str, now_s: int) -> Typed:
    """Return the form in the address; anything but our own fresh one of this session is empty."""
    if not text:
        return Typed()
    try:
        opened = vault.open(base64.urlsafe_b64decode(text), _PURPOSE)
        form = msgspec.json.decode(opened, type=_SentBack)
    except (binascii.Error, ValueError, VaultError, msgspec.DecodeError, RecursionError):
        return Typed()
    # A future time can only come from another process whose demo clock moved first.
    fresh = now_s - form.at <= SENT_BACK_LIFE_S
    return form.typed if fresh and form.path == path else Typed()
