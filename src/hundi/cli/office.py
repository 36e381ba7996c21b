"""How commands of the operator work on the database, and how their refusals are told."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from hundi.bootstrap import Office, open_office
from hundi.cli.output import fail, refused_words
from hundi.infra.addresses import AddressRefusedError
from hundi.infra.http_client import OutboundClient
from hundi.infra.settings import DEMO_FILE, load_settings
from hundi.kernel.refusals import Refused


def run(data_dir: str | None, act: Callable[[Office], Awaitable[Any]]) -> Any:  # noqa: ANN401 (whatever act returns)
    """Do something with the database of the data directory and return what came of it; exits when it is refused."""

    async def within() -> object:
        async with open_office(load_settings(data_dir=data_dir)) as office:
            return await act(office)

    try:
        return asyncio.run(within())
    except Refused as refused:
        raise fail(refused_words(refused.refusal)) from None


async def check_reach(office: Office, name: str, url: str) -> None:
    """Exit unless an address that somebody chose may be called. name: of the setting."""
    # A command has its own environment: that the gateway is a demo, and so calls loopback, shows in the data directory.
    demo = (office.settings.data_dir / DEMO_FILE).exists()
    async with OutboundClient() as http:
        try:
            await http.check_address(url, allow_private=demo or office.settings.allow_private_callbacks)
        except AddressRefusedError as refused:
            raise fail(f"{name}: {refused}") from None
