"""What a letter is, who may be told what, and when a letter is tried again; pure."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime, time, timedelta
from enum import StrEnum
from typing import Any

from hundi.kernel.clock import ist
from hundi.kernel.masking import holds_card
from hundi.kernel.records import replace

CUSTOMER = 0
"""The person id of a letter to a customer."""
RETRY_GAPS = tuple(
    timedelta(minutes=minutes) for minutes in (1, 5, 15, 60, 3 * 60, 6 * 60, 12 * 60, 24 * 60)
)
"""The gaps between tries; after the last one a letter is given up, nearly two days old."""
TRIES_MAX = len(RETRY_GAPS) + 1
PERHAPS_SENT_TRIES_MAX = 2
"""The tries of a message whose provider's answer is lost: each may have reached the customer."""
ADDRESS_LENGTH_MAX = 254
PROBLEM_LENGTH_MAX = 300
_ATOM = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
_LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?"
_MAIL = re.compile(rf"(?=[^@]{{1,64}}@){_ATOM}(?:\.{_ATOM})*@{_LABEL}(?:\.{_LABEL})+\Z")
"""RFC 5322's dot-atom: what the library takes that builds mails."""


_FILE_NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9_.-]{0,90}\.[a-z]{3,4}\Z")
ATTACHMENT_BYTES_MAX = 5 * 1024 * 1024
MEDIA: Mapping[str, tuple[str, str]] = {
    "csv": ("text", "csv"),
    "pdf": ("application", "pdf"),
    "xlsx": ("application", "vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
}
"""The files that a letter may bring, by the ending of their names."""


class LetterChannel(StrEnum):
    """How a letter reaches a person."""

    MAIL = "mail"
    """By SMTP, to an e-mail address."""
    SMS = "sms"
    """By a provider of SMS, to an Indian mobile number."""
    WHATSAPP = "whatsapp"
    """By a provider of WhatsApp messages, to a mobile number."""


class LetterState(StrEnum):
    """The state of one letter."""

    WAITING = "waiting"
    """It is sent when its time comes."""
    SENT = "sent"
    """The relay or provider took it."""
    BOUNCED = "bounced"
    """The address does not exist, or takes no letters."""
    GIVEN_UP = "given_up"
    """No try succeeded; somebody may send it again."""
    WITHHELD = "withheld"
    """It is not sent: the provider, the registered template or the consent is missing."""


class LetterKind(StrEnum):
    """What a letter is about.

    The first ones are for customers, the others for people of the console.
    """

    RECEIPT = "receipt"
    """An order is paid."""
    REFUND = "refund"
    """Money was refunded."""
    REFUND_RETURNED = "refund_returned"
    """A refund did not reach the customer."""
    DEBIT_NOTICE = "debit_notice"
    """A mandate is debited in 24 hours or later."""
    LINK = "link"
    """A merchant asks for money by a payment link."""
    LINK_REMINDER = "link_reminder"
    """A payment link is still unpaid."""
    PAYER_CODE = "payer_code"
    """A payer asked where a payment is: the code that shows it."""
    COMPLAINT_ANSWER = "complaint_answer"
    """A merchant answered a payer's complaint."""
    DISPUTE_DUE = "dispute_due"
    """A dispute waits for an answer before its deadline."""
    COMPLAINT_WAITING = "complaint_waiting"
    """A payer complained, and waits for the merchant's answer."""
    APPROVAL_WAITING = "approval_waiting"
    """Something waits for a second person."""
    PAYOUT_RETURNED = "payout_returned"
    """A payout came back."""
    NOTIFICATIONS_FAILING = "notifications_failing"
    """A merchant's server does not take its notifications."""
    REPORT = "report"
    """A report that somebody ordered, as an attachment."""
    TRIAL = "trial"
    """A person tests whether letters reach them."""


TO_CUSTOMERS = (
    LetterKind.RECEIPT,
    LetterKind.REFUND,
    LetterKind.REFUND_RETURNED,
    LetterKind.DEBIT_NOTICE,
    LetterKind.LINK,
    LetterKind.LINK_REMINDER,
    LetterKind.PAYER_CODE,
    LetterKind.COMPLAINT_ANSWER,
)
"""The kinds for customers, in all languages of the payment page."""
CHOSEN_BY_MERCHANT = (
    LetterKind.RECEIPT,
    LetterKind.REFUND,
    LetterKind.REFUND_RETURNED,
    LetterKind.DEBIT_NOTICE,
)
"""The kinds that the gateway writes by itself, once a merchant chose them.

A person sends links, and answers complaints; a payer asks for a code.
"""
ABOUT_PAYMENTS = (
    LetterKind.RECEIPT,
    LetterKind.REFUND,
    LetterKind.REFUND_RETURNED,
    LetterKind.COMPLAINT_ANSWER,
)
"""The kinds whose mails lead to the page where payers ask for their money."""
KEEPS_QUIET = (LetterKind.LINK_REMINDER,)
"""The kinds that wait for the end of the quiet hours; what just happened is told at once."""
AT_SENDING: Mapping[LetterKind, str] = {LetterKind.PAYER_CODE: "code"}
"""The fact that no row holds: it is made in the moment in which a letter is sent."""
UNSEEN = "••••••"
"""What stands in its place wherever people look at the letter afterwards."""
CHOSEN_BY_PERSON = (
    LetterKind.DISPUTE_DUE,
    LetterKind.COMPLAINT_WAITING,
    LetterKind.APPROVAL_WAITING,
    LetterKind.PAYOUT_RETURNED,
    LetterKind.NOTIFICATIONS_FAILING,
)
"""The kinds that a person may turn off; the others are about security, or were asked for."""

ATTACHMENT_KEPT_FOR = timedelta(days=30)
"""How long the file of a letter is kept, as long as the report that it is."""


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file that comes with a mail.

    name: with its ending, a key of MEDIA. Raises ValueError for a name that a header cannot hold,
    or a file that is too large.
    """

    name: str
    content: bytes = field(repr=False)

    def __post_init__(self) -> None:
        """Check the name and the size."""
        if not _FILE_NAME.match(self.name) or self.name.rpartition(".")[2] not in MEDIA:
            message = f"{self.name!r} is no file that a letter may bring"
            raise ValueError(message)
        if len(self.content) > ATTACHMENT_BYTES_MAX:
            message = f"{self.name} is larger than {ATTACHMENT_BYTES_MAX} bytes"
            raise ValueError(message)


@dataclass(frozen=True, slots=True)
class NewLetter:
    """A letter to write.

    merchant_id: 0 for the operator's own people. cause: names the event, so that the same event
    writes it once for each channel and address. facts: values of its text, by name: texts, whole
    numbers (paise), and nothing secret. person_id: CUSTOMER, or somebody of the console.
    """

    merchant_id: int
    cause: str
    kind: LetterKind
    channel: LetterChannel
    address: str = field(repr=False)
    facts: Mapping[str, Any] = field(repr=False)
    language: str = "en"
    person_id: int = CUSTOMER
    attachment: Attachment | None = None


@dataclass(frozen=True, slots=True)
class Letter:
    """A letter as it is kept. Times in UTC. tries: those that began.

    said: the text of a message that was sent; a mail's is made of its facts.
    """

    merchant_id: int
    letter_id: int
    cause: str
    kind: LetterKind
    channel: LetterChannel
    person_id: int
    address: str = field(repr=False)
    language: str
    facts: Mapping[str, Any] = field(repr=False)
    attachment_name: str
    attachment: bytes | None = field(repr=False)
    state: LetterState
    created_at: datetime
    due_at: datetime
    tries: int
    sent_at: datetime | None
    problem: str
    said: str = field(default="", repr=False)


def has_file(letter: Letter, now: datetime) -> bool:
    """Return whether a letter has its file, which is kept for a time."""
    return letter.attachment is not None and now < letter.created_at + ATTACHMENT_KEPT_FOR


class SendVerdict(StrEnum):
    """What a relay's or provider's answer means."""

    TAKEN = "taken"
    """It has the letter, and is responsible for it."""
    REFUSED = "refused"
    """It refuses this letter for good."""
    BOUNCED = "bounced"
    """It says that this address takes no letters."""
    LATER = "later"
    """It did not take it now, or did not answer: perhaps it has it."""
    ABSENT = "absent"
    """What it takes to send it is missing: a relay or provider, a template, or consent."""


@dataclass(frozen=True, slots=True)
class SendOutcome:
    """What became of one try.

    problem: why it failed, in words without the address. said: the message's text, "" of a mail.
    may_have_arrived: it was handed over, and the answer was lost.
    """

    verdict: SendVerdict
    problem: str = ""
    said: str = field(default="", repr=False)
    may_have_arrived: bool = False


def without(outcome: SendOutcome, secrets: Collection[str]) -> SendOutcome:
    """Return an outcome whose words lack the facts that no row may hold."""
    said, problem = outcome.said, outcome.problem
    for secret in secrets:
        said, problem = said.replace(secret, UNSEEN), problem.replace(secret, UNSEEN)
    return replace(outcome, said=said, problem=problem)


@dataclass(frozen=True, slots=True)
class LetterChange:
    """What a try makes of a letter. due_at: of one that is tried again."""

    state: LetterState
    due_at: datetime | None
    problem: str


_ENDS = {
    SendVerdict.TAKEN: LetterState.SENT,
    SendVerdict.REFUSED: LetterState.GIVEN_UP,
    SendVerdict.BOUNCED: LetterState.BOUNCED,
    SendVerdict.ABSENT: LetterState.WITHHELD,
}


def change_by(outcome: SendOutcome, tries: int, now: datetime) -> LetterChange:
    """Return what a try makes of a letter. tries: with this one."""
    problem = outcome.problem[:PROBLEM_LENGTH_MAX]
    ended = _ENDS.get(outcome.verdict)
    if ended is not None:
        return LetterChange(ended, None, problem)
    if tries >= (PERHAPS_SENT_TRIES_MAX if outcome.may_have_arrived else TRIES_MAX):
        return LetterChange(LetterState.GIVEN_UP, None, problem)
    return LetterChange(LetterState.WAITING, now + RETRY_GAPS[tries - 1], problem)


@dataclass(frozen=True, slots=True)
class QuietHours:
    """Hours of the day in Indian time, which may go past midnight."""

    begin: time
    end: time

    def until(self, now: datetime) -> datetime | None:
        """Return when the quiet hours end, None outside of them."""
        moment = ist(now)
        clock = moment.time().replace(tzinfo=None)
        past_midnight = self.begin > self.end
        late, early = clock >= self.begin, clock < self.end
        if not (late or early if past_midnight else late and early):
            return None
        day = moment.date() + timedelta(days=1 if past_midnight and late else 0)
        return datetime.combine(day, self.end, moment.tzinfo).astimezone(now.tzinfo)


def quiet_hours_of(text: str) -> QuietHours | None:
    """Return the hours of a setting such as `21:00-08:00`, None for `never`."""
    if text == "never":
        return None
    begin, _, end = text.partition("-")
    return QuietHours(time.fromisoformat(begin), time.fromisoformat(end))


def mail_address(text: str) -> str:
    """Return an e-mail address that may be written to, "" for anything else.

    Only ASCII without spaces and control characters, so that no address can add a header.
    """
    address = text.strip()
    good = len(address) <= ADDRESS_LENGTH_MAX and _MAIL.match(address) and not holds_card(address)
    return address if good else ""


PATH = "path"
"""The fact that leads to a page of ours. No person's words are in it, so it is never masked."""


def masked_address(address: str) -> str:
    """Return an address for people who may not see all of it: `a•••@example.in`, `••••3210`."""
    name, at, host = address.partition("@")
    return f"{name[:1]}•••@{host}" if at else f"••••{address[-4:]}"
