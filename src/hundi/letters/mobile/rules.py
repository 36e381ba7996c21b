"""Registered texts, how letters fill them, and the port that providers implement; pure."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from itertools import groupby
from typing import Any

from hundi.kernel.masking import masked
from hundi.kernel.names import seen
from hundi.letters.rules import (
    CHOSEN_BY_MERCHANT,
    PATH,
    Letter,
    LetterChannel,
    LetterKind,
    SendOutcome,
    SendVerdict,
)

VARIABLE_LENGTH_MAX = 30
"""Characters of one variable of an SMS; networks drop a longer one (docs/letters.md#sms)."""
VALUE_LENGTH_MAX = 300
"""Characters of one value of a WhatsApp message."""
TEXT_LENGTH_MAX = 2000
LINK = "link"
STOP = "stop"
"""The link to the page that ends WhatsApp messages; of WhatsApp alone, where consent is needed."""
DIGITS = ("payment", "mandate", "code")
"""Facts that have digits alone."""
_PAYMENT = ("merchant", "amount", "order", "payment")
FIELDS: Mapping[LetterKind, tuple[str, ...]] = {
    LetterKind.RECEIPT: _PAYMENT,
    LetterKind.REFUND: _PAYMENT,
    LetterKind.REFUND_RETURNED: _PAYMENT,
    LetterKind.DEBIT_NOTICE: (*_PAYMENT, "date", "mandate"),
    LetterKind.LINK: ("merchant", "amount", LINK),
    LetterKind.LINK_REMINDER: ("merchant", "amount", LINK),
    LetterKind.PAYER_CODE: ("merchant", "code"),
    LetterKind.COMPLAINT_ANSWER: ("merchant", "order", "payment"),
}
"""The facts that every letter of a kind has, so that a variable is never empty."""
ANY, ALPHANUMERIC, NUMERIC, URL = "var", "alphanumeric", "numeric", "url"
_TAGS = (ANY, ALPHANUMERIC, NUMERIC, "number", URL)
_SMS_VARIABLE = re.compile(r"\{#([^{}]*)#\}")
_WHATSAPP_VARIABLE = re.compile(r"\{\{([^{}]*)\}\}")
_NUMBER = re.compile(r"[6-9][0-9]{9}\Z")
_PHONE = re.compile(r"\+?[0-9](?:[ -]?[0-9]){9,14}")
_DLT_ID = re.compile(r"[0-9]{19}\Z")
_HEADER = re.compile(r"[A-Za-z]{6}\Z")
_META_NAME = re.compile(r"[a-z0-9_]{1,512}\Z")
NO_TEMPLATE = SendOutcome(
    SendVerdict.ABSENT, "There is no registered template for this letter and channel."
)
NO_CONSENT = SendOutcome(
    SendVerdict.ABSENT, "The customer has not agreed to WhatsApp messages of this merchant."
)
NOBODY = SendOutcome(SendVerdict.BOUNCED, "This is no Indian mobile number.")


def mobile_number(text: str) -> str:
    """Return the ten digits of an Indian mobile number, "" for anything else."""
    digits = re.sub(r"[\s().-]", "", text)
    for prefix in ("+91", "0091", "91", "0"):
        if digits.startswith(prefix) and len(digits) == len(prefix) + 10:
            digits = digits.removeprefix(prefix)
            break
    return digits if _NUMBER.match(digits) else ""


@dataclass(frozen=True, slots=True)
class MessageTemplate:
    """A registered text.

    merchant_id: 0 for the operator's. template_id: the content template's 19 digits; of WhatsApp
    the template's name. entity_id: the principal entity's 19 digits; header: the sender's six
    letters; both of SMS alone. registered: the text as it was registered. fields: the fact of each
    variable, in order; one fact may fill several variables that follow each other.
    """

    merchant_id: int
    channel: LetterChannel
    kind: LetterKind
    language: str
    template_id: str
    entity_id: str
    header: str
    registered: str
    fields: tuple[str, ...]
    written_at: datetime


@dataclass(frozen=True, slots=True)
class MessageConsent:
    """That a customer agrees to messages of a merchant.

    address: ten digits. words: what the customer agreed to, and where. language: of a page of ours
    that showed them, "" for words that a merchant tells.
    """

    merchant_id: int
    channel: LetterChannel
    address: str = field(repr=False)
    words: str
    language: str = ""


@dataclass(frozen=True, slots=True)
class TemplateFault:
    """Why a template is refused. field: of the template; allowed: what it may be, in words."""

    field: str
    received: str
    allowed: str


def tags_of(template: MessageTemplate) -> list[str]:
    """Return the name in each variable of the registered text, in order."""
    is_sms = template.channel is LetterChannel.SMS
    return (_SMS_VARIABLE if is_sms else _WHATSAPP_VARIABLE).findall(template.registered)


def fault_of(template: MessageTemplate) -> TemplateFault | None:
    """Return why a template cannot be used, None if it can."""
    known = FIELDS.get(template.kind)
    if known is None:
        return TemplateFault("kind", template.kind, " ".join(FIELDS))
    if template.channel is LetterChannel.WHATSAPP and template.kind in CHOSEN_BY_MERCHANT:
        known = (*known, STOP)
    tags = tags_of(template)
    if fault := next(_form_faults(template, tags), None):
        return fault
    if len(tags) != len(template.fields):
        words = f"a fact for each of the text's {len(tags)} variables, in order"
        return TemplateFault("field", " ".join(template.fields), words)
    for name, tag in zip(template.fields, tags, strict=True):
        if name not in known:
            return TemplateFault("field", name, " ".join(known))
        if fits := _UNFIT.get(tag, _fits_any)(name):
            return TemplateFault("field", name, fits)
    return None


def _form_faults(template: MessageTemplate, tags: list[str]) -> Iterator[TemplateFault]:
    """Yield what is wrong with the ids and the text itself."""
    is_sms = template.channel is LetterChannel.SMS
    yield from (_sms_faults if is_sms else _whatsapp_faults)(template, tags)
    text = template.registered
    pattern = _SMS_VARIABLE if is_sms else _WHATSAPP_VARIABLE
    if len(text) > TEXT_LENGTH_MAX or not pattern.sub("", text).strip():
        words = f"the registered text, with words of its own, {TEXT_LENGTH_MAX} characters at most"
        yield TemplateFault("text", text, words)


def _sms_faults(template: MessageTemplate, tags: list[str]) -> Iterator[TemplateFault]:
    if not _DLT_ID.match(template.template_id):
        yield TemplateFault("template_id", template.template_id, "19 digits")
    if not _DLT_ID.match(template.entity_id):
        yield TemplateFault("entity_id", template.entity_id, "19 digits")
    if not _HEADER.match(template.header):
        words = "six letters; numbers are for promotions, which are not sent"
        yield TemplateFault("header", template.header, words)
    for tag in tags:
        if tag not in _TAGS:
            known = " ".join(f"{{#{name}#}}" for name in _TAGS)
            yield TemplateFault("text", f"{{#{tag}#}}", known)


def _whatsapp_faults(template: MessageTemplate, tags: list[str]) -> Iterator[TemplateFault]:
    if not _META_NAME.match(template.template_id):
        words = "the template's name: small letters, digits and underscores"
        yield TemplateFault("template_id", template.template_id, words)
    if tags != [str(number) for number in range(1, len(tags) + 1)]:
        yield TemplateFault("text", " ".join(tags), "variables {{1}} {{2}} in order")


def _fits_any(_name: str) -> str:
    return ""


def _fits_digits(name: str) -> str:
    return "" if name in DIGITS else f"a fact of digits alone in this variable: {' '.join(DIGITS)}"


def _fits_link(name: str) -> str:
    return "" if name == LINK else f"{LINK} in a variable for an address"


def _fits_word(name: str) -> str:
    return "" if name != LINK else "any fact but the link, which needs {#url#} or {#var#}"


_UNFIT: Mapping[str, Callable[[str], str]] = {
    NUMERIC: _fits_digits,
    "number": _fits_digits,
    URL: _fits_link,
    ALPHANUMERIC: _fits_word,
}
"""Why a fact cannot stand in a variable of a tag, "" if it can."""


@dataclass(frozen=True, slots=True)
class MobileMessage:
    """A message for a provider.

    reference: ours, the same for each try. number: ten digits. values: of the variables, in order.
    text: the registered text with them.
    """

    reference: str
    number: str = field(repr=False)
    template: MessageTemplate
    values: tuple[str, ...] = field(repr=False)
    text: str = field(repr=False)


def message_of(
    letter: Letter, template: MessageTemplate, site: str, stop_path: str = ""
) -> MobileMessage | SendOutcome:
    """Return the message of a letter, or why it cannot be one.

    site: of our own pages. stop_path: of the one that ends such messages, "" for none.
    """
    facts = facts_of(letter.facts, site)
    facts[STOP] = f"{site}{stop_path}" if stop_path else ""
    values: list[str] = []
    tags = iter(tags_of(template))
    for name, group in groupby(template.fields):
        variables = [next(tags) for _ in group]
        value = facts.get(name, "")
        if not value:
            return _unfilled(name, "the letter has none")
        filled = _spread(name, value, variables, template.channel)
        if filled is None:
            return _unfilled(name, f"it is longer than {VARIABLE_LENGTH_MAX} characters")
        values += filled
    return MobileMessage(
        f"letter.{letter.merchant_id}.{letter.letter_id}",
        letter.address,
        template,
        tuple(values),
        filled_text(template, values),
    )


def filled_text(template: MessageTemplate, values: list[str]) -> str:
    """Return the registered text with its variables filled in."""
    pattern = _SMS_VARIABLE if template.channel is LetterChannel.SMS else _WHATSAPP_VARIABLE
    left = iter(values)
    return pattern.sub(lambda _: next(left), template.registered)


def facts_of(facts: Mapping[str, Any], site: str) -> dict[str, str]:
    """Return a letter's facts as messages have them.

    An amount is without its rupee sign: that stands in the registered text as `Rs`, so there is
    none for another currency. A link leads to our own site.
    """
    seen_facts = {name: seen(str(value))[:VALUE_LENGTH_MAX] for name, value in facts.items()}
    path = seen_facts.get(PATH, "")
    values = {name: masked(value) for name, value in seen_facts.items() if name != PATH}
    if path.startswith("/") and not path.startswith("//"):
        values[LINK] = f"{site}{path}"
    amount = values.pop("amount", "")
    if amount.startswith("₹"):
        values["amount"] = amount.removeprefix("₹")
    return values


def _spread(
    name: str, value: str, variables: list[str], channel: LetterChannel
) -> list[str] | None:
    """Return what each of a fact's variables holds; None for a link that does not fit.

    A link may be longer in a variable for addresses. Other facts are cut.
    """
    if channel is not LetterChannel.SMS:
        return [value] * len(variables)
    if name == LINK and variables == [URL]:
        return [value]
    size = VARIABLE_LENGTH_MAX
    if name == LINK and len(value) > size * len(variables):
        return None
    pieces = [value[at * size : (at + 1) * size].strip() for at in range(len(variables))]
    # A variable must not be empty; a lone mark is what networks take as one.
    return [piece or "." for piece in pieces]


def _unfilled(name: str, why: str) -> SendOutcome:
    return SendOutcome(
        SendVerdict.ABSENT, f"The template's variable for {name} stays empty: {why}."
    )


# --- the port ---

SUCCESS = range(200, 300)


@dataclass(frozen=True, slots=True)
class ProviderAccount:
    """Our account at a provider.

    url: of its interface, without a slash at the end. account, user: names there, by its kind.
    """

    url: str
    account: str = ""
    user: str = ""
    secret: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class ProviderCall:
    """A request to a provider."""

    method: str
    url: str
    body: bytes = field(default=b"", repr=False)
    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)


@dataclass(frozen=True, slots=True)
class ProviderKind:
    """A kind of provider, as pure functions over its published interface.

    send: the call that sends a message. outcome: what the answer means (status, body). greet: a
    call that sends nothing and whose answer shows whether the account is right.
    """

    name: str
    channels: tuple[LetterChannel, ...]
    send: Callable[[MobileMessage, ProviderAccount, datetime], ProviderCall]
    outcome: Callable[[int, bytes], SendOutcome]
    greet: Callable[[ProviderAccount, datetime], ProviderCall]


def answered(verdict: SendVerdict, status: int, words: str = "") -> SendOutcome:
    """Return an outcome with the provider's answer, without numbers of cards and persons."""
    words = _PHONE.sub("this number", masked(seen(words)))
    said = f"{status}: {words}" if words else f"{status}."
    return SendOutcome(verdict, f"The provider answered {said}")
