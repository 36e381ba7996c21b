"""`ap_SecureHash`: a CRC32 that older clients check; it is no signature.

It is in returns, notifications and verify replies.
"""

import hmac
import zlib


def secure_hash(
    orderid: str,
    ap_transactionid: str,
    amount: str,
    transaction_status: str,
    message: str,
    merchant_id: str,
    username: str,
    customer_vpa: str | None = None,
) -> str:
    """Return the unsigned decimal CRC32 of the values joined with colons.

    amount: text with two places. customer_vpa: set only when the channel is `upi` and the payer's
    address is known; it is then joined as an eighth value. See docs/spec/wire.md#secure-hash.
    """
    values = [orderid, ap_transactionid, amount, transaction_status, message, merchant_id, username]
    if customer_vpa:
        values.append(customer_vpa)
    return str(zlib.crc32(":".join(values).encode()))


def matches(  # noqa: PLR0913 (as above, and the value to compare)
    given: str,
    orderid: str,
    ap_transactionid: str,
    amount: str,
    transaction_status: str,
    message: str,
    merchant_id: str,
    username: str,
    customer_vpa: str | None = None,
) -> bool:
    """Return whether `given` is the hash of these values."""
    expected = secure_hash(
        orderid,
        ap_transactionid,
        amount,
        transaction_status,
        message,
        merchant_id,
        username,
        customer_vpa,
    )
    return hmac.compare_digest(expected.encode(), given.strip().encode(errors="replace"))
