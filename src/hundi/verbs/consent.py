"""That customers agree to get WhatsApp messages of a merchant, and take that back."""

from typing import Annotated

from msgspec import Meta

from hundi.kernel.refusals import RefusalCode, refuse
from hundi.letters.mobile import actions
from hundi.letters.mobile.rules import MessageConsent, mobile_number
from hundi.letters.rules import LetterChannel, masked_address
from hundi.staff.people.rules import Permission
from hundi.verbs.context import VerbContext
from hundi.verbs.parameters import ID_MAX, ParameterHints, VerbParameters
from hundi.verbs.verb import Result, verb

Number = Annotated[
    str, Meta(description="The customer's mobile number, ten digits.", max_length=20)
]


class NewConsent(VerbParameters, frozen=True, kw_only=True):
    """A customer who agreed."""

    merchant_id: Annotated[int, Meta(ge=1, le=ID_MAX, description="The merchant's id.")]
    number: Number
    words: Annotated[
        str,
        Meta(
            description="The words that the customer agreed to, and where.",
            min_length=1,
            max_length=300,
        ),
        ParameterHints(masked=True, by="name"),
    ]


class GivenConsent(VerbParameters, frozen=True, kw_only=True):
    """A customer who takes it back."""

    merchant_id: Annotated[int, Meta(ge=1, le=ID_MAX, description="The merchant's id.")]
    number: Number


@verb(
    "consent add",
    Permission.PAYMENTS_NOTE,
    trail="consent.add",
    page="Record a customer's consent to WhatsApp messages",
    title="Written",
    refusals={
        RefusalCode.STATE_FORBIDS: (
            "this number has agreed, or took it back: then only the customer can agree again, on"
            " the page after a payment"
        )
    },
)
async def add(context: VerbContext, parameters: NewConsent) -> Result:
    """Keep that a customer agreed to WhatsApp messages of a merchant, and in which words."""
    number = _number(parameters.number)
    recorded = context.recording(parameters.merchant_id, masked_address(number))
    consent = MessageConsent(
        parameters.merchant_id, LetterChannel.WHATSAPP, number, parameters.words
    )
    await actions.claim(context.db, consent, context.now, recorded)
    return {"number": masked_address(number), "words": parameters.words}


@verb(
    "consent withdraw",
    Permission.PAYMENTS_NOTE,
    trail="consent.withdraw",
    page="Stop WhatsApp messages to a customer",
    title="Withdrawn",
    refusals={RefusalCode.NO_RECORDS: "this number has not agreed, or took it back already"},
)
async def withdraw(context: VerbContext, parameters: GivenConsent) -> Result:
    """Keep that a customer takes its consent back: no WhatsApp message is sent any more."""
    number = _number(parameters.number)
    recorded = context.recording(parameters.merchant_id, masked_address(number))
    consent = parameters.merchant_id, LetterChannel.WHATSAPP, number
    await actions.withdraw(context.db, consent, context.now, recorded)
    return {"number": masked_address(number)}


def _number(text: str) -> str:
    number = mobile_number(text)
    if not number:
        allowed = "an Indian mobile number, ten digits"
        raise refuse(RefusalCode.FIELD_INVALID, field="number", received=text[:20], allowed=allowed)
    return number


VERBS = (add, withdraw)
