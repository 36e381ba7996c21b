"""Linked accounts that share payments, and the shares of one payment."""

from typing import Annotated

from msgspec import Meta

from hundi.acquirers.port.splits import SplitsSettlement
from hundi.infra.postgres.database import Database
from hundi.payments.direct_shares import store as direct_shares
from hundi.payments.direct_shares.reversals import store as reversals_store
from hundi.payments.direct_shares.reversals.rules import ReversalState
from hundi.payments.direct_shares.rules import DirectShare, LinkedParty
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


class PartyToEnd(VerbParameters, frozen=True, kw_only=True):
    """A linked account whose shares payouts pay again."""

    merchant_id: MerchantId
    identifier: Annotated[str, Meta(description="The linked account.")]
    connector: Annotated[str, Meta(description="The account at the acquirer.")]


class PartyToName(PartyToEnd, frozen=True, kw_only=True):
    """A linked account whose shares an acquirer settles itself."""

    party: Annotated[
        str,
        Meta(description="The acquirer's name of the linked account, such as acc_Gw9aQ2mPz1."),
    ]


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


@verb(
    "split party set",
    Permission.BANK_ACCOUNTS_CHANGE,
    trail="linked_account.party_set",
    title="Settled by its acquirer",
    only_command="it decides where the money goes, and is the operator's agreement to make",
)
async def set_party(context: VerbContext, parameters: PartyToName) -> Result:
    """Let an acquirer settle a linked account's shares of the payments that it takes."""
    able = [each.name for each in await context.acquirers(SplitsSettlement)]
    if parameters.connector not in able:
        message = f"{parameters.connector} settles no shares; these do: {', '.join(able) or 'none'}"
        raise VerbProblemError(message)
    party = LinkedParty(parameters.identifier, parameters.connector, parameters.party)
    await actions.name_party(context.db, context.who, parameters.merchant_id, party, context.now)
    return {
        "merchant_id": str(parameters.merchant_id),
        "identifier": party.identifier,
        "connector": party.connector,
        "party": party.party,
    }


@verb(
    "split party end",
    Permission.BANK_ACCOUNTS_CHANGE,
    trail="linked_account.party_end",
    title="Settled by payouts",
    only_command="it decides where the money goes, and is the operator's agreement to make",
)
async def end_party(context: VerbContext, parameters: PartyToEnd) -> Result:
    """Pay a linked account's shares by payouts again, from the next split on."""
    account_key = parameters.merchant_id, parameters.identifier
    await actions.end_party(
        context.db, context.who, *account_key, parameters.connector, context.now
    )
    return {
        "merchant_id": str(parameters.merchant_id),
        "identifier": parameters.identifier,
        "connector": parameters.connector,
    }


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
    parties = await direct_shares.parties_of(context.db, parameters.merchant_id)
    return [
        {
            "identifier": row["identifier"],
            "name": row["name"],
            "ifsc": row["ifsc"],
            "number": f"…{row['last4']}",
            "ledger_account": row["ledger_account"],
            "state": "closed" if row["closed_at"] else "open",
            "since": row["created_at"],
            "settled_by": [
                each.connector for each in parties if each.identifier == row["identifier"]
            ],
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
    directs = {
        each.identifier: each
        for each in await direct_shares.of_payment(context.db, merchant_id, transaction)
        if each.request_id == rows[0]["request_id"]
    }
    primary = _share("primary", "payable", standing.primary_paise, due.primary_paise)
    parts = zip(rows, due.parts_paise, strict=True)
    return [
        primary,
        *[
            _share(row["identifier"], row["ledger_account"], row["amount_paise"], paise)
            | await _direct(context.db, directs.get(row["identifier"]))
            for row, paise in parts
        ],
    ]


def _share(identifier: str, account: str, configured: int, due: int) -> dict[str, object]:
    return {
        "identifier": identifier,
        "ledger_account": account,
        "configured_paise": configured,
        "due_paise": due,
    }


async def _direct(db: Database, share: DirectShare | None) -> dict[str, object]:
    """Return how the payment's acquirer settles a part, nothing where a payout does."""
    if share is None:
        return {}
    reversals = await reversals_store.of_share(db, share)
    done = [each.amount_paise for each in reversals if each.state is ReversalState.DONE]
    owed = [each.amount_paise for each in reversals if not each.ended_at]
    return {
        "settled_by": share.connector,
        "state": share.state,
        "sent_paise": share.sent_paise,
        "reversed_paise": sum(done),
        "owed_paise": sum(owed),
        "utr": share.utr,
        "message": share.message,
    }


GROUPS = {"party": "Which acquirer settles a linked account's shares itself."}
VERBS = (link, close, set_party, end_party, accounts, show)
