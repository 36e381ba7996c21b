"""Sends mails to the operator's relay by SMTP, which signs them (DKIM) and takes them on."""

import asyncio
import ssl
from dataclasses import dataclass
from email.utils import parseaddr
from functools import cache
from pathlib import Path

from aiosmtplib import (
    SMTP,
    SMTPException,
    SMTPRecipientsRefused,
    SMTPResponseException,
)
from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template

from hundi.infra.settings import Settings
from hundi.letters.actions import SEND_S_MAX, StopLinks
from hundi.letters.mail.rules import Sender, link_of, mail_of, outcome_of
from hundi.letters.rules import Letter, SendOutcome, SendVerdict, mail_address
from hundi.letters.wording.actions import words_of
from hundi.letters.wording.rules import LetterText

LOOK_S_MAX = 10.0
"""How long the relay may take to greet us."""
_NOBODY = SendOutcome(SendVerdict.BOUNCED, "This is no e-mail address.")


@dataclass(frozen=True, slots=True)
class Relay:
    """The operator's mail relay. where_link: to the page where payers ask for their money."""

    settings: Settings
    sender: Sender
    stop_links: StopLinks | None = None
    where_link: str = ""

    async def send(self, letter: Letter) -> SendOutcome:
        """Hand one letter to the relay. Silence and a lost connection are `LATER`."""
        if not mail_address(letter.address):
            return _NOBODY
        stop = await self.stop_links.path_if_agreed(letter) if self.stop_links else ""
        text = words_of(letter, f"{self.sender.site}{stop}" if stop else "", self.where_link)
        mail = mail_of(letter, text, html_of(text, self.sender), self.sender, letter.created_at)
        taken = False
        try:
            async with asyncio.timeout(SEND_S_MAX), _client(self.settings) as smtp:
                await smtp.sendmail(self.sender.address, [letter.address], mail.as_bytes())
                taken = True
        except SMTPRecipientsRefused as refused:
            one = refused.recipients[0]
            return outcome_of(one.code, one.message, letter.address, about_recipient=True)
        except SMTPResponseException as refused:
            if not taken:
                return outcome_of(
                    refused.code, refused.message, letter.address, about_recipient=False
                )
        except (SMTPException, OSError, TimeoutError) as error:
            if not taken:
                return SendOutcome(
                    SendVerdict.LATER, f"The mail relay did not answer ({type(error).__name__})."
                )
        return SendOutcome(SendVerdict.TAKEN)


@dataclass(frozen=True, slots=True)
class RelayLook:
    """What a look at the relay found. problem: "" if it would take a letter."""

    reached: bool
    problem: str = ""


def open_relay(
    settings: Settings, stop_links: StopLinks | None = None, where_page: str = ""
) -> Relay | None:
    """Return the relay of the settings, None if they name none.

    where_page: the path of the page where payers ask for their money.
    """
    if not settings.smtp_host and settings.smtp_socket is None:
        return None
    address = parseaddr(settings.mail_from)[1]
    where_link = f"{settings.payment_page_url}{where_page}" if where_page else ""
    return Relay(settings, Sender(address, settings.base_url), stop_links, where_link)


async def look(settings: Settings) -> RelayLook:
    """Say hello to the relay and sign in, without a mail."""
    try:
        async with asyncio.timeout(LOOK_S_MAX), _client(settings) as smtp:
            await smtp.noop()
    except SMTPResponseException as refused:
        return RelayLook(reached=True, problem=f"{refused.code} {refused.message}")
    except (SMTPException, OSError, TimeoutError) as error:
        return RelayLook(reached=False, problem=f"{type(error).__name__}: {error}")
    return RelayLook(reached=True)


def _client(settings: Settings) -> SMTP:
    if settings.smtp_socket is not None:
        return SMTP(socket_path=settings.smtp_socket, start_tls=False, timeout=SEND_S_MAX)
    security = settings.smtp_security
    return SMTP(
        hostname=settings.smtp_host,
        port=settings.smtp_port,
        username=settings.smtp_user or None,
        password=settings.smtp_password or None,
        use_tls=security == "tls",
        start_tls=security == "starttls",
        tls_context=None if security == "none" else _tls(),
        timeout=SEND_S_MAX,
    )


@cache
def _tls() -> ssl.SSLContext:
    """Return the context that checks the relay's certificate and name."""
    return ssl.create_default_context()


def html_of(text: LetterText, sender: Sender) -> str:
    """Return the HTML of a letter: one column, no picture, nothing that calls another server."""
    return _template().render(text=text, link=link_of(text, sender))


@cache
def _template() -> Template:
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("mail.html")
