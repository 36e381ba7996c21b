"""How commands of the operator work on the database, and how their refusals are told."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from hundi.api.replies import CODE_OF
from hundi.bootstrap import Office, open_office
from hundi.cli.output import check_data, fail
from hundi.infra.addresses import AddressRefusedError
from hundi.infra.http_client import OutboundClient
from hundi.infra.settings import DEMO_FILE, Settings, load_settings
from hundi.kernel.refusals import Refusal, RefusalCode, Refused
from hundi.partners.directory.actions import PartnerDirectory
from hundi.partners.directory.rules import Partner

_NOBODY = {RefusalCode.PARTNER_UNPROVEN: "partner", RefusalCode.MERCHANT_UNKNOWN: "merchant"}


def run(
    data_dir: str | None,
    act: Callable[[Office], Awaitable[Any]],
    told: Mapping[RefusalCode, str] | None = None,
) -> Any:  # noqa: ANN401 (whatever act returns)
    """Do something with the database of the data directory and return what came of it; exits when it is refused.

    told: the command's own words for some refusals.
    """
    settings = load_settings(data_dir=data_dir)
    check_data(settings)

    async def within() -> object:
        async with open_office(settings) as office:
            return await act(office)

    try:
        return asyncio.run(within())
    except Refused as refused:
        raise fail((told or {}).get(refused.refusal.code) or _words(refused.refusal)) from None


def _words(refusal: Refusal) -> str:
    """Return why a command was refused, for whoever typed it: the wire's sentence, and what was wrong with what."""
    if refusal.code in _NOBODY:
        return f"there is no {_NOBODY[refusal.code]} {refusal.received}"
    parts = [CODE_OF[refusal.code].words]
    if refusal.field:
        parts.append(f"{refusal.field} was {str(refusal.received)!r}" if refusal.received else refusal.field)
    if refusal.allowed:
        parts.append(f"allowed: {refusal.allowed}")
    return "; ".join(parts)


async def partner_of(office: Office, affiliate: str) -> Partner:
    """Return a partner; exits when there is none of this code."""
    partner = await PartnerDirectory(office.db, office.vault).get(affiliate)
    if partner is None:
        raise fail(f"there is no partner {affiliate}")
    return partner


async def check_merchant(office: Office, merchant_id: int) -> None:
    """Exit unless there is a merchant of this id."""
    if await office.directory.get(merchant_id) is None:
        raise fail(f"there is no merchant {merchant_id}")


def is_demo(settings: Settings) -> bool:
    """Tell whether a data directory is a demo's: a command has its own environment, which does not say it."""
    return (settings.data_dir / DEMO_FILE).exists()


async def check_reach(office: Office, name: str, url: str) -> None:
    """Exit unless an address that somebody chose may be called. name: of the setting."""
    # A demo calls loopback.
    allow_private = is_demo(office.settings) or office.settings.allow_private_callbacks
    async with OutboundClient() as http:
        try:
            await http.check_address(url, allow_private=allow_private)
        except AddressRefusedError as refused:
            raise fail(f"{name}: {refused}") from None
