"""What Juspay published, as short as it still says the same.

The order is of docs.juspay.io, order-status-api; the return of juspay.io/ec-api-global/docs,
transaction-status (its key is not printed, so its signature is no vector); the refund and the
session of the schemas of juspay/juspay-mcp at 08c981c.
"""

from typing import Any

CHARGED: dict[str, Any] = {
    "customer_email": "test@gmail.com",
    "customer_phone": "99999999",
    "customer_id": "testcardenc1",
    "status_id": 21,
    "status": "CHARGED",
    "id": "ordeh_57dfd768bb7d4896bc042y0b90bc9ad77",
    "merchant_id": "merchant_success",
    "amount": 1,
    "currency": "SGD",
    "order_id": "JP1636474794",
    "date_created": "2021-11-09T16:19:55Z",
    "return_url": "",
    "payment_links": {"iframe": "", "web": "", "mobile": ""},
    "udf1": "",
    "txn_id": "merchantId-JPAYNEW032-1",
    "payment_method_type": "NB",
    "refunded": False,
    "amount_refunded": 0,
    "effective_amount": 2,
    "txn_uuid": "eulbAxqZAR324cwzgo",
    "txn_detail": {
        "txn_id": "merchantId-JPAYNEW032-1",
        "order_id": "JPAYNEW032",
        "status": "CHARGED",
        "net_amount": 2,
        "surcharge_amount": None,
        "tax_amount": None,
        "txn_amount": 2,
        "currency": "INR",
    },
    "payment_gateway_response": {"resp_code": "success", "rrn": "45903248"},
}
REFUND = {
    "id": "rfnd_1",
    "unique_request_id": "refund-1",
    "amount": 1.0,
    "status": "PENDING",
    "created": "2021-11-09T16:19:55Z",
}
RETURNED = (
    "order_id=order_id_007&status=CHARGED&status_id=21"
    "&signature=euKzwwiUztPPg3MCEYpgKZfcyTr1uQq1hzKkhP8G1vQ%253D&signature_algorithm=HMAC-SHA256"
)
"""Percent-encoded twice, as it stands in an address."""
