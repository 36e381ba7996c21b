"""The words that ask a customer to pay a link, and the addresses that open them in an app; pure."""

import re
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import quote

from hundi.kernel.clock import ist
from hundi.kernel.dates import date_words
from hundi.letters.wording.rules import Say

_NOT_DIGITS = re.compile(r"[^0-9]")
_INDIA = "91"
_NUMBER_IN_INDIA = re.compile(r"0?([6-9][0-9]{9})\Z")


@dataclass(frozen=True, slots=True)
class LinkWords:
    """What the words about a link say.

    left: what is still to be paid, as text. language: the one that the customer reads; the address
    has it, too, so that the page is in it.
    """

    merchant: str
    left: str
    description: str
    url: str
    expires_at: datetime
    parts: bool
    reminds: bool = False
    language: str = "en"


@dataclass(frozen=True, slots=True)
class ShareWay:
    """One way to send a link: the address that opens an app with the words in it.

    name: of the button. subject: of a mail, "" elsewhere. to: the customer it names, "" for none.
    elsewhere: whether another site opens.
    """

    name: str
    href: str
    text: str
    subject: str = ""
    to: str = ""
    elsewhere: bool = False


def ways_of(words: LinkWords, phone: str, email: str, say: Say) -> tuple[ShareWay, ...]:
    """Return the ways to send a link.

    phone, email: the customer's, "" where nobody may see them. say: gives texts in the language.

    The address stands last: apps make a link of it, and a cut message loses it visibly.
    """
    subject = say(
        "link_reminder_subject" if words.reminds else "link_subject",
        merchant=words.merchant,
        amount=words.left,
    )
    lines = [subject, *_lines(words, say)]
    short = ". ".join([lines[0], " ".join([*lines[1:], words.url])])
    unexpected = say("share_unexpected", merchant=words.merchant)
    long = "\n\n".join([lines[0], "\n".join(lines[1:]), unexpected, words.url])
    number = international(phone)
    plus = f"+{number}" if number else ""
    text = _quoted(short)
    return (
        ShareWay("WhatsApp", f"https://wa.me/{number}?text={text}", short, to=plus, elsewhere=True),
        # With `?&` both kinds of phones find the words: one wants `?body`, the other `&body`.
        ShareWay("SMS", f"sms:{plus}?&body={text}", short, to=plus),
        ShareWay(
            "E-mail",
            f"mailto:{quote(email, safe='@')}?subject={_quoted(subject)}&body={_quoted(long)}",
            long,
            subject,
            email,
        ),
    )


def international(phone: str) -> str:
    """Return the digits of a phone number with its country, "" for none.

    Ten digits that begin as Indian mobile numbers do are of India.
    """
    digits = _NOT_DIGITS.sub("", phone)
    indian = _NUMBER_IN_INDIA.match(digits)
    return _INDIA + indian[1] if indian and not phone.strip().startswith("+") else digits


def _lines(words: LinkWords, say: Say) -> list[str]:
    """Return what it is for, until when, and whether in parts."""
    day = date_words(words.language).day_in_words(ist(words.expires_at).date())
    parts = [say("share_parts")] if words.parts else []
    described = say("share_for", description=words.description)
    return [f"{described}.", *parts, say("share_until", day=day)]


def _quoted(text: str) -> str:
    return quote(text.replace("\n", "\r\n"), safe="")
