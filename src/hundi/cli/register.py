"""`hundi register`: shows and changes the simulated registers, to produce every answer."""

import asyncio
import re
from collections.abc import Awaitable, Callable
from typing import Annotated, Any

import typer

from hundi.cli.context import with_demo
from hundi.cli.output import DataDir, Json, check_data, fail, show
from hundi.infra.settings import load_settings
from hundi.partners.registers.port import Forbidden, Nobody, Silent
from hundi.partners.registers.sandbox import SandboxRegisters, number_of

app = typer.Typer(
    help="The simulated registers of businesses, holders and cards.", no_args_is_help=True
)
Words = Annotated[str, typer.Argument(help="Only those that hold these words.")]
Limit = Annotated[int, typer.Option(min=1, max=300, help="How many at most.")]
_PLACE = re.compile(r"[1-9][0-9]{0,6}\Z")
_NUMBER = re.compile(r"[0-9]{12}\Z")
Changes = Annotated[list[str], typer.Argument(help="NAME=VALUE, as the entry shows its names.")]


def ask(
    data_dir: str | None,
    act: Callable[[SandboxRegisters], Awaitable[Any]],
    looked_for: str = "such entry",
) -> Any:  # noqa: ANN401 (an entry)
    """Ask the simulated registers and return the entry; exits with the reason when there is none.

    looked_for: what is said not to be there.
    """
    settings = with_demo(load_settings(data_dir=data_dir))
    key, url = settings.acquirer_key, settings.simbank_url

    async def within() -> object:
        registers = SandboxRegisters(url, key.encode())
        try:
            return await act(registers)
        finally:
            await registers.close()

    if not key:
        check_data(settings)
        raise fail("there are no simulated registers without HUNDI_ACQUIRER_KEY")
    entry = asyncio.run(within())
    if isinstance(entry, Silent):
        raise fail(f"the registers at {url} do not answer: {entry.reason}")
    if isinstance(entry, Forbidden):
        raise fail(entry.reason)
    if isinstance(entry, Nobody):
        raise fail(f"there is no {looked_for}")
    return entry


def _pairs(changes: list[str]) -> dict[str, str]:
    pairs = {
        name: value
        for name, separator, value in (each.partition("=") for each in changes)
        if separator
    }
    if len(pairs) < len(changes):
        raise fail("changes are NAME=VALUE, each name once")
    return pairs


@app.command()
def businesses(
    words: Words = "", *, limit: Limit = 50, data_dir: DataDir = None, json: Json = False
) -> None:
    """List businesses."""
    show(
        ask(data_dir, lambda registers: registers.businesses(words, limit)),
        json=json,
        title="Businesses",
    )


@app.command("change-business")
def change_business(
    gstin: Annotated[str, typer.Argument(help="Of which business.")],
    changes: Changes,
    *,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Change fields of a business."""
    fields = _pairs(changes)
    entry = ask(
        data_dir,
        lambda registers: registers.change_business(gstin, fields),
        f"business with the GSTIN {gstin}",
    )
    show(entry, json=json, title="Business")


@app.command()
def people(
    words: Words = "", *, limit: Limit = 50, data_dir: DataDir = None, json: Json = False
) -> None:
    """List holders of identity numbers, all of them made up, with the number each of them has."""
    entries = ask(data_dir, lambda registers: registers.people(words, limit))
    show(
        [{"number": number_of(each["holder_no"]), **each} for each in entries],
        json=json,
        title="People",
    )


@app.command("change-person")
def change_person(
    holder: Annotated[str, typer.Argument(help="The holder_no, or the number of 12 digits.")],
    changes: Changes,
    *,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Change fields of a holder."""
    holder_no, fields = _holder_no(holder), _pairs(changes)
    entry = ask(
        data_dir, lambda registers: registers.change_person(holder_no, fields), f"holder {holder}"
    )
    show(entry, json=json, title="Person")


def _holder_no(text: str) -> int:
    """Return the place in the register of a place or number; exit for any other text."""
    if _PLACE.match(text):
        return int(text)
    if _NUMBER.match(text):
        place = int(text[4:-1])
        if number_of(place) == text:
            return place
        raise fail(
            f"{text} is no number of the simulated register: hundi register people lists them"
        )
    raise fail(
        f"{text!r} is neither a holder_no nor a number of 12 digits: hundi register people lists"
        " both"
    )
