"""The networks' reason codes of disputes in plain words; pure.

Sources: the public dispute guides of Visa and Mastercard, NPCI's circulars for RuPay. An unknown
code is shown as it came: ask the bank for its meaning.
"""

from collections.abc import Mapping

_FRAUD = "The cardholder says that they did not make this payment."
_CHIP = "The card was copied or stolen, and was not read by its chip."
_NO_AUTHORISATION = "The card's bank had not authorised it, or had declined it."
_LATE = "It was sent to the card's bank too late."
_DATA = (
    "The payment was sent with wrong data: another account, currency, amount or kind "
    "than was agreed."
)
_TWICE = "The customer was charged twice, or had paid in another way already."
_NOT_RECEIVED = "The customer says that they did not get what they paid for."
_RECURRING = "The customer had cancelled the subscription, and was charged again."
_NOT_AS_DESCRIBED = "The customer says that what they got was not as described, or did not work."
_NO_CREDIT = "The customer gave it back or cancelled it, and says that no refund came."
_NOT_KNOWN = "The customer does not know what this payment was for."
WORDS: Mapping[str, str] = {
    **dict.fromkeys(("10.1", "10.2", "4870", "4871"), _CHIP),
    **dict.fromkeys(("10.3", "10.4", "10.5", "4837", "4840", "4849"), _FRAUD),
    **dict.fromkeys(("11.1", "11.2", "11.3", "4808", "4807", "4812"), _NO_AUTHORISATION),
    **dict.fromkeys(("12.1", "4842"), _LATE),
    **dict.fromkeys(("12.2", "12.3", "12.4", "12.5", "12.7", "4831", "4846"), _DATA),
    **dict.fromkeys(("12.6", "12.6.1", "12.6.2", "4834", "1063", "1084"), _TWICE),
    **dict.fromkeys(("13.1", "13.9", "4855", "4859", "1064"), _NOT_RECEIVED),
    **dict.fromkeys(("13.2", "4841"), _RECURRING),
    **dict.fromkeys(("13.3", "13.4", "13.5", "4853", "1062"), _NOT_AS_DESCRIBED),
    **dict.fromkeys(("13.6", "13.7", "4860", "1061"), _NO_CREDIT),
    "4863": _NOT_KNOWN,
    "1065": "The customer's account was debited, and you got no confirmation of the payment.",
}
"""The claim of each network code."""
_EVIDENCE: Mapping[str, str] = {
    _FRAUD: "that the cardholder took part: an earlier undisputed order, the address, the "
    "delivery's signature",
    _CHIP: "the receipt of the terminal, with how the card was read",
    _NO_AUTHORISATION: "the bank's approval: the story of the payment has its code and time",
    _LATE: "the day of the payment and of its capture: the story of the payment has both",
    _DATA: "the order as the customer placed it, with amount and currency",
    _TWICE: "that each payment has an order of its own, or that the second one was refunded",
    _NOT_RECEIVED: "the proof of delivery, with date, address and signature; or that the service "
    "was "
    "used",
    _RECURRING: "the mandate, its notices, and that no cancellation came before the debit",
    _NOT_AS_DESCRIBED: "the description that the customer saw, and what was agreed about returns",
    _NO_CREDIT: "the refund with its bank reference, or the terms that rule it out",
    _NOT_KNOWN: "the invoice, with what was bought, when and by whom",
}
_ANY = "the invoice, the proof of delivery, and what you wrote to each other"


def words_of(code: str) -> str:
    """Return the claim of a network's code, "" for an unknown code."""
    return WORDS.get(code.strip(), "")


def evidence_for(code: str) -> str:
    """Return the evidence against the claim of a code."""
    return _EVIDENCE.get(words_of(code), _ANY)
