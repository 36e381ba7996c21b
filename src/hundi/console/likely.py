"""Which payment or payout a line of a statement probably is, and why people may think so."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from typing import Any

from asyncpg import Record

from hundi.console.assets import PREFIX
from hundi.console.queries import likely as queries
from hundi.console.queries.likely import LikelyBounds
from hundi.console.visits import ALL, ConsoleVisit
from hundi.kernel.ids import reference
from hundi.kernel.money import Money, shown

SHOWN_MAX = 3
NEAR = timedelta(days=3)
"""How far the day of an explanation may be from that of the line."""
SAME_UTR = "It has the same UTR."
Row = Mapping[str, Any] | Record


async def of_items(
    visit: ConsoleVisit, items: Sequence[Row], names: Mapping[int, str]
) -> dict[int, list[dict[str, str]]]:
    """Return the payments that money of nobody probably is, by the item's id.

    items: open items with their lines. names: of the merchants.
    """
    unknown = [each for each in items if not each["cause_id"] and each["is_credit"]]
    if not unknown:
        return {}
    references = [text for each in unknown for text in (each["rrn"], each["reference"]) if text]
    bounds = _bounds(references, [each["theirs_paise"] for each in unknown], unknown)
    rows = await queries.attempts(visit.db, list(names), bounds) or []
    return {each["item_id"]: _payments(each, rows, names) for each in unknown}


async def of_account_lines(
    visit: ConsoleVisit, lines: Sequence[Row], names: Mapping[int, str]
) -> dict[int, list[dict[str, str]]]:
    """Return what lines of our bank account probably are, by the line's id.

    Debits are payouts; credits are settlements that acquirers handed over.
    """
    if not lines:
        return {}
    amounts = [-each["net_paise"] for each in lines if each["net_paise"] < 0]
    bounds = _bounds([each["utr"] for each in lines], amounts, lines)
    rows = await queries.payouts(visit.db, list(names), bounds) or []
    credited = [each for each in lines if each["net_paise"] > 0]
    handed = (
        await queries.handovers(
            visit.db,
            _bounds(
                [each["utr"] for each in credited],
                [each["net_paise"] for each in credited],
                credited,
            ),
        )
        if credited
        else None
    )
    return {
        each["line_id"]: _payouts(each, rows, names) or _handovers(each, handed or [])
        for each in lines
    }


def _handovers(line: Row, rows: Sequence[Row]) -> list[dict[str, str]]:
    told: list[tuple[int, dict[str, str]]] = []
    for row in rows:
        if row["utr"] == line["utr"]:
            rank, why = 0, "It has the same UTR, and another amount."
        elif row["paise"] == line["net_paise"]:
            rank, why = 1, "It has the same amount, and another UTR."
        else:
            continue
        lines = f"{row['lines']} line{'' if row['lines'] == 1 else 's'}"
        words = f"Settlement {row['utr']} of {row['connector']}, {lines}, {_amount(row)}"
        told.append((rank, {"words": words, "href": "", "why": why}))
    return _best(told)


def _bounds(references: Sequence[str], amounts: Iterable[int], rows: Sequence[Row]) -> LikelyBounds:
    days = [each["day"] for each in rows]
    found = sorted({each for each in amounts if each})
    return LikelyBounds(references, found, min(days) - NEAR, max(days) + NEAR)


def _payments(item: Row, rows: Sequence[Row], names: Mapping[int, str]) -> list[dict[str, str]]:
    told: list[tuple[int, dict[str, str]]] = []
    for row in rows:
        rank, why = _why(item, row)
        if why:
            words = f"Order {row['order_id']} of {names[row['merchant_id']]}, {_amount(row)}"
            href = f"{PREFIX}{row['merchant_id']}/payments/{row['payment_id']}"
            merchant = str(row["merchant_id"])
            told.append((rank, {"words": words, "href": href, "why": why, "merchant": merchant}))
    return _best(told)


def _why(item: Row, row: Row) -> tuple[int, str]:
    """Return how far an attempt explains a line, 0 the best, and in words; "" for not at all."""
    at = "" if row["connector"] == item["connector"] else f" It was at {row['connector']}."
    if row["reference"] and row["reference"] in {item["rrn"], item["reference"]}:
        return 0, f"It has the same RRN.{at}"
    near = _days_between(row["day"], item["day"])
    if row["order_id"] == item["reference"]:
        return 1, f"The line has the number of this order.{at}"
    if row["paise"] == item["theirs_paise"] and near is not None:
        return 2 + near, f"It has the same amount, {_days(near)}.{at}"
    return 0, ""


def _payouts(line: Row, rows: Sequence[Row], names: Mapping[int, str]) -> list[dict[str, str]]:
    told: list[tuple[int, dict[str, str]]] = []
    for row in rows:
        near = _days_between(row["day"], line["day"])
        if row["reference"] and row["reference"] == line["utr"]:
            rank, why = 0, SAME_UTR
        elif row["paise"] == -line["net_paise"] and near is not None:
            rank, why = 1 + near, f"It has the same amount, {_days(near)}."
        else:
            continue
        of = reference(row["merchant_id"], row["settlement_id"]) if row["settlement_id"] else ""
        words = f"Payout to {names[row['merchant_id']]}, {_amount(row)}"
        words += f", of settlement {of}" if of else ""
        href = f"{PREFIX}{ALL}/across/payouts/{row['merchant_id']}/{row['payout_id']}"
        told.append((rank, {"words": words, "href": href, "why": why}))
    return _best(told)


def _best(told: list[tuple[int, dict[str, str]]]) -> list[dict[str, str]]:
    return [each for _, each in sorted(told, key=lambda pair: pair[0])[:SHOWN_MAX]]


def _amount(row: Row) -> str:
    return shown(Money(row["paise"]))


def _days_between(one: date | None, other: date) -> int | None:
    """Return how many days are between two, None for too many."""
    if one is None or abs(one - other) > NEAR:
        return None
    return abs((one - other).days)


def _days(number: int) -> str:
    if not number:
        return "on the same day"
    return f"{number} day{'' if number == 1 else 's'} apart"
