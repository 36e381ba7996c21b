"""Rules of people: THE table of roles and permissions, and the rules of passwords; pure."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Literal

from hundi.kernel.masking import holds_card

OPERATOR = 0
"""The merchant id of the operator's own people."""


class Role(StrEnum):
    """What somebody is at a merchant, or with the operator."""

    OWNER = "owner"
    """All of a merchant's business, its people included."""
    FINANCE = "finance"
    """Money: refunds, settlements, payouts, disputes; releases what others ask for."""
    SUPPORT = "support"
    """Customers: payments, refunds up to the limit, answers to disputes."""
    DEVELOPER = "developer"
    """The integration: keys, addresses, deliveries, refused requests; no money."""
    READER = "reader"
    """Looks at everything that is no secret, changes nothing."""
    OPERATOR = "operator"
    """Runs the gateway: merchants, people, settings, reconciliation."""
    OPERATOR_FINANCE = "operator_finance"
    """The operator's money: payouts, statements, price plans."""
    OPERATOR_READER = "operator_reader"
    """Looks at every merchant, changes nothing."""


OPERATORS = frozenset({Role.OPERATOR, Role.OPERATOR_FINANCE, Role.OPERATOR_READER})


class Permission(StrEnum):
    """One thing that a person may do; every address of the console names the one it needs."""

    PAYMENTS_SEE = "payments.see"
    """Payments, refunds and subscriptions, personal data masked."""
    PAYMENTS_EXPORT = "payments.export"
    """Lists as files."""
    PAYMENTS_NOTE = "payments.note"
    """A note on a payment; sending its notification again."""
    PAYMENTS_COMPLETE = "payments.complete"
    """Capture or void an authorised payment."""
    REFUNDS_MAKE = "refunds.make"
    """Refund a payment; above the limit a second person decides."""
    REFUNDS_APPROVE = "refunds.approve"
    """Decide about a refund above the limit that somebody else asks for."""
    LINKS_MAKE = "links.make"
    """Make and cancel payment links: who talks with customers asks them for money."""
    PERSONAL_REVEAL = "personal.reveal"
    """Phone and e-mail of a customer, or all that is kept of one as a file, with a reason that goes
    to the trail; asking for an erasure of it."""
    PERSONAL_ERASE = "personal.erase"
    """Decide about the erasure of what is kept of a customer, which somebody else asks for."""
    SUBSCRIPTIONS_CHANGE = "subscriptions.change"
    """Pause, resume and cancel subscriptions."""
    DISPUTES_ANSWER = "disputes.answer"
    """Accept or contest a dispute."""
    MONEY_SEE = "money.see"
    """Settlements, payouts, fees, invoices, disputes."""
    REPORTS_MAKE = "reports.make"
    """Reports as files, and their schedules."""
    PAYOUTS_RELEASE = "payouts.release"
    """Propose or approve a payout."""
    BANK_ACCOUNTS_CHANGE = "bank_accounts.change"
    """Ask for another bank account, or decide about it."""
    RECONCILIATION_WORK = "reconciliation.work"
    """Statements, differences and corrections; the operator's."""
    FEES_CHANGE = "fees.change"
    """Price plans; the operator's."""
    RISK_CHANGE = "risk.change"
    """Risk rules; releasing and rejecting held payments; the operator's."""
    ACQUIRERS_CHANGE = "acquirers.change"
    """Disable accounts at acquirers and take them back; ask for another one, or for other settings;
    publish routing plans; say on the status page what does not work; the operator's."""
    ACQUIRERS_APPROVE = "acquirers.approve"
    """Decide about an account at an acquirer, or its settings, that somebody else asks for."""
    MERCHANTS_CHANGE = "merchants.change"
    """Add, suspend and bring back merchants; the operator's."""
    CHANNELS_SEE = "channels.see"
    """Health of banks and channels."""
    DEVELOPERS_SEE = "developers.see"
    """Refused requests, deliveries, addresses, formats, the envelope lab."""
    DELIVERIES_REPLAY = "deliveries.replay"
    """Send notifications again."""
    SETTINGS_CHANGE = "settings.change"
    """Addresses, domains and formats of a merchant."""
    KEYS_CHANGE = "keys.change"
    """Make and replace a merchant's keys."""
    LEADS_SEE = "leads.see"
    """Businesses that want to become merchants; the operator's."""
    PEOPLE_SEE = "people.see"
    """Who works here, in which role."""
    PEOPLE_CHANGE = "people.change"
    """Invite, remove, change roles."""
    TRAIL_SEE = "trail.see"
    """What people did."""
    APPROVALS_SEE = "approvals.see"
    """What waits for a second person; deciding needs the permission of its kind as well."""


_P = Permission
_LOOK = frozenset({_P.PAYMENTS_SEE, _P.MONEY_SEE, _P.CHANNELS_SEE, _P.PEOPLE_SEE, _P.APPROVALS_SEE})
_CUSTOMERS = frozenset(
    {
        *(
            _P.PAYMENTS_EXPORT,
            _P.PAYMENTS_NOTE,
            _P.PAYMENTS_COMPLETE,
            _P.REFUNDS_MAKE,
            _P.PERSONAL_REVEAL,
        ),
        *(_P.SUBSCRIPTIONS_CHANGE, _P.DISPUTES_ANSWER, _P.LINKS_MAKE),
    }
)
_INTEGRATION = frozenset(
    {_P.DEVELOPERS_SEE, _P.DELIVERIES_REPLAY, _P.SETTINGS_CHANGE, _P.KEYS_CHANGE}
)
_OPERATORS_OWN = frozenset(
    {
        *(
            _P.RECONCILIATION_WORK,
            _P.FEES_CHANGE,
            _P.RISK_CHANGE,
            _P.ACQUIRERS_CHANGE,
            _P.MERCHANTS_CHANGE,
        ),
        _P.ACQUIRERS_APPROVE,
        _P.LEADS_SEE,
    }
)
_MONEY = frozenset(
    {
        *(_P.REFUNDS_APPROVE, _P.PAYOUTS_RELEASE, _P.BANK_ACCOUNTS_CHANGE, _P.TRAIL_SEE),
        _P.REPORTS_MAKE,
        _P.PERSONAL_ERASE,
    }
)

PERMISSIONS: Mapping[Role, frozenset[Permission]] = {
    Role.OWNER: _LOOK | _CUSTOMERS | _INTEGRATION | _MONEY | {_P.PEOPLE_CHANGE},
    Role.FINANCE: _LOOK | _CUSTOMERS | _MONEY,
    Role.SUPPORT: _LOOK | _CUSTOMERS,
    Role.DEVELOPER: (_LOOK - {_P.MONEY_SEE}) | _INTEGRATION | {_P.PAYMENTS_NOTE},
    Role.READER: _LOOK,
    Role.OPERATOR: _LOOK | _CUSTOMERS | _INTEGRATION | _MONEY | _OPERATORS_OWN | {_P.PEOPLE_CHANGE},
    Role.OPERATOR_FINANCE: _LOOK
    | _CUSTOMERS
    | _MONEY
    | {_P.RECONCILIATION_WORK, _P.FEES_CHANGE, _P.RISK_CHANGE, _P.ACQUIRERS_APPROVE},
    Role.OPERATOR_READER: _LOOK | {_P.DEVELOPERS_SEE, _P.TRAIL_SEE, _P.LEADS_SEE},
}
"""What each role may do. Nothing else decides about it."""

PersonState = Literal["invited", "active", "ended"]


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who works with Hundi."""

    person_id: int
    email: str
    name: str
    handle: bytes
    state: PersonState
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Membership:
    """A person's role at one merchant; merchant 0 is the operator."""

    merchant_id: int
    person_id: int
    role: Role


def may(role: Role, permission: Permission) -> bool:
    """Return whether a role has a permission."""
    return permission in PERMISSIONS[role]


def roles_for(merchant_id: int) -> tuple[Role, ...]:
    """Return the roles at a merchant, or with the operator."""
    return tuple(role for role in Role if (role in OPERATORS) == (merchant_id == OPERATOR))


def is_head(role: Role) -> bool:
    """Return whether a role may change the people: at least one of them must be left."""
    return _P.PEOPLE_CHANGE in PERMISSIONS[role]


def usual_role(merchant_id: int, roles: Iterable[Role]) -> Role:
    """Return the role that an invitation proposes. roles: of the people there now.

    Where nobody may change the people yet, it is the one that may do everything: else nobody could
    run the place.
    """
    if merchant_id == OPERATOR:
        head, reader = Role.OPERATOR, Role.OPERATOR_READER
    else:
        head, reader = Role.OWNER, Role.READER
    return reader if any(is_head(role) for role in roles) else head


def leaves_nobody(members: Iterable[Membership], person_id: int, after: Role | None) -> bool:
    """Return whether a change would leave nobody who may change the people.

    after: None for a removal.
    """
    heads = {each.person_id for each in members if is_head(each.role)}
    return heads == {person_id} and (after is None or not is_head(after))


# --- passwords ---

PASSWORD_LENGTH_MIN = 12
PASSWORD_LENGTH_MAX = 128
NAME_LENGTH_MAX = 100
EMAIL_LENGTH_MAX = 254
CONTEXT_WORDS = ("hundi", "payment", "gateway", "console")
"""Words that every attacker of this gateway tries first; no password may consist of them."""
_CORE_LENGTH_MIN = 6


class PasswordFault(StrEnum):
    """Why a password is refused."""

    SHORT = f"Use {PASSWORD_LENGTH_MIN} characters or more. Several words are fine."
    LONG = f"Use {PASSWORD_LENGTH_MAX} characters at most."
    COMMON = (
        "Many people use this password, so it is among the first that are tried. Choose another"
        " one."
    )
    OURS = (
        "This is little more than your name, your e-mail address or a name of this gateway. Choose"
        " another one."
    )
    SIMPLE = "This repeats a few characters. Choose another one."


_DISTINCT_MIN = 5


def password_fault(
    password: str, known: Iterable[str], common: Collection[str]
) -> PasswordFault | None:
    """Return why a password is refused, or None.

    known: facts about the person that everybody knows, such as name and e-mail. common: passwords
    that are tried first, in lower case. There are no rules about kinds of characters: they make
    passwords worse.
    """
    lowered = password.lower()
    if len(password) < PASSWORD_LENGTH_MIN:
        return PasswordFault.SHORT
    if len(password) > PASSWORD_LENGTH_MAX:
        return PasswordFault.LONG
    if lowered in common or lowered.rstrip("0123456789!@#$.*") in common:
        return PasswordFault.COMMON
    if len(set(lowered)) < _DISTINCT_MIN:
        return PasswordFault.SIMPLE
    core = lowered
    for word in sorted((*_words(known), *CONTEXT_WORDS), key=len, reverse=True):
        core = core.replace(word, "")
    return PasswordFault.OURS if len(core) < _CORE_LENGTH_MIN else None


def _words(known: Iterable[str]) -> set[str]:
    """Return the words of a person's name and address that are long enough to count."""
    pieces = " ".join(known).lower().replace("@", " ").replace(".", " ").replace("-", " ").split()
    return {piece for piece in pieces if len(piece) > 2}  # noqa: PLR2004 (shorter ones are in every word)


def email_of(text: str) -> str | None:
    """Return an e-mail address in its stored form, None if invalid or with a card number."""
    stored = text.strip().lower()
    name, at, host = stored.partition("@")
    printable = stored.isprintable() and " " not in stored
    good = name and at and "." in host.strip(".") and "@" not in host and printable
    return stored if good and len(stored) <= EMAIL_LENGTH_MAX and not holds_card(stored) else None


def name_of(text: str) -> str | None:
    """Return a person's name in its stored form, None if invalid."""
    stored = " ".join(text.split())
    return stored if 1 <= len(stored) <= NAME_LENGTH_MAX and stored.isprintable() else None
