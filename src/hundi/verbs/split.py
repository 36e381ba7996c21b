"""Linked accounts that share payments, and the shares of one payment."""

from typing import Annotated

from msgspec import Meta

from hundi.payments.orders.finding import store as finding
from hundi.payments.splits import actions, store
from hundi.payments.splits.rules import Shares, reduced
from hundi.staff.people.rules import Permission
from hundi.verbs.context import VerbContext, VerbProblemError
from hundi.verbs.parameters import ID_MAX, MerchantId, ParameterHints, VerbParameters
from hundi.verbs.verb import Result, verb


class AccountToLink(VerbParameters, frozen=True, kw_only=True):
    """A bank account to link."""

    merchant_id: MerchantId
    identifier: Annotated[str, Meta(description="Its name in splits: 1 to 64 of A-Z a-z 0-9 - _ .")]
    name: Annotated[str, Meta(description="The holder's name.")]
    ifsc: Annotated[str, Meta(description="Its branch, such as HDFC0000001.")]
    number: Annotated[
        str,
        Meta(description="Asked for when it is not given."),
        ParameterHints(by="name", prompt="Account number"),
    ]


class NamedLinkedAccount(VerbParameters, frozen=True, kw_only=True):
    """One linked account."""

    merchant_id: MerchantId
    identifier: str


class LinkedAccounts(VerbParameters, frozen=True, kw_only=True):
    """A merchant's linked accounts."""

    merchant_id: MerchantId


class SplitPayment(VerbParameters, frozen=True, kw_only=True):
    """One payment with shares."""

    merchant_id: MerchantId
    transaction: Annotated[int, Meta(ge=1, le=ID_MAX, description="ap_transactionid.")]


@verb(
    "split link",
    Permission.BANK_ACCOUNTS_CHANGE,
    trail="linked_account.link",
    title="Linked",
    only_command="its number is typed where nobody else reads it, and money goes there at once",
)
async def link(context: VerbContext, parameters: AccountToLink) -> Result:
    """Link a bank account to a merchant; its number is kept sealed."""
    account_key = parameters.merchant_id, parameters.identifier
    account = parameters.name, parameters.number, parameters.ifsc
    await actions.link_account(context.db, context.who, *account_key, *account, context.now)
    return _in_state(*account_key, "open")


@verb(
    "split close",
    Permission.BANK_ACCOUNTS_CHANGE,
    trail="linked_account.close",
    title="Closed",
)
async def close(context: VerbContext, parameters: NamedLinkedAccount) -> Result:
    """Close a linked account: it keeps its shares and gets no new ones."""
    account_key = parameters.merchant_id, parameters.identifier
    await actions.close_account(context.db, context.who, *account_key, context.now)
    return _in_state(*account_key, "closed")


def _in_state(merchant_id: int, identifier: str, state: str) -> Result:
    return {"merchant_id": str(merchant_id), "identifier": identifier, "state": state}


@verb(
    "split accounts",
    Permission.MONEY_SEE,
    page="List linked accounts",
    title="Linked accounts",
)
async def accounts(context: VerbContext, parameters: LinkedAccounts) -> Result:
    """List a merchant's linked accounts; of their numbers, the last four digits."""
    rows = await store.accounts_of(context.db, parameters.merchant_id)
    if not rows:
        await context.check_merchant(parameters.merchant_id)
    return [
        {
            "identifier": row["identifier"],
            "name": row["name"],
            "ifsc": row["ifsc"],
            "number": f"…{row['last4']}",
            "ledger_account": row["ledger_account"],
            "state": "closed" if row["closed_at"] else "open",
            "since": row["created_at"],
        }
        for row in rows
    ]


@verb(
    "split show",
    Permission.PAYMENTS_SEE,
    page="Show how a payment is shared",
    title="Split",
)
async def show(context: VerbContext, parameters: SplitPayment) -> Result:
    """Show how a payment is shared: as it was configured, and what is due now, after refunds."""
    merchant_id, transaction = parameters.merchant_id, parameters.transaction
    view = await finding.select_by_references(context.db, merchant_id, None, transaction, None)
    if view is None:
        message = f"merchant {merchant_id} has no payment {transaction}"
        raise VerbProblemError(message)
    rows = [
        row
        for row in await store.splits_of(context.db, merchant_id, transaction)
        if row["replaced_at"] is None
    ]
    if not rows:
        return []
    standing = Shares(rows[0]["primary_paise"], tuple(row["amount_paise"] for row in rows))
    due = reduced(standing, view.payment.remaining.paise)
    primary = _share("primary", "payable", standing.primary_paise, due.primary_paise)
    parts = zip(rows, due.parts_paise, strict=True)
    return [
        primary,
        *(
            _share(row["identifier"], row["ledger_account"], row["amount_paise"], paise)
            for row, paise in parts
        ),
    ]


def _share(identifier: str, account: str, configured: int, due: int) -> dict[str, object]:
    return {
        "identifier": identifier,
        "ledger_account": account,
        "configured_paise": configured,
        "due_paise": due,
    }


VERBS = (link, close, accounts, show)
