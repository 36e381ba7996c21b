"""Settlements: their terms, their runs, and the result of each day."""

import datetime as dt
from collections.abc import Mapping
from dataclasses import asdict
from typing import Annotated, Any

import msgspec
from asyncpg import Record
from msgspec import Meta

from hundi.kernel.ids import parse_reference, reference
from hundi.kernel.records import replace
from hundi.money.payouts.utrs import store as utrs
from hundi.money.settlements import actions, rules, store
from hundi.money.settlements.actions import DayResult
from hundi.money.settlements.finding import store as finding
from hundi.money.settlements.rules import BaseEvent, SettlementTerms
from hundi.money.settlements.terms import actions as terms
from hundi.staff.people.rules import Permission
from hundi.verbs.calendar import KNOWN_CENTRES
from hundi.verbs.context import VerbContext, VerbProblemError
from hundi.verbs.parameters import (
    ID_MAX,
    MerchantId,
    ParameterHints,
    ParametersToChange,
    VerbParameters,
)
from hundi.verbs.verb import Result, verb

GROUPS = {"terms": "When and how a merchant is settled."}
LISTED_MAX = 200
ROWS_MAX = 1_000_000
"""The largest number of shown rows of one settlement."""
_TIME = "%H:%M"
_MIDNIGHT = "24:00"
_AT_ONCE = "--instant settles one merchant today: name it with --merchant, and no --date"
_LONG = "settles every merchant, which may take minutes: the worker does it each day"


class TermsOfMerchant(VerbParameters, frozen=True, kw_only=True):
    """The merchant whose terms are shown."""

    merchant_id: MerchantId


class NewTerms(ParametersToChange, frozen=True, kw_only=True):
    """New terms; omitted ones stay as they are."""

    merchant_id: MerchantId
    cut_off: Annotated[
        str, Meta(description="Payments from this time on count for the next day: HH:MM.")
    ] = ""
    base_event: Annotated[
        BaseEvent | None, Meta(description="The event from which days are counted.")
    ] = None
    base_days: Annotated[int | None, Meta(description="Days from the payment to this event.")] = (
        None
    )
    working_days: Annotated[
        int | None, Meta(description="Working days of banks from this event to the settlement.")
    ] = None
    centre: Annotated[
        str | None,
        Meta(description="The centre whose holidays count."),
        ParameterHints(known=KNOWN_CENTRES),
    ] = None
    minimum_paise: Annotated[
        int | None, Meta(description="The least to settle; less is carried to the next settlement.")
    ] = None
    reserve_bps: Annotated[
        int | None,
        Meta(description="The part that is withheld, in basis points."),
        ParameterHints(label="Reserve in basis points"),
    ] = None
    reserve_days: Annotated[int | None, Meta(description="How many days it is withheld.")] = None
    hold: Annotated[
        bool | None, Meta(description="Hold every settlement until this is turned off.")
    ] = None
    instant_bps: Annotated[
        int | None,
        Meta(description="The price of settling at once, in basis points."),
        ParameterHints(label="Price of settling at once, in basis points"),
    ] = None
    no_instant: Annotated[
        bool,
        Meta(description="End settling at once."),
        ParameterHints(option="--no-instant", label="Settle nothing at once"),
    ] = False


class SettlementRun(VerbParameters, frozen=True, kw_only=True):
    """Which settlements to run."""

    date: Annotated[
        dt.date | None, Meta(description="The day to settle (default: the newest that is due).")
    ] = None
    merchant: Annotated[int, Meta(ge=1, le=ID_MAX, description="Only this merchant.")] | None = None
    instant: Annotated[
        bool,
        Meta(description="Settle at once, for the price in the merchant's terms."),
        ParameterHints(option="--instant"),
    ] = False


class SettlementsToList(VerbParameters, frozen=True, kw_only=True):
    """Filters of a list of settlements."""

    merchant: (
        Annotated[int, Meta(ge=1, le=ID_MAX, description="Only those of this merchant.")] | None
    ) = None


class NamedSettlement(VerbParameters, frozen=True, kw_only=True):
    """One settlement."""

    settlement: Annotated[
        str, Meta(description="The settlement, as `hundi settlement list` names it.")
    ]


@verb(
    "settlement terms show",
    Permission.MONEY_SEE,
    page="Show terms of settlement",
    title="Terms",
)
async def show_terms(context: VerbContext, parameters: TermsOfMerchant) -> Result:
    """Show every version of a merchant's terms, the newest last.

    Version 0 counts where nothing was agreed.
    """
    await context.check_merchant(parameters.merchant_id)
    versions = await store.terms_of(context.db, parameters.merchant_id) or (rules.DEFAULT_TERMS,)
    return [_told(version) for version in versions]


async def _wanted(context: VerbContext, parameters: NewTerms) -> SettlementTerms:
    """Return a merchant's terms with the changes. Raises Refused, VerbProblemError."""
    wished = msgspec.structs.asdict(parameters)
    merchant_id, hold = wished.pop("merchant_id"), wished.pop("hold")
    cut_off, no_instant = wished.pop("cut_off"), wished.pop("no_instant")
    wished |= {"held": hold, "cut_off_minute": _minute(cut_off) if cut_off else None}
    changes = {name: value for name, value in wished.items() if value is not None}
    changes |= {"instant_bps": None} if no_instant else {}
    await context.check_merchant(merchant_id)
    before = (await store.terms_of(context.db, merchant_id) or (rules.DEFAULT_TERMS,))[-1]
    wanted = replace(before, **changes)
    rules.check_terms(wanted)
    return wanted


@verb(
    "settlement terms set",
    Permission.FEES_CHANGE,
    at="all",
    trail="settlement_terms.agree",
    page="Set terms of settlement",
    title="Agreed",
    second="Terms of settlement of merchant {merchant_id}",
    check=_wanted,
)
async def set_terms(context: VerbContext, parameters: NewTerms) -> Result:
    """Agree on new terms from now on; the others stay as they are."""
    wanted = await _wanted(context, parameters)
    merchant_id = parameters.merchant_id
    return _told(await terms.set_terms(context.db, merchant_id, wanted, context.who, context.now))


def _minute(text: str) -> int:
    try:
        moment = dt.datetime.strptime(text, _TIME)  # noqa: DTZ007 (a time of day)
    except ValueError:
        if text != _MIDNIGHT:
            message = f"--cut-off {text} is no time of day such as 17:30 or {_MIDNIGHT}"
            raise VerbProblemError(message) from None
        return rules.DAY_MINUTES
    return moment.hour * 60 + moment.minute


def _told(agreed: SettlementTerms) -> dict[str, Any]:
    hour, minute = divmod(agreed.cut_off_minute, 60)
    details = asdict(agreed)
    details["cut_off"] = f"{hour:02}:{minute:02}"
    del details["cut_off_minute"]
    details["set_at"] = agreed.set_at if agreed.terms_no else None
    return details


@verb(
    "settlement run",
    Permission.PAYOUTS_RELEASE,
    at="all",
    trail="settlement.run",
    title="Settled",
    only_command=_LONG,
)
async def run(context: VerbContext, parameters: SettlementRun) -> Result:
    """Settle what is due, once; what waits is listed with the reason."""
    if parameters.instant and (parameters.merchant is None or parameters.date):
        raise VerbProblemError(_AT_ONCE)
    results: list[DayResult] = []
    if parameters.merchant is None:
        await actions.run(context.db, context.now, parameters.date, results.append)
        return [_result(result) for result in sorted(results)]
    await context.check_merchant(parameters.merchant)
    if parameters.instant:
        return [_result(await actions.settle_now(context.db, parameters.merchant, context.now))]
    return [
        _result(
            await actions.run_one(context.db, parameters.merchant, context.now, parameters.date)
        )
    ]


def _result(result: DayResult) -> dict[str, Any]:
    name = reference(result.merchant_id, result.settlement_id) if result.settlement_id else ""
    return {
        "merchant_id": str(result.merchant_id),
        "day": result.day,
        "outcome": result.outcome,
        "settlement": name,
        "waiting": result.waiting,
    }


@verb("settlement list", Permission.MONEY_SEE, at="all", title="Settlements")
async def list_of(context: VerbContext, parameters: SettlementsToList) -> Result:
    """List settlements, newest first."""
    if parameters.merchant is None:
        rows = [dict(row) for row in await finding.newest(context.db, LISTED_MAX)]
    else:
        await context.check_merchant(parameters.merchant)
        settlements = await finding.settlements_of(context.db, parameters.merchant, LISTED_MAX)
        rows = [{"merchant_id": parameters.merchant, **row} for row in settlements]
    return [
        {"settlement": reference(row["merchant_id"], row["settlement_id"]), **_listed(row)}
        for row in rows
    ]


def _listed(row: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: value for name, value in row.items() if name not in {"merchant_id", "settlement_id"}
    }


@verb(
    "settlement show",
    Permission.MONEY_SEE,
    screen="settlements/{settlement_id:int}",
    title="Settlement {settlement}",
)
async def show(context: VerbContext, parameters: NamedSettlement) -> Result:
    """Show a settlement: its rows, and the shares that are paid out."""
    settlement_key = parse_reference(parameters.settlement)
    if settlement_key is None:
        message = f"{parameters.settlement} is no settlement such as 10001-217383559000000"
        raise VerbProblemError(message)
    settlement = await finding.settlement(context.db, *settlement_key)
    if settlement is None:
        message = f"there is no settlement {parameters.settlement}"
        raise VerbProblemError(message)
    rows = await finding.items_of(context.db, *settlement_key, ROWS_MAX)
    shares = await finding.shares_of(context.db, *settlement_key)
    result = {
        "utr": await utrs.primary_utr(context.db, *settlement_key),
        "shares": [_share(share) for share in shares],
        "rows": [_row(row) for row in rows],
    }
    return _whole(settlement) | result


def _whole(row: Mapping[str, Any]) -> dict[str, Any]:
    left_out = {"merchant_id", "settlement_id", "digest", "xact", "price_tax_paise", "terms_no"}
    values = {name: value for name, value in row.items() if name not in left_out}
    values["fee_paise"] += row["price_paise"]
    values["tax_paise"] += row["price_tax_paise"]
    return {"settlement": reference(row["merchant_id"], row["settlement_id"]), **values}


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


VERBS = (show_terms, set_terms, run, list_of, show)
