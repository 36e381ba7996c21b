"""Cards at the simulated bank network."""

from typing import Any
from urllib.parse import quote

from hundi.acquirers.calls.client import AcquirerClient
from hundi.acquirers.port.answers import (
    Accepted,
    Approved,
    Authentication,
    Declined,
    Redirect,
    Unknown,
)
from hundi.acquirers.port.payments import Charge
from hundi.acquirers.sandbox import questions, rules
from hundi.instruments.card import CardFacts, CardNumber
from hundi.kernel.records import replace

CARD_BIN_DIGITS = 8
"""The first digits of a card number, which name its issuer and its type (ISO/IEC 7812)."""


class SandboxCards:
    """The connector's calls about cards."""

    _acquirer: AcquirerClient[rules.BankAnswer]

    async def authenticate(
        self, charge: Charge, card: CardNumber, *, return_url: str
    ) -> Redirect | Declined | Unknown:
        """Send the card to the acquirer and return the address of the challenge."""
        request = {
            **questions.charged(charge),
            "card": questions.typed(card),
            "return_url": return_url,
            "emi": {"bank_code": charge.emi_bank, "months": charge.emi_months}
            if charge.emi_months
            else None,
            "tokenise": charge.save_card,
            "payee_name": charge.payee_name,
            "mandate": questions.approved(charge.mandate),
        }
        word = await self._moving("/acquirer/cards/authenticate", charge.reference, request)
        return word if isinstance(word, Unknown) else rules.challenge(word, self._acquirer.origin)

    async def authenticate_token(
        self, charge: Charge, token: str, *, return_url: str
    ) -> Redirect | Declined | Unknown:
        """Begin a payment by a saved card and return the address of the challenge."""
        request = {
            **questions.charged(charge),
            "token": token,
            "return_url": return_url,
            "payee_name": charge.payee_name,
        }
        word = await self._moving("/acquirer/cards/tokens/authenticate", charge.reference, request)
        return word if isinstance(word, Unknown) else rules.challenge(word, self._acquirer.origin)

    async def end_token(self, token: str) -> Accepted | Declined | Unknown:
        """End a token."""
        word = await self._acquirer.ask(
            self._acquirer.post("/acquirer/cards/tokens/end", {"token": token})
        )
        return word if isinstance(word, Unknown) else rules.acceptance(word)

    async def authentication(self, authentication_id: str) -> Authentication | Unknown:
        """Return how the challenge ended, as the network says and never as the browser does."""
        path = f"/acquirer/cards/authentications/{quote(authentication_id, safe='')}"
        word = await self._acquirer.ask(self._acquirer.look(path))
        return word if isinstance(word, Unknown) else rules.challenge_end(word)

    async def authorise(
        self, charge: Charge, *, authentication_id: str, capture: bool
    ) -> Approved | Declined | Unknown:
        """Charge (or hold) the amount, after an authentication that allows it."""
        request = {
            **questions.charged(charge),
            "authentication_id": authentication_id,
            "capture": capture,
        }
        return await self._charge("/acquirer/cards/authorise", charge, request)

    async def identify_card(self, card: CardNumber) -> CardFacts | Unknown:
        """Return the network's facts of a card by its first digits; no other digit is sent."""
        request = {"bin": card.number[:CARD_BIN_DIGITS]}
        word = await self._acquirer.ask(
            self._acquirer.question("/acquirer/cards/identify", request)
        )
        facts = word if isinstance(word, Unknown) else rules.card_facts(word)
        return facts if isinstance(facts, Unknown) else replace(facts, last4=card.number[-4:])

    async def charge_moto(
        self, charge: Charge, card: CardNumber, *, capture: bool
    ) -> Approved | Declined | Unknown:
        """Charge (or hold) the amount without a challenge."""
        request = {**questions.charged(charge), "card": questions.typed(card), "capture": capture}
        return await self._charge("/acquirer/cards/charge", charge, request)

    async def _charge(
        self, path: str, charge: Charge, request: dict[str, Any]
    ) -> Approved | Declined | Unknown:
        word = await self._waiting(path, charge.reference, request)
        return word if isinstance(word, Unknown) else rules.asked_outcome(word, charge.amount)

    async def _waiting(
        self, path: str, reference: str, request: dict[str, Any]
    ) -> rules.BankAnswer | Unknown:
        # A silent issuer says nothing about the acquirer, so this time-out does not feed the
        # breaker.
        waits_s = self._acquirer.timeouts.authorise_s
        call = replace(self._acquirer.post(path, request), timeout_s=waits_s, silence_counts=False)
        return rules.about(reference, await self._acquirer.ask(call))

    async def _moving(
        self, path: str, reference: str, request: dict[str, Any]
    ) -> rules.BankAnswer | Unknown:
        return rules.about(reference, await self._acquirer.ask(self._acquirer.post(path, request)))

    async def _found(self, path: str, reference: str) -> rules.BankAnswer | Unknown:
        question = self._acquirer.question(path, {"reference": reference})
        return rules.about(reference, await self._acquirer.ask(question))
