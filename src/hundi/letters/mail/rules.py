"""The form of a mail: its headers, its two texts, and what a server's answer means; pure."""

from dataclasses import dataclass
from datetime import datetime
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime

from hundi.kernel.masking import masked
from hundi.kernel.names import seen
from hundi.letters.rules import (
    CHOSEN_BY_PERSON,
    MEDIA,
    Letter,
    SendOutcome,
    SendVerdict,
)
from hundi.letters.wording.rules import LetterText

_PERMANENT = range(500, 600)
_OWN_FAULT = {530, 534, 535, 538, 454}
"""Codes about our own sign-in at the relay: they say nothing about the letter."""


@dataclass(frozen=True, slots=True)
class Sender:
    """Who mails come from. address: the operator's. site: the address of our own pages."""

    address: str
    site: str

    @property
    def domain(self) -> str:
        """Return the domain of the address."""
        return self.address.rpartition("@")[2]


def message_id(letter: Letter, sender: Sender) -> str:
    """Return the Message-ID: the same for each try, so that a repeat can be recognised."""
    return f"<letter.{letter.merchant_id}.{letter.letter_id}@{sender.domain}>"


def link_of(text: LetterText, sender: Sender) -> str:
    """Return the address of a letter's button: of our own site, whatever the path says."""
    path = text.path
    return f"{sender.site}{path}" if path.startswith("/") and not path.startswith("//") else ""


def plain_of(text: LetterText, sender: Sender) -> str:
    """Return the text for readers without HTML."""
    link = link_of(text, sender)
    lines = [text.sentence, ""]
    lines += [f"{label}: {value}" for label, value in text.rows]
    lines += ["", f"{text.open}: {link}"] if link else []
    return "\n".join([*lines, "", *text.small, ""])


def mail_of(
    letter: Letter, text: LetterText, html: str, sender: Sender, written_at: datetime
) -> EmailMessage:
    """Return the mail of a letter: text and HTML, and its file. written_at: of its first try."""
    mail = EmailMessage(policy=SMTP)
    mail["From"] = Address(seen(text.sender), addr_spec=sender.address)
    mail["To"] = Address(addr_spec=letter.address)
    mail["Subject"] = seen(text.subject)
    mail["Date"] = format_datetime(written_at)
    mail["Message-ID"] = message_id(letter, sender)
    mail["Auto-Submitted"] = "auto-generated"
    if letter.kind in CHOSEN_BY_PERSON:
        mail["List-Unsubscribe"] = f"<{sender.site}/console/you>"
    mail.set_content(plain_of(text, sender))
    mail.add_alternative(html, subtype="html")
    # Setting the content takes away what was said of it before.
    mail["Content-Language"] = text.language
    if letter.attachment is not None:
        kind, subtype = MEDIA[letter.attachment_name.rpartition(".")[2]]
        mail.add_attachment(
            letter.attachment, maintype=kind, subtype=subtype, filename=letter.attachment_name
        )
    return mail


def outcome_of(code: int, answer: str, address: str, *, about_recipient: bool) -> SendOutcome:
    """Return what a relay's answer means. about_recipient: it refused the address itself."""
    words = masked(seen(answer.replace(address, "this address")))
    problem = f"The mail relay answered {code}: {words}" if words else f"It answered {code}."
    if code not in _PERMANENT or code in _OWN_FAULT:
        return SendOutcome(SendVerdict.LATER, problem)
    return SendOutcome(SendVerdict.BOUNCED if about_recipient else SendVerdict.REFUSED, problem)
