"""Bank accounts for payouts to merchants and their linked accounts, and who holds them."""

from typing import Annotated, Any

from msgspec import Meta

from hundi.money.bank_accounts import actions, store
from hundi.money.bank_accounts.rules import PRIMARY, PayoutAccount
from hundi.money.payouts.actions import hold_back
from hundi.staff.people.rules import Permission
from hundi.verbs.context import VerbContext, VerbProblemError
from hundi.verbs.parameters import MerchantId, ParameterHints, VerbParameters
from hundi.verbs.verb import Result, verb

Beneficiary = Annotated[
    str, Meta(description="The word primary, or the identifier of a linked account.")
]
_WHO = "--accept-name needs --as NAME, of another person than who added the account"


class AccountToAdd(VerbParameters, frozen=True, kw_only=True):
    """A bank account for payouts."""

    merchant_id: MerchantId
    person: Annotated[
        str,
        Meta(description="Who does this: a person's name."),
        ParameterHints(by="name", option="--as", signs=True),
    ]
    beneficiary: Beneficiary = PRIMARY
    holder: Annotated[
        str,
        Meta(description="The holder's name; for a linked account, as it was linked."),
        ParameterHints(masked=True),
    ] = ""
    ifsc: Annotated[str, Meta(description="Its branch, such as HDFC0000001.")] = ""
    number: Annotated[
        str,
        Meta(description="Its number; asked for when it is not given."),
        ParameterHints(
            prompt="Account number", prompt_if=lambda others: others["beneficiary"] == PRIMARY
        ),
    ] = ""


class AccountsOfMerchant(VerbParameters, frozen=True, kw_only=True):
    """A merchant's bank accounts."""

    merchant_id: MerchantId


class AccountToVerify(VerbParameters, frozen=True, kw_only=True):
    """A bank account whose holder is verified with its bank."""

    merchant_id: MerchantId
    beneficiary: Beneficiary = PRIMARY
    accept_name: Annotated[
        bool,
        Meta(description="Accept a holder's name that differs: a second person, --as."),
        ParameterHints(only_command=True),
    ] = False
    person: Annotated[
        str,
        Meta(description="Who accepts the name."),
        ParameterHints(option="--as", signs=True),
    ] = ""


@verb(
    "bank-account add",
    Permission.BANK_ACCOUNTS_CHANGE,
    trail="bank_account.add",
    screen="bank-account",
    title="Added",
    second="Another bank account",
)
async def add(context: VerbContext, parameters: AccountToAdd) -> Result:
    """Add or change an account, and ask its bank for the holder's name.

    What was not sent to the account before is held back.
    """
    account = parameters.holder, parameters.number, parameters.ifsc
    who = parameters.merchant_id, parameters.beneficiary, account, parameters.person, context.who
    return _line(await actions.add(context.db, *who, context.now, replaced=hold_back))


@verb("bank-account list", Permission.MONEY_SEE, screen="bank-account", title="Bank accounts")
async def list_of(context: VerbContext, parameters: AccountsOfMerchant) -> Result:
    """List every version of a merchant's accounts; of their numbers, the last four characters."""
    accounts = await store.of_merchant(context.db, parameters.merchant_id)
    if not accounts:
        await context.check_merchant(parameters.merchant_id)
    return [_line(account) for account in accounts]


@verb(
    "bank-account verify",
    Permission.BANK_ACCOUNTS_CHANGE,
    trail="bank_account.verify",
    title="Account",
)
async def verify(context: VerbContext, parameters: AccountToVerify) -> Result:
    """Ask an account's bank again for the holder, or accept another name."""
    if parameters.accept_name and not parameters.person:
        raise VerbProblemError(_WHO)
    whose, by = (context.db, parameters.merchant_id, parameters.beneficiary), context.who
    if parameters.accept_name:
        return _line(await actions.accept_name(*whose, parameters.person, by, context.now))
    return _line(await actions.verify_again(*whose, by, context.now))


def _line(account: PayoutAccount) -> dict[str, Any]:
    return {
        "beneficiary": account.beneficiary,
        "account_no": account.account_no,
        "holder": account.holder,
        "number": f"…{account.last4}",
        "ifsc": account.ifsc,
        "state": account.state,
        "registered_name": account.registered_name,
        "added_by": account.added_by,
        "accepted_by": account.accepted_by,
        "since": account.added_at,
        "replaced_at": account.replaced_at,
    }


VERBS = (add, list_of, verify)
