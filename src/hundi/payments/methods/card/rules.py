"""Which cards an order accepts; pure."""

from collections.abc import Collection

from hundi.acquirers.port.answers import Declined
from hundi.instruments.bank_names import is_name, name_of
from hundi.instruments.card import CardFacts
from hundi.payments.attempts.rules import CARD_ISSUER_CODE, CARD_TYPE_CODE


def not_accepted(card: CardFacts, accepted: Collection[str]) -> Declined | None:
    """Return the decline of a card whose type an order does not accept, or None when it does.

    accepted: `credit`, `debit` or both. Prepaid cards and cards of unknown type are neither.
    """
    if card.type in accepted:
        return None
    accepted_types, kind = (
        " and ".join(accepted),
        f"a {card.type} card" if card.type else "of a type that is not known",
    )
    return Declined(
        CARD_TYPE_CODE,
        f"The order accepts {accepted_types} cards only; this card is {kind}",
        card=card,
    )


def not_lent_to(card: CardFacts, bank: str) -> Declined | None:
    """Return the decline of a card that the lending bank did not issue, or None.

    bank: the lender's code. Without a known issuer None: the bank decides.
    """
    lender, issuer = name_of(bank), card.issuer
    if not is_name(issuer) or issuer.casefold() == lender.casefold():
        return None
    return Declined(
        CARD_ISSUER_CODE, f"The instalments are {lender}'s; this card is of {issuer}", card=card
    )
