"""Paytm's published answers and webhooks, its library's checksums, and their sources.

SKILLS: paytm/paytm-agent-skills (June 2026), skills/*/references/REFERENCE.md.
SITE: business.paytm.com/docs/payment-status.
LIBRARY: calculateChecksum of paytmchecksum 1.7.0, run with these texts; the key is nobody's.
"""

from typing import Any

KEY = "standin-key-0001"
# LIBRARY: text, salt, checksum.
TEXT = b'{"mid":"STANDIN0001","orderId":"10001-1"}'
TEXT_SALT = "aB3x"
TEXT_CHECKSUM = (
    "7Bps+o/hbTmwnRXbdwERHosJzS/fNWisRmPzeTFbMZXr0NrNrwU/4VSA4wPhLLPf/A/63+YBrdhXKtDSKiw1"
    "DgG8I24Trl2+NQc/Se9bRWo="
)
# LIBRARY: getStringByParams sorts by name and writes nothing for "null".
FORM = {
    "ORDERID": "10001-1",
    "MID": "STANDIN0001",
    "TXNAMOUNT": "1.00",
    "BANKNAME": "null",
    "STATUS": "TXN_SUCCESS",
}
FORM_SALT = "Zz09"
FORM_CHECKSUM = (
    "YqZGCeEahRFf2fzmTZf7So9OjK3r4c1bIcba/qO3jUnmPxHMCl+Qm7Nuls0X/TfmsnTzodLF0bZJ1CErvhCY"
    "CAZWgu90as7AC7aaVcTTV2Q="
)
# SKILLS, js-checkout: the answer of initiateTransaction.
TOKEN = b"""{
  "head": {"responseTimestamp": "1715424930000", "version": "v1", "signature": "abc"},
  "body": {
    "resultInfo": {"resultStatus": "S", "resultCode": "0000", "resultMsg": "Success"},
    "txnToken": "abc123", "isPromoCodeValid": false, "authenticated": false
  }
}"""
# SKILLS, qr-codes: a link with an amount and a payee.
QR = b"""{
  "head": {"responseTimestamp": "1715424930000", "signature": "abc"},
  "body": {
    "resultInfo": {"resultStatus": "SUCCESS", "resultCode": "QR_0001"},
    "qrCodeId": "paytm-1", "qrData": "upi://pay?pa=shop@paytm&pn=Shop&am=499.00&tr=QR_ORD_001"
  }
}"""
# SITE: the fields of a success and of a failure, as /v3/order/status names them (prism's
# paytm/response.rs).
ORDER = "ORDERID_98765"
MID = "INTEGR7769XXXXXX9383"
PAID: dict[str, Any] = {
    "head": {"responseTimestamp": "1595910861048", "version": "v1"},
    "body": {
        "resultInfo": {
            "resultStatus": "TXN_SUCCESS",
            "resultCode": "01",
            "resultMsg": "Txn Success",
        },
        "txnId": "202005081112128XXXXXX68470101509706",
        "bankTxnId": "62909899",
        "orderId": ORDER,
        "txnAmount": "1.00",
        "txnType": "SALE",
        "gatewayName": "WALLET",
        "bankName": "WALLET",
        "mid": MID,
        "paymentMode": "PPI",
        "refundAmt": "0.00",
        "txnDate": "2020-07-24 15:13:02.0",
    },
}
# SKILLS, refunds: the answer of /v2/refund/status. In the list of codes 601 waits, and here it is a
# success.
REFUNDED: dict[str, Any] = {
    "head": {"responseTimestamp": "1715424930000"},
    "body": {
        "resultInfo": {
            "resultStatus": "TXN_SUCCESS",
            "resultCode": "601",
            "resultMsg": "Refund Successful",
        },
        "txnId": "202005081112128XXXXXX68470101509706",
        "orderId": ORDER,
        "refId": "REF_001",
        "refundId": "20240511153012800110168524598765432",
        "refundAmount": "50.00",
        "txnAmount": "100.00",
        "totalRefundAmount": "50.00",
        "txnTimestamp": "2024-05-11 15:30:12.0",
        "refundType": "ASYNC",
    },
}
