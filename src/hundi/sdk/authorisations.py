"""How an authorisation ends: capture and void, each answered by the transaction.

See docs/spec/payment-interfaces.md#capture.
"""

from collections.abc import Mapping

from hundi.sdk import errors, transaction
from hundi.sdk.calls import Calls, Steps
from hundi.sdk.outgoing import Payload, amount_text, checked
from hundi.sdk.transaction import Transaction
from hundi.wire.merchant.operations import parse_capture, parse_void

CAPTURE_PATH = "/gateway/pay/v4/api/capture/"
VOID_PATH = "/gateway/pay/v4/api/void/"


def capture(calls: Calls, transaction_id: str, amount_paise: int | None) -> Steps[Transaction]:
    """Take an authorised amount, or a part of it; the rest of it is given up."""
    payload = {"ap_transactionid": transaction_id}
    if amount_paise is not None:
        payload["amount"] = amount_text(amount_paise)
    _ = checked(parse_capture, payload)
    return (yield from _end(calls, CAPTURE_PATH, payload))


def void(calls: Calls, transaction_id: str) -> Steps[Transaction]:
    """Give up an authorisation."""
    payload = {"ap_transactionid": transaction_id}
    _ = checked(parse_void, payload)
    return (yield from _end(calls, VOID_PATH, payload))


def _end(calls: Calls, path: str, payload: Payload) -> Steps[Transaction]:
    # Not repeated: a second capture is refused as one, and would hide that the first went through.
    envelope = yield from calls.ask(path, payload, repeats=False)
    record = envelope.get("data")
    if not isinstance(record, Mapping):
        message = "the reply holds no transaction record"
        raise errors.UnreadableReplyError(message)
    transaction.check_secure_hash(record, calls.username)
    found = transaction.read(record)
    pairs = (
        ("merchant_id", calls.merchant_id, found.merchant_id),
        ("ap_transactionid", str(payload["ap_transactionid"]).lstrip("0"), found.transaction_id),
    )
    for name, expected, received in pairs:
        if expected != received:
            raise errors.MismatchError(name, expected, received)
    return found
