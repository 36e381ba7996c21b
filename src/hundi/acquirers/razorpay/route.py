"""Razorpay Route: parts of payments for linked accounts, which Razorpay settles.

Sources: github.com/razorpay/markdown-docs, api/payments/route and webhooks/route.md. A transfer of
a payment takes no idempotency key: a note of it holds our reference, by which inquiries find it.
"""

from abc import ABC, abstractmethod
from typing import Annotated, Any, TypeVar
from urllib.parse import quote, urlencode

import msgspec

from hundi.acquirers.calls.razorpay_wire import (
    MESSAGE_MAX,
    REFERENCE_NOTE,
    Id,
    Text,
    Word,
    decoded,
    refused,
    unusable,
)
from hundi.acquirers.port.answers import Approved, Declined, NothingThere, Unknown
from hundi.acquirers.port.splits import (
    PartyStanding,
    PartyState,
    ReversalOrder,
    ShareMade,
    ShareOrder,
)
from hundi.acquirers.razorpay.api import RazorpayApi
from hundi.acquirers.razorpay.messages import Paise
from hundi.acquirers.razorpay.rules import texts
from hundi.kernel.money import Money

SHARE_GAPS_S = (10, 60, 300, 900, 3_600, 14_400, 43_200)
SETTLED_GAPS_S = (14_400, 43_200, 86_400, 86_400, 86_400, 172_800, 345_600, 604_800)
"""Razorpay settles a linked account two working days after the transfer, by default."""
SHARE_GRACE_S = 300
TRANSFERS_LISTED_MAX = 100
PARTY_PARTS = 2
"""A party is `acc_….acc_prd_…`: how an account stands is told by the number of its product."""
_STATES = {
    "requested": PartyState.PENDING,
    "needs_clarification": PartyState.PENDING,
    "under_review": PartyState.PENDING,
    "activated": PartyState.ACTIVE,
    "suspended": PartyState.SUSPENDED,
}
_GIVEN = frozenset({"processed", "reversed", "partially_reversed"})
_SETTLED = "settled"
_BUSY = "another payment operation is in progress"
"""Of the refusal that asks for a later call: an earlier one may still be worked on."""
_Found = TypeVar("_Found")


class RouteProduct(msgspec.Struct, frozen=True):
    """The product Route of a linked account."""

    account_id: Id
    activation_status: Word


class TransferError(msgspec.Struct, frozen=True):
    """Why a transfer failed; every field is null where it did not."""

    code: Word | None = None
    description: Text | None = None
    reason: Word | None = None


class _Settlement(msgspec.Struct, frozen=True):
    utr: Word | None = None


class RouteTransfer(msgspec.Struct, frozen=True):
    """A transfer; its state is `transfer_status` on the entity's page, `status` in the samples."""

    id: Id
    recipient: Id
    amount: Paise
    currency: Annotated[str, msgspec.Meta(max_length=3)]
    status: Word | None = None
    transfer_status: Word | None = None
    settlement_status: Word | None = None
    recipient_settlement_id: Id | None = None
    recipient_settlement: _Settlement | None = None
    error: TransferError | None = None
    notes: Any = None

    @property
    def state(self) -> str:
        """Return how it stands."""
        return self.status or self.transfer_status or ""


class RouteTransfers(msgspec.Struct, frozen=True):
    """The transfers of a payment, or of a settlement."""

    items: tuple[RouteTransfer, ...]


class RouteReversal(msgspec.Struct, frozen=True):
    """A reversal of a transfer: it exists once the amount was taken back."""

    id: Id
    transfer_id: Id
    amount: Paise
    currency: Annotated[str, msgspec.Meta(max_length=3)]
    notes: Any = None


class RouteReversals(msgspec.Struct, frozen=True):
    """The reversals of a transfer."""

    items: tuple[RouteReversal, ...]


class RazorpayRoute(ABC):
    """The connector's calls about shares."""

    share_gaps_s = SHARE_GAPS_S
    settled_gaps_s = SETTLED_GAPS_S
    share_grace_s = SHARE_GRACE_S
    _api: RazorpayApi

    @abstractmethod
    async def _paid_with(self, original: str) -> str | Declined | Unknown:
        """Return the payment that paid a reference."""

    async def inquire_party(self, party: str) -> PartyStanding | NothingThere | Unknown:
        """Return how a linked account's product stands."""
        parts = party.split(".")
        if len(parts) != PARTY_PARTS:
            return NothingThere()
        account, product = (quote(each, safe="") for each in parts)
        answer = await self._api.read_2(RouteProduct, f"/accounts/{account}/products/{product}")
        if isinstance(answer, Unknown):
            return answer
        if answer.account_id != parts[0]:
            return unusable()
        state = _STATES.get(answer.activation_status, PartyState.PENDING)
        return PartyStanding(state, answer.activation_status)

    async def give_share(self, order: ShareOrder) -> ShareMade | Declined | Unknown:
        """Transfer a part of a payment; the caller has asked before any repeat."""
        payment = await self._paid_with(order.original)
        if isinstance(payment, Declined | Unknown):
            return payment
        path = f"/payments/{quote(payment, safe='')}/transfers"
        answer = await self._api.send(path, transfer_request(order))
        if isinstance(answer, Unknown):
            return answer
        if answer[0]:
            made = decoded(RouteTransfers, answer[1])
            found = _ours(made.items if made else (), order)
            return unusable() if isinstance(found, NothingThere) else await self._outcome(found)
        standing = await self._transfer(payment, order)
        if isinstance(standing, NothingThere):
            return _refusal(answer[1])
        return standing if isinstance(standing, Unknown) else await self._outcome(standing)

    async def inquire_share(
        self, order: ShareOrder
    ) -> ShareMade | Declined | Unknown | NothingThere:
        """Return how a transfer stands, found among those of its payment by our note."""
        payment = await self._paid_with(order.original)
        if isinstance(payment, Declined | Unknown):
            return NothingThere() if isinstance(payment, Declined) else payment
        found = await self._transfer(payment, order)
        return found if isinstance(found, NothingThere | Unknown) else await self._outcome(found)

    async def reverse_share(self, order: ReversalOrder) -> Approved | Declined | Unknown:
        """Take a part of a transfer back; the caller has asked before any repeat."""
        path = f"/transfers/{quote(order.name, safe='')}/reversals"
        request = {"amount": order.amount.paise, "notes": {REFERENCE_NOTE: order.reference}}
        answer = await self._api.send(path, request)
        if isinstance(answer, Unknown):
            return answer
        if answer[0]:
            made = decoded(RouteReversal, answer[1])
            found = _reversal((made,) if made else (), order)
        else:
            found = await self.inquire_reversal(order)
            if isinstance(found, NothingThere):
                return _refusal(answer[1])
        return unusable() if isinstance(found, NothingThere) else found

    async def inquire_reversal(self, order: ReversalOrder) -> Approved | Unknown | NothingThere:
        """Return whether a reversal was made, found among those of its transfer by our note."""
        path = f"/transfers/{quote(order.name, safe='')}/reversals?count={TRANSFERS_LISTED_MAX}"
        answer = await self._api.read(RouteReversals, path)
        if isinstance(answer, Unknown):
            return answer
        found = _reversal(answer.items, order)
        return _complete(found, len(answer.items))

    async def _transfer(
        self, payment: str, order: ShareOrder
    ) -> RouteTransfer | NothingThere | Unknown:
        path = f"/payments/{quote(payment, safe='')}/transfers?count={TRANSFERS_LISTED_MAX}"
        answer = await self._api.read(RouteTransfers, path)
        if isinstance(answer, Unknown):
            return answer
        found = _ours(answer.items, order)
        return _complete(found, len(answer.items))

    async def _outcome(self, transfer: RouteTransfer | Unknown) -> ShareMade | Declined | Unknown:
        """Return what a transfer's state means; one that is settled has a UTR of its own."""
        if isinstance(transfer, Unknown):
            return transfer
        if transfer.state == "failed":
            error = transfer.error or TransferError()
            code = error.reason or error.code or "failed"
            return Declined(code, (error.description or "")[:MESSAGE_MAX])
        if transfer.state not in _GIVEN:
            return Unknown(transfer.state)
        utr = await self._utr(transfer)
        return ShareMade(Money(transfer.amount, transfer.currency), transfer.id, utr)

    async def _utr(self, transfer: RouteTransfer) -> str:
        """Return the UTR of the settlement that a transfer is in, "" while there is none."""
        settlement = transfer.recipient_settlement_id
        if transfer.settlement_status != _SETTLED or not settlement:
            return ""
        query = {"recipient_settlement_id": settlement, "expand[]": "recipient_settlement"}
        answer = await self._api.read(
            RouteTransfers, f"/transfers?{urlencode({**query, 'count': TRANSFERS_LISTED_MAX})}"
        )
        if isinstance(answer, Unknown):
            return ""
        names = (
            each.recipient_settlement.utr or ""
            for each in answer.items
            if each.id == transfer.id and each.recipient_settlement
        )
        return next(names, "")


def transfer_request(order: ShareOrder) -> dict[str, Any]:
    """Return a transfer of a part of a payment, which is not held."""
    transfer = {
        "account": order.party.split(".")[0],
        "amount": order.amount.paise,
        "currency": order.amount.currency,
        "notes": {REFERENCE_NOTE: order.reference},
        "on_hold": False,
    }
    return {"transfers": [transfer]}


def _ours(
    items: tuple[RouteTransfer, ...], order: ShareOrder
) -> RouteTransfer | NothingThere | Unknown:
    """Return the transfer with our reference; two of them are for people to look at."""
    found = [each for each in items if texts(each.notes).get(REFERENCE_NOTE) == order.reference]
    if len(found) > 1:
        return Unknown("made_twice", "Razorpay has two transfers of one reference")
    if not found:
        return NothingThere()
    return found[0] if found[0].recipient == order.party.split(".")[0] else unusable()


def _reversal(
    items: tuple[RouteReversal, ...], order: ReversalOrder
) -> Approved | NothingThere | Unknown:
    found = [each for each in items if texts(each.notes).get(REFERENCE_NOTE) == order.reference]
    if len(found) > 1:
        return Unknown("made_twice", "Razorpay has two reversals of one reference")
    if not found:
        return NothingThere()
    made = found[0]
    same = made.transfer_id == order.name
    return Approved(Money(made.amount, made.currency), made.id) if same else unusable()


def _complete(found: _Found, listed: int) -> _Found | Unknown:
    """Return an answer, unless more is there than was listed."""
    if isinstance(found, NothingThere) and listed >= TRANSFERS_LISTED_MAX:
        return Unknown("many", "Razorpay has more of them than can be told apart")
    return found


def _refusal(body: bytes) -> Declined | Unknown:
    """Return why a call was refused that Razorpay has no record of: nothing was moved."""
    refusal = refused(body)
    if refusal is None or refusal.code != "BAD_REQUEST_ERROR":
        return unusable()
    if _BUSY in (refusal.description or ""):
        return Unknown("busy", (refusal.description or "")[:MESSAGE_MAX])
    return Declined(refusal.reason or refusal.code, (refusal.description or "")[:MESSAGE_MAX])
