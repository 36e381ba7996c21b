"""A mail as the mailbox shows it, and the addresses that trigger an outcome; pure."""

import re
from dataclasses import dataclass
from datetime import datetime
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default

BOUNCES, BUSY = "bounces@", "busy@"
"""The beginning of an address that does not exist, and of one that takes nothing at present."""
_ADDRESS = re.compile(rb"(?:FROM|TO):\s*<([^<>\s]*)>", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Mail:
    """One mail. number: in the order of arrival, from 1. files: the names of attached ones."""

    number: int
    at: datetime
    recipient: str
    sender: str
    subject: str
    message_id: str
    language: str
    plain: str
    html: str
    files: tuple[str, ...]


def mail_of(number: int, at: datetime, recipient: str, content: bytes) -> Mail:
    """Return a mail as it arrived."""
    message = message_from_bytes(content, policy=default)
    assert isinstance(message, EmailMessage)
    return Mail(
        number,
        at,
        recipient,
        str(message["From"] or ""),
        str(message["Subject"] or ""),
        str(message["Message-ID"] or ""),
        str(message["Content-Language"] or ""),
        _part(message, "plain"),
        _part(message, "html"),
        tuple(str(each.get_filename()) for each in message.iter_attachments()),
    )


def _part(message: EmailMessage, kind: str) -> str:
    part = message.get_body(preferencelist=(kind,))
    return str(part.get_content()) if part is not None else ""


def address_in(line: bytes) -> str | None:
    """Return the address of a `MAIL FROM` or `RCPT TO`, None without one."""
    found = _ADDRESS.search(line)
    return found[1].decode("ascii", errors="replace") if found else None


def answer_to(recipient: str) -> str:
    """Return the server's answer to a recipient."""
    if recipient.startswith(BOUNCES):
        return f"550 5.1.1 <{recipient}>: no such mailbox"
    if recipient.startswith(BUSY):
        return "451 4.7.1 Try again later"
    return "250 2.1.5 Ok"
