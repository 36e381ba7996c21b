"""How the settlement of one transaction is divided (docs/spec/payment-interfaces.md#split)."""

from collections.abc import Mapping
from dataclasses import dataclass

from hundi.sdk import errors, incoming
from hundi.sdk.calls import Calls, Steps
from hundi.sdk.outgoing import Payload, amount_text, checked
from hundi.wire.merchant.splits import SplitType, parse_split

SPLIT_PATH = "/gateway/neft/split_payout/transaction_level_split_config_api.php"


@dataclass(frozen=True, slots=True, kw_only=True)
class Split:
    """How one transaction is to be divided between the merchant and linked accounts.

    transaction_id, rrn: of a paid transaction, as `verify` shows them. request_id: 1 to 15 digits
    of your own; the same again changes nothing, a new one replaces the division until the
    transaction is settled. primary: what stays with the merchant, zero or more. shares: identifier
    of a linked account → what it gets. unit: hundredths of a per cent (20.25 % is 2025), which add
    up to 10000; or with ABSOLUTE paise, which add up to the captured amount less refunds.
    """

    transaction_id: str
    rrn: str
    request_id: str
    primary: int
    shares: Mapping[str, int]
    unit: SplitType = SplitType.PERCENTAGE

    def fields(self) -> Payload:
        """Return the payload, checked against the gateway's own bounds.

        Raises InvalidRequestError.
        """
        payload: Payload = {
            "ap_transactionid": self.transaction_id,
            "rrn": self.rrn,
            "split_request_id": self.request_id,
            "split_type": self.unit.value,
            "primary_split_value": amount_text(self.primary, "primary_split_value")
            if self.primary
            else "0.00",
            "splits": [
                {"identifier": identifier, "value": amount_text(value, "value")}
                for identifier, value in self.shares.items()
            ],
        }
        _ = checked(parse_split, payload)
        return payload


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitResult:
    """A division as the gateway will settle it.

    primary_paise: what stays with the merchant, paise left by rounding included. shares_paise:
    identifier → amount.
    """

    request_id: str
    transaction_id: str
    status: str
    primary_paise: int
    shares_paise: Mapping[str, int]


def split(calls: Calls, asked: Split) -> Steps[SplitResult]:
    """Configure the division of one transaction."""
    # The one operation that is authenticated by privatekey alone.
    envelope = yield from calls.ask(SPLIT_PATH, asked.fields(), as_json=True, with_token=False)
    told = incoming.data(envelope, "split")
    pairs = (
        ("split_request_id", asked.request_id, incoming.text(told, "split_request_id")),
        ("ap_transactionid", asked.transaction_id, incoming.text(told, "ap_transactionid")),
    )
    for name, expected, received in pairs:
        if expected != received:
            raise errors.MismatchError(name, expected, received)
    shares = incoming.records(told.get("splits"), "split")
    return SplitResult(
        request_id=asked.request_id,
        transaction_id=asked.transaction_id,
        status=incoming.text(told, "status"),
        primary_paise=incoming.paise(incoming.text(told, "primary_amount"), "primary_amount"),
        shares_paise={
            incoming.text(each, "identifier"): incoming.paise(
                incoming.text(each, "amount"), "amount"
            )
            for each in shares
        },
    )
