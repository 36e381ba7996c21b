"""Refused requests: the list that refreshes itself, and one request explained to the byte."""

from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from typing import Any
from urllib.parse import urlencode

import msgspec
from litestar import Response

from hundi.api.merchant import explained
from hundi.api.merchant.explained import Comparison, Explained, Part
from hundi.api.replies import CODE_OF
from hundi.console.days import day_of
from hundi.console.guard import ConsoleRoute
from hundi.console.queries import requests as queries
from hundi.console.queries.requests import RequestFilters
from hundi.console.visits import ConsoleVisit
from hundi.kernel.clock import INDIA
from hundi.kernel.refusals import RefusalCode, Retry, refuse
from hundi.merchants.access.actions import REFUSED_KEPT_FOR
from hundi.staff.people.rules import Permission

PAGE_ROWS = 50
_NAME_LENGTH_MAX = 60
_CODES = {reason.log_name: code for reason, code in CODE_OF.items()}
_REASONS = {reason.log_name: reason for reason in RefusalCode}
_HELPS = {
    Retry.NEVER: "The same request is always refused.",
    Retry.AFTER_FIX: "A corrected request can succeed.",
    Retry.LATER: "The same request can succeed later.",
}
_VISIBLE = {
    " ": "space",
    "\n": "line end",
    "\r": "carriage return",
    "\t": "tab",
    "": "end of the text",
}
_COMPARABLE = {"checksum_wrong", "privatekey_wrong", "encdata_unreadable"}
"""Reasons that the envelope lab can explain from the pasted request."""
_PERSONAL_DETAIL = {"checksum_wrong"}
"""Reasons whose detail has the message's values in clear, for the operator's command alone."""


async def show_list(visit: ConsoleVisit) -> Response[Any]:
    """Show a page of refused requests, newest first."""
    query = visit.query
    since, until = day_of(query.get("since", "")), day_of(query.get("until", ""))
    filters = RequestFilters(
        query.get("operation", "")[:_NAME_LENGTH_MAX],
        query.get("code", "")[:_NAME_LENGTH_MAX],
        _midnight(since),
        _midnight(until + timedelta(days=1)) if until else None,
    )
    before = query.get("before", "")[:_NAME_LENGTH_MAX]
    rows = await queries.select_page(visit.db, visit.merchant_id, filters, before, PAGE_ROWS + 1)
    operations, codes = await queries.select_kinds(visit.db, visit.merchant_id)
    chosen = {
        name: query.get(name, "")[:_NAME_LENGTH_MAX]
        for name in ("operation", "code", "since", "until")
    }
    narrowed = {name: value for name, value in chosen.items() if value}
    older = rows[PAGE_ROWS - 1]["reference"] if len(rows) > PAGE_ROWS else ""
    return visit.page(
        "requests.html",
        "Refused requests",
        rows=[reason_facts(each["code"]) | dict(each) for each in rows[:PAGE_ROWS]],
        older=urlencode(narrowed | {"before": older}) if older else "",
        operations=operations,
        codes=[(name, f"{reason_facts(name)['wire']} {name.replace('_', ' ')}") for name in codes],
        chosen=chosen,
        narrowed=bool(narrowed),
        kept_days=REFUSED_KEPT_FOR.days,
        is_newest=not before,
    )


def _midnight(day: date | None) -> datetime | None:
    return datetime.combine(day, time(), INDIA) if day else None


def reason_facts(name: str) -> dict[str, str]:
    """Return the facts of a reason: the reply's code, its words, and whether a retry can help."""
    if name not in _CODES:  # from an older version
        return {"wire": "", "said": name.replace("_", " "), "helps": ""}
    code = _CODES[name]
    return {"wire": code.wire, "said": code.words, "helps": _HELPS[_REASONS[name].retry]}


async def show(visit: ConsoleVisit) -> Response[Any]:
    """Show one refused request, and its first difference from our own calculation."""
    reference = str(visit.params["reference"])
    row = await queries.select_one(visit.db, visit.merchant_id, reference)
    if row is None:
        raise refuse(RefusalCode.NO_RECORDS, field="request", received=reference[:_NAME_LENGTH_MAX])
    explained = msgspec.convert(row["explained"], Explained)
    return visit.page(
        "request.html",
        "Refused request",
        row=reason_facts(row["code"]) | dict(row),
        kept=explained,
        detail="" if row["code"] in _PERSONAL_DETAIL else row["detail"],
        compared=comparison(explained.compared) if explained.compared else None,
        lab=row["code"] in _COMPARABLE,
        kept_days=REFUSED_KEPT_FOR.days,
    )


def comparison(found: Comparison) -> dict[str, Any]:
    """Return a comparison for a page: both texts in pieces, the first difference marked."""
    parted = explained.difference(found.ours, found.theirs) if found.theirs else None
    place = len(parted.alike) if parted else None
    return {
        "found": found,
        "ours": _pieces(found.ours, place),
        "theirs": _pieces(found.theirs, place),
        "parted": parted
        and {"at": parted.at, "name": parted.name, **_named_marks(parted.ours, parted.theirs)},
        "fields": found.ours,
    }


def _named_marks(ours: str, theirs: str) -> dict[str, str]:
    return {
        "ours": _VISIBLE.get(ours[:1], ours[:1]),
        "theirs": _VISIBLE.get(theirs[:1], theirs[:1]),
    }


def _pieces(parts: Sequence[Part], place: int | None) -> list[dict[str, Any]]:
    """Return the parts of a text; the part with the first difference is cut in three.

    place: in characters.
    """
    pieces: list[dict[str, Any]] = []
    passed = 0
    for name, text in parts:
        inside = place is not None and passed <= place < passed + len(text)
        at = place - passed if inside and place is not None else len(text)
        pieces.append(
            {"name": name, "text": text[:at], "mark": text[at : at + 1], "rest": text[at + 1 :]}
        )
        passed += len(text)
    if place is not None and place >= passed:
        pieces.append({"name": "", "text": "", "mark": "∎", "rest": ""})
    return pieces


ROUTES = (
    ConsoleRoute("GET", "requests", show_list, Permission.DEVELOPERS_SEE),
    ConsoleRoute("GET", "requests/{reference:str}", show, Permission.DEVELOPERS_SEE),
)
