"""The form of a price plan: rules added and removed, shown as text, tried on the past 30 days."""

from collections.abc import Mapping
from datetime import date, timedelta
from typing import Any

from litestar import Response

from hundi.console.guard import ConsoleRoute
from hundi.console.plan_words import compared
from hundi.console.price_form import (
    ADD,
    LISTS,
    REMOVE,
    ROWS_MAX,
    TypedPlan,
    fields_of,
    rows_of,
    text_of,
    typed_plan,
    with_row,
    without_row,
)
from hundi.console.queries import price_plans as queries
from hundi.console.visits import ConsoleVisit
from hundi.instruments.methods import CHANNEL_OF_METHOD, CHANNELS
from hundi.kernel.clock import business_day
from hundi.kernel.ids import new_id
from hundi.kernel.money import rupees
from hundi.money.fees import store as plans
from hundi.money.fees.document.rules import PlanDocument, plan_of, read
from hundi.money.fees.rules import CHARGED, FeeFacts, PricePlan, facts_of, quote
from hundi.staff.people.rules import Permission

PATH = "price-plan/form"
FORM_BYTES_MAX = 512 * 1024
DAYS = 30
_TEXT, _FORM, _TRY = "text", "form", "try"


async def show(visit: ConsoleVisit) -> Response[Any]:
    """Show the form, filled in with the plan in force."""
    document = await _in_force(visit) or PlanDocument()
    if len(document.rules) > ROWS_MAX:
        return await _page(visit, {}, text=text_of(document))
    return await _page(visit, fields_of(document))


async def _in_force(visit: ConsoleVisit) -> PlanDocument | None:
    live = (await plans.plans_of(visit.db, visit.merchant_id)).on(business_day(visit.now))
    row = await plans.select_plan(visit.db, visit.merchant_id, live.plan_no) if live else None
    return plans.document_of(row["document"]) if row else None


async def act(visit: ConsoleVisit) -> Response[Any]:
    """Do what the pressed button says with the form; nothing is kept."""
    pressed, fields = visit.form.get("act", _TRY), dict(visit.form)
    if pressed == ADD:
        return await _page(visit, with_row(fields))
    number = pressed.removeprefix(REMOVE)
    if pressed.startswith(REMOVE) and number.isascii() and number.isdigit():
        return await _page(visit, without_row(fields, int(number[:4])))
    if "document" in fields:
        return await _from_text(visit, fields["document"].replace("\r\n", "\n"), pressed)
    typed = typed_plan(fields)
    if pressed == _TEXT and typed.text:
        return await _page(visit, fields, text=typed.text)
    return await _page(visit, fields, typed=typed)


async def _from_text(visit: ConsoleVisit, text: str, pressed: str) -> Response[Any]:
    """Show a plan that was typed as text: as the form, or tried."""
    document = read(text)
    if isinstance(document, tuple):
        faults = {"document": "; ".join(f"{each.rule} {each.words}".strip() for each in document)}
        return await _page(visit, {}, typed=TypedPlan(text, faults), text=text)
    if pressed == _FORM and len(document.rules) <= ROWS_MAX:
        return await _page(visit, fields_of(document))
    return await _page(visit, {}, typed=TypedPlan(text, {}, document), text=text)


async def _page(
    visit: ConsoleVisit,
    fields: Mapping[str, str],
    *,
    typed: TypedPlan | None = None,
    text: str | None = None,
) -> Response[Any]:
    """Return the page. text: the plan as text in place of the form, None for the form."""
    faults = typed.faults if typed else {}
    before = await _in_force(visit)
    proposed = typed.document if typed else None
    return visit.page(
        "price_plan_form.html",
        "Another price plan",
        409 if faults else 200,
        fields=fields,
        rows=rows_of(fields),
        most=ROWS_MAX,
        lists=LISTS,
        channels={code: each.name for code, each in CHANNELS.items()},
        faults=faults,
        text=text,
        proposed=typed.text if typed and proposed else "",
        lines=compared(text_of(before) if before else "", typed.text) if typed else [],
        cost=await _cost(visit, proposed) if proposed else None,
        days=DAYS,
        act_id=new_id(visit.now),
    )


async def _cost(visit: ConsoleVisit, document: PlanDocument) -> dict[str, Any] | None:
    """Return what a plan would have cost for the payments of past days, by channel."""
    since = visit.now - timedelta(days=DAYS)
    kinds = sorted(map(str, CHARGED))
    rows = await queries.select_paid(visit.db, visit.merchant_id, since, kinds)
    if rows is None:
        return None
    plan, by_channel = plan_of(document, 1, date.min), dict[str, list[int]]()
    for row in rows:
        card = {"scheme": row["network"], "type": row["card_type"]}
        day = business_day(row["at"])
        paid = row["gross_paise"], day, row["emi_discount_paise"] or 0
        sums = by_channel.setdefault(CHANNEL_OF_METHOD[row["method"]].code, [0, 0, 0, 0])
        then = row["fee_paise"] + row["tax_paise"]
        for place, paise in enumerate(
            (1, row["gross_paise"], then, _total(plan, facts_of(row["method"], card, *paid)))
        ):
            sums[place] += paise
    total = [sum(each[place] for each in by_channel.values()) for place in range(4)]
    named = [(CHANNELS[code].name, by_channel[code]) for code in CHANNELS if code in by_channel]
    return {
        "rows": [_words(name, sums) for name, sums in named],
        "total": _words("All", total),
        "cut": len(rows) == queries.ROWS_MAX,
    }


def _total(plan: PricePlan, facts: FeeFacts) -> int:
    fee = quote(plan, facts)
    return fee.fee_paise + fee.tax_paise


def _words(name: str, sums: list[int]) -> dict[str, str]:
    number, gross, then, now = sums
    sign = "+" if now > then else ""
    return {
        "name": name,
        "payments": str(number),
        "paid": rupees(gross),
        "then": rupees(then),
        "now": rupees(now),
        "more": f"{sign}{rupees(now - then)}",
    }


ROUTES = (
    ConsoleRoute("GET", PATH, show, Permission.FEES_CHANGE),
    ConsoleRoute("POST", PATH, act, Permission.FEES_CHANGE, body_bytes_max=FORM_BYTES_MAX),
)
