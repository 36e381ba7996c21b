"""Sends letters to mobile phones by the operator's providers, and keeps their templates."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from http import HTTPStatus

from hundi.infra.http.client import ClientSettings, NoAnswerError, OutboundClient, Reach
from hundi.infra.postgres.database import Beside, Database, Queries
from hundi.infra.settings import Settings
from hundi.kernel.clock import world_now
from hundi.kernel.records import replace
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.letters import store as letters
from hundi.letters.actions import DUE_CHANNEL, SEND_S_MAX, Carrier, StopLinks
from hundi.letters.mobile import rules, store
from hundi.letters.mobile.bridge.rules import BRIDGE
from hundi.letters.mobile.exotel.rules import EXOTEL
from hundi.letters.mobile.meta.rules import META
from hundi.letters.mobile.rules import (
    MessageConsent,
    MessageTemplate,
    ProviderAccount,
    ProviderKind,
)
from hundi.letters.rules import Letter, LetterChannel, LetterKind, SendOutcome, SendVerdict

PROVIDERS: Mapping[str, ProviderKind] = {kind.name: kind for kind in (EXOTEL, META, BRIDGE)}
OF_OPERATOR = 0
"""Whose templates serve every merchant without one of its own."""
MOBILE = (LetterChannel.SMS, LetterChannel.WHATSAPP)
LOOK_S_MAX = 10.0
"""How long a provider may take to greet us."""
_UNKNOWN_KEYS = (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN)


@dataclass(frozen=True, slots=True)
class ProviderLine:
    """A kind of provider, and our account there."""

    kind: ProviderKind
    account: ProviderAccount


@dataclass(frozen=True, slots=True)
class ConsentPages:
    """The pages on which customers end WhatsApp messages.

    page: the beginning of their addresses. seal: names one by merchant and payment.
    """

    db: Database
    page: str
    seal: Callable[[int, int], str]

    def path_of(self, letter: Letter) -> str:
        """Return the path of the page of a letter's order, "" for a letter about no order."""
        payment = letter.facts.get("payment")
        if not payment:
            return ""
        return f"{self.page}{self.seal(letter.merchant_id, int(payment))}.{letter.language}"

    async def path_if_agreed(self, letter: Letter) -> str:
        """Return the same, "" where the order's customer does not get such messages."""
        phone = letter.facts.get("phone", "")
        whose = letter.merchant_id, LetterChannel.WHATSAPP, phone
        return self.path_of(letter) if phone and await has_agreed(self.db, whose) else ""


@dataclass(frozen=True, slots=True)
class MobileCarrier:
    """Takes letters of one channel to mobile phones. site: the address of our own pages."""

    db: Database
    http: OutboundClient
    line: ProviderLine
    site: str
    stop_links: StopLinks

    async def send(self, letter: Letter) -> SendOutcome:
        """Send one letter once, if there is a template and, for WhatsApp, consent."""
        number = rules.mobile_number(letter.address)
        if number != letter.address:
            return rules.NOBODY
        whose = letter.merchant_id, letter.channel
        if letter.channel is LetterChannel.WHATSAPP and not await store.has_agreed(
            self.db, *whose, number
        ):
            return rules.NO_CONSENT
        about = letter.channel, letter.kind, letter.language
        template = await template_of(self.db, letter.merchant_id, *about)
        if template is None:
            return rules.NO_TEMPLATE
        message = rules.message_of(letter, template, self.site, self.stop_links.path_of(letter))
        if isinstance(message, SendOutcome):
            return message
        kind = self.line.kind
        call = kind.send(message, self.line.account, world_now())
        try:
            answer = await self.http.send(
                call.method, call.url, call.body, call.headers, timeout_s=SEND_S_MAX
            )
        except NoAnswerError as error:
            return SendOutcome(
                SendVerdict.LATER,
                f"The provider did not answer ({error.reason}).",
                message.text if error.sent else "",
                may_have_arrived=error.sent,
            )
        outcome = kind.outcome(answer.status, answer.body)
        taken = outcome.verdict is SendVerdict.TAKEN
        return replace(outcome, said=message.text) if taken else outcome


@dataclass(frozen=True, slots=True)
class ProviderLook:
    """What a look at a provider found. problem: "" if it knows us."""

    reached: bool
    problem: str = ""


def line_of(settings: Settings, channel: LetterChannel) -> ProviderLine | None:
    """Return the provider of a channel, None if the settings name none."""
    if channel is LetterChannel.SMS:
        name = settings.sms_provider
        values = settings.sms_account, settings.sms_user, settings.sms_secret
        url = settings.sms_url
    else:
        name = settings.whatsapp_provider
        values = settings.whatsapp_account, "", settings.whatsapp_secret
        url = settings.whatsapp_url
    if not name:
        return None
    return ProviderLine(PROVIDERS[name], ProviderAccount(url.rstrip("/"), *values))


def carriers_of(
    settings: Settings, db: Database, http: OutboundClient, stop_links: StopLinks
) -> dict[LetterChannel, Carrier]:
    """Return the carriers of the settings to mobile phones. http: a client of `open_http`."""
    site = settings.base_url
    lines = {channel: line_of(settings, channel) for channel in MOBILE}
    return {
        channel: MobileCarrier(db, http, line, site, stop_links)
        for channel, line in lines.items()
        if line
    }


def open_http() -> OutboundClient:
    """Return a client for the addresses of our own settings."""
    return OutboundClient(ClientSettings(reach=Reach.ANY))


async def look(line: ProviderLine) -> ProviderLook:
    """Greet a provider, without a message."""
    call = line.kind.greet(line.account, world_now())
    try:
        async with open_http() as http:
            answer = await http.send(
                call.method, call.url, call.body, call.headers, timeout_s=LOOK_S_MAX
            )
    except NoAnswerError as error:
        return ProviderLook(reached=False, problem=error.reason)
    if answer.status in _UNKNOWN_KEYS:
        return ProviderLook(reached=True, problem=f"it answers {answer.status}")
    if answer.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return ProviderLook(reached=False, problem=f"it answers {answer.status}")
    return ProviderLook(reached=True)


async def template_of(
    db: Queries, merchant_id: int, channel: LetterChannel, kind: LetterKind, language: str
) -> MessageTemplate | None:
    """Return the merchant's own template for a letter, else the operator's, None without one."""
    about = channel, kind, language
    own = await store.select_best(db, merchant_id, *about)
    return own or await store.select_best(db, OF_OPERATOR, *about)


async def write_template(
    db: Database, template: MessageTemplate, beside: Beside | None = None
) -> None:
    """Keep a template. Raises Refused: FIELD_INVALID for one that no letter could fill."""
    fault = rules.fault_of(template)
    if fault is not None:
        raise refuse(
            RefusalCode.FIELD_INVALID,
            field=fault.field,
            received=fault.received[:64],
            allowed=fault.allowed,
        )
    async with db.transaction() as conn:
        await store.write(conn, template)
        if beside is not None:
            await beside(conn, template.merchant_id)


async def remove_template(
    db: Database,
    whose: tuple[int, LetterChannel, LetterKind, str],
    beside: Beside | None = None,
) -> None:
    """Remove a template: merchant, channel, kind, language. Raises Refused: NO_RECORDS."""
    async with db.transaction() as conn:
        if not await store.remove(conn, *whose):
            raise refuse(RefusalCode.NO_RECORDS, field="kind", received=whose[2])
        if beside is not None:
            await beside(conn, whose[0])


async def claim(
    db: Database, consent: MessageConsent, now: datetime, beside: Beside | None = None
) -> None:
    """Keep a merchant's word that a customer agreed.

    Raises Refused: STATE_FORBIDS where a consent is kept already, also one that was taken back:
    only the customer can give that again.
    """
    async with db.transaction() as conn:
        if not await store.claim(conn, consent, now):
            raise refuse(RefusalCode.STATE_FORBIDS, field="number", received="")
        if beside is not None:
            await beside(conn, consent.merchant_id)


async def agree_beside_letters(
    db: Database, consent: MessageConsent, causes: Sequence[str], now: datetime
) -> None:
    """Keep that a customer agreed, and send what was withheld because it had not.

    causes: of the letters that the customer asks for with it; older ones stay withheld.
    """
    async with db.transaction() as conn:
        await store.agree(conn, consent, now)
        whose = consent.merchant_id, consent.channel, consent.address
        await letters.release(conn, whose, causes, rules.NO_CONSENT.problem, now)
    db.wake(DUE_CHANNEL)


async def has_agreed(db: Database, consent: tuple[int, LetterChannel, str]) -> bool:
    """Return whether a customer agrees now: merchant, channel, number."""
    return await store.has_agreed(db, *consent)


async def withdraw(
    db: Database,
    consent: tuple[int, LetterChannel, str],
    now: datetime,
    beside: Beside | None = None,
) -> None:
    """Keep that a customer takes its consent back. Raises Refused: NO_RECORDS without one."""
    async with db.transaction() as conn:
        if not await store.withdraw(conn, *consent, now):
            raise refuse(RefusalCode.NO_RECORDS, field="number", received="")
        if beside is not None:
            await beside(conn, consent[0])
