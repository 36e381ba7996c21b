"""What a merchant is, and the bounds of its settings; pure."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from ipaddress import ip_address, ip_network
from typing import Literal

import msgspec

from hundi.instruments import surcharge
from hundi.instruments.methods import CHANNELS
from hundi.instruments.surcharge import Surcharge
from hundi.kernel.events import SAFE, Kind
from hundi.kernel.names import is_name, name_words
from hundi.kernel.refusals import RefusalCode, Refused, refuse
from hundi.merchants.directory.api_keys.rules import ApiKey
from hundi.merchants.directory.keys.rules import MerchantKeys

NAME_LENGTH_MAX = 100
SUPPORT_LENGTH_MAX = 100
CAPTURE_WITHIN_HOURS = 120
"""The default time for a capture after the authorisation.

Then the authorisation is voided.

See docs/spec/payment-interfaces.md#capture.
"""
CAPTURE_WITHIN_HOURS_MAX = 24 * 30
ADDRESS_CHECKS_A_MINUTE = 60
ADDRESS_CHECKS_A_DAY = 2_000
"""Checks of UPI addresses, cached ones included: enough for a shop, too few to collect names.

See docs/spec/payment-interfaces.md#validatevpa.
"""
POS_LISTINGS_A_MINUTE = 600
"""Listings of a merchant's terminals, in one process (docs/spec/partner-interfaces.md#pos-listing).
"""
TOKEN_FAILURES_A_MINUTE = 10
"""Wrong token requests of one address before it has to wait (docs/spec/wire.md#token-failures)."""
ATTEMPTS_AN_HOUR = 20
"""Attempts of one order, so that nobody tests a stolen list of cards on it.

See docs/spec/payment-interfaces.md#limits.
"""
ATTEMPTS_AN_HOUR_MIN, ATTEMPTS_AN_HOUR_MAX = 2, 100
"""A QR is one attempt, so at least one more is needed.

A payment is always read with all of them.
"""
LIMIT_MAX = 10_000_000
CURRENCIES = ("INR", "USD", "EUR", "GBP", "AED", "SGD")
"""Currencies for merchants: two decimal places each (docs/spec/domain.md#currencies)."""
LETTER_KINDS = ("receipt", "refund", "refund_returned", "debit_notice")
"""What a merchant's customers may be told of (docs/letters.md)."""
LETTERS = (
    *LETTER_KINDS,
    *(f"{kind}:{channel}" for channel in ("sms", "whatsapp") for kind in LETTER_KINDS),
)
"""The letters that a merchant may choose: by mail, and by SMS and WhatsApp as `receipt:sms`."""
LANGUAGES = ("en", "hi", "bn", "mr", "te", "ta", "gu", "kn", "ml", "pa")
"""The languages of letters to customers, and of the payment page."""
Mode = Literal["live", "sandbox"]
NotificationForm = Literal["json-encrypted", "json", "form", "standard"]
ReplyFormat = Literal["both", "encrypted", "plain"]
Dates = Literal["month-first", "day-first"]
LateSuccess = Literal["keep", "refund"]
NotificationTypes = Literal["numbers", "text"]
SecureHashForm = Literal["specification", "without-payer", "payment-status"]
KIT_VERSIONS = ("3", "2")
"""Versions of old kits that a merchant may let begin payments (docs/old-kits.md)."""
_DOMAIN = re.compile(r"https?://[A-Za-z0-9.-]+(:[0-9]{1,5})?\Z")
_ADDRESS = re.compile(r"https?://[A-Za-z0-9.\-\[\]:]+([/?#][!-~]*)?\Z")
_MCC = re.compile(r"[0-9]{4}\Z")
_FIELD_NAME = re.compile(r"[A-Za-z_]{1,40}\Z")
NEVER_LEFT_OUT = ("orderid", "ap_transactionid", "amount", "transaction_status", "merchant_id")
"""Fields without which a record says nothing."""
_COLOUR = re.compile(r"#[0-9a-fA-F]{6}\Z")
_LOGO = re.compile(r"[0-9a-f]{16}\.[1-9][0-9]{0,2}x[1-9][0-9]{0,2}\Z")
_NETWORK_WORDS = "an address or network such as 203.0.113.0/24"
DISPUTE_FEE_PAISE_MAX = 1_000_000
REFUND_ALONE_PAISE = 1_000_000
"""The default limit of refunds of one payment by one person in the console, in paise (₹10,000)."""
REFUND_ALONE_PAISE_MAX = 10**12 - 1
_ADDRESS_WORDS = "an http or https address of printable ASCII, without a user name"
LIMITS = (
    "address_checks_a_minute",
    "address_checks_a_day",
    "pos_listings_a_minute",
    "attempts_an_hour",
    "token_failures_a_minute",
)
"""The settings that limit requests or tries."""
_FORMS = (
    ("mcc", _MCC, "four digits"),
    ("accent", _COLOUR, "a colour such as #2b2a6b"),
    ("logo", _LOGO, "the name of a picture that was uploaded"),
    ("success_url", _ADDRESS, _ADDRESS_WORDS),
    ("failure_url", _ADDRESS, _ADDRESS_WORDS),
    ("notification_url", _ADDRESS, _ADDRESS_WORDS),
)


class MerchantSettings(msgspec.Struct, frozen=True, omit_defaults=True):
    """A merchant's own choices; every field has a default that works.

    success_url, failure_url: where the customer's browser is sent back to; empty shows only the
    result page. notification_url: where instant payment notifications are sent. notification_form:
    in which form they are sent. notification_types: whether status, type and counts
    are numbers in JSON notifications, as specified, or text. redirect_delivers: whether a redirect
    counts as an answer to a notification; it is never followed. left_out: fields that the
    merchant's client cannot take in returns and notifications. secure_hash: which values the
    client's formula of `ap_SecureHash` joins (docs/spec/wire.md#secure-hash). kit_versions:
    versions of old kits that may begin payments and call operations, at their old addresses; empty:
    none. events: what its server is told of; while nothing was chosen, what every client
    understands. endpoint_events: what further addresses are told of. reply_format: shape of replies
    to the merchant's calls (docs/spec/wire.md#replies). channels: what customers may pay by, in the
    order in which the payment page shows it. domains: origins a payment may be started from; empty
    allows any. frame_origins: origins whose pages may hold the payment page in a frame; empty
    allows none. currencies: the currencies of its orders; all but INR are for cards. surcharges:
    what is added to an order's amount, by channel; never for cards and UPI. dates: how the merchant
    writes the first day of a mandate, MM/DD/YYYY or DD/MM/YYYY. late_success: keep or refund a
    payment that succeeds after it failed or was over. refund_alone_paise: what one person may
    refund of one payment in the console, all its refunds together; beyond it a second person
    decides. 0: always. refund_alone_on_api: whether that limit holds for refunds by the merchant's
    servers, too. multiple_partial_refunds: whether one payment may be refunded in several parts.
    upi_collect_allowed: whether customers may type a UPI address, where the network allows it.
    support: what customers are told to write to or call, "" for nothing. capture_within_hours: the
    time after which an uncaptured authorisation is voided. moto: whether cards may be charged
    without their holder (`txnsubtype` 3). seamless, seamless_cards: whether the merchant's server
    may begin payments, and send cards with them; for cards the operator has seen a PCI DSS
    certificate. saved_cards: whether customers whom the merchant names may have their cards saved.
    pos_addresses: networks from which the sales of its terminals may be listed; empty: none.
    operation_addresses: networks from which operations may be called; empty: those that requested
    tokens. scoped_tokens: whether operations need a token of the scope `operations`, which our SDK
    requests. address_checks_a_minute, address_checks_a_day: how many UPI addresses its server may
    check. pos_listings_a_minute: how often its terminals' sales may be listed. attempts_an_hour:
    how often one order may be tried in an hour; each QR counts. dispute_fee_paise: the fee for each
    dispute about money, without GST. token_failures_a_minute: wrong token requests of one address
    before it has to wait. mcc: merchant category code, decides where UPI collect is allowed.
    accent: colour of the payment page. logo: the name of the picture in place of the initial; ""
    for none. letters: the kinds of letters that the gateway writes to customers; none unless
    chosen, because a shop may write its own. letter_language: the language of letters to customers
    who chose none.
    """

    success_url: str = ""
    failure_url: str = ""
    notification_url: str = ""
    notification_form: NotificationForm = "json-encrypted"
    notification_types: NotificationTypes = "numbers"
    redirect_delivers: bool = False
    left_out: tuple[str, ...] = ()
    secure_hash: SecureHashForm = "specification"
    kit_versions: tuple[str, ...] = ()
    events: tuple[str, ...] | None = None
    endpoint_events: tuple[str, ...] = ()
    reply_format: ReplyFormat = "both"
    domains: tuple[str, ...] = ()
    frame_origins: tuple[str, ...] = ()
    currencies: tuple[str, ...] = ("INR",)
    channels: tuple[str, ...] = ("upi", "pg")
    surcharges: Mapping[str, Surcharge] = {}
    late_success: LateSuccess = "keep"
    dates: Dates = "month-first"
    multiple_partial_refunds: bool = False
    refund_alone_paise: int = REFUND_ALONE_PAISE
    refund_alone_on_api: bool = False
    upi_collect_allowed: bool = False
    capture_within_hours: int = CAPTURE_WITHIN_HOURS
    moto: bool = False
    saved_cards: bool = False
    seamless: bool = False
    seamless_cards: bool = False
    mcc: str = ""
    accent: str = ""
    logo: str = ""
    support: str = ""
    letters: tuple[str, ...] = ()
    letter_language: str = "en"
    pos_addresses: tuple[str, ...] = ()
    operation_addresses: tuple[str, ...] = ()
    scoped_tokens: bool = False
    address_checks_a_minute: int = ADDRESS_CHECKS_A_MINUTE
    address_checks_a_day: int = ADDRESS_CHECKS_A_DAY
    pos_listings_a_minute: int = POS_LISTINGS_A_MINUTE
    attempts_an_hour: int = ATTEMPTS_AN_HOUR
    dispute_fee_paise: int = 0
    token_failures_a_minute: int = TOKEN_FAILURES_A_MINUTE

    @property
    def told(self) -> tuple[str, ...]:
        """Return the events that the merchant's server is notified of.

        The chosen ones, else the safe ones.
        """
        return SAFE if self.events is None else self.events

    def hears(self, event: str) -> bool:
        """Return whether the merchant's server is notified of events of a kind."""
        return event in self.told

    def is_written(self, event: str) -> bool:
        """Return whether some address of the merchant is notified of events of a kind."""
        return event in self.told or event in self.endpoint_events


@dataclass(frozen=True, slots=True)
class Merchant:
    """One merchant as every operation sees it.

    mode: live, or sandbox (docs/spec/payment-interfaces.md#sandbox). key: the further key of this
    call; None for the first.
    """

    merchant_id: int
    mode: Mode
    state: Literal["active", "suspended"]
    name: str
    settings: MerchantSettings
    keys: MerchantKeys = field(repr=False)
    created_at: datetime
    key: ApiKey | None = None

    @property
    def suspended(self) -> bool:
        """Return whether the operator has stopped this merchant."""
        return self.state == "suspended"


def wrong_setting(name: str, received: object, allowed: str) -> Refused:
    """Return the refusal of a setting by its name."""
    return refuse(
        RefusalCode.FIELD_INVALID, field=name, received=str(received)[:64], allowed=allowed
    )


def check_name(name: str) -> None:
    """Raise Refused unless a text can be a display name."""
    if not is_name(name, NAME_LENGTH_MAX):
        raise wrong_setting("name", name, name_words(NAME_LENGTH_MAX))


def check_settings(settings: MerchantSettings) -> None:
    """Raise Refused naming the first setting that cannot be used; no address is called."""
    for name, values, right, allowed in (
        (
            "domain",
            settings.domains,
            _DOMAIN.match,
            "an origin such as https://shop.example.in, without a path",
        ),
        (
            "frame_origin",
            settings.frame_origins,
            _DOMAIN.match,
            "an origin such as https://shop.example.in, without a path",
        ),
        ("channels", settings.channels, CHANNELS.__contains__, " ".join(CHANNELS)),
        ("kit_version", settings.kit_versions, KIT_VERSIONS.__contains__, " ".join(KIT_VERSIONS)),
        ("event", settings.events or (), frozenset(Kind).__contains__, " ".join(Kind)),
        ("pos_address", settings.pos_addresses, _is_network, _NETWORK_WORDS),
        ("operation_address", settings.operation_addresses, _is_network, _NETWORK_WORDS),
        ("letter", settings.letters, LETTERS.__contains__, " ".join(LETTERS)),
        (
            "letter_language",
            (settings.letter_language,),
            LANGUAGES.__contains__,
            " ".join(LANGUAGES),
        ),
        ("currency", settings.currencies or ("",), CURRENCIES.__contains__, " ".join(CURRENCIES)),
    ):
        for value in values:
            if not right(value):
                raise wrong_setting(name, value, allowed)
    for name in settings.left_out:
        if not _FIELD_NAME.match(name) or name in NEVER_LEFT_OUT:
            raise wrong_setting(
                "left_out", name, f"the name of a field, but none of {' '.join(NEVER_LEFT_OUT)}"
            )
    if settings.support and not is_name(settings.support, SUPPORT_LENGTH_MAX):
        raise wrong_setting(
            "support", settings.support, f"nothing, or {name_words(SUPPORT_LENGTH_MAX)}"
        )
    _check_numbers(settings)
    for name, form, allowed in _FORMS:
        text: str = getattr(settings, name)
        if text and not form.match(text):
            raise wrong_setting(name, text, allowed)


def _check_numbers(settings: MerchantSettings) -> None:
    """Raise Refused naming the first number or surcharge that is out of bounds."""
    for channel, rule in settings.surcharges.items():
        wrong = surcharge.wrong_with(channel, rule)
        if wrong:
            raise wrong_setting(*wrong)
    bounds = {
        "capture_within_hours": (1, CAPTURE_WITHIN_HOURS_MAX),
        **dict.fromkeys(LIMITS, (1, LIMIT_MAX)),
        "attempts_an_hour": (ATTEMPTS_AN_HOUR_MIN, ATTEMPTS_AN_HOUR_MAX),
        "dispute_fee_paise": (0, DISPUTE_FEE_PAISE_MAX),
        "refund_alone_paise": (0, REFUND_ALONE_PAISE_MAX),
    }
    for name, (least, most) in bounds.items():
        if not least <= getattr(settings, name) <= most:
            raise wrong_setting(name, getattr(settings, name), f"{least} to {most}")


def is_web_address(text: str) -> bool:
    """Return whether a text can be the address of a merchant's server."""
    return bool(_ADDRESS.match(text))


def is_listed(address: str, networks: tuple[str, ...]) -> bool:
    """Return whether an address is in one of the networks; False for an empty list."""
    try:
        asking = ip_address(address)
    except ValueError:
        return False
    # A socket for both families shows IPv4 addresses as IPv6 ones.
    asking = getattr(asking, "ipv4_mapped", None) or asking
    return any(asking in ip_network(each) for each in networks)


def _is_network(text: str) -> bool:
    try:
        ip_network(text)
    except ValueError:
        return False
    return True


def letter_choice(kind: str, channel: str) -> str:
    """Return the name in `letters` of a kind by a channel."""
    return kind if channel == "mail" else f"{kind}:{channel}"
