"""Terminals in merchants' shops, and their sales."""

from typing import Annotated, Literal

from msgspec import Meta

from hundi.kernel.refusals import RefusalCode
from hundi.partners.pos import actions, rules, store
from hundi.partners.pos.rules import Sale
from hundi.staff.people.rules import Permission
from hundi.verbs.context import VerbContext, VerbProblemError
from hundi.verbs.parameters import MerchantId, ParameterHints, VerbParameters
from hundi.verbs.partner import partner_of
from hundi.verbs.verb import Result, verb

TerminalId = Annotated[str, Meta(description="The terminal's id: 1 to 16 letters and digits.")]
_NOT_IN_USE = {
    RefusalCode.NO_RECORDS: "merchant {merchant_id} has no terminal {terminal_id} in use"
}


class TerminalToRegister(VerbParameters, frozen=True, kw_only=True):
    """A terminal to register or to open again."""

    merchant_id: MerchantId
    terminal_id: TerminalId
    label: Annotated[
        str, Meta(description="The place where it stands."), ParameterHints(masked=True)
    ]
    manager: Annotated[
        str | None,
        Meta(description="Affiliate code of the partner who reports its sales; empty for none."),
    ] = None


class NamedTerminal(VerbParameters, frozen=True, kw_only=True):
    """One terminal."""

    merchant_id: MerchantId
    terminal_id: TerminalId


class TerminalsOfMerchant(VerbParameters, frozen=True, kw_only=True):
    """A merchant's terminals."""

    merchant_id: MerchantId


class SaleToRecord(VerbParameters, frozen=True, kw_only=True):
    """A sale, as a terminal would send it."""

    merchant_id: MerchantId
    terminal_id: TerminalId
    amount: Annotated[
        int,
        Meta(description="The amount in rupees, with two decimals."),
        ParameterHints(rupees=True),
    ]
    kind: Literal["SALE", "VOID", "REFUND"] = "SALE"
    edited: Annotated[
        int,
        Meta(description="The amount in rupees after a correction."),
        ParameterHints(rupees=True),
    ] = 0
    table: Annotated[str, Meta(description="Which table or counter was served.")] = ""
    mobile: Annotated[str, Meta(description="Ten digits, of which the last four are kept.")] = ""
    reference: Annotated[
        str, Meta(description="The terminal's own id of the sale; the same id is recorded once.")
    ] = ""


@verb(
    "pos register",
    Permission.MERCHANTS_CHANGE,
    at="all",
    trail="terminal.register",
    title="Terminal",
)
async def register(context: VerbContext, parameters: TerminalToRegister) -> Result:
    """Register a terminal, or open it again; without --manager its partner stays."""
    if parameters.manager:
        await partner_of(context, parameters.manager)
    terminal_key = parameters.merchant_id, parameters.terminal_id
    recorded = context.recording(*terminal_key)
    await actions.register(
        context.db,
        *terminal_key,
        parameters.label,
        context.now,
        manager=parameters.manager,
        beside=recorded,
    )
    return _in_state(parameters, "open")


@verb(
    "pos close",
    Permission.MERCHANTS_CHANGE,
    at="all",
    trail="terminal.close",
    title="Terminal",
    refusals=_NOT_IN_USE,
)
async def close(context: VerbContext, parameters: NamedTerminal) -> Result:
    """Take a terminal out of use."""
    terminal_key = parameters.merchant_id, parameters.terminal_id
    await actions.close(context.db, *terminal_key, context.now, context.recording(*terminal_key))
    return _in_state(parameters, "closed")


def _in_state(parameters: TerminalToRegister | NamedTerminal, state: str) -> Result:
    return {
        "merchant_id": str(parameters.merchant_id),
        "terminal_id": parameters.terminal_id,
        "state": state,
    }


@verb("pos terminals", Permission.PAYMENTS_SEE, title="Terminals", screen="terminals")
async def terminals(context: VerbContext, parameters: TerminalsOfMerchant) -> Result:
    """List a merchant's terminals."""
    rows = await store.terminals(context.db, parameters.merchant_id)
    if not rows:
        await context.check_merchant(parameters.merchant_id)
    return [
        {
            "terminal_id": row["terminal_id"],
            "label": row["label"],
            "manager": row["manager"] or "",
            "state": "closed" if row["closed_at"] else "open",
            "since": row["created_at"],
        }
        for row in rows
    ]


@verb(
    "pos sell",
    Permission.MERCHANTS_CHANGE,
    trail="terminal.sell",
    title="Sold",
    refusals=_NOT_IN_USE,
    only_command="sends a sale in the place of a terminal, to try one out",
)
async def sell(context: VerbContext, parameters: SaleToRecord) -> Result:
    """Record a sale, as a terminal would send it."""
    sale = Sale(
        merchant_id=parameters.merchant_id,
        terminal_id=parameters.terminal_id,
        reference=parameters.reference or context.reference,
        at=context.now,
        amount_paise=parameters.amount,
        kind=parameters.kind,
        edited_paise=parameters.edited,
        table_no=parameters.table,
        mobile=parameters.mobile,
    )
    result = await actions.record(context.db, sale)
    return {"transaction_id": str(result), "reference": sale.reference}


@verb(
    "pos sales",
    Permission.PAYMENTS_SEE,
    title="Sales",
    screen="terminals/{terminal_id:str}",
)
async def sales(context: VerbContext, parameters: NamedTerminal) -> Result:
    """Show what was sold through a terminal in the last 24 hours."""
    terminal_key = parameters.merchant_id, parameters.terminal_id
    # Closed terminals have sales too.
    terminals_there = await store.terminals(context.db, parameters.merchant_id)
    if not any(row["terminal_id"] == parameters.terminal_id for row in terminals_there):
        await context.check_merchant(parameters.merchant_id)
        message = f"merchant {parameters.merchant_id} has no terminal {parameters.terminal_id}"
        raise VerbProblemError(message)
    since = context.now - rules.LISTED_FOR
    return [
        {
            "transaction_id": str(sale.transaction_id),
            "at": sale.at,
            "kind": sale.kind,
            "amount_paise": sale.amount_paise,
            "edited_paise": sale.edited_paise or None,
            "table": sale.table_no,
            "mobile": sale.masked_mobile,
        }
        for sale in await store.sales(context.db, *terminal_key, since, rules.LISTED_MAX)
    ]


VERBS = (register, close, terminals, sell, sales)
