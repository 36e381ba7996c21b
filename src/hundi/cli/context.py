"""Runs an operator's command on the database, and prints its refusal."""

import asyncio
import getpass
import os
import sys
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from hundi.acquirers.port.memory import ShortMemory
from hundi.acquirers.port.payments import Connector
from hundi.api.replies import CODE_OF
from hundi.cli.output import check_data, fail
from hundi.gateway.bootstrap import (
    OperatorContext,
    account_context,
    open_every_connector,
    open_operator_context,
)
from hundi.infra.postgres.looks import left_out
from hundi.infra.settings import (
    ACQUIRER_KEY_FILE,
    DEMO_FILE,
    SIMULATOR,
    Settings,
    load_settings,
    with_simulator,
)
from hundi.kernel.clock import utc_now
from hundi.kernel.ids import new_id
from hundi.kernel.masking import masked
from hundi.kernel.refusals import Refusal, RefusalCode, Refused
from hundi.kernel.states import Actor
from hundi.staff.trail.actions import Who, at_command_line, record
from hundi.verbs.context import VerbContext
from hundi.verbs.verb import OperatorVerb

_NOBODY = {RefusalCode.PARTNER_UNPROVEN: "partner", RefusalCode.MERCHANT_UNKNOWN: "merchant"}


def run(
    data_dir: str | None,
    act: Callable[[OperatorContext], Awaitable[Any]],
    told: Mapping[RefusalCode, str] | None = None,
    *,
    reading: bool = False,
) -> Any:  # noqa: ANN401 (whatever act returns)
    """Run a command on the database of the data directory and return its result.

    Exit when it is refused.

    told: the command's own texts for some refusals. reading: it changes nothing, so a replica will
    do.
    """
    settings = load_settings(data_dir=data_dir)
    check_data(settings)

    async def within() -> object:
        async with open_operator_context(settings, reading=reading) as context:
            with telling_left_out():
                return await act(context)

    try:
        return asyncio.run(within())
    except Refused as refused:
        raise fail((told or {}).get(refused.refusal.code) or _words(refused.refusal)) from None


@contextmanager
def telling_left_out() -> Iterator[None]:
    """Print on the error output, at the end, whether a lost node's merchants were left out."""
    with left_out() as missing:
        yield
    if missing.words:
        sys.stderr.write(missing.words + "\n")


def by_command(context: OperatorContext) -> Who:
    """Return the person who runs a command, as the trail names them."""
    return at_command_line(getpass.getuser(), context.vault)


async def record_export(context: OperatorContext, merchant_id: int, act: str, number: int) -> None:
    """Write into a merchant's trail that a command takes a file of it away."""
    await record(context.db, merchant_id, by_command(context), act, number, utc_now())


def verb_context(context: OperatorContext, verb: OperatorVerb[Any]) -> VerbContext:
    """Return the context of a verb for a person who works on the machine."""
    settings, user, now = context.settings, getpass.getuser(), utc_now()
    return VerbContext(
        settings=settings,
        db=context.db,
        vault=context.vault,
        directory=context.directory,
        accounts=account_context(with_demo(settings), context.db, context.vault, ShortMemory()),
        now=now,
        who=at_command_line(user, context.vault),
        trail=verb.trail,
        across=False,
        name=user,
        told_as="the operator",
        actor=Actor.OPERATOR,
        payment_page_url=payment_page_url(settings),
        base_url=base_url(settings),
        reference=f"cli-{new_id(now)}",
        allow_private=is_demo(settings) or settings.allow_private_callbacks,
        acquirers=partial(_acquirers, context),
    )


async def _acquirers(context: OperatorContext, capability: type = object) -> list[Connector]:
    """Return all acquirers that have a capability, closed again."""
    settings = with_demo(context.settings)
    async with open_every_connector(settings, context.db, context.vault, ShortMemory()) as registry:
        return [each for each in registry.all() if isinstance(each, capability)]


def _words(refusal: Refusal) -> str:
    """Return the reason of a refusal: the wire's text, the field and the allowed values."""
    if refusal.code in _NOBODY:
        return f"there is no {_NOBODY[refusal.code]} {masked(str(refusal.received))}"
    parts = [CODE_OF[refusal.code].words]
    if refusal.field:
        parts.append(
            f"{refusal.field} was {masked(str(refusal.received))!r}"
            if refusal.received
            else refusal.field
        )
    if refusal.allowed:
        parts.append(f"allowed: {refusal.allowed}")
    return "; ".join(parts)


async def check_merchant(context: OperatorContext, merchant_id: int) -> None:
    """Exit unless a merchant has this id."""
    if await context.directory.get(merchant_id) is None:
        raise fail(f"there is no merchant {merchant_id}")


def is_demo(settings: Settings) -> bool:
    """Return whether a data directory is a demo's.

    The command's own environment does not tell.
    """
    return _believed(settings, DEMO_FILE) is not None


def with_demo(settings: Settings) -> Settings:
    """Return the settings with the address and key of the demo's bank.

    Explicit settings count more.
    """
    key_file, demo = _believed(settings, ACQUIRER_KEY_FILE), _of_demo(settings)
    if settings.acquirer_key or key_file is None:
        return settings
    key, url = key_file.read_text().strip(), settings.simbank_url
    if "HUNDI_SIMBANK_URL" not in os.environ and demo:
        url = demo.simbank_url
    acquirers = settings.acquirers
    if SIMULATOR not in acquirers:
        acquirers = with_simulator(acquirers, url, key, settings.simbank_face)
    return msgspec.structs.replace(settings, acquirer_key=key, simbank_url=url, acquirers=acquirers)


def payment_page_url(settings: Settings) -> str:
    """Return the gateway's address for customers; a demo's ports are in its `demo.json`."""
    places = _of_demo(settings)
    return places.payment_page_url if places else settings.payment_page_url


def base_url(settings: Settings) -> str:
    """Return the gateway's address for servers; a demo's ports are in its `demo.json`."""
    places = _of_demo(settings)
    return places.base_url if places else settings.base_url


class _WhereThingsAre(msgspec.Struct, frozen=True):
    """The addresses in `demo.json` of this gateway and its bank."""

    simbank_url: str
    payment_page_url: str = ""
    base_url: str = ""


def _of_demo(settings: Settings) -> _WhereThingsAre | None:
    demo_file = _believed(settings, DEMO_FILE)
    return (
        None
        if demo_file is None
        else msgspec.json.decode(demo_file.read_bytes(), type=_WhereThingsAre)
    )


def _believed(settings: Settings, name: str) -> Path | None:
    """Return a demo's file in the data directory, or None without one that may be believed.

    With a database of your own the directory belongs to the services: one that was taken over could
    write there where an operator's commands call. So the file has to be of who runs the command.
    """
    path = settings.data_dir / name
    if not path.exists():
        return None
    is_own = settings.database_url is None or path.lstat().st_uid == os.geteuid()
    return path if is_own else None
