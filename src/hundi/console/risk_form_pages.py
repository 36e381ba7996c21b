"""The pages of risk rules as a form: rows come and go, tried on the past 30 days, asked for.

Everybody's rules, or one merchant's own: the field `merchant` says whose they are.
"""

from collections.abc import Mapping
from datetime import timedelta
from time import monotonic
from typing import Any

from litestar import Response

from hundi.console.form_rows import folded, without_row
from hundi.console.guard import ConsoleRoute
from hundi.console.lists import id_of
from hundi.console.plan_words import compared
from hundi.console.queries.across import MERCHANTS_MAX, select_merchants
from hundi.console.risk_form import (
    ACTIONS,
    LISTS_MAX,
    OPERATORS,
    SUBJECTS,
    WHATS,
    TypedRules,
    conditions_in,
    lists_in,
    risk_fields,
    rules_in,
    typed_rules,
)
from hundi.console.visits import ConsoleVisit
from hundi.kernel.ids import new_id
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.payments.risk import actions, store
from hundi.payments.risk.conditions import CONDITIONS_MAX
from hundi.payments.risk.document import RULES_MAX, read
from hundi.payments.risk.rules import OPERATOR, RuleSet
from hundi.staff.people.rules import Permission
from hundi.verbs.parameters import BYTES_A_CHARACTER_MAX
from hundi.verbs.risk import DOCUMENT_MAX, publish, together

PATH = "risk/form"
FORM_BYTES_MAX = BYTES_A_CHARACTER_MAX * DOCUMENT_MAX
DAYS = 30
TRY_S_MAX = 8.0
"""Seconds that rules are tried here: a person waits for the page."""
_TEXT, _FORM = "text", "form"
_NO_RULES = "rules = []\n"
"""The rules of a merchant that never had any of its own."""


async def show(visit: ConsoleVisit) -> Response[Any]:
    """Show the form, filled in with the rules in force."""
    owner = await _owner(visit, visit.query)
    document = await _in_force(visit, owner)
    fields = risk_fields(document)
    return await _page(visit, owner, fields or {}, text=None if fields else document)


async def _owner(visit: ConsoleVisit, typed: Mapping[str, str]) -> int:
    """Return the merchant whose own rules they are; everybody's for none. Raises Refused."""
    text = typed.get("merchant", "").strip()
    owner = id_of(text) if text else OPERATOR
    if owner is None or (owner and await visit.gateway.directory.get(owner) is None):
        allowed = "the id of a merchant, or nothing for everybody's rules"
        raise refuse(
            RefusalCode.FIELD_INVALID, field="merchant", received=text[:40], allowed=allowed
        )
    return owner


async def _in_force(visit: ConsoleVisit, owner: int) -> str:
    row = await store.select_live(visit.db, owner)
    if row:
        return row["document"]
    return actions.default_document() if owner == OPERATOR else _NO_RULES


async def act(visit: ConsoleVisit) -> Response[Any]:
    """Do what the pressed button says with the form; nothing is published."""
    owner = await _owner(visit, visit.form)
    pressed, fields = visit.form.get("act", ""), dict(visit.form)
    if "document" in fields:
        return await _from_text(visit, owner, fields["document"].replace("\r\n", "\n"), pressed)
    changed = _with_rows(fields, pressed)
    if changed is not None:
        return await _page(visit, owner, changed)
    typed = typed_rules(fields)
    if pressed == _TEXT:
        return await _page(visit, owner, fields, text=typed.text)
    return await _page(visit, owner, fields, typed=typed)


def _with_rows(fields: Mapping[str, str], pressed: str) -> dict[str, str] | None:
    """Return the fields with a row more, less or opened; None for a button of another kind."""
    verb, _, which = pressed.partition(" ")
    if verb == "remove":
        return without_row(which, fields)
    if verb == "open":
        return {**fields, f"{which}_open": "1"}
    if pressed == "add r":
        row = f"r{max(rules_in(fields), default=0) + 1}"
        return {**fields, f"{row}_name": "", f"{row}_open": "1", f"{row}w1_what": WHATS[0]}
    if pressed == "add l":
        return {**fields, f"l{max(lists_in(fields), default=0) + 1}_name": ""}
    if verb == "add" and which.removeprefix("r").isdigit():
        rule = int(which.removeprefix("r"))
        number = max(conditions_in(fields, rule), default=0) + 1
        return {**fields, f"r{rule}w{number}_what": WHATS[0]}
    return None


async def _from_text(visit: ConsoleVisit, owner: int, text: str, pressed: str) -> Response[Any]:
    if len(text) > DOCUMENT_MAX:
        fault = f"{len(text)} characters; {DOCUMENT_MAX} at most"
        typed = TypedRules(text, {"document": fault})
        return await _page(visit, owner, {}, typed=typed, text=text)
    found = read(text)
    if not isinstance(found, RuleSet):
        parts = (f"{each.rule} {each.field} {each.words}".strip() for each in found)
        typed = TypedRules(text, {"document": "; ".join(parts)})
        return await _page(visit, owner, {}, typed=typed, text=text)
    fields = risk_fields(text) if pressed == _FORM else None
    if fields is not None:
        return await _page(visit, owner, fields)
    return await _page(visit, owner, {}, typed=TypedRules(text, {}, found), text=text)


async def _page(
    visit: ConsoleVisit,
    owner: int,
    fields: Mapping[str, str],
    *,
    typed: TypedRules | None = None,
    text: str | None = None,
) -> Response[Any]:
    """Return the page. text: the rules as text in place of the form, None for the form."""
    rule_set, faults = typed.rule_set if typed else None, typed.faults if typed else {}
    merchant = await visit.gateway.directory.get(owner) if owner else None
    numbers = rules_in(fields)
    return visit.page(
        "risk_form.html",
        f"Own risk rules of {merchant.name}" if merchant else "Another set of risk rules",
        409 if faults else 200,
        merchant=merchant,
        fields=fields,
        rules=[(number, conditions_in(fields, number)) for number in numbers],
        folded=folded("r", numbers, fields, faults),
        lists=lists_in(fields),
        rules_max=RULES_MAX,
        conditions_max=CONDITIONS_MAX,
        lists_max=LISTS_MAX,
        actions=ACTIONS,
        subjects=SUBJECTS,
        whats=WHATS,
        operators=OPERATORS,
        faults=faults,
        text=text,
        proposed=typed.text if typed and rule_set else "",
        lines=compared(_as_written(await _in_force(visit, owner)), _as_written(typed.text))
        if typed and rule_set
        else [],
        tried=await _tried(visit, owner, rule_set) if rule_set else None,
        days=DAYS,
        publish_at=visit.href(publish.path),
        act_id=new_id(visit.now),
    )


def _as_written(text: str) -> str:
    """Return rules as the form writes them, so that a comparison shows no other layout."""
    fields = risk_fields(text)
    return typed_rules(fields).text if fields else text


async def _tried(visit: ConsoleVisit, owner: int, rule_set: RuleSet) -> dict[str, Any]:
    """Return what rules would have done with past tries, of as many merchants as time allows."""
    everyone = await select_merchants(visit.db, 0, "", MERCHANTS_MAX) if not owner else ()
    ids = [owner] if owner else [row["merchant_id"] for row in everyone]
    since, ends_at = visit.now - timedelta(days=DAYS), monotonic() + TRY_S_MAX
    replays = []
    for merchant_id in ids:
        if monotonic() > ends_at:
            break
        replays.append(await actions.try_on_past(visit.db, merchant_id, rule_set, since))
    result = together(rule_set, replays)
    return {**result, "merchants": len(replays), "all_merchants": len(ids)}


ROUTES = (
    ConsoleRoute("GET", PATH, show, Permission.RISK_CHANGE, at="all"),
    ConsoleRoute(
        "POST",
        PATH,
        act,
        Permission.RISK_CHANGE,
        fresh=True,
        at="all",
        body_bytes_max=FORM_BYTES_MAX,
    ),
)
