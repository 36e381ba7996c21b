"""The decisions of the simulated banks: test values that choose an outcome, and card numbers."""

import re
from dataclasses import dataclass, replace  # noqa: TID251 (no structs here)
from enum import StrEnum
from zlib import crc32

from hundi_testbed.bank.settings import Timings

_NAMED_ACCOUNT = re.compile(r"([0-9]{6,18})\.([a-z]{4}0[a-z0-9]{6})@hundi\Z")
OTP_RIGHT = "123456"
OTP_REFUSED = "000000"
OTP_TRIES_MAX = 3
TRANSFERRED = frozenset({"transfer", "cash"})
"""Methods whose payments have the reference of their account or voucher."""
NEVER = "HTTP 422"
"""The gateway's answer to a callback that it will never accept; it is not sent again."""


class Status(StrEnum):
    """The state of a reference at the bank."""

    CHALLENGE = "challenge"
    """A card waits for its holder's one-time password."""
    AUTHENTICATED = "authenticated"
    """The cardholder passed the challenge; no authorisation was requested yet."""
    PENDING = "pending"
    """Undecided or untold; money may move."""
    PAID = "paid"
    """Debited."""
    AUTHORISED = "authorised"
    """Held on the card until a capture."""
    DECLINED = "declined"
    """Refused; nothing moved (with the injected fault `late_success_s` it may succeed later)."""
    VOIDED = "voided"
    """Held once, then released."""


@dataclass(frozen=True, slots=True)
class PaymentDecision:
    """A bank's decision about one payment.

    silent: no answer and no callback is ever sent. settles_after_s: seconds until a pending one
    succeeds. quiet: that success has no callback; only an inquiry learns it. judged_after_s:
    seconds until the bank decides an accepted payment. approval_code: the bank's. final: declined
    for good, even when late successes are injected.
    """

    status: Status
    code: str
    message: str
    silent: bool = False
    settles_after_s: float | None = None
    quiet: bool = False
    final: bool = False
    judged_after_s: float | None = None
    approval_code: str = ""


@dataclass(frozen=True, slots=True)
class PaymentTrigger:
    """One line of the table of triggers on the pages."""

    given: str
    outcome: str


APPROVED = PaymentDecision(Status.PAID, "00", "Approved")
DECLINED_BY_CUSTOMER = PaymentDecision(Status.DECLINED, "ZA", "Declined by the customer")
COLLECT_EXPIRED = PaymentDecision(
    Status.DECLINED, "U69", "The request expired before the customer approved it"
)
NOT_REGISTERED = PaymentDecision(Status.DECLINED, "ZH", "This UPI ID is not registered", final=True)
DUPLICATE_CODE = "U01"
NOT_AUTHENTICATED_CODE = "63"

VPA_TRIGGERS = (
    PaymentTrigger("success@hundi", "paid at once"),
    PaymentTrigger("decline@hundi", "declined, ZA: the customer said no"),
    PaymentTrigger("insufficient@hundi", "declined, Z9: not enough money"),
    PaymentTrigger("expired@hundi", "declined, U69: the request expired"),
    PaymentTrigger("pending@hundi", "pending, then paid after 20 seconds"),
    PaymentTrigger("silent@hundi", "no answer ever; an inquiry after 20 seconds says paid"),
    PaymentTrigger("deemed@hundi", "RB, deemed; an inquiry after 60 seconds says paid"),
    PaymentTrigger(
        "norefund@hundi", "paid at once; a refund is declined, 57: the account takes nothing back"
    ),
    PaymentTrigger(
        "laterefund@hundi",
        "paid at once; a refund is pending, and done when asked after 20 seconds",
    ),
    PaymentTrigger(
        "closedrefund@hundi",
        (
            "paid at once; a refund is done, and comes back 20 seconds later, M3: the account is"
            " closed"
        ),
    ),
    PaymentTrigger("unregistered@hundi", "well-formed, but nobody has this UPI ID"),
)
ACCOUNT_TRIGGERS = (
    PaymentTrigger(
        "50100012345678.hdfc0000001@hundi",
        "paid at once, from the account and IFSC that the address names",
    ),
)
MANDATE_ALONE = "alone@hundi"
"""Approves a mandate whose first payment is declined all the same."""
MANDATE_TRIGGERS = (
    PaymentTrigger(
        MANDATE_ALONE, "approves a mandate whose first payment is declined, Z9: not enough money"
    ),
    PaymentTrigger(
        "nodebit@hundi", "approves a mandate; each later debit is declined, Z9: not enough money"
    ),
    PaymentTrigger(
        "retrydebit@hundi", "approves a mandate; the first try of each later debit is declined, Z9"
    ),
)
CARD_TRIGGERS = (
    PaymentTrigger("4111 1111 1111 1111", "approved (Visa)"),
    PaymentTrigger("5267 3181 8797 5449", "approved (Mastercard)"),
    PaymentTrigger("6082 0153 0957 7308", "approved (RuPay)"),
    PaymentTrigger("3782 822463 10005", "approved (Amex)"),
    PaymentTrigger("4000 0566 5566 5556", "approved (Visa, a debit card)"),
    PaymentTrigger("5105 1051 0510 5100", "approved (Mastercard, a prepaid card)"),
    PaymentTrigger("4000 0000 0000 0002", "declined, 05: do not honour"),
    PaymentTrigger("4000 0000 0000 9995", "declined, 51: not enough money"),
    PaymentTrigger("4000 0000 0000 0069", "declined, 54: expired card"),
    PaymentTrigger(
        "4000 0000 0000 0119", "no answer ever; an inquiry after 20 seconds says approved"
    ),
    PaymentTrigger("4000 0000 0000 0341", "approves a mandate; each later debit is declined, 51"),
    PaymentTrigger(
        "4000 0000 0000 3220",
        "approves a mandate; the first try of each later debit is declined, 51",
    ),
)
OTP_TRIGGERS = (
    PaymentTrigger(OTP_RIGHT, "the holder is authenticated (Y)"),
    PaymentTrigger(OTP_REFUSED, "the authentication fails (N)"),
    PaymentTrigger("anything else", f"wrong; after {OTP_TRIES_MAX} tries it fails (N)"),
)


class IssuerDecision(StrEnum):
    """A card issuer's answer to an authorisation.

    Stored in place of the card number, which decides it.
    """

    APPROVE = "approve"
    DO_NOT_HONOUR = "05"
    INSUFFICIENT = "51"
    EXPIRED = "54"
    SILENT = "silent"
    NO_DEBITS = "no_debits"
    LATER_DEBITS = "later_debits"


_ISSUERS = {
    "4000000000000002": IssuerDecision.DO_NOT_HONOUR,
    "4000000000009995": IssuerDecision.INSUFFICIENT,
    "4000000000000069": IssuerDecision.EXPIRED,
    "4000000000000119": IssuerDecision.SILENT,
    "4000000000000341": IssuerDecision.NO_DEBITS,
    "4000000000003220": IssuerDecision.LATER_DEBITS,
}
_APPROVES = frozenset(
    {IssuerDecision.APPROVE, IssuerDecision.NO_DEBITS, IssuerDecision.LATER_DEBITS}
)
_ISSUER_MESSAGES = {
    IssuerDecision.DO_NOT_HONOUR: "Do not honour",
    IssuerDecision.INSUFFICIENT: "Insufficient funds",
    IssuerDecision.EXPIRED: "Expired card",
}


_UPI_DECLINES = {
    "decline@hundi": DECLINED_BY_CUSTOMER,
    "insufficient@hundi": PaymentDecision(Status.DECLINED, "Z9", "Insufficient funds"),
    MANDATE_ALONE: PaymentDecision(Status.DECLINED, "Z9", "Insufficient funds"),
    "expired@hundi": COLLECT_EXPIRED,
    "unregistered@hundi": NOT_REGISTERED,
}


def upi_outcome(payer_vpa: str, timings: Timings) -> PaymentDecision:
    """Return the decision of the payer's bank; payer_vpa in lower case."""
    match payer_vpa:
        case "pending@hundi":
            return PaymentDecision(
                Status.PENDING,
                "01",
                "Pending at the payer's bank",
                settles_after_s=timings.pending_s,
            )
        case "silent@hundi":
            return _silent(timings)
        case "deemed@hundi":
            message = "Deemed: the payee's bank has not confirmed"
            return PaymentDecision(
                Status.PENDING, "RB", message, settles_after_s=timings.deemed_s, quiet=True
            )
        case _:
            return _UPI_DECLINES.get(payer_vpa, APPROVED)


def registered_name(payer_vpa: str) -> str:
    """Return the name registered for a UPI address, "" for none; payer_vpa in lower case."""
    if payer_vpa == "unregistered@hundi":
        return ""
    return (
        payer_vpa.partition("@")[0].replace(".", " ").replace("_", " ").replace("-", " ").title()
        + " (simulated)"
    )


def account_of(payer_vpa: str) -> tuple[str, str]:
    """Return the account (number, IFSC) of a UPI address in lower case, "" twice for none.

    `NUMBER.IFSC@hundi` names its own account.
    """
    match = _NAMED_ACCOUNT.match(payer_vpa)
    if match:
        return match[1], match[2].upper()
    return (f"5010{crc32(payer_vpa.encode()):010}", "HDFC0000001") if payer_vpa else ("", "")


def _silent(timings: Timings) -> PaymentDecision:
    return PaymentDecision(
        Status.PENDING, "", "", silent=True, settles_after_s=timings.pending_s, quiet=True
    )


def card_outcome(issuer: IssuerDecision, timings: Timings, *, capture: bool) -> PaymentDecision:
    """Return the issuer's decision about a charge. capture: charge now instead of holding."""
    if issuer in _APPROVES:
        return APPROVED if capture else replace(APPROVED, status=Status.AUTHORISED)
    if issuer is IssuerDecision.SILENT:
        return _silent(timings)
    return PaymentDecision(Status.DECLINED, issuer.value, _ISSUER_MESSAGES[issuer])


def with_late_success(outcome: PaymentDecision, late_success_s: int) -> PaymentDecision:
    """Return the outcome with a late success: a decline, "pending" and silence succeed later.

    Whether that has a callback stays as it is, and an unregistered address never pays.
    """
    if (
        late_success_s == 0
        or outcome.final
        or outcome.judged_after_s is not None
        or outcome.status not in {Status.DECLINED, Status.PENDING}
    ):
        return outcome
    return replace(outcome, settles_after_s=float(late_success_s))


def trans_status(otp: str, tries_before: int) -> str:
    """Return the result of a one-time password: Y, N, or "" when another try is allowed."""
    if otp == OTP_RIGHT:
        return "Y"
    return "N" if otp == OTP_REFUSED or tries_before + 1 >= OTP_TRIES_MAX else ""


CANCELLED = "Cancelled by the cardholder"
"""The message of a challenge whose holder pressed cancel."""


def challenge_cancel(message: str) -> str:
    """Return EMVCo's challenge cancelation indicator: 01 for a cancelling cardholder, else ""."""
    return "01" if message == CANCELLED else ""


def eci(scheme: str, trans_status: str) -> str:
    """Return the electronic commerce indicator of an ended challenge.

    Mastercard has its own values.
    """
    full, none = ("02", "00") if scheme == "Mastercard" else ("05", "07")
    return full if trans_status == "Y" else none


@dataclass(frozen=True, slots=True)
class BankCardFacts:
    """The bank's stored facts about a card, without the number.

    token: what the merchant may store instead, "" without the holder's consent.
    """

    last4: str
    scheme: str
    type: str
    issuer: str
    country: str
    token: str = ""


@dataclass(frozen=True, slots=True)
class CardPayment:
    """The payment of a card, and where its holder goes after the challenge."""

    reference: str
    amount_paise: int
    currency: str
    return_url: str


# Most specific first: RuPay lies inside ranges that others claim.
_RANGES = (
    ("508500", "508999", "RuPay", "debit"),
    ("606985", "608500", "RuPay", "debit"),
    ("652150", "653149", "RuPay", "debit"),
    ("817200", "820199", "RuPay", "debit"),
    ("300", "305", "Diners", "credit"),
    ("36", "36", "Diners", "credit"),
    ("38", "39", "Diners", "credit"),
    ("34", "34", "Amex", "credit"),
    ("37", "37", "Amex", "credit"),
    ("3528", "3589", "JCB", "credit"),
    ("510510", "510510", "Mastercard", "prepaid"),
    ("51", "55", "Mastercard", "credit"),
    ("2221", "2720", "Mastercard", "credit"),
    ("400005", "400005", "Visa", "debit"),
    ("4", "4", "Visa", "credit"),
)
_ISSUER = "Simulated Issuer Bank"
_ISSUERS_OF_BINS = {
    "400061": "HDFC Bank",
    "400062": "ICICI Bank",
    "400063": "State Bank of India",
    "400064": "Axis Bank",
}
"""Cards of banks with instalment plans.

All other cards are of a bank without plans.
"""
_LENGTHS = {"Amex": (15,), "Diners": (14, 16), "Visa": (13, 16, 19)}
_LENGTHS_OTHERS = (16,)


def read_card(number: str) -> tuple[BankCardFacts, IssuerDecision] | None:
    """Return a card number's facts and decision, or None when no such card can exist."""
    scheme, kind = _scheme(number)
    if (
        len(number) not in _LENGTHS.get(scheme, _LENGTHS_OTHERS)
        or not scheme
        or not passes_luhn(number)
    ):
        return None
    card = BankCardFacts(number[-4:], scheme, kind, _issuer(number), "IN")
    return card, _ISSUERS.get(number, IssuerDecision.APPROVE)


def read_bin(first_digits: str) -> BankCardFacts | None:
    """Return the facts about a card from its first digits, None for an unknown range."""
    scheme, kind = _scheme(first_digits)
    return BankCardFacts("", scheme, kind, _issuer(first_digits), "IN") if scheme else None


def _issuer(number: str) -> str:
    return _ISSUERS_OF_BINS.get(number[:6], _ISSUER)


def passes_luhn(number: str) -> bool:
    """Return whether a number's check digit is right (ISO/IEC 7812-1).

    False for anything but ASCII digits.
    """
    if not (number.isascii() and number.isdigit()):
        return False
    # Twice a digit, with the digits of the product added.
    doubled = sum(sum(divmod(int(digit) * 2, 10)) for digit in number[-2::-2])
    return (doubled + sum(map(int, number[-1::-2]))) % 10 == 0


def _scheme(number: str) -> tuple[str, str]:
    for low, high, scheme, kind in _RANGES:
        if low <= number[: len(low)] <= high:
            return scheme, kind
    return "", ""
