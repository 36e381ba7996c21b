"""Answers, webhooks and hashes that PayU publishes, with where they stand.

SITE: docs.payu.in (2026). SDK: the test of payu-sdk 1.2.0. PHP: payu-intrepos/web-sdk-php,
doc/verifyPayment.md. Key and salt are those that PayU publishes for everybody's tests.
"""

# SDK: the forward hash. Its "reverse hash" leaves the status out, which PayU's own answers do not.
SDK_SALT = "eCwWELxi"
SDK_FORM = {
    "key": "gtKFFx",
    "txnid": "20200429103010",
    "amount": "10",
    "productinfo": "iPhone",
    "firstname": "Ashish",
    "email": "test@gmail.com",
}
SDK_HASH = (
    "672de0802e96766044e473db706bdb1f14dea0ad3b3a69fed02377233a8bb73c"
    "646a43520bf0d7217647945ac0f0602c49e3b4109c379df75d8dbb1d4702ae6b"
)
# SITE, "PayU Hosted Integration" of pre-authorised payments, the answer to the browser, and its
# hash.
SITE_SALT = "TuxqAugd"
SITE_ANSWER = {
    "mihpayid": "403993715523615328",
    "mode": "CC",
    "status": "success",
    "unmappedstatus": "auth",
    "key": "JPM7Fg",
    "txnid": "50QJq6lBJBmx14",
    "amount": "10.00",
    "productinfo": "iPhone",
    "firstname": "PayU User",
    "email": "test@gmail.com",
    "udf1": "",
    "udf2": "",
    "udf3": "",
    "udf4": "",
    "udf5": "",
    "hash": (
        "afeab9dcf4e43d47f8fbf5a6838d393c70694a58e30ada08e6cb86ac943236c0"
        "5717c5f5e4872d671fe81d0d9b2d9facd44e9a061ba621aff6f20c4343ea5dfa"
    ),
}
# PHP and SITE, verify_payment.
PAID = b"""{
  "status": 1,
  "msg": "1 out of 1 Transactions Fetched Successfully",
  "transaction_details": {
    "7fa6c4783a363b3da573": {
      "mihpayid": "403993715521889530",
      "request_id": "",
      "bank_ref_num": "721522",
      "amt": "10.00",
      "transaction_amount": "10.00",
      "txnid": "7fa6c4783a363b3da573",
      "additional_charges": "0.00",
      "productinfo": "Test",
      "firstname": "K",
      "bankcode": "CC",
      "udf1": "",
      "field2": "177047",
      "field9": "No Error",
      "error_code": "E000",
      "addedon": "2020-10-26 14:12:13",
      "payment_source": "payu",
      "card_type": "MAST",
      "error_Message": "NO ERROR",
      "net_amount_debit": 10,
      "disc": "0.00",
      "mode": "CC",
      "PG_TYPE": "CC-PG",
      "card_no": "512345XXXXXX2346",
      "status": "success",
      "unmappedstatus": "captured",
      "Merchant_UTR": null,
      "Settled_At": "0000-00-00 00:00:00"
    }
  }
}"""
PAID_TXNID = "7fa6c4783a363b3da573"
NOT_FOUND = b"""{
  "status": 0,
  "msg": "0 out of 1 Transactions Fetched Successfully",
  "transaction_details": {"7fa6c4783a363b3da57": {"mihpayid": "Not Found", "status": "Not Found"}}
}"""
# SITE, refunds: numbers where other answers have text.
REFUND_QUEUED = (
    b'{ "status": 1, "msg": "Refund Request Queued", "request_id": "6582898821",'
    b' "bank_ref_num": null, "mihpayid": 7043873219, "error_code": 102 }'
)
INVALID_HASH = b'{ "Status":0, "msg":"Invalid Hash." }'
# SITE, check_action_status by PayU id.
ACTIONS = b"""{
  "status": 1,
  "msg": "1 out of 1 Transactions Fetched Successfully",
  "transaction_details": {
    "403993715521937565": {
      "131278418": {
        "mihpayid": "403993715521937565",
        "bank_ref_num": "399900",
        "request_id": "131278418",
        "amt": "100.00",
        "mode": "CC",
        "action": "capture",
        "token": "",
        "status": "SUCCESS",
        "bank_arn": null,
        "refund_mode": "-"
      },
      "131278422": {
        "mihpayid": "403993715521937565",
        "bank_ref_num": "527013524405",
        "request_id": "131278422",
        "amt": "10.00",
        "mode": "CC",
        "action": "refund",
        "token": "20201105secrettokenatur",
        "status": "success",
        "bank_arn": null,
        "refund_mode": "Back to Source"
      }
    }
  }
}"""
ACTIONS_OF = "403993715521937565"
NO_ACTIONS = b"""{
  "status": 0,
  "msg": "0 out of 1 Transactions Fetched Successfully",
  "transaction_details": {"13127842": "No action status found"}
}"""
# SITE, pre-authorised payments: a part was captured, and the rest given back by itself.
PART_CAPTURED = b"""{
  "status": 1,
  "msg": "1 out of 1 Transactions Fetched Successfully",
  "transaction_details": {
    "18283829909": {
      "12781896792": {
        "bank_ref_num": "6966342376826003206121", "request_id": "12781896792", "amt": "1031.00",
        "action": "auth", "token": "", "status": "SUCCESS"
      },
      "12781896793": {
        "bank_ref_num": "6969233152136917105030", "request_id": "12781896793", "amt": "426.00",
        "action": "capture", "token": "PZT2310070446VG2VC01", "status": "success",
        "amount_settled": "418.7100"
      },
      "12806008126": {
        "bank_ref_num": null, "request_id": "12806008126", "amt": "605.00",
        "action": "cancel", "token": "825816e28afb809be802c7b", "status": "SUCCESS"
      }
    }
  }
}"""
CAPTURE_QUEUED = b"""{
  "status": 1,
  "msg": "1 out of 1 Transactions Fetched Successfully",
  "transaction_details": {
    "18315176038": {
      "12806028149": {"request_id": "12806028149", "amt": "2.00", "action": "auth", "token": "",
      "status": "SUCCESS"},
      "12806028151": {
        "request_id": "12806028151", "amt": "1.00", "action": "capture",
        "token": "Cap_18315176038_01", "status": "QUEUED"
      }
    }
  }
}"""
# SITE, UPI Smart Intent without SDK, and the partners' page, whose note has blanks and whose payee
# is empty.
INTENT = b"""{
  "metaData": {
    "message": null,
    "referenceId": "c99a6455b3e0dc5cd7167ab8c8cc10d2fa153cb509e3f64c6cd0ed9c5b64a8c9",
    "statusCode": null,
    "txnId": "my_order_26075",
    "txnStatus": "pending",
    "unmappedStatus": "pending"
  },
  "result": {
    "paymentId": "403993715535965242",
    "merchantName": "Sudhanshu",
    "merchantVpa": "payutest@hdfcbank",
    "amount": "1.00",
    "intentURIData": "<data>",
    "acsTemplate": "PGh0bWw+PGJvZHk+"
  }
}""".replace(
    b"<data>",
    b"pa=payutest@hdfcbank&pn=Kumar&tr=403993715535965242&tid=PPPL403993715535965242080126220900"
    b"&am=1.00&cu=INR&tn=UPIIntent",
)
INTENT_WITHOUT_PAYEE = b"""{
  "metaData": {"message": null, "txnId": "nY3tkz3vciHFGTjblyFeycL2Zn1m",
  "unmappedStatus": "pending"},
  "result": {
    "paymentId": 403993715529028543,
    "merchantName": "Merchant",
    "merchantVpa": null,
    "amount": "1090.33",
    "intentURIData": "<data>",
    "otpPostUrl": "https://test.payu.in/ResponseHandler.php"
  }
}""".replace(
    b"<data>",
    b"pa=&pn=&tr=403993715529028543&tid=PPPL403993715529028543290523133325"
    b"&am=1090.33&cu=INR&tn=UPI Transaction for PPPL403993715529028543290523133325",
)
