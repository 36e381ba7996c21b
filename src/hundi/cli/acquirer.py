"""`hundi acquirer`: adds, rotates, disables and checks accounts at acquirers."""

import asyncio
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Collection
from contextlib import asynccontextmanager
from typing import Annotated, Any, Literal, get_origin

import msgspec
import typer

from hundi.acquirers.kinds import (
    COMMON,
    AcquirerConfigurationError,
    AcquirerKind,
    kind_of,
    secret_fields,
)
from hundi.acquirers.port.capabilities import abilities
from hundi.acquirers.port.checkout import BringsBack
from hundi.acquirers.port.memory import ShortMemory
from hundi.acquirers.port.payments import Connector
from hundi.acquirers.port.probes import Probe, probe
from hundi.api.addresses import RETURN_PAGE
from hundi.cli.acquirer_shown import (
    ORIGINS,
    InstalledAcquirers,
    callback_url,
    fields_shown,
    row_of,
    row_of_settings,
    trouble_shown,
)
from hundi.cli.certify import certify
from hundi.cli.context import by_command, check_merchant, payment_page_url, run, with_demo
from hundi.cli.output import ID_MAX, DataDir, Json, fail, has_data, show
from hundi.gateway.bootstrap import (
    OperatorContext,
    account_context,
    open_connectors,
    open_every_connector,
    open_operator_context,
)
from hundi.infra.settings import Settings, load_settings
from hundi.kernel.clock import utc_now
from hundi.payments.acquirer_accounts import actions, store
from hundi.payments.acquirer_accounts.actions import AccountContext
from hundi.payments.acquirer_accounts.rules import EVERYBODY
from hundi.verbs.acquirer import account_row

Name = Annotated[str, typer.Argument(help="The acquirer's name.")]
PaidTo = Literal["operator", "merchant"]
_CHANGED = "it counts within seconds, in every process"
_PAID_TO_MERCHANT = (
    "Hundi settles every payment to its merchant: what the acquirer pays to the merchant itself"
    " would be paid twice. "
    "Only an account whose money comes to you can be added"
    " (docs/acquirer-accounts.md#one-merchants-account)"
)


def list_acquirers(*, data_dir: DataDir = None, json: Json = False) -> None:
    """List the acquirers in the order in which they serve: those of the settings come first.

    `can`: the methods that each may take, or what else it is for. `first_for`: the channels that it
    serves without a routing plan.
    """

    async def act(all_of_it: InstalledAcquirers) -> list[dict[str, Any]]:
        rows = [row_of(all_of_it, each) for each in all_of_it.registry.members]
        opened = {row["acquirer"] for row in rows}
        return rows + [
            {
                **account_row(each),
                "can": "cannot be opened: hundi acquirer check says why",
                "first_for": "nothing",
                **trouble_shown(all_of_it, name),
            }
            for name, each in all_of_it.accounts.items()
            if name not in opened
        ]

    show(_with_everything(data_dir, act), json=json, title="Acquirers")


def show_acquirer(name: Name, *, data_dir: DataDir = None, json: Json = False) -> None:
    """Show an acquirer's fields without its secrets, its abilities, and its addresses."""

    async def act(all_of_it: InstalledAcquirers) -> dict[str, Any]:
        connector, settings = _named(all_of_it, name), all_of_it.settings
        (member,) = (each for each in all_of_it.registry.members if each.connector.name == name)
        account, kind = all_of_it.accounts.get(name), all_of_it.kind(name)
        origins = [origin for field in ORIGINS for origin in getattr(connector, field, ())]
        row = account_row(account) if account else row_of_settings(all_of_it, connector)
        since = {"revision": account.revision, "changed_at": account.changed_at} if account else {}
        back = f"{payment_page_url(settings)}{RETURN_PAGE}{name}"
        return {
            **row,
            **since,
            **trouble_shown(all_of_it, name),
            "fields": fields_shown(
                kind_of(name, {"kind": kind}),
                account.fields if account else settings.acquirers[name],
            ),
            "webhooks_to": callback_url(settings, connector),
            "customers_back_to": back
            if isinstance(connector, BringsBack)
            else "the page of each payment",
            "customers_to": ", ".join(dict.fromkeys(origins)) or "nowhere",
            "methods": ", ".join(member.can) or "none",
            "capabilities": ", ".join(abilities(connector)),
            "checks": len(kind_of(name, {"kind": kind}).checks),
        }

    show(_with_everything(data_dir, act), json=json, title="Acquirer")


def check(name: Name, *, data_dir: DataDir = None, json: Json = False) -> None:
    """Ask an acquirer what moves nothing, and say what else to try by hand before it takes money.

    The status is 1 when an answer is not the one that has to come.
    """

    async def act(all_of_it: InstalledAcquirers) -> tuple[tuple[Probe, ...], str]:
        return await probe(_named(all_of_it, name)), all_of_it.kind(name)

    probes, kind = _with_everything(data_dir, act)
    rows: list[dict[str, Any]] = [
        {
            "check": each.name,
            "called": each.called,
            "expected": each.expected,
            "outcome": "passed" if each.passed else "FAILED",
            "said": each.said,
        }
        for each in probes
    ]
    rows += [
        {
            "check": each.name,
            "called": each.called,
            "expected": each.expected,
            "outcome": "by hand, with a payment" if each.paid else "by hand",
            "said": "",
        }
        for each in kind_of(name, {"kind": kind}).checks
    ]
    show(rows, json=json, title=f"Checks of {name}")
    if not all(each.passed for each in probes):
        raise typer.Exit(1)


def add(
    name: Name,
    kind: Annotated[str, typer.Argument(help="Its kind, such as razorpay.")],
    *,
    merchant: Annotated[
        int, typer.Option(min=0, max=ID_MAX, help="Whose payments alone it takes; 0: all.")
    ] = 0,
    paid_to: Annotated[
        PaidTo | None, typer.Option(help="With --merchant: whom the acquirer pays.")
    ] = None,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Add an account while the gateway runs; it takes payments after ten seconds.

    Its fields are asked for, or come as a JSON object on standard input. Never type a secret into a
    command.
    """
    if (merchant != EVERYBODY) is not (paid_to is not None):
        raise fail(
            "--merchant and --paid-to belong together: whom does the acquirer pay this merchant's"
            " money?"
        )
    if paid_to == "merchant":
        raise fail(_PAID_TO_MERCHANT)
    fields = _given(_known_kind(name, kind), ())

    async def act(context: OperatorContext) -> dict[str, Any]:
        if merchant != EVERYBODY:
            await check_merchant(context, merchant)
        who = by_command(context)
        return account_row(
            await actions.add(_accounts(context), name, kind, merchant, fields, who, utc_now())
        )

    show(_run(data_dir, act), json=json, title="Added: it takes payments after ten seconds")


def rotate(
    name: Name,
    fields: Annotated[
        list[str] | None, typer.Argument(help="Which fields to ask for, such as key_secret.")
    ] = None,
    *,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Change fields of an account while it is used: new secrets, a new address, other methods.

    They are asked for, or come as a JSON object on standard input. Webhooks under the secrets
    before each rotation are believed for 24 hours.
    """

    async def act(context: OperatorContext) -> dict[str, Any]:
        accounts = await store.select_all(context.db)
        kind = next((each.kind for each in accounts if each.name == name), None)
        changes = _given(kind_of(name, {"kind": kind}), fields or ()) if kind else {}
        who = by_command(context)
        changed = await actions.rotate(_accounts(context), name, changes, who, utc_now())
        return {
            **account_row(changed),
            "revision": changed.revision,
            "fields": ", ".join(sorted(changes)),
        }

    show(_run(data_dir, act), json=json, title=f"Changed: {_CHANGED}")


def _given(kind: AcquirerKind[Any], asked_for: Collection[str]) -> dict[str, Any]:
    """Return fields typed by a person, or from the JSON object on standard input.

    They never come from the command line.
    """
    if not sys.stdin.isatty():
        return _read_json()
    secret, types = (
        secret_fields(kind),
        {each.name: each for each in msgspec.structs.fields(kind.settings)},
    )
    unknown = sorted(set(asked_for) - {*types, *COMMON})
    if unknown:
        raise fail(f"{', '.join(unknown)}: not a field of this kind, which has {', '.join(types)}")
    fields: dict[str, Any] = {}
    for name in asked_for or types:
        typed = typer.prompt(name, default="", hide_input=name in secret, show_default=False)
        if typed:
            is_list = name in types and get_origin(types[name].type) is tuple
            fields[name] = [each.strip() for each in typed.split(",")] if is_list else typed
    return fields


def _read_json() -> dict[str, Any]:
    try:
        fields = msgspec.json.decode(sys.stdin.read(), type=dict[str, Any])
    except (msgspec.DecodeError, RecursionError):
        # The error's text may quote the secrets.
        fields = {}
    if not fields:
        raise fail(
            'without a terminal the fields come on standard input, as JSON: {"key_id": "…",'
            ' "key_secret": "…"}'
        )
    return fields


def _known_kind(name: str, kind: str) -> AcquirerKind[Any]:
    try:
        return kind_of(name, {"kind": kind})
    except AcquirerConfigurationError as error:
        raise fail(str(error)) from None


def _run(data_dir: str | None, act: Callable[[OperatorContext], Awaitable[Any]]) -> Any:  # noqa: ANN401 (as `run`)
    try:
        return run(data_dir, act)
    except AcquirerConfigurationError as error:
        raise fail(str(error)) from None


def _accounts(context: OperatorContext) -> AccountContext:
    """Return the context that opens accounts; a demo's bank is one of its settings."""
    return account_context(with_demo(context.settings), context.db, context.vault, ShortMemory())


def _with_everything(
    data_dir: str | None, act: Callable[[InstalledAcquirers], Awaitable[Any]]
) -> Any:  # noqa: ANN401 (as `run`)
    """Run a command about all acquirers.

    Without a database yet, these are the acquirers of the settings.
    """
    settings = with_demo(load_settings(data_dir=data_dir))

    async def within() -> object:
        async with _opened(settings) as all_of_it:
            return await act(all_of_it)

    return asyncio.run(within())


@asynccontextmanager
async def _opened(settings: Settings) -> AsyncIterator[InstalledAcquirers]:
    if not has_data(settings):
        registry = open_connectors(settings, ShortMemory())
        try:
            yield InstalledAcquirers(settings, registry, {}, {})
        finally:
            await registry.close()
        return
    async with open_operator_context(settings, reading=True) as context:
        accounts = {each.name: each for each in await store.select_all(context.db)}
        troubles = await store.troubles(context.db)
        async with open_every_connector(
            settings, context.db, context.vault, ShortMemory()
        ) as registry:
            yield InstalledAcquirers(settings, registry, accounts, troubles)


def _named(all_of_it: InstalledAcquirers, name: str) -> Connector:
    connectors = {each.name: each for each in all_of_it.registry.all()}
    if name in connectors:
        return connectors[name]
    if name in all_of_it.accounts:
        raise fail(
            f"the account {name} cannot be opened: its kind is not installed, or its row was"
            " changed"
        )
    raise fail(f"no acquirer {name} is configured: {', '.join(connectors) or 'none is'}")


COMMANDS = {
    "list": list_acquirers,
    "show": show_acquirer,
    "check": check,
    "certify": certify,
    "add": add,
    "rotate": rotate,
}
"""Commands that open connectors or ask for secrets."""
