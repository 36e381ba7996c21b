"""Verify, capture and void, each answered by the transaction; and the open banks.

See docs/spec/payment-interfaces.md#verify and docs/spec/payment-interfaces.md#capture.
"""

from collections.abc import Sequence

from hundi.sdk import errors, transaction
from hundi.sdk.calls import Calls, Steps
from hundi.sdk.operations import perform
from hundi.sdk.transaction import Transaction
from hundi.wire.merchant.banks import BANKS, Bank, BanksRequest
from hundi.wire.merchant.completions import CAPTURE, VOID, CaptureRequest, VoidRequest
from hundi.wire.merchant.record import TransactionRecord
from hundi.wire.merchant.verify import VERIFY, VerifyRequest
from hundi.wire.operation import Asked, Operation


def verify(
    calls: Calls, *, order_id: str, amount_paise: int, currency: str, transaction_id: str, rrn: str
) -> Steps[Transaction]:
    """Return a transaction's state, after comparing it with what is expected."""
    by_another_name = bool(transaction_id or rrn)
    asked = VerifyRequest(
        order_id="" if by_another_name else order_id, transaction_id=transaction_id, rrn=rrn
    )
    found = yield from told(calls, VERIFY, asked)
    found.demand(
        merchant_id=calls.merchant_id,
        order_id=order_id,
        amount_paise=amount_paise,
        currency=currency,
    )
    return found


def recorded(calls: Calls, *, order_id: str = "", refund_id: str = "") -> Steps[Transaction]:
    """Return a transaction's state, or one refund of it, whatever its amount."""
    return told(calls, VERIFY, VerifyRequest(order_id=order_id, refund_id=refund_id))


def open_banks(calls: Calls, channels: Sequence[str]) -> Steps[tuple[Bank, ...]]:
    """Return the open banks of these channels."""
    return (yield from perform(calls, BANKS, BanksRequest(channels=channels))).banks


def capture(calls: Calls, transaction_id: str, amount_paise: int | None) -> Steps[Transaction]:
    """Capture an authorised amount, or a part of it; the rest of it is released."""
    asked = CaptureRequest(transaction_id=transaction_id, amount_paise=amount_paise)
    return _of_this_merchant(calls, (yield from told(calls, CAPTURE, asked)))


def void(calls: Calls, transaction_id: str) -> Steps[Transaction]:
    """Void an authorisation."""
    return _of_this_merchant(
        calls, (yield from told(calls, VOID, VoidRequest(transaction_id=transaction_id)))
    )


def told(
    calls: Calls, operation: Operation[Asked, TransactionRecord], asked: Asked
) -> Steps[Transaction]:
    """Return an operation's transaction, whatever it is about.

    Raises SecureHashError.
    """
    record = (yield from perform(calls, operation, asked)).written()
    transaction.check_secure_hash(record, calls.username)
    return transaction.read(record)


def _of_this_merchant(calls: Calls, found: Transaction) -> Transaction:
    if found.merchant_id != calls.merchant_id:
        raise errors.MismatchError("merchant_id", calls.merchant_id, found.merchant_id)
    return found
