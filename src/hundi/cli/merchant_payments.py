"""`hundi merchant`: surcharge, currencies, dates, frames, seamless: how customers may pay."""

from typing import Annotated, Any, Literal

import msgspec
import typer

from hundi.bootstrap import OperatorContext
from hundi.cli.context import change_settings, run
from hundi.cli.output import DataDir, Json, MerchantId, show
from hundi.instruments.surcharge import Surcharge
from hundi.merchants.directory.rules import CURRENCIES, Dates, MerchantSettings

OnOff = Literal["on", "off"]


def surcharge(
    merchant_id: MerchantId,
    channel: Annotated[str, typer.Argument(help="The way to pay, such as nb; never cards or UPI.")],
    *,
    flat_paise: Annotated[int, typer.Option(help="A fixed part.")] = 0,
    basis_points: Annotated[
        int, typer.Option(help="Hundredths of a per cent of the order's amount.")
    ] = 0,
    cap_paise: Annotated[int, typer.Option(help="The most that is added; 0 for no bound.")] = 0,
    remove: Annotated[bool, typer.Option("--remove", help="Add nothing any more.")] = False,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Set what customers pay on top of an order by one channel.

    Orders that are open keep what their page showed.
    """

    def change(before: MerchantSettings) -> MerchantSettings:
        kept = {each: rule for each, rule in before.surcharges.items() if each != channel}
        added = {} if remove else {channel: Surcharge(flat_paise, basis_points, cap_paise)}
        return msgspec.structs.replace(before, surcharges=kept | added)

    async def act(context: OperatorContext) -> dict[str, Any]:
        changed = await change_settings(context, merchant_id, change)
        return {
            "merchant_id": str(merchant_id),
            "surcharges": msgspec.to_builtins(changed.surcharges),
        }

    show(run(data_dir, act), json=json, title="Surcharges")


def currencies(
    merchant_id: MerchantId,
    codes: Annotated[list[str], typer.Argument(help=f"Some of {' '.join(CURRENCIES)}.")],
    *,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Set the currencies of a merchant's orders.

    All but INR are for cards and are paid out in rupees.
    """

    async def act(context: OperatorContext) -> dict[str, Any]:
        wanted = {"currencies": tuple(dict.fromkeys(each.upper() for each in codes))}
        changed = await change_settings(
            context, merchant_id, lambda before: msgspec.structs.replace(before, **wanted)
        )
        return {"merchant_id": str(merchant_id), "currencies": changed.currencies}

    show(run(data_dir, act), json=json, title="Currencies")


def frames(
    merchant_id: MerchantId,
    origins: Annotated[
        list[str] | None, typer.Argument(help="Such as https://shop.example.in; none for nobody.")
    ] = None,
    *,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Set the origins whose pages may hold the payment page in a frame; by default nobody's."""

    async def act(context: OperatorContext) -> dict[str, Any]:
        wanted = tuple(dict.fromkeys(origins or ()))
        changed = await change_settings(
            context,
            merchant_id,
            lambda before: msgspec.structs.replace(before, frame_origins=wanted),
        )
        return {"merchant_id": str(merchant_id), "frame_origins": changed.frame_origins}

    show(run(data_dir, act), json=json, title="Frames")


def dates(
    merchant_id: MerchantId,
    form: Annotated[Dates, typer.Argument(help="MM/DD/YYYY or DD/MM/YYYY.")],
    *,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Say how a merchant writes the first day of a mandate; our SDK writes the month first."""

    async def act(context: OperatorContext) -> dict[str, Any]:
        changed = await change_settings(
            context, merchant_id, lambda before: msgspec.structs.replace(before, dates=form)
        )
        return {"merchant_id": str(merchant_id), "dates": changed.dates}

    show(run(data_dir, act), json=json, title="Dates")


def seamless(
    merchant_id: MerchantId,
    state: Annotated[
        OnOff, typer.Argument(help="Whether the merchant's server may begin payments.")
    ],
    *,
    cards: Annotated[
        OnOff, typer.Option(help="Whether it may send cards: only with a PCI DSS certificate.")
    ] = "off",
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Let a merchant's server begin payments itself, without the payment page."""

    async def act(context: OperatorContext) -> dict[str, Any]:
        wanted = {"seamless": state == "on", "seamless_cards": state == "on" and cards == "on"}
        await change_settings(
            context, merchant_id, lambda before: msgspec.structs.replace(before, **wanted)
        )
        return {"merchant_id": str(merchant_id)} | wanted

    show(run(data_dir, act), json=json, title="Seamless")
