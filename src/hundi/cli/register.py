"""`hundi register`: the simulated registers, shown and changed, so that every answer of the interfaces can be had."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Annotated, Any

import msgspec
import typer

from hundi.cli.output import DataDir, Json, fail, show
from hundi.infra.settings import ACQUIRER_KEY_FILE, DEMO_FILE, Settings, load_settings
from hundi.providers.port import Forbidden, Nobody, Silent
from hundi.providers.sandbox import SandboxRegisters, number_of

app = typer.Typer(help="The simulated registers of businesses, holders and cards.", no_args_is_help=True)
Words = Annotated[str, typer.Argument(help="Only those that hold these words.")]
Limit = Annotated[int, typer.Option(min=1, max=300)]
Changes = Annotated[list[str], typer.Argument(help="NAME=VALUE, as the entry shows its names.")]


def ask(data_dir: str | None, act: Callable[[SandboxRegisters], Awaitable[Any]]) -> Any:  # noqa: ANN401 (an entry)
    """Ask the simulated registers and return the entry; exits with the reason when there is none."""
    key, url = _found(load_settings(data_dir=data_dir))

    async def within() -> object:
        registers = SandboxRegisters(url, key.encode())
        try:
            return await act(registers)
        finally:
            await registers.close()

    if not key:
        raise fail("there are no simulated registers without HUNDI_ACQUIRER_KEY")
    found = asyncio.run(within())
    if isinstance(found, Silent):
        raise fail(f"the registers at {url} do not answer: {found.reason}")
    if isinstance(found, Forbidden):
        raise fail(found.reason)
    if isinstance(found, Nobody):
        raise fail("no such entry")
    return found


def _found(settings: Settings) -> tuple[str, str]:
    """Return key and address of the registers: as configured, else of the demo in the data directory."""
    key_file, demo_file = settings.data_dir / ACQUIRER_KEY_FILE, settings.data_dir / DEMO_FILE
    key = settings.acquirer_key or (key_file.read_text().strip() if key_file.exists() else "")
    if settings.acquirer_key or not demo_file.exists():
        return key, settings.simbank_url
    return key, msgspec.json.decode(demo_file.read_bytes())["simbank_url"]


def _pairs(changes: list[str]) -> dict[str, str]:
    pairs = {name: value for name, separator, value in (each.partition("=") for each in changes) if separator}
    if len(pairs) < len(changes):
        raise fail("changes are NAME=VALUE, each name once")
    return pairs


@app.command()
def businesses(words: Words = "", *, limit: Limit = 50, data_dir: DataDir = None, json: Json = False) -> None:
    """List businesses."""
    show(ask(data_dir, lambda registers: registers.businesses(words, limit)), json=json, title="Businesses")


@app.command("change-business")
def change_business(
    gstin: Annotated[str, typer.Argument()], changes: Changes, *, data_dir: DataDir = None, json: Json = False
) -> None:
    """Change fields of a business."""
    show(
        ask(data_dir, lambda registers: registers.change_business(gstin, _pairs(changes))), json=json, title="Business"
    )


@app.command()
def people(words: Words = "", *, limit: Limit = 50, data_dir: DataDir = None, json: Json = False) -> None:
    """List holders of identity numbers, all of them made up, with the number each of them has."""
    found = ask(data_dir, lambda registers: registers.people(words, limit))
    show([{"number": number_of(each["holder_no"]), **each} for each in found], json=json, title="People")


@app.command("change-person")
def change_person(
    holder_no: Annotated[int, typer.Argument()], changes: Changes, *, data_dir: DataDir = None, json: Json = False
) -> None:
    """Change fields of a holder."""
    fields = _pairs(changes)
    show(ask(data_dir, lambda registers: registers.change_person(holder_no, fields)), json=json, title="Person")
