"""The operator's merchants: their day so far, and adding, suspending and resuming them."""

import asyncio
import re
from typing import Any, Literal

import msgspec
from litestar import Response

from hundi.console.guard import ConsoleRoute
from hundi.console.keys import NAMES
from hundi.console.names import method_name
from hundi.console.queries import across as queries
from hundi.console.recording import recording_at
from hundi.console.render import as_text_file
from hundi.console.verb_forms import form_of
from hundi.console.visits import ConsoleVisit
from hundi.infra.postgres.database import Connection
from hundi.kernel.clock import business_day
from hundi.kernel.ids import new_id
from hundi.kernel.money import Money, shown
from hundi.kernel.refusals import Refusal, RefusalCode, Refused, refuse
from hundi.merchants.directory import actions as merchants
from hundi.merchants.directory.actions import MerchantChange
from hundi.merchants.directory.rules import Merchant, MerchantSettings
from hundi.merchants.directory.twins import store as twins
from hundi.money.bank_accounts import store as bank_accounts
from hundi.money.fees import store as fees
from hundi.money.ledger import store as ledger
from hundi.money.ledger.chart.rules import account_of
from hundi.staff.people.listing import actions as listing
from hundi.staff.people.rules import OPERATOR, Permission
from hundi.staff.trail import actions as trail
from hundi.verbs.merchant import resume, suspend
from hundi.verbs.merchant_twins import pair, part

PAGE_ROWS = 25
_NAME_MAX = 100
_PAYABLE = "payable"
_ACT_ID = re.compile(r"[0-9]{1,15}\Z")
_ADDED_BEFORE = Refusal(RefusalCode.STATE_FORBIDS, field="act_id")
"""The form was sent before, and has added a merchant."""
_SECRETS = {
    "username": "Username",
    "password": NAMES["password"].label,
    "secret": NAMES["secret"].label,
    "client_id": "OAuth client id",
    "client_secret": NAMES["client_secret"].label,
}
"""The secrets that a new merchant gets, by the names that the page of keys has for them."""


async def show_list(visit: ConsoleVisit) -> Response[Any]:
    """List merchants with the amounts paid today and still owed to them."""
    name = visit.query.get("name", "").strip()[:_NAME_MAX]
    after = visit.query.get("after", "")
    begins = (
        int(after)
        if after.isascii() and after.isdigit() and len(after) < len(str(queries.ID_MAX))
        else 0
    )
    merchants_page = await queries.select_merchants(visit.db, begins, name, PAGE_ROWS + 1)
    rows = merchants_page[:PAGE_ROWS]
    ids = [row["merchant_id"] for row in rows]
    paid = await queries.select_paid(visit.db, ids, business_day(visit.now))
    owed = await asyncio.gather(*(_owed(visit, each) for each in ids))
    return visit.page(
        "merchants.html",
        "Merchants",
        rows=[
            {
                **row,
                "paid": "not counted"
                if paid is None
                else _rupees(paid.get(row["merchant_id"], {"paise": 0})["paise"]),
                "owed": _rupees(paise),
            }
            for row, paise in zip(rows, owed, strict=True)
        ],
        name=name,
        next=ids[-1] if len(merchants_page) > PAGE_ROWS else 0,
        may_change=visit.may(Permission.MERCHANTS_CHANGE),
        act_id=new_id(visit.now),
    )


def _rupees(paise: int) -> str:
    return shown(Money(paise or 0))


async def _owed(visit: ConsoleVisit, merchant_id: int) -> int:
    """Return the unsettled amount of a merchant, in paise."""
    balances = await ledger.balances(visit.db, merchant_id)
    return sum(
        each.paise for each in balances if each.account == _PAYABLE and each.currency == "INR"
    )


async def show(visit: ConsoleVisit) -> Response[Any]:
    """Show one merchant: its state, prices, bank accounts, balances, people and settings."""
    merchant = await _found(visit)
    merchant_id = merchant.merchant_id
    plans = (await fees.plans_of(visit.db, merchant_id)).on(business_day(visit.now))
    balances = await ledger.balances(visit.db, merchant_id)
    return visit.page(
        "merchant.html",
        merchant.name,
        merchant=merchant,
        methods=[method_name(each) for each in merchant.settings.channels],
        plan_no=plans.plan_no if plans else 0,
        accounts=await bank_accounts.of_merchant(visit.db, merchant_id),
        balances=[
            (
                each.account,
                account_of(each.account).meaning,
                shown(Money(each.paise, each.currency)),
            )
            for each in balances
            if each.paise
        ],
        people=await listing.members(visit.db, visit.gateway.vault, merchant_id),
        may_change=visit.may(Permission.MERCHANTS_CHANGE),
        may_risk=visit.may(Permission.RISK_CHANGE),
        twin=await _twin(visit, merchant_id),
        own=f"/console/{merchant_id}/",
    )


async def _twin(visit: ConsoleVisit, merchant_id: int) -> Merchant | None:
    twin_id = await twins.twin_of(visit.db, merchant_id)
    return await visit.gateway.directory.get(twin_id) if twin_id else None


async def _found(visit: ConsoleVisit) -> Merchant:
    number = visit.params["merchant_id"]
    merchant = await visit.gateway.directory.get(number) if 0 < number < queries.ID_MAX else None
    if merchant is None:
        raise refuse(RefusalCode.NO_RECORDS, field="merchant", received=str(number))
    return merchant


async def add(visit: ConsoleVisit) -> Response[Any]:
    """Add a merchant, once however often the form is sent, and show its secrets, this once."""
    name, mode, form = (
        visit.form.get("name", "").strip(),
        visit.form.get("mode", ""),
        visit.form.get("act_id", ""),
    )
    chosen: Literal["live", "sandbox"] = "live" if mode == "live" else "sandbox"
    if not _ACT_ID.match(form):
        raise refuse(
            RefusalCode.FIELD_INVALID,
            field="act_id",
            received=form[:20],
            allowed="the number of the form",
        )
    recorded = recording_at(visit, OPERATOR, "merchant.add", name=name, mode=chosen, form=form)

    entry = trail.recording_merchant(visit.who, "merchant.add", visit.now, name=name, mode=chosen)

    async def write(conn: Connection, change: MerchantChange) -> None:
        number = change.merchant_id
        # Writers of the operator's trail take turns, so the second of two equal forms sees the
        # first.
        await recorded(conn, number)
        await entry(conn, change)
        first = await queries.added_by(conn, visit.person.person_id, form)
        if first is not None and first["about"] != str(number):
            raise Refused(_ADDED_BEFORE)

    try:
        merchant_id, keys = await merchants.add(
            visit.db,
            visit.gateway.vault,
            name=name,
            mode=chosen,
            settings=MerchantSettings(),
            now=visit.now,
            beside=write,
        )
    except Refused as refused:
        if refused.refusal is not _ADDED_BEFORE:
            raise
        return await _added_before(visit, form, name, chosen)
    secrets = [
        ("Merchant id", str(merchant_id)),
        *((label, getattr(keys, each)) for each, label in _SECRETS.items()),
        (NAMES["webhook_key"].label, keys.webhook_keys[0]),
    ]
    return visit.page(
        "merchant_added.html",
        f"{name} was added",
        merchant_id=merchant_id,
        secrets=secrets,
        file=as_text_file("".join(f"{label}: {text}\n" for label, text in secrets)),
    )


async def _added_before(visit: ConsoleVisit, form: str, name: str, mode: str) -> Response[Any]:
    """Redirect to the merchant that the form added before; its secrets were shown then."""
    first = await queries.added_by(visit.db, visit.person.person_id, form)
    assert first is not None
    details = msgspec.json.decode(first["detail"])
    if (details["name"], details["mode"]) != (name, mode):
        allowed = "a form that was not sent yet: reload the page"
        raise refuse(RefusalCode.FIELD_INVALID, field="act_id", received=form, allowed=allowed)
    return visit.see(f"merchants/{first['about']}", "merchant_added_before")


_ONE = "merchants/{merchant_id:int}"
_CHANGE = Permission.MERCHANTS_CHANGE
ROUTES = (
    ConsoleRoute("GET", "merchants", show_list, Permission.MONEY_SEE, at="all"),
    ConsoleRoute("GET", _ONE, show, Permission.MONEY_SEE, at="all"),
    ConsoleRoute("POST", "merchants", add, _CHANGE, fresh=True, at="all"),
    *(
        form_of(each, f"{_ONE}/{each.name}", "merchants/{merchant_id}")
        for each in (suspend, resume, pair, part)
    ),
)
