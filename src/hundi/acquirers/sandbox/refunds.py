"""The simulated aggregator's refunds: each has an id of its own; pure."""

from http import HTTPStatus
from typing import Annotated

import msgspec

from hundi.acquirers.port.answers import Approved, Declined, NothingThere, Unknown
from hundi.acquirers.sandbox.lists import decoded
from hundi.infra.http.client import HttpAnswer
from hundi.kernel.money import Money

READABLE = (
    HTTPStatus.OK,
    HTTPStatus.NOT_FOUND,
    HTTPStatus.CONFLICT,
    HTTPStatus.UNPROCESSABLE_ENTITY,
)
_Short = Annotated[str, msgspec.Meta(max_length=64)]
_Id = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9_]{1,64}\Z")]
_Text = Annotated[str, msgspec.Meta(max_length=255)]


class SandboxRefund(msgspec.Struct, frozen=True):
    """A refund. receipt: our reference. status: created, processed or failed."""

    id: _Id
    receipt: _Short
    status: _Short
    amount_paise: Annotated[int, msgspec.Meta(ge=1, le=10**15)]
    currency: _Short
    code: _Short = ""
    message: _Text = ""
    rrn: _Short = ""


class _List(msgspec.Struct, frozen=True):
    items: tuple[SandboxRefund, ...]


class RefundAnswer(msgspec.Struct, frozen=True):
    """One answer about refunds. http: its status. is_all: it has all refunds of an order."""

    items: tuple[SandboxRefund, ...] = ()
    http: int = 200
    is_all: bool = False

    def of(self, reference: str) -> SandboxRefund | NothingThere | Unknown:
        """Return the refund with our reference; NothingThere if there certainly is none."""
        ours = [each for each in self.items if each.receipt == reference]
        if len(ours) == 1:
            return ours[0]
        if self.http == HTTPStatus.NOT_FOUND or (self.is_all and not ours):
            return NothingThere()
        return Unknown(message=f"the aggregator says nothing of this refund (HTTP {self.http})")


_REFUND, _LIST = msgspec.json.Decoder(SandboxRefund), msgspec.json.Decoder(_List)


def read(answer: HttpAnswer) -> RefundAnswer | None:
    """Return the refunds in an answer; None if it cannot be used."""
    if answer.status != HTTPStatus.OK:
        return RefundAnswer(http=answer.status)
    one = decoded(_REFUND, answer.body)
    if one is not None:
        return RefundAnswer((one,))
    many = decoded(_LIST, answer.body)
    return RefundAnswer(many.items, is_all=True) if many is not None else None


def outcome(refund: SandboxRefund) -> Approved | Declined | Unknown:
    """Return the outcome of a refund."""
    if refund.status == "processed":
        return Approved(Money(refund.amount_paise, refund.currency), refund.rrn)
    if refund.status == "failed":
        return Declined(refund.code, refund.message)
    return Unknown(refund.status)
