"""Bank accounts: their numbers and holders, and how the bank's answer changes their state; pure."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from hashlib import sha256

from hundi.acquirers.port.answers import NotRegistered, RegisteredName, Unknown
from hundi.kernel.ids import check_reference
from hundi.kernel.money import Money
from hundi.kernel.records import replace
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.money.ledger.chart import rules as chart
from hundi.money.ledger.rules import Posting, PostingKind

PRIMARY = "primary"
"""The beneficiary that is the merchant itself; others are identifiers of linked accounts."""
NUMBER = re.compile(r"[A-Z0-9]{4,34}\Z")
"""Indian account numbers have 9 to 18 digits; some co-operative banks also use letters."""
IFSC = re.compile(r"[A-Z]{4}0[A-Z0-9]{6}\Z")
HOLDER = re.compile(r"[A-Za-z0-9][A-Za-z0-9 .,&'()/-]{0,99}\Z")
"""The characters that networks carry.

It begins with a letter or digit, so that no spreadsheet reads it as a formula.
"""
PERSON = re.compile(r"[A-Za-z][A-Za-z0-9 ._@-]{0,63}\Z")
LEASE = timedelta(seconds=30)
"""How long a worker keeps a claimed account; longer than any call to a bank."""
GAPS_S = (5, 30, 300, 1_800)
"""Seconds until a check without an answer is repeated; the last value applies from then on."""
NAMED = "name"
"""The outcome of a check that named a holder."""
_TITLES = frozenset({"MR", "MRS", "MS", "MISS", "SHRI", "SMT", "KUMARI", "DR"})
_MESSRS = re.compile(r"\bM/S\b")
"""Written before a firm's name; a letter alone is an initial, which tells people apart."""
_SAME = {"PVT": "PRIVATE", "LTD": "LIMITED", "AND": "&", "CO": "COMPANY", "CORP": "CORPORATION"}
_WORDS = re.compile(r"[A-Z0-9]+|&")


class BankAccountState(StrEnum):
    """The progress of an account's check."""

    UNVERIFIED = "unverified"
    """The bank has not named its holder."""
    VERIFIED = "verified"
    """The bank confirmed the holder's name; payouts are allowed."""
    NAME_DIFFERS = "name_differs"
    """The bank has another name; no payouts until a second person accepts it."""
    REFUSED = "refused"
    """The bank has no such account, or it is closed."""


class VerifiedBy(StrEnum):
    """By what an account is verified."""

    BANK = "bank"
    """Its bank named the holder as we do."""
    PERSON = "person"
    """Its bank named another holder, and a second person accepted that."""
    PAPERS = "papers"
    """A second person accepted its papers; no bank was asked, or none answered."""


A = BankAccountState
ACCOUNT_MOVES: Mapping[A, frozenset[A]] = {
    A.UNVERIFIED: frozenset({A.VERIFIED, A.NAME_DIFFERS, A.REFUSED}),
    A.NAME_DIFFERS: frozenset({A.VERIFIED, A.UNVERIFIED}),
    A.REFUSED: frozenset({A.UNVERIFIED}),
    A.VERIFIED: frozenset(),
}
"""A new check leads back to unverified. A changed account is a new row with its own number."""


@dataclass(frozen=True, slots=True)
class PayoutAccount:
    """One version of a beneficiary's account, with a sealed number.

    check_id: our key of the check at its bank. registered_name: from the bank. fingerprint: of
    number and IFSC. asked_of: the provider that has the check, or may have it; "" for none.
    """

    merchant_id: int
    beneficiary: str
    account_no: int
    holder: str
    sealed_number: bytes
    last4: str
    fingerprint: bytes
    ifsc: str
    added_by: str
    added_at: datetime
    state: BankAccountState
    check_id: int
    registered_name: str = ""
    checked_at: datetime | None = None
    accepted_by: str = ""
    replaced_at: datetime | None = None
    due_at: datetime | None = None
    inquiries: int = 0
    asked_of: str = ""

    @property
    def verified_by(self) -> VerifiedBy | None:
        """Return by what the account is verified, None for one that is not."""
        if self.state is not BankAccountState.VERIFIED:
            return None
        if not self.registered_name:
            return VerifiedBy.PAPERS
        return VerifiedBy.PERSON if self.accepted_by else VerifiedBy.BANK

    @property
    def reference(self) -> str:
        """Return the key of our check at the bank."""
        return check_reference(self.merchant_id, self.check_id)


@dataclass(frozen=True, slots=True)
class AccountCheckRecord:
    """What a provider said of an account.

    outcome: name, or the fault for which nothing can be paid in. score: 0 to 100, None where the
    provider has none. cost_paise: of the check.
    """

    merchant_id: int
    check_id: int
    beneficiary: str
    account_no: int
    connector: str
    outcome: str
    score: int | None
    code: str
    message: str
    cost_paise: int
    at: datetime

    @property
    def cost(self) -> Posting | None:
        """Return the posting of the cost, None for a check that cost nothing."""
        if not self.cost_paise:
            return None
        kind, accounts = PostingKind.CHECK_COST, (chart.ACQUIRER_COST.code, chart.PROVIDER_DUE.code)
        amount = Money(self.cost_paise)
        return Posting(self.merchant_id, self.check_id, kind, *accounts, amount, self.at)


def record_of(
    account: PayoutAccount,
    answer: RegisteredName | NotRegistered,
    connector: str,
    cost: Money,
    now: datetime,
) -> AccountCheckRecord:
    """Return what is kept of a provider's answer. cost: of a check whose answer does not say it."""
    is_named = isinstance(answer, RegisteredName)
    return AccountCheckRecord(
        merchant_id=account.merchant_id,
        check_id=account.check_id,
        beneficiary=account.beneficiary,
        account_no=account.account_no,
        connector=connector,
        outcome=NAMED if is_named else answer.fault,
        score=answer.score if is_named else None,
        code="" if is_named else answer.code[:100],
        message="" if is_named else answer.message[:200],
        cost_paise=(answer.cost or cost).paise,
        at=now,
    )


def digest_of(account: PayoutAccount) -> str:
    """Return the SHA-256 (hexadecimal) of an account and its check, without the seal.

    The seal changes with each key. The audit computes the digest again from the row.
    """
    holder_fields = (
        account.beneficiary,
        account.account_no,
        account.holder,
        account.last4,
        account.fingerprint.hex(),
    )
    check_fields = (
        account.ifsc,
        account.added_by,
        account.state,
        account.registered_name,
        account.accepted_by,
    )
    return sha256("\n".join(map(str, (*holder_fields, *check_fields))).encode()).hexdigest()


def check_account(beneficiary: str, holder: str, number: str, ifsc: str, added_by: str) -> None:
    """Refuse fields that cannot be a bank account's.

    Raises Refused: FIELD_INVALID, without the number in its text.
    """
    checks = (
        ("number", bool(NUMBER.match(number)), "", "4 to 34 capitals and digits"),
        ("ifsc", bool(IFSC.match(ifsc)), ifsc, "four capitals, 0, and six capitals or digits"),
        (
            "holder",
            bool(HOLDER.match(holder)),
            holder,
            "1 to 100 letters, digits and . , & ' ( ) / -",
        ),
        (
            "as",
            bool(PERSON.match(added_by)),
            added_by,
            "a name of 1 to 64 letters, digits and . _ @ -",
        ),
        (
            "beneficiary",
            bool(beneficiary),
            beneficiary,
            f"{PRIMARY}, or an open linked account's identifier",
        ),
    )
    for field, holds, received, allowed in checks:
        if not holds:
            raise refuse(
                RefusalCode.FIELD_INVALID, field=field, received=received[:64], allowed=allowed
            )


def is_same_name(name: str, registered: str) -> bool:
    """Return whether two names have the same words, in any order and without titles."""
    return _words(name) == _words(registered) != []


def _words(name: str) -> list[str]:
    parts: list[str] = _WORDS.findall(_MESSRS.sub(" ", name.upper()))
    words = [_SAME.get(word, word) for word in parts]
    return sorted([word for word in words if word not in _TITLES] or words)


def checked_anew(account: PayoutAccount, check_id: int, now: datetime) -> PayoutAccount:
    """Return the account to be asked about now; a check without an answer goes on as it is.

    check_id: of another check, where the one before has ended. What that one said is forgotten.
    """
    goes_on = account.state is A.UNVERIFIED
    return replace(
        account,
        state=A.UNVERIFIED,
        check_id=account.check_id if goes_on else check_id,
        registered_name="",
        checked_at=None,
        due_at=now,
        inquiries=0,
        asked_of=account.asked_of if goes_on else "",
    )


def after_check(
    account: PayoutAccount, answer: RegisteredName | NotRegistered | Unknown, now: datetime
) -> PayoutAccount:
    """Return the account after the bank's answer; without an answer the check is repeated later."""
    if account.state is not A.UNVERIFIED:
        return account
    match answer:
        case RegisteredName(name):
            state = A.VERIFIED if is_same_name(account.holder, name) else A.NAME_DIFFERS
            return replace(
                account, state=state, registered_name=name[:100], checked_at=now, due_at=None
            )
        case NotRegistered():
            return replace(account, state=A.REFUSED, checked_at=now, due_at=None)
        case Unknown():
            gap_s = GAPS_S[min(account.inquiries, len(GAPS_S) - 1)]
            return replace(account, due_at=now + timedelta(seconds=gap_s))
