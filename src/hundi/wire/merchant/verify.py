"""Verify: the state of a transaction (docs/spec/payment-interfaces.md#verify)."""

from hundi.wire import kinds
from hundi.wire.merchant.record import TransactionRecord
from hundi.wire.message import message, sent
from hundi.wire.operation import Operation

_REFERENCES = ("orderid", "ap_transactionid", "rrn", "refund_id")


@message(at_least_one=_REFERENCES, of_the_page=("amount",))
class VerifyRequest:
    """A transaction, by at least one of its references; all given ones must agree.

    refund_id: the record is then about this refund.
    """

    order_id: str = sent(kinds.ORDER_ID, "orderid", default="")
    transaction_id: str = sent(kinds.TRANSACTION_ID, "ap_transactionid", default="")
    rrn: str = sent(kinds.RRN, default="")
    refund_id: str = sent(
        kinds.TRANSACTION_ID, meaning="A refund's id, as its notification has it", default=""
    )
    # Some clients repeat the outer one here; the handler compares the two.
    merchant_id: str = sent(kinds.TRANSACTION_ID, default="", unused=True)


VERIFY = Operation(
    "verify",
    "verify",
    "verify",
    "Verify a transaction",
    "payment-interfaces.md#verify",
    ("verify/", "orderconfirmation/"),
    VerifyRequest,
    TransactionRecord,
    "read",
    by_hand=True,
)
