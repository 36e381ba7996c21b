"""Rules of saved cards; pure.

A network token and the last four digits are stored (docs/spec/domain.md#saved-cards).
"""

import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from hundi.acquirers.port.cards import TokenisesCards
from hundi.instruments.methods import CARDS
from hundi.kernel.states import PaymentKind
from hundi.merchants.directory.rules import Merchant
from hundi.payments.orders.rules import Attempt, Payment

SHOWN_MAX = 10
_KINDS = frozenset({PaymentKind.SALE, PaymentKind.AUTHORISE})


@dataclass(frozen=True, slots=True)
class StoredCard:
    """A card that a customer let a merchant keep.

    token: the merchant's name of it. customer: the merchant's own name of its customer. kept_by:
    the attempt whose bank made the network token; it has the card's facts, too.
    """

    merchant_id: int
    token: str
    customer: str
    agreed_at: datetime
    kept_by: Attempt


def new_token() -> str:
    """Return a name for a card that nobody can guess."""
    return f"card_{secrets.token_hex(16)}"


def may_save(payment: Payment, merchant: Merchant, connector: object) -> bool:
    """Return whether a card of this payment can be saved, and a saved one be used."""
    is_enabled = merchant.settings.saved_cards and bool(payment.buyer.customer)
    fits = payment.kind in _KINDS and CARDS.code in payment.channels
    return is_enabled and fits and isinstance(connector, TokenisesCards)


def each_once(cards: Iterable[StoredCard]) -> tuple[StoredCard, ...]:
    """Return the cards without those that look like a newer one: the same card was saved again."""
    newest = sorted(cards, key=lambda each: each.agreed_at, reverse=True)
    by_looks: dict[object, StoredCard] = {}
    for each in newest:
        by_looks.setdefault(_looks(each), each)
    return tuple(by_looks.values())


def alike(cards: Iterable[StoredCard], card: StoredCard) -> list[StoredCard]:
    """Return a card and those that look like it."""
    return [each for each in cards if _looks(each) == _looks(card)]


def _looks(card: StoredCard) -> object:
    # The number's fingerprint, which the risk rules store, separates cards with the same last four
    # digits.
    facts = card.kept_by.card
    return facts.last4, facts.scheme, facts.type, facts.issuer, card.kept_by.risk.seen.card
