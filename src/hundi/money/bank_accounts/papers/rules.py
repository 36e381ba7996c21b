"""Papers that show whose a bank account is; pure."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from hundi.kernel.names import is_same_person
from hundi.kernel.refusals import Refusal, RefusalCode, wrong_state
from hundi.money.bank_accounts.rules import (
    LEASE,
    PERSON,
    AccountCheckRecord,
    BankAccountState,
    PayoutAccount,
)

PAPER_BYTES_MAX = 2 * 1024 * 1024
"""Bytes of one paper."""
PAPERS_MAX = 5
"""Papers of one version of an account."""
SILENCE = timedelta(days=1)
"""How long papers wait, from when the account was added: for the worker's first look, and for a
provider that may have the check.
"""


class PaperKind(StrEnum):
    """What a paper is."""

    CANCELLED_CHEQUE = "cancelled_cheque"
    """A cheque with the holder's name, crossed out."""
    STATEMENT = "statement"
    """A statement of the account, or the first page of its passbook."""


@dataclass(frozen=True, slots=True)
class AccountPaper:
    """One paper of one version of an account, without its content. digest: its SHA-256."""

    merchant_id: int
    paper_id: int
    beneficiary: str
    account_no: int
    kind: PaperKind
    name: str
    media_type: str
    size_bytes: int
    digest: bytes
    added_by: str
    added_at: datetime


def told_of(paper: AccountPaper) -> dict[str, str]:
    """Return what the trail tells of a paper when it is added."""
    return {
        "kind": paper.kind,
        "beneficiary": paper.beneficiary,
        "account_no": str(paper.account_no),
        "sha256": paper.digest.hex(),
        "added_by": paper.added_by,
    }


def size_refusal(content: bytes) -> Refusal | None:
    """Return why a file is too large for a paper, or None."""
    if len(content) > PAPER_BYTES_MAX:
        return _no("paper", f"{len(content)} bytes", f"at most {PAPER_BYTES_MAX}")
    return None


def content_refusal(fault: str) -> Refusal | None:
    """Return why a file is no paper, or None. fault: what was found when it was opened."""
    return _no("paper", fault, "a whole PDF, PNG or JPEG, and nothing else") if fault else None


def paper_refusal(account: PayoutAccount, papers: int, person: str) -> Refusal | None:
    """Return why an account takes no paper, or None. papers: how many it has already."""
    if account.state is not BankAccountState.UNVERIFIED:
        return wrong_state("bank account", account.state, BankAccountState.UNVERIFIED)
    if not PERSON.match(person):
        return _no("as", person[:64], "a person's name")
    if papers >= PAPERS_MAX:
        return _no("paper", f"{papers + 1} papers", f"at most {PAPERS_MAX}")
    return None


def answer_refusal(
    account: PayoutAccount, checks: Sequence[AccountCheckRecord], now: datetime
) -> Refusal | None:
    """Return why papers cannot stand for the bank's answer, or None.

    checks: what providers said of this version of the account. Papers never overrule a bank; the
    worker looks for a provider first, and a call that may be under way is waited for.
    """
    if account.state is not BankAccountState.UNVERIFIED:
        return wrong_state("bank account", account.state, BankAccountState.UNVERIFIED)
    if checks or account.registered_name:
        said = f"{checks[-1].connector} said {checks[-1].outcome}" if checks else "a bank named it"
        return _state_no(said, "an account that no bank spoke of")
    if now < account.added_at + SILENCE and (account.asked_of or not account.inquiries):
        received = f"{account.asked_of} has the check" if account.asked_of else "not looked at yet"
        allowed = f"no answer until {account.added_at + SILENCE:%Y-%m-%d %H:%M} UTC"
        return _state_no(received, allowed)
    if account.asked_of and account.due_at is not None and account.due_at <= now + LEASE:
        return _state_no(f"{account.asked_of} is asked now", "again in a minute")
    return None


def acceptance_refusal(
    account: PayoutAccount, papers: Sequence[AccountPaper], seen: Collection[int], person: str
) -> Refusal | None:
    """Return why a person may not accept an account by its papers, or None.

    seen: the ids of the papers that the person has looked at; they are all that there are.
    """
    if not papers:
        return _no("papers", "none", "a cancelled cheque or a statement")
    there = {each.paper_id for each in papers}
    if set(seen) != there:
        allowed = f"{_ids(there)}: look at all that there are, and name them"
        return _no("papers", _ids(seen) or "none", allowed)
    if not PERSON.match(person):
        return _no("as", person[:64], "a person's name")
    before = [account.added_by, *(each.added_by for each in papers)]
    if any(is_same_person(person, each) for each in before):
        return _no("as", person, f"another person than {', '.join(dict.fromkeys(before))}")
    return None


def _ids(papers: Collection[int]) -> str:
    return " ".join(str(each) for each in sorted(papers))


def _state_no(received: str, allowed: str) -> Refusal:
    return Refusal(RefusalCode.STATE_FORBIDS, field="account", received=received, allowed=allowed)


def _no(field: str, received: str, allowed: str) -> Refusal:
    return Refusal(RefusalCode.FIELD_INVALID, field=field, received=received, allowed=allowed)
