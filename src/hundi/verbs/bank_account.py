"""Bank accounts for payouts to merchants and their linked accounts, and who holds them."""

from functools import partial
from typing import Annotated, Any

from msgspec import Meta

from hundi.kernel.masking import masked
from hundi.money.bank_accounts import actions, store
from hundi.money.bank_accounts.papers import actions as papers
from hundi.money.bank_accounts.papers.rules import PAPER_BYTES_MAX, AccountPaper, PaperKind
from hundi.money.bank_accounts.rules import (
    PRIMARY,
    AccountCheckRecord,
    PayoutAccount,
)
from hundi.money.payouts.actions import hold_back
from hundi.staff.people.rules import Permission
from hundi.verbs.context import VerbContext, VerbProblemError
from hundi.verbs.parameters import MerchantId, ParameterHints, UploadedFile, VerbParameters
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


class PaperToAdd(VerbParameters, frozen=True, kw_only=True):
    """A paper that shows whose an account is."""

    merchant_id: MerchantId
    document: Annotated[
        UploadedFile,
        Meta(description="A PDF, PNG or JPEG of up to 2 MiB."),
        ParameterHints(metavar="FILE", file_bytes_max=PAPER_BYTES_MAX),
    ]
    kind: Annotated[
        PaperKind, Meta(description="What it is."), ParameterHints(by="name", option="--kind")
    ]
    person: Annotated[
        str,
        Meta(description="Who adds it: a person's name."),
        ParameterHints(by="name", option="--as", signs=True),
    ]
    beneficiary: Beneficiary = PRIMARY


class PapersOfAccount(VerbParameters, frozen=True, kw_only=True):
    """The papers of an account."""

    merchant_id: MerchantId
    beneficiary: Beneficiary = PRIMARY


class PapersToAccept(VerbParameters, frozen=True, kw_only=True):
    """An account that its papers verify."""

    merchant_id: MerchantId
    papers: Annotated[
        list[int],
        Meta(description="The id of a paper that you have looked at; repeat for several: all."),
        ParameterHints(by="name", option="--paper"),
    ]
    person: Annotated[
        str,
        Meta(description="Who accepts them: neither who added the account nor who added a paper."),
        ParameterHints(by="name", option="--as", signs=True),
    ]
    beneficiary: Beneficiary = PRIMARY


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
    checks = await store.checks_of(context.db, parameters.merchant_id)
    newest = {(each.beneficiary, each.account_no): each for each in checks}
    return [
        _line(account, newest.get((account.beneficiary, account.account_no)))
        for account in accounts
    ]


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


@verb(
    "bank-account papers add",
    Permission.BANK_ACCOUNTS_CHANGE,
    at="both",
    trail=papers.ADDED,
    fresh=False,
    title="Paper",
    page="Add a paper of a bank account",
)
async def add_paper(context: VerbContext, parameters: PaperToAdd) -> Result:
    """Add a paper that shows whose an account is: a cancelled cheque or a statement.

    It is sealed. A second person who looks at it can accept the account.
    """
    document = parameters.document
    paper = await papers.add(
        context.db,
        context.vault,
        parameters.merchant_id,
        parameters.beneficiary,
        (parameters.kind, masked(document.name), document.content),
        parameters.person,
        context.now,
        partial(context.recording, parameters.merchant_id, made="paper"),
    )
    return _paper(paper)


@verb(
    "bank-account papers list",
    Permission.MONEY_SEE,
    at="both",
    title="Papers",
    page="List the papers of a bank account",
)
async def list_papers(context: VerbContext, parameters: PapersOfAccount) -> Result:
    """List the papers of an account, oldest first."""
    of_account = await papers.of_newest(context.db, parameters.merchant_id, parameters.beneficiary)
    return [_paper(paper) for paper in of_account]


@verb(
    "bank-account papers accept",
    Permission.BANK_ACCOUNTS_CHANGE,
    at="all",
    trail="bank_account.accept_papers",
    title="Account",
    page="Accept a bank account by its papers",
)
async def accept_papers(context: VerbContext, parameters: PapersToAccept) -> Result:
    """Verify an account by its papers, as a second person who has looked at each of them.

    It is refused where there is another paper than those that are named.
    """
    account = await papers.accept(
        context.db,
        parameters.merchant_id,
        parameters.beneficiary,
        parameters.papers,
        parameters.person,
        context.who,
        context.now,
    )
    return _line(account)


def _paper(paper: AccountPaper) -> dict[str, Any]:
    return {
        "paper_id": str(paper.paper_id),
        "beneficiary": paper.beneficiary,
        "account_no": paper.account_no,
        "kind": paper.kind,
        "name": paper.name,
        "type": paper.media_type,
        "bytes": paper.size_bytes,
        "sha256": paper.digest.hex(),
        "added_by": paper.added_by,
        "since": paper.added_at,
    }


def _line(account: PayoutAccount, check: AccountCheckRecord | None = None) -> dict[str, Any]:
    return {
        "beneficiary": account.beneficiary,
        "account_no": account.account_no,
        "holder": account.holder,
        "number": f"…{account.last4}",
        "ifsc": account.ifsc,
        "state": account.state,
        "registered_name": account.registered_name,
        "verified_by": account.verified_by or "",
        "checked_with": check.connector if check else "",
        "outcome": check.outcome if check else "",
        "score": check.score if check else None,
        "cost_paise": check.cost_paise if check else None,
        "added_by": account.added_by,
        "accepted_by": account.accepted_by,
        "since": account.added_at,
        "replaced_at": account.replaced_at,
    }


GROUPS = {"papers": "Papers that show whose an account is, for two people."}
VERBS = (add, list_of, verify, add_paper, list_papers, accept_papers)
