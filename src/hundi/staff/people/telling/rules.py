"""Who is told of what happened at a place; pure."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from hundi.letters.rules import LetterKind
from hundi.staff.people.rules import Permission, Role, may

NEEDED: Mapping[LetterKind, Permission] = {
    LetterKind.DISPUTE_DUE: Permission.DISPUTES_ANSWER,
    LetterKind.COMPLAINT_WAITING: Permission.PAYMENTS_NOTE,
    LetterKind.APPROVAL_WAITING: Permission.REFUNDS_APPROVE,
    LetterKind.PAYOUT_RETURNED: Permission.BANK_ACCOUNTS_CHANGE,
    LetterKind.NOTIFICATIONS_FAILING: Permission.SETTINGS_CHANGE,
}
"""The permission of those who can do something about it: they alone are told."""
REPORT_NEEDS = Permission.MONEY_SEE
"""The permission of those who may read a report that comes by mail."""
DISPUTE_NEAR = timedelta(days=2)
"""How long before its deadline a dispute without an answer is told."""
FAILING_FOR = timedelta(minutes=15)
"""How long a merchant's server may take no notification before people are told."""
PAYOUT_AGE_MAX = timedelta(days=7)
"""Payouts that came back longer ago are not told any more."""
WORDS: Mapping[LetterKind, str] = {
    LetterKind.DISPUTE_DUE: "A dispute that nobody answered ends within two days",
    LetterKind.COMPLAINT_WAITING: "A payer complains",
    LetterKind.APPROVAL_WAITING: "Something waits for a second person",
    LetterKind.PAYOUT_RETURNED: "A payout came back",
    LetterKind.NOTIFICATIONS_FAILING: "Your server takes no notifications",
}
"""What a person reads beside the switch of each kind."""


@dataclass(frozen=True, slots=True)
class NewsReader:
    """Somebody who may be told. email: where."""

    person_id: int
    email: str
    role: Role


@dataclass(frozen=True, slots=True)
class StaffNews:
    """What happened at a merchant, for its people. cause: names it, so that it is told once."""

    merchant_id: int
    kind: LetterKind
    cause: str
    facts: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class NewsTimes:
    """The bounds of a look for news: what is younger or older is not told."""

    now: datetime

    @property
    def dispute_before(self) -> datetime:
        """Return the latest deadline that is near."""
        return self.now + DISPUTE_NEAR

    @property
    def failing_since(self) -> datetime:
        """Return the latest beginning of a failure that is told."""
        return self.now - FAILING_FOR

    @property
    def payout_after(self) -> datetime:
        """Return the earliest end of a payout that is told."""
        return self.now - PAYOUT_AGE_MAX


def needed_for(kind: LetterKind) -> Permission | None:
    """Return the permission that a letter's reader needs; None if they may always have it."""
    return REPORT_NEEDS if kind is LetterKind.REPORT else NEEDED.get(kind)


def told(
    kind: LetterKind, readers: Iterable[NewsReader], silent: Collection[int], but: int = 0
) -> list[NewsReader]:
    """Return those who are told. silent: who turned this kind off. but: who caused it."""
    return [
        each
        for each in readers
        if may(each.role, NEEDED[kind]) and each.person_id not in silent and each.person_id != but
    ]
