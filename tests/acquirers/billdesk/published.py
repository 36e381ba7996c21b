"""BillDesk's published answers, envelopes of another library, and their sources.

SITE: docs.billdesk.io, /docs/headers-authentication and /reference/createorder. UAT: sign-off
reports of merchants. JOSERFC: joserfc 1.8.0, run with these keys, which are nobody's.
"""

from typing import Any

SIGNING, SEALING = "a-signing-key-of-nobody", "32-characters-of-nobody-for-test"
PAYLOAD = b'{"mercid":"BDMERCID","orderid":"10001-1"}'
# JOSERFC: signed only, and encrypted and signed with the key id k1.
SIGNED = (
    b"eyJhbGciOiJIUzI1NiIsImNsaWVudGlkIjoiYmRtZXJjaWQifQ.eyJtZXJjaWQiOiJCRE1FUkNJRCIsIm9yZGVyaWQiOiIxMDAwMS0xIn0"
    b".hycW8Ujrub3Zbv46wUKku2ST4jYYbRhZUQX8RVxxanc"
)
SEALED = (
    b"eyJhbGciOiJIUzI1NiIsImtpZCI6ImsxIiwiY2xpZW50aWQiOiJiZG1lcmNpZCJ9.ZXlKaGJHY2lPaUprYVhJaUxDSmxibU1pT2lKQk1qVTJSME5O"
    b"SWl3aWEybGtJam9pYXpFaUxDSmpiR2xsYm5ScFpDSTZJbUprYldWeVkybGtJbjAuLllNbHVWOUtVMnBPdTdOTUYuNGs0RTFScXFET2g4cnpYWm01"
    b"MVZydVVud0ZiSGhobEtPRV96WnVqMFhTcFltMkVvcHU3WXVrby5OUXVHQnMxUkg5dzNTdS0xZHdtVzR3.eiESD-EkCcEDf2WuAPmEvVuSiByWB0Ll"
    b"5fIOn9dsO3Q"
)
# UAT: the headers of a call that BillDesk took, decoded; the ids are the account's.
JWS_HEADER = {"alg": "HS256", "kid": "nPb9ToJ5WF79", "clientid": "bduat2k673sj"}
JWE_HEADER = {"alg": "dir", "enc": "A256GCM", "kid": "nPb9ToJ5WF79", "clientid": "bduat2k673sj"}
MERCID, REFERENCE = "BDUAT2K673", "TS-260321-003"
# UAT: the answer of orders/create; SITE names the link by its rel.
ORDER: dict[str, Any] = {
    "mercid": MERCID,
    "bdorderid": "OA78F1MDCV15BN7",
    "orderid": REFERENCE,
    "amount": "500.00",
    "status": "ACTIVE",
    "objectid": "order",
    "next_step": "redirect",
    "itemcode": "DIRECT",
    "currency": "356",
    "links": [
        {
            "href": "https://uat1.billdesk.com/u2/payments/ve1_2/orders/OA78F1MDCV15BN7",
            "rel": "self",
            "method": "GET",
        },
        {
            "href": "https://uat1.billdesk.com/u2/web/v1_2/embeddedsdk",
            "rel": "redirect",
            "method": "POST",
            "parameters": {
                "mercid": MERCID,
                "bdorderid": "OA78F1MDCV15BN7",
                "rdata": "674502462cab69a69c94",
            },
        },
    ],
}
# UAT: a transaction that was paid; of those that failed and wait, the fields that differ.
PAID: dict[str, Any] = {
    "mercid": MERCID,
    "orderid": REFERENCE,
    "transactionid": "USBI0AV002T226",
    "transaction_date": "2026-03-21T23:55:44+05:30",
    "auth_status": "0300",
    "transaction_error_type": "success",
    "transaction_error_code": "TRS0000",
    "transaction_error_desc": "Transaction Successful",
    "amount": "500.00",
    "charge_amount": "500.00",
    "surcharge": "0.00",
    "discount": "0.00",
    "bank_ref_no": "BILLDESK12",
    "bankid": "SBI",
    "payment_method_type": "netbanking",
    "currency": "356",
    "itemcode": "DIRECT",
    "objectid": "transaction",
}
FAILED = {
    "auth_status": "0399",
    "transaction_error_code": "TRPPE0001",
    "transaction_error_desc": "Payment processing error",
    "transaction_error_type": "payment_processing_error",
}
PENDING = {
    "auth_status": "0002",
    "transaction_error_code": "TRP0000",
    "transaction_error_desc": "Transaction Pending",
    "transaction_error_type": "pending",
}
# A refund, as a public client prints it.
REFUND: dict[str, Any] = {
    "objectid": "refund",
    "refundid": "U12300005481021",
    "transactionid": "U1230000548102",
    "orderid": "900485875",
    "mercid": MERCID,
    "transaction_date": "2022-06-23T14:30:08+05:30",
    "txn_amount": "88.50",
    "refund_amount": "88.50",
    "currency": "356",
    "refund_date": "2022-06-23T14:45:27+05:30",
    "merc_refund_ref_no": "REF-900485875",
    "refund_status": "0699",
}
