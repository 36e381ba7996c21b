"""Answers and webhooks that PhonePe publishes, word for word, with where they stand.

SDK: the tests shipped with phonepe-pg-sdk-python 3.0.1 (Apache-2.0). SKILLS:
PhonePe/phonepe-pg-skills, April 2026. SITE: developer.phonepe.com, "Check Payment Status" of
standard checkout.
"""

# SKILLS, custom checkout, UPI_QR.
QR_MADE = b"""{
    "orderId": "OMO123456789",
    "state": "PENDING",
    "expireAt": 1703756259307,
    "intentUrl": "upi://pay?pa=...",
    "qrData": "data:image/png;base64,..."
}"""
# SKILLS, standard checkout.
PAGE_MADE = b"""{
    "orderId": "OMO123456789",
    "state": "PENDING",
    "expireAt": 1703756259307,
    "redirectUrl": "https://mercury-uat.phonepe.com/transact/uat_v2?token=eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9..."
}"""
# SKILLS, standard checkout, error of a reference used before (HTTP 417).
USED_BEFORE = b"""{
    "code": "INVALID_TRANSACTION_ID",
    "message": "Order ID has already been used",
    "success": false
}"""
# SKILLS, order status, COMPLETED.
PAID_BY_UPI = b"""{
    "orderId": "OMO2403282020198641071317",
    "state": "COMPLETED",
    "amount": 1000,
    "payableAmount": 1000,
    "feeAmount": 0,
    "expireAt": 1711867462542,
    "metaInfo": {"udf1": "additional-information-1", "udf2": "additional-information-2"},
    "paymentDetails": [
        {
            "transactionId": "OM2403282020198651071949",
            "paymentMode": "UPI_QR",
            "timestamp": 1711694662542,
            "amount": 1000,
            "payableAmount": 1000,
            "feeAmount": 0,
            "state": "COMPLETED",
            "rail": {
                "type": "UPI",
                "utr": "455069731511",
                "upiTransactionId": "YBL369f6d962de74c2680789bff8c11aec9",
                "vpa": "12****78@ybl"
            },
            "instrument": {
                "type": "ACCOUNT",
                "maskedAccountNumber": "******1234",
                "accountType": "SAVINGS",
                "accountHolderName": "John Doe"
            }
        }
    ]
}"""
# SITE, case 2: a wallet and an account together.
PAID_IN_TWO_PARTS = b"""{
  "orderId": "OMO2407111823257502858511",
  "state": "COMPLETED",
  "amount": 200,
  "payableAmount": 200,
  "feeAmount": 0,
  "expireAt": 1720703005748,
  "paymentDetails": [
    {
      "transactionId": "OM2407111823340281302812",
      "paymentMode": "UPI_INTENT",
      "timestamp": 1720702414053,
      "amount": 200,
      "payableAmount": 200,
      "feeAmount": 0,
      "state": "COMPLETED",
      "splitInstruments": [
        {
          "instrument": {"type": "ACCOUNT", "maskedAccountNumber": "******1234",
          "accountType": "SAVINGS"},
          "rail": {
            "type": "UPI",
            "utr": "455948340054",
            "upiTransactionId": "YBLec33d3d277264fd8ac5deeabfece2494",
            "vpa": "12****78@ybl"
          },
          "amount": 100
        },
        {"instrument": {"type": "WALLET"}, "rail": {"type": "PPI_WALLET"}, "amount": 100}
      ]
    }
  ]
}"""
# SITE, case 3.
PAID_BY_CARD = b"""{
    "orderId": "OMO2507241148405311106438",
    "state": "COMPLETED",
    "amount": 100,
    "payableAmount": 100,
    "feeAmount": 0,
    "expireAt": 1753338820531,
    "paymentDetails": [
        {
            "transactionId": "OM2507241150264011152620",
            "paymentMode": "CARD",
            "timestamp": 1753338026421,
            "amount": 100,
            "payableAmount": 100,
            "feeAmount": 0,
            "state": "COMPLETED",
            "instrument": {
                "type": "CREDIT_CARD",
                "bankId": "HDFC",
                "brn": "520506406845",
                "geoScope": "DOMESTIC",
                "cardNetwork": "VISA",
                "maskedCardNumber": "******1234"
            },
            "rail": {"type": "PG", "authorizationCode": "088005"}
        }
    ]
}"""
# SDK, test_order_status.py: a failed try and one that went through, in one order.
PAID_AFTER_A_FAILED_TRY = b"""{
  "orderId": "OMO2402281351151884090310",
  "state": "COMPLETED",
  "amount": 300,
  "expireAt": 1709108895182,
  "paymentDetails": [
    {
      "transactionId": "OM2402281351157894090178",
      "paymentMode": "UPI_INTENT",
      "timestamp": 1709108475790,
      "amount": 300,
      "state": "FAILED",
      "errorCode": "PAYMENT_ERROR",
      "detailedErrorCode": "TXN_AUTO_FAILED"
    },
    {
      "transactionId": "OM2402281351164694090252",
      "paymentMode": "PPE_INTENT",
      "timestamp": 1709108476471,
      "amount": 300,
      "state": "COMPLETED",
      "splitInstruments": [
        {"instrument": {"type": "WALLET"}, "rail": {"type": "PPI_WALLET"}, "amount": 150},
        {"instrument": {"type": "EGV"}, "rail": {"type": "PPI_EGV"}, "amount": 150}
      ]
    }
  ]
}"""
# SDK, test_order_status.py: its amounts are placeholders and contradict each other.
CONTRADICTION = b"""{
    "orderId": "merchant-order-id",
    "state": "COMPLETED",
    "amount": 100,
    "expireAt": 172800000,
    "paymentDetails": [
      {"paymentMode": "UPI_QR", "transactionId": "tid", "timestamp": 22, "amount": 22,
      "state": "COMPLETED"}
    ]
}"""
# SITE, case 4.
NO_TRY_YET = b"""{
    "orderId": "OMO2407111821482103732111",
    "state": "PENDING",
    "amount": 100,
    "expireAt": 1720702908208,
    "paymentDetails": []
}"""
# SITE, case 5.
FAILED = b"""{
    "orderId": "OMO2407121214395503786511",
    "state": "FAILED",
    "amount": 200,
    "expireAt": 1720767279548,
    "errorCode": "INVALID_MPIN",
    "detailedErrorCode": "ZM",
    "paymentDetails": [
        {
            "transactionId": "OM2407121214579231302711",
            "paymentMode": "UPI_COLLECT",
            "timestamp": 1720766697944,
            "amount": 200,
            "payableAmount": 200,
            "feeAmount": 0,
            "state": "FAILED",
            "errorCode": "INVALID_MPIN",
            "detailedErrorCode": "ZM"
        }
    ],
    "errorContext": {
       "errorCode": "INVALID_MPIN",
       "detailedErrorCode": "ZM",
       "source": "CUSTOMER",
       "stage": "AUTHENTICATION",
       "description": "Wrong MPIN was entered"
    }
}"""
# SITE, case 6, and SKILLS, which say HTTP 400.
NO_SUCH_ORDER = b"""{
    "code": "INVALID_MERCHANT_ORDER_ID",
    "message": "No entry found for given merchant order id"
}"""
# SDK, test_standard_checkout_client.py (HTTP 401).
TOKEN_REFUSED = b"""{
    "success": false,
    "code": "AUTHORIZATION_FAILED",
    "message":
      "Authorization failed [message = Please check the authorization token and try again]",
    "data": {}
}"""
# SDK, test_refund.py.
REFUND_TAKEN = b'{"refundId": "OMR5757225", "amount": 3, "state": "PENDING"}'
# SDK, test_refund_status.py.
REFUND_CONFIRMED = b"""{
    "merchantId": "MID",
    "merchantRefundId": "merchant_refund_id",
    "originalMerchantOrderId": "Merchant1709808573",
    "amount": 100,
    "state": "CONFIRMED",
    "paymentDetails": [
        {
            "transactionId": "OMR2403071623443032708524",
            "paymentMode": "UPI_INTENT",
            "timestamp": 1709808824322,
            "amount": 100,
            "state": "CONFIRMED",
            "responseCode": "PAYMENT_SUCCESS",
            "backendErrorCode": "SUCCESS"
        }
    ]
}"""
# developer.phonepe.com, refund status of the iOS SDK.
REFUND_FAILED = b"""{
    "originalMerchantOrderId": "",
    "refundId": "OMRxxxxx",
    "amount": 1234,
    "state": "FAILED",
    "errorCode": "INTERNAL_SERVER_ERROR",
    "detailedErrorCode": ""
}"""
# SDK, test_validate_callback.py: the header's value for user "username" and password "password".
WEBHOOK_PROOF = "bc842c31a9e54efe320d30d948be61291f3ceee4766e36ab25fa65243cd76e0e"
ORDER_WEBHOOK = b"""{
  "event" : "pg.order.completed",
  "type": "PG_ORDER_COMPLETED",
  "payload": {
    "merchantId": "merchantId",
    "merchantOrderId": "merchantOrderId",
    "orderId": "orderId",
    "state": "COMPLETED",
    "amount": 123,
    "expireAt": 123,
    "metaInfo": {},
    "paymentDetails": [
      {"paymentMode": "UPI_QR", "transactionId": "transactionId", "timestamp": 123, "amount": 123,
      "state": "COMPLETED"}
    ]
  }
}"""
TRY_WEBHOOK = b"""{
  "event": "checkout.transaction.attempt.failed",
  "type": "CHECKOUT_TRANSACTION_ATTEMPT_FAILED",
  "payload": {
    "merchantId": "MID",
    "merchantOrderId": "MO1af83fb6",
    "orderId": "OMO2403041556072639596105",
    "state": "PENDING",
    "amount": 10001,
    "expireAt": 1709548387262,
    "errorCode": "PAYMENT_ERROR",
    "detailedErrorCode": "TXN_AUTO_FAILED"
  }
}"""
REFUND_WEBHOOK = b"""{
  "event": "pg.refund.accepted",
  "type" : "PG_REFUND_ACCEPTED",
  "payload": {
    "merchantId" : "merchantId",
    "merchantRefundId" : "merchantRefundId",
    "originalMerchantOrderId": "originalMerchantOrderId",
    "amount": 10,
    "state": "CONFIRMED"
  }
}"""
