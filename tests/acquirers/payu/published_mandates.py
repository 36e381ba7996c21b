"""What PayU published of recurring payments by UPI; the page is named at each.

Numbers stand as texts, as the connector reads them; PayU sends both.
"""

from typing import Any

# docs.payu.in/reference/pre_debit_notification_api
NOTICE_GIVEN = {
    "status": "1",
    "action": "MANDATE_PRE_DEBIT",
    "message": "Request Processed Successfully",
    "invoiceId": " ADDA049409",
}
NOTICE_REFUSED_BY_BANK = {
    "status": "QC",
    "action": "MANDATE_PRE_DEBIT",
    "message": "MANDATE HAS BEEN REVOKED",
}
NOTICE_REFUSED = {
    "status": "0",
    "action": "MANDATE_PRE_DEBIT",
    "message": "Mandate is not active",
}
NOTICE_REQUEST = {
    "authPayuId": "403993715534484661",
    "requestId": "403993715534484661_1",
    "debitDate": "2025-09-06",
    "amount": "2.00",
}
# docs.payu.in/reference/recurring_payment_api
DEBIT_REQUEST = {
    "authpayuid": "6611192557",
    "invoiceDisplayNumber": "12345678910",
    "amount": 3,
    "txnid": "REC15113506209",
    "phone": "9999999999",
    "email": "asha@example.in",
    "udf2": "",
    "udf3": "",
    "udf4": "",
    "udf5": "",
}
DEBITED: dict[str, Any] = {
    "status": "1",
    "message": "Transaction Processed successfully",
    "details": {
        "REC15113506209": {
            "transactionid": "REC15113506209",
            "amount": "3",
            "payuid": "6611427463",
            "status": "captured",
            "field9": "Transaction Completed Successfully",
        }
    },
}
# docs.payu.in/reference/get-mandate-status-api-for-upi-only
STATUS = {
    "status": "active",
    "action": "MANDATE_STATUS",
    "authpayuid": "10731087875",
    "amount": "100.00",
    "mandateStartDate": "2020-07-19 00:00:00",
    "mandateEndDate": "2020-12-20 00:00:00",
}
NO_STATUS = {
    "status": "0",
    "message": "Consent is Not Mandated",
    "action": "check_mandate_status",
}
# docs.payu.in/reference/cancel-the-recurring-payment-for-upi
REVOKED = {"status": "1", "action": "MANDATE_REVOKE", "message": "Request Initiated"}
NOT_REVOKED = {"status": "0", "action": "MANDATE_REVOKE", "message": "Mandate is not active"}
# docs.payu.in/docs/android-standing-instruction-parameters
SI_DETAILS = {
    "billingAmount": "1.0",
    "billingCycle": "ONCE",
    "billingCurrency": "INR",
    "billingInterval": 1,
    "paymentStartDate": "2021-12-24",
    "paymentEndDate": "2021-12-31",
    "billingRule": "MAX",
    "billingLimit": "ON",
    "remarks": "SI Txn",
}
