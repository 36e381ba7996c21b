"""`hundi settlement`: when merchants are settled, settling them, and what each day came to."""

from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from typing import Annotated, Any

import typer
from asyncpg import Record

from hundi.bootstrap import OperatorContext
from hundi.cli.context import by_command, check_merchant, run
from hundi.cli.output import ID_MAX, DataDir, Json, MerchantId, fail, show
from hundi.kernel.clock import utc_now
from hundi.kernel.ids import parse_reference, reference
from hundi.kernel.records import replace
from hundi.money.payouts import store as payouts
from hundi.money.settlements import actions, rules, store
from hundi.money.settlements import terms as actions_terms
from hundi.money.settlements.actions import DayResult
from hundi.money.settlements.finding import store as finding
from hundi.money.settlements.rules import BaseEvent, SettlementTerms

LISTED_MAX = 200
ROWS_MAX = 1_000_000
"""Rows of one settlement that are shown."""
app = typer.Typer(help="Settlements: what merchants are owed, day by day.", no_args_is_help=True)
terms_app = typer.Typer(help="When and how a merchant is settled.", no_args_is_help=True)
app.add_typer(terms_app, name="terms")
_TIME = "%H:%M"
_MIDNIGHT = "24:00"


@terms_app.command("show")
def show_terms(merchant_id: MerchantId, *, data_dir: DataDir = None, json: Json = False) -> None:
    """Show every version of a merchant's terms, the newest last.

    Version 0 is what counts without any.
    """

    async def act(context: OperatorContext) -> list[dict[str, Any]]:
        await check_merchant(context, merchant_id)
        return [
            _told(each)
            for each in await store.terms_of(context.db, merchant_id) or (rules.DEFAULT_TERMS,)
        ]

    show(run(data_dir, act, reading=True), json=json, title="Terms")


@terms_app.command("set")
def set_terms(
    merchant_id: MerchantId,
    *,
    cut_off: Annotated[
        str, typer.Option(help="What comes in from then on counts as the next day's: HH:MM.")
    ] = "",
    base_event: Annotated[
        BaseEvent | None, typer.Option(help="From which event on days are counted.")
    ] = None,
    base_days: Annotated[
        int | None, typer.Option(help="Days after the payment at which it happens.")
    ] = None,
    working_days: Annotated[
        int | None, typer.Option(help="Working days of banks from there on.")
    ] = None,
    centre: Annotated[str | None, typer.Option(help="Whose holidays count.")] = None,
    minimum_paise: Annotated[
        int | None, typer.Option(help="Less is carried to the next settlement.")
    ] = None,
    reserve_bps: Annotated[
        int | None, typer.Option(help="The part that is withheld, in basis points.")
    ] = None,
    reserve_days: Annotated[int | None, typer.Option(help="For how many days.")] = None,
    hold: Annotated[
        bool | None, typer.Option(help="Settle nothing until it is taken back.")
    ] = None,
    instant_bps: Annotated[
        int | None, typer.Option(help="The price of settling at once, in basis points.")
    ] = None,
    no_instant: Annotated[
        bool, typer.Option("--no-instant", help="Settle nothing at once.")
    ] = False,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Agree on new terms from now on; what is not named stays as it was."""
    wished: dict[str, Any] = {
        "cut_off_minute": _minute(cut_off) if cut_off else None,
        "base_event": base_event,
        "base_days": base_days,
        "working_days": working_days,
        "centre": centre,
        "minimum_paise": minimum_paise,
        "reserve_bps": reserve_bps,
        "reserve_days": reserve_days,
        "held": hold,
        "instant_bps": instant_bps,
    }
    named = {name: value for name, value in wished.items() if value is not None}
    named |= {"instant_bps": None} if no_instant else {}

    async def act(context: OperatorContext) -> dict[str, Any]:
        await check_merchant(context, merchant_id)
        before = (await store.terms_of(context.db, merchant_id) or (rules.DEFAULT_TERMS,))[-1]
        wanted = replace(before, **named)
        return _told(
            await actions_terms.set_terms(
                context.db, merchant_id, wanted, by_command(context), utc_now()
            )
        )

    show(run(data_dir, act), json=json, title="Agreed")


def _minute(text: str) -> int:
    try:
        moment = datetime.strptime(text, _TIME)  # noqa: DTZ007 (a time of day)
    except ValueError:
        if text != _MIDNIGHT:
            raise fail(f"--cut-off {text} is no time of day such as 17:30 or {_MIDNIGHT}") from None
        return rules.DAY_MINUTES
    return moment.hour * 60 + moment.minute


def _told(terms: SettlementTerms) -> dict[str, Any]:
    hour, minute = divmod(terms.cut_off_minute, 60)
    told = asdict(terms)
    told["cut_off"] = f"{hour:02}:{minute:02}"
    del told["cut_off_minute"]
    told["set_at"] = terms.set_at if terms.terms_no else None
    return told


@app.command("run")
def run_settlements(
    *,
    date: Annotated[
        datetime | None,
        typer.Option(
            formats=["%Y-%m-%d"], help="The day to settle (default: the newest that is due)."
        ),
    ] = None,
    merchant: Annotated[
        int | None, typer.Option(min=1, max=ID_MAX, help="Only this merchant.")
    ] = None,
    instant: Annotated[
        bool, typer.Option("--instant", help="At once, at the price of its terms.")
    ] = False,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Settle what is due. Again changes nothing; what waits is named with the reason."""
    if instant and (merchant is None or date):
        raise fail("--instant settles one merchant today: name it with --merchant, and no --date")

    async def act(context: OperatorContext) -> list[DayResult]:
        done: list[DayResult] = []
        if merchant is None:
            await actions.run(context.db, utc_now(), date.date() if date else None, done.append)
            return sorted(done)
        await check_merchant(context, merchant)
        if instant:
            return [await actions.settle_now(context.db, merchant, utc_now())]
        return [
            await actions.run_one(context.db, merchant, utc_now(), date.date() if date else None)
        ]

    show([_done(each) for each in run(data_dir, act)], json=json, title="Settled")


def _done(done: DayResult) -> dict[str, Any]:
    return {
        "merchant_id": str(done.merchant_id),
        "day": done.day,
        "outcome": done.outcome,
        "settlement": reference(done.merchant_id, done.settlement_id) if done.settlement_id else "",
        "waiting": done.waiting,
    }


@app.command("list")
def list_settlements(
    *,
    merchant: Annotated[
        int | None, typer.Option(min=1, max=ID_MAX, help="Only those of this merchant.")
    ] = None,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """List settlements, newest first."""

    async def act(context: OperatorContext) -> list[dict[str, Any]]:
        if merchant is None:
            rows = [dict(row) for row in await finding.newest(context.db, LISTED_MAX)]
        else:
            await check_merchant(context, merchant)
            found = await finding.settlements_of(context.db, merchant, LISTED_MAX)
            rows = [{"merchant_id": merchant, **row} for row in found]
        return [
            {"settlement": reference(row["merchant_id"], row["settlement_id"]), **_listed(row)}
            for row in rows
        ]

    show(run(data_dir, act, reading=True), json=json, title="Settlements")


def _listed(row: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: value for name, value in row.items() if name not in {"merchant_id", "settlement_id"}
    }


@app.command("show")
def show_settlement(
    settlement: Annotated[
        str, typer.Argument(help="The settlement, as `hundi settlement list` names it.")
    ],
    *,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Show a settlement: what it took row by row, and in which shares it leaves."""
    named = parse_reference(settlement)
    if named is None:
        raise fail(f"{settlement} is no settlement such as 10001-217383559000000")

    async def act(context: OperatorContext) -> dict[str, Any]:
        found = await finding.settlement(context.db, *named)
        if found is None:
            raise fail(f"there is no settlement {settlement}")
        rows = await finding.items_of(context.db, *named, ROWS_MAX)
        shares = await finding.shares_of(context.db, *named)
        utr = await payouts.primary_utr(context.db, *named)
        told = {
            "utr": utr,
            "shares": [_share(each) for each in shares],
            "rows": [_row(each) for each in rows],
        }
        return _whole(found) | told

    show(run(data_dir, act, reading=True), json=json, title=f"Settlement {settlement}")


def _whole(row: Mapping[str, Any]) -> dict[str, Any]:
    left_out = {"merchant_id", "settlement_id", "digest", "xact", "price_tax_paise", "terms_no"}
    told = {name: value for name, value in row.items() if name not in left_out}
    told["fee_paise"] += row["price_paise"]
    told["tax_paise"] += row["price_tax_paise"]
    return {"settlement": reference(row["merchant_id"], row["settlement_id"]), **told}


def _share(row: Record) -> dict[str, Any]:
    return {
        "beneficiary": row["beneficiary"],
        "amount_paise": row["amount_paise"],
        "share_id": str(row["share_id"]),
    }


def _row(row: Record) -> dict[str, Any]:
    return {
        "kind": row["kind"],
        "cause_id": str(row["cause_id"]),
        "ap_transactionid": str(row["payment_id"] or ""),
        "orderid": row["order_id"],
        "at": row["at"],
        "gross_paise": row["gross_paise"],
        "fee_paise": row["fee_paise"],
        "tax_paise": row["tax_paise"],
        "net_paise": row["net_paise"],
        "rule": row["rule"],
    }
