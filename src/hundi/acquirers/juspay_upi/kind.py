"""The plug-in of UPI by Juspay's merchant stack: an operator's settings, and how it is opened."""

from dataclasses import dataclass, field
from typing import Annotated, Literal

import msgspec

from hundi.acquirers.calls.pages import ConnectorSetup
from hundi.acquirers.calls.rsa_keys import private_key, public_key
from hundi.acquirers.juspay_upi.checks import CHECKS
from hundi.acquirers.juspay_upi.connector import JuspayUpiConnector, RefundWay, StackAccount
from hundi.acquirers.juspay_upi.envelopes import Algorithm, AnswerForm, CallbackText, StackKeys
from hundi.acquirers.juspay_upi.sandbox import SANDBOX_DATA
from hundi.acquirers.kinds import (
    FIXED,
    LINES,
    SECRET,
    AcquirerConfigurationError,
    AcquirerContext,
    AcquirerKind,
    Filled,
    WebAddress,
)


@dataclass(frozen=True, slots=True)
class StackBank:
    """A bank with Juspay's stack.

    prefix: of its requests at NPCI, "" where none is known. urls: by environment, those that are
    known.
    """

    prefix: str = ""
    urls: dict[str, str] = field(default_factory=dict)


BANKS = {
    "axis": StackBank(
        "AXB",
        {
            "production": "https://upisdk.axisbank.co.in/api/b2",
            "uat": "https://upiuatv3.axisbank.com/api/b2",
        },
    ),
    "yes": StackBank("YJP"),
    "rbl": StackBank("RBA"),
    "kotak": StackBank(),
    "au": StackBank(),
    "other": StackBank(),
}


class JuspayUpiSettings(msgspec.Struct, frozen=True, kw_only=True):
    """One merchant account at a bank; docs/juspay-upi.md says where each value is found.

    bank: whose UPI it is. environment: uat moves no real money. merchant_id: our number at the
    bank. channel_id: our channel there. key_id: the bank's name of our key (KID). private_key:
    ours, in PEM; it signs calls and opens encrypted answers. stack_public_pem: the bank's, in
    PEM; it proves answers and callbacks. refund_type: how money goes back. refund_vpa: our UPI
    address that online refunds leave. refund_reason: NPCI's code of udir refunds: 1061 returned,
    1063 paid otherwise, 1064 not delivered, 1084 paid twice. answers: what an answer is.
    answer_algorithm: how it is signed. callback_text: what a callback's signature is over.
    callback_algorithm: how it is signed. api_version: of the stack at this bank.
    request_prefix: three letters of the bank's requests at NPCI; "" for the known ones. url: the
    bank's address up to `/merchants`; "" for the known one.
    """

    bank: Literal["axis", "yes", "rbl", "kotak", "au", "other"]
    environment: Literal["production", "uat"]
    merchant_id: Annotated[Filled, FIXED]
    channel_id: Annotated[Filled, FIXED]
    key_id: Filled
    private_key: Annotated[Filled, SECRET, LINES]
    stack_public_pem: Annotated[Filled, LINES]
    refund_type: Literal["online", "offline", "udir"] = "online"
    refund_vpa: Annotated[str, msgspec.Meta(max_length=255)] = ""
    refund_reason: Literal["1061", "1063", "1064", "1084"] = "1061"
    answers: AnswerForm = "encrypted"
    answer_algorithm: Algorithm = "RS256"
    callback_text: CallbackText = "sorted"
    callback_algorithm: Algorithm = "PS256"
    api_version: Annotated[
        str, msgspec.Meta(pattern=r"^[0-9]{1,3}\Z", description="1 to 3 digits")
    ] = "3"
    request_prefix: Annotated[
        str, msgspec.Meta(pattern=r"^([A-Z]{3})?\Z", description="three large letters")
    ] = ""
    url: WebAddress = ""


def _open(name: str, settings: JuspayUpiSettings, context: AcquirerContext) -> JuspayUpiConnector:
    bank = BANKS[settings.bank]
    url = settings.url.rstrip("/") or bank.urls.get(settings.environment, "")
    if not url:
        raise _fault(name, f"url: the address of {settings.bank} is not published: ask the bank")
    if settings.refund_type == "online" and not settings.refund_vpa:
        raise _fault(name, "refund_vpa: online refunds leave a UPI address of yours")
    account = StackAccount(
        merchant_id=settings.merchant_id,
        channel_id=settings.channel_id,
        keys=_keys(name, settings),
        refunds=RefundWay(
            kind=settings.refund_type.upper(),
            vpa=settings.refund_vpa,
            reason=settings.refund_reason,
        ),
        prefix=settings.request_prefix or bank.prefix,
        api_version=settings.api_version,
    )
    setup = ConnectorSetup(name, context.memory, simulated=settings.environment == "uat")
    return JuspayUpiConnector(setup, account, url)


def _keys(name: str, settings: JuspayUpiSettings) -> StackKeys:
    try:
        own = private_key(settings.private_key)
    except ValueError:
        raise _fault(
            name, "private_key: it is no RSA key of 2048 bits or more in PEM without a password"
        ) from None
    try:
        stack = public_key(settings.stack_public_pem)
    except ValueError:
        raise _fault(name, "stack_public_pem: it is no RSA key in PEM") from None
    return StackKeys(
        key_id=settings.key_id,
        own=own,
        stack=stack,
        answers=settings.answers,
        answer_algorithm=settings.answer_algorithm,
        callback_text=settings.callback_text,
        callback_algorithm=settings.callback_algorithm,
    )


def _fault(name: str, words: str) -> AcquirerConfigurationError:
    return AcquirerConfigurationError(f"acquirers.{name}: {words}")


KIND = AcquirerKind(JuspayUpiSettings, _open, CHECKS, brand="Bank UPI", sandbox=SANDBOX_DATA)
