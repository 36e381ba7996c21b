"""How the settlement of one transaction is split (docs/spec/payment-interfaces.md#split)."""

from collections.abc import Mapping
from dataclasses import dataclass

from hundi.sdk.calls import Calls, Steps
from hundi.sdk.operations import perform
from hundi.wire.merchant.splits import SPLIT, SplitPart, SplitRequest, SplitType


@dataclass(frozen=True, slots=True, kw_only=True)
class Split:
    """A request to split one transaction between the merchant and linked accounts.

    transaction_id, rrn: of a paid transaction, as `verify` shows them. request_id: 1 to 15 digits
    of your own; the same again changes nothing, a new one replaces the split until the transaction
    is settled. primary: what stays with the merchant, zero or more. shares: identifier of a linked
    account → its share. unit: hundredths of a per cent (20.25 % is 2025), which add up to 10000; or
    with ABSOLUTE paise, which add up to the captured amount less refunds.
    """

    transaction_id: str
    rrn: str
    request_id: str
    primary: int
    shares: Mapping[str, int]
    unit: SplitType = SplitType.PERCENTAGE

    @property
    def asked(self) -> SplitRequest:
        """The request's message."""
        return SplitRequest(
            transaction_id=self.transaction_id,
            rrn=self.rrn,
            request_id=self.request_id,
            type=self.unit,
            primary_value=self.primary,
            parts=tuple(SplitPart(identifier, share) for identifier, share in self.shares.items()),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitResult:
    """A split as the gateway will settle it.

    primary_paise: what stays with the merchant, paise left by rounding included. shares_paise:
    identifier → amount.
    """

    request_id: str
    transaction_id: str
    status: str
    primary_paise: int
    shares_paise: Mapping[str, int]


def split(calls: Calls, asked: Split) -> Steps[SplitResult]:
    """Configure the split of one transaction."""
    reply = yield from perform(calls, SPLIT, asked.asked)
    return SplitResult(
        request_id=reply.request_id,
        transaction_id=reply.transaction_id,
        status=reply.status,
        primary_paise=reply.primary_paise,
        shares_paise={share.identifier: share.amount_paise for share in reply.shares},
    )
