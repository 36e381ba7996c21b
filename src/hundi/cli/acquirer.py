"""`hundi acquirer`: what is configured, what it can do, and what to try before money moves.

Nothing here opens the database: an account is checked before there is a gateway.
"""

import asyncio
from typing import Annotated, Any

import typer

from hundi.acquirers.capabilities import abilities
from hundi.acquirers.kinds import kind_of
from hundi.acquirers.memory import ShortMemory
from hundi.acquirers.port import Connector
from hundi.acquirers.probes import Probe, probe
from hundi.acquirers.registry import CAPABILITY, Registry
from hundi.api.addresses import CALLBACK
from hundi.bootstrap import open_connectors
from hundi.cli.output import DataDir, Json, fail, show
from hundi.infra.settings import Settings, load_settings

app = typer.Typer(help="Acquirers: list, show, check.", no_args_is_help=True)
Name = Annotated[str, typer.Argument(help="The acquirer's name, as it is configured.")]
_ORIGINS = ("browser_origins", "redirect_origins", "checkout_origins", "direct_origins")


@app.command("list")
def list_acquirers(*, data_dir: DataDir = None, json: Json = False) -> None:
    """List the configured acquirers, in the order in which they serve, and the methods that each serves."""
    settings, registry = _opened(data_dir)
    rows = [
        {
            "acquirer": each.name,
            "kind": settings.acquirers[each.name]["kind"],
            "money": _money(each),
            "serves": ", ".join(name for name in CAPABILITY if registry.default_for(name) is each) or "nothing",
        }
        for each in registry.all()
    ]
    show(rows, json=json, title="Acquirers")


@app.command("show")
def show_acquirer(name: Name, *, data_dir: DataDir = None, json: Json = False) -> None:
    """Show what an acquirer can do, and where customers and webhooks go."""
    settings, registry = _opened(data_dir)
    connector = _named(registry, name)
    origins = [origin for field in _ORIGINS for origin in getattr(connector, field, ())]
    shown = {
        "acquirer": name,
        "kind": settings.acquirers[name]["kind"],
        "money": _money(connector),
        "webhooks_to": f"{settings.base_url}{CALLBACK}{name}",
        "customers_to": ", ".join(dict.fromkeys(origins)) or "nowhere",
        "methods": ", ".join(each for each, kind in CAPABILITY.items() if isinstance(connector, kind)) or "none",
        "capabilities": ", ".join(abilities(connector)),
        "checks": len(kind_of(name, settings.acquirers[name]).checks),
    }
    show(shown, json=json, title="Acquirer")


@app.command()
def check(name: Name, *, data_dir: DataDir = None, json: Json = False) -> None:
    """Ask an acquirer what moves nothing, and say what else to try by hand before it takes money.

    The status is 1 when an answer is not the one that has to come.
    """
    settings, registry = _opened(data_dir)
    connector = _named(registry, name)
    probes = asyncio.run(_probed(registry, connector))
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
        for each in kind_of(name, settings.acquirers[name]).checks
    ]
    show(rows, json=json, title=f"Checks of {name}")
    if not all(each.passed for each in probes):
        raise typer.Exit(1)


async def _probed(registry: Registry, connector: Connector) -> tuple[Probe, ...]:
    try:
        return await probe(connector)
    finally:
        await registry.close()


def _opened(data_dir: str | None) -> tuple[Settings, Registry]:
    """Return the settings and what is configured in them; what connectors remember ends with this command."""
    settings = load_settings(data_dir=data_dir)
    return settings, open_connectors(settings, ShortMemory())


def _named(registry: Registry, name: str) -> Connector:
    found = next((each for each in registry.all() if each.name == name), None)
    if found is None:
        raise fail(f"no acquirer {name} is configured: {', '.join(each.name for each in registry.all()) or 'none is'}")
    return found


def _money(connector: Connector) -> str:
    return "simulated" if connector.simulated else "real"
