"""`hundi merchant events`: what a merchant's server is told of."""

from collections.abc import Iterable
from typing import Annotated, Any

import msgspec
import typer

from hundi.bootstrap import OperatorContext
from hundi.cli.context import change_settings, check_merchant, run
from hundi.cli.output import DataDir, Json, MerchantId, fail, show
from hundi.kernel.events import SAFE, Kind
from hundi.merchants.directory.rules import MerchantSettings

_ALL = "all"
_Events = Annotated[
    list[str] | None, typer.Option(help=f"An event, or {_ALL}; repeat for several.")
]


def events(
    merchant_id: MerchantId,
    *,
    tell: _Events = None,
    withhold: _Events = None,
    reset: Annotated[
        bool, typer.Option("--reset", help="Take every choice away: the safe events are told.")
    ] = False,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Show which events a merchant's server is told of, or change them one by one.

    A safe event says how the order itself stands. A shop that books by order and status alone takes
    a paid order back on any other: tell those only to a server that looks at the event. What is
    withheld counts first: `--withhold all --tell paid` leaves one.
    """
    more, fewer = _named(tell or ()), _named(withhold or ())

    def chosen(before: MerchantSettings) -> MerchantSettings:
        told = ({*(SAFE if reset else before.told)} - fewer) | more
        kept = (
            None
            if reset and not more and not fewer
            else tuple(each for each in Kind if each in told)
        )
        return msgspec.structs.replace(before, events=kept)

    async def act(context: OperatorContext) -> list[dict[str, Any]]:
        await check_merchant(context, merchant_id)
        if tell or withhold or reset:
            settings = await change_settings(context, merchant_id, chosen)
        else:
            merchant = await context.directory.get(merchant_id)
            assert merchant is not None
            settings = merchant.settings
        return [
            {"event": each, "told": settings.hears(each), "safe": each in SAFE} for each in Kind
        ]

    reading = not (tell or withhold or reset)
    show(run(data_dir, act, reading=reading), json=json, title=f"Events of merchant {merchant_id}")


def _named(texts: Iterable[str]) -> set[Kind]:
    found: set[Kind] = set()
    for each in texts:
        if each == _ALL:
            found.update(Kind)
        elif each in frozenset(Kind):
            found.add(Kind(each))
        else:
            raise fail(f"{each!r} is no event; there are: {_ALL} {' '.join(Kind)}")
    return found
