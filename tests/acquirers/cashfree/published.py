"""Examples that Cashfree has published, shortened by fields that nothing here reads.

Each names its source.

go: github.com/cashfree/cashfree-pg at a600a39d (12 May 2026), docs/. openapi:
github.com/api-evangelist/cashfree at 0b823c53, openapi/_original/openapi-payment-gateway.json
(2025-01-01). mdx: github.com/mayank-cashfree/docs at 071041cb, "Cashfree Payment Gateway APIs".
pages: www.cashfree.com/docs/api-reference/payments, as stored in November 2026.
"""

ORDER = """{
  "cf_order_id": 2149460581,
  "created_at": "2023-08-11T18:02:46+05:30",
  "entity": "order",
  "order_amount": 22,
  "order_currency": "INR",
  "order_expiry_time": "2023-09-09T18:02:46+05:30",
  "order_id": "order_3242Tq4Edj9CC5RDcMeobmJOWOBJij",
  "order_meta": {"return_url": "https://example.com/return/{order_id}", "payment_methods": "cc"},
  "order_note": "some order note LIST",
  "order_splits": [],
  "order_status": "ACTIVE",
  "order_tags": {"name": "John", "age": "19"},
  "payment_session_id":
    "session_a1VXIPJo8kh7IBigVXX8LgTMupQW_cu25FS8KwLwQLOmiHqbBxq5UhEilrhbDSKKHA6UAuOj9506",
  "terminal_data": null
}"""
"""go: Orders.md."""
PAYMENTS = """[
  {
    "cf_payment_id": 12376123,
    "order_id": "order_8123",
    "entity": "payment",
    "payment_currency": "INR",
    "error_details": null,
    "order_amount": 10.01,
    "is_captured": true,
    "payment_group": "upi",
    "authorization": {
      "action": "CAPTURE",
      "status": "PENDING",
      "captured_amount": 100,
      "start_time": "2022-02-09T18:04:34+05:30",
      "end_time": "2022-02-19T18:04:34+05:30",
      "approve_by": "2022-02-09T18:04:34+05:30",
      "action_reference": "6595231908096894505959",
      "action_time": "2022-08-03T16:09:51"
    },
    "payment_method": {"upi": {"channel": "collect", "upi_id": "rohit@xcxcx"}},
    "payment_amount": 10.01,
    "payment_time": "2021-07-23T12:15:06+05:30",
    "payment_completion_time": "2021-07-23T12:18:59+05:30",
    "payment_status": "SUCCESS",
    "payment_message": "Transaction successful",
    "bank_reference": "P78112898712",
    "auth_id": "A898101"
  },
  {
    "cf_payment_id": 12376124,
    "order_id": "order_8123",
    "entity": "payment",
    "payment_currency": "INR",
    "error_details": {
      "error_code": "TRANSACTION_DECLINED",
      "error_description": "issuer bank or payment service provider declined the transaction",
      "error_reason": "auth_declined",
      "error_source": "customer"
    },
    "order_amount": 10.01,
    "is_captured": true,
    "payment_group": "credit_card",
    "authorization": null,
    "payment_method": {"card": {"channel": "link", "card_number": "xxxxxx1111"}},
    "payment_amount": 10.01,
    "payment_time": "2021-07-23T12:15:06+05:30",
    "payment_completion_time": "2021-07-23T12:18:59+05:30",
    "payment_status": "FAILED",
    "payment_message": "Transaction failed",
    "bank_reference": "P78112898712",
    "auth_id": "A898101"
  }
]"""
"""go: Payments.md, PGOrderFetchPayments."""
FAILED = """{
  "auth_id": null,
  "authorization": null,
  "bank_reference": "306118259130",
  "cf_payment_id": 1636676360,
  "entity": "payment",
  "error_details": {
    "error_code": "TRANSACTION_DECLINED",
    "error_description":
      "transaction is rejected at the remitter bank end. Please reach out to issuer bank",
    "error_reason": "bank_rejected",
    "error_source": "bank"
  },
  "is_captured": false,
  "order_amount": 1.00,
  "order_id": "order_18482MSWq8prPMOW0jTeGsx0B1JmPC1",
  "payment_amount": 1.00,
  "payment_completion_time": "2023-03-02T18:24:51+05:30",
  "payment_currency": "INR",
  "payment_group": "upi",
  "payment_message": "01::REJECTED",
  "payment_method": {"upi": {"channel": "collect", "upi_id": "8XXXXXXXX2@upi"}},
  "payment_status": "FAILED",
  "payment_time": "2023-03-02T18:24:18+05:30"
}"""
"""mdx: pg-errors-list.md."""
CAPTURED = """{
  "auth_id": 16381,
  "authorization": {
    "action": "CAPTURE",
    "status": "SUCCESS",
    "captured_amount": 1,
    "start_time": "2025-07-15T16:40:24+05:30",
    "end_time": "2025-07-18T16:40:24+05:30",
    "approve_by": null,
    "action_reference": "7525782703466058805917",
    "action_time": "2025-07-15T16:47:50.285775"
  },
  "bank_reference": "519611740779",
  "cf_payment_id": "4129256397",
  "entity": "payment",
  "error_details": null,
  "is_captured": true,
  "order_amount": 1,
  "order_currency": "INR",
  "order_id": "abhishek-287",
  "payment_amount": 1,
  "payment_completion_time": "2025-07-15T16:40:51+05:30",
  "payment_currency": "INR",
  "payment_group": "debit_card",
  "payment_message": "PRE_AUTH|Transaction Success",
  "payment_method": {
    "card": {
      "card_bank_name": "KOTAK MAHINDRA BANK",
      "card_country": "IN",
      "card_network": "visa",
      "card_number": "XXXXXXXXXXXX4738",
      "card_sub_type": "R"
    }
  },
  "payment_status": "SUCCESS"
}"""
"""pages: latest/payments/preauthorisation.

Its stored text ends before payment_status, which is added.
"""
REFUND = """{
  "cf_payment_id": 2388816360,
  "cf_refund_id": "refund_40564529",
  "created_at": "2024-01-11T16:58:06+05:30",
  "entity": "refund",
  "metadata": null,
  "order_id": "order_145082ao5HaUJOvfXKfdQwZ3A1jy5Pq8",
  "processed_at": null,
  "refund_amount": 1,
  "refund_arn": null,
  "refund_charge": 0,
  "refund_currency": "INR",
  "refund_id": "refund_145082ao5HaUJOvfXKfdQwZ3A1jy5Pq8",
  "refund_mode": null,
  "refund_note": null,
  "refund_speed": {"requested": "STANDARD", "accepted": "STANDARD", "processed": null,
  "message": null},
  "refund_splits": [],
  "refund_status": "PENDING",
  "refund_type": "MERCHANT_INITIATED",
  "status_description": "In Progress"
}"""
"""go: Refunds.md."""
LINK = """{
  "cf_link_id": "1996567",
  "link_id": "my_link_id",
  "link_status": "ACTIVE",
  "link_currency": "INR",
  "link_amount": 100,
  "link_amount_paid": 0,
  "link_partial_payments": true,
  "link_minimum_partial_amount": 20,
  "link_purpose": "Payment for PlayStation 11",
  "link_created_at": "2021-09-30T17:05:01+05:30",
  "link_meta": {"upi_intent": false, "return_url": "https://www.cashfree.com/devstudio/thankyou"},
  "link_url": "https://payments-test.cashfree.com/links/o1tf1nvcvjhg",
  "link_expiry_time": "2021-10-14T15:04:05+05:30",
  "link_auto_reminders": true,
  "link_notify": {"send_sms": false, "send_email": true}
}"""
"""openapi: LinkEntity."""
CARD_BEGUN = """{
  "payment_method": "card",
  "channel": "link",
  "action": "link",
  "cf_payment_id": "91235",
  "payment_amount": 22.42,
  "data": {
    "url": "https://sandbox.cashfree.com/pg/view/gateway/FHsuvhayLM5mmhINoqri7ba296e2ebca8b98e6119f6223021a13",
    "payload": {"name": "card"},
    "content_type": "application/x-www-form-urlencoded",
    "method": "post"
  }
}"""
"""pages: previous/v2023-08-01/payments/pay."""
UPI_BEGUN = """{
  "action": "link",
  "cf_payment_id": "4105073870",
  "channel": "link",
  "payment_amount": 1.75,
  "payment_method": "card",
  "data": {
    "url": "https://api.cashfree.com/pg/view/gateway/session_FEeYTISZ-xOJcuR7YeOZOm1MhVIrjHa2l1G79Pg_ZktVJxPSdu7oA",
    "payload": null,
    "content_type": null,
    "method": null
  }
}"""
"""pages: previous/v2025-01-01/payments/pay, beside a request for UPI by `link`."""
ERRORS = {
    400: """{"message": "bad URL, please check API documentation", "code": "request_failed",
        "type": "invalid_request_error"}""",
    401: """{"message": "authentication Failed", "code": "request_failed",
        "type": "authentication_error"}""",
    409: """{"message": "order with same id is already present", "code": "order_already_exists",
        "type": "invalid_request_error"}""",
    422: """{"message": "something is not found", "code": "request_invalid",
        "type": "idempotency_error"}""",
}
"""pages: previous/v2023-08-01/payments/pay."""
WEBHOOKS = {
    "PAYMENT_SUCCESS_WEBHOOK": """{"data":{"order":{"order_id":"order_OFR_2","order_amount":2,
        "order_currency":"INR",
        "order_tags":null},"payment":{"cf_payment_id":"1453002795","payment_status":"SUCCESS","payment_amount":1,
        "payment_currency":"INR","payment_message":"00::Transaction success",
        "payment_time":"2022-12-15T12:20:29+05:30","bank_reference":"234928698581","auth_id":null,
        "payment_method":{"upi":{"channel":"collect"}},"payment_group":"upi"}},
        "event_time":"2022-12-15T12:20:31+05:30","type":"PAYMENT_SUCCESS_WEBHOOK"}""",
    "REFUND_STATUS_WEBHOOK": """{"data":{"refund":{"cf_refund_id":11325632,
        "cf_payment_id":789727431,
        "refund_id":"refund_sampleorder0413","order_id":"sampleorder0413","refund_amount":2.00,"refund_currency":"INR",
        "entity":"Refund","refund_type":"MERCHANT_INITIATED","refund_arn":"205907014017","refund_status":"SUCCESS",
        "status_description":"Refund processed successfully",
        "created_at":"2022-02-28T12:54:25+05:30",
        "processed_at":"2022-02-28T13:04:27+05:30","refund_charge":0,"refund_note":"Test","refund_splits":[],
        "metadata":null,"refund_mode":"STANDARD"}},"event_time":"2022-02-28T13:04:28+05:30",
        "type":"REFUND_STATUS_WEBHOOK"}""",
}
"""pages: previous/v2023-08-01/payments/webhooks and latest/refunds/webhooks."""
SIGNATURE = "RQ63rPhMRL9vdF1uRwd9899RWcy5D3gqcLG6PMUDRRY="
"""Computed with OpenSSL by their rule: no published signature comes with its secret."""

# --- disputes: DisputesEntity and DisputesEntityMerchantAccepted of the OpenAPI description ---

DISPUTE = b"""{"dispute_id":433447817,"dispute_type":"DISPUTE","reason_code":1401,
"reason_description":"Fraud Transaction","dispute_amount":10,"dispute_amount_currency":"INR",
"created_at":"2023-01-18T11:26:58","respond_by":"2023-01-19T00:00:00","updated_at":"2023-01-18T11:26:58",
"resolved_at":"9999-09-09T00:00:00","dispute_status":"DISPUTE_DOCS_RECEIVED",
"cf_dispute_remarks":"Load Testing",
"preferred_evidence":[{"document_type":"Delivery/Service Proof",
"document_description":"Proof that the cardholder/customer received the goods or services."}],
"dispute_evidence":[{"document_id":18150,"document_name":"disputeSampleFile.pdf","document_type":"DeliveryProof"}],
"order_details":{"order_id":"Load_test_0103_FGA4HF12AC","order_currency":"INR","order_amount":10,
"cf_payment_id":1489901523,"payment_currency":"INR","payment_amount":10},
"customer_details":{"customer_name":"John Ellur","customer_phone":9876543210,
"customer_email":"john@cashfree.com"}}"""
DISPUTE_ACCEPTED = b"""{"dispute_id":433447817,"dispute_type":"DISPUTE","reason_code":1401,
"reason_description":"Fraud Transaction","dispute_amount":10,"created_at":"2023-01-18T11:26:58",
"respond_by":"2023-01-19T00:00:00","updated_at":"2023-01-18T11:26:58","resolved_at":"2023-01-18T11:26:58",
"dispute_status":"DISPUTE_MERCHANT_ACCEPTED","cf_dispute_remarks":"Load Testing",
"preferred_evidence":[],
"dispute_evidence":[],"order_details":{"order_id":"Load_test_0103_FGA4HF12AC","order_currency":"INR","order_amount":10,
"cf_payment_id":1489901523,"payment_currency":"INR","payment_amount":10},
"customer_details":{"customer_name":"John Ellur","customer_phone":8281554863,
"customer_email":"john@cashfree.com"}}"""
# cashfree.com/docs/api-reference/payments/latest/disputes/dispute-webhooks; customers and terminals
# left out.
DISPUTE_CREATED = b"""{"data":{"dispute":{"dispute_id":"433475258","dispute_type":"DISPUTE",
"reason_code":"1402",
"reason_description":"Duplicate Processing","dispute_amount":3,
"created_at":"2023-06-15T21:49:48+05:30",
"updated_at":"2023-06-15T21:49:48+05:30","respond_by":"2023-06-18T23:59:59+05:30","dispute_status":"DISPUTE_CREATED",
"cf_dispute_remarks":"Dispute is created, please take action","dispute_action_on":"MERCHANT"},
"order_details":{"order_id":"order_1944392DR1kMTFYdIf8bI2awAcC3i9FTa","order_amount":3,"order_currency":"INR",
"cf_payment_id":885473311,"payment_amount":3,"payment_currency":"INR"}},
"event_time":"2023-06-15T21: 50: 04+05: 30","type":"DISPUTE_CREATED"}"""
DISPUTE_UPDATED = b"""{"data":{"dispute":{"dispute_id":"433475257","dispute_type":"PRE_ARBITRATION",
"reason_code":"13.1","reason_description":"Merchandise / Services Not Received",
"dispute_amount":40000,
"created_at":"2023-06-15T21:16:03+05:30","updated_at":"2023-06-15T21:19:15+05:30",
"respond_by":"2023-06-19T23:59:59+05:30","dispute_status":"PRE_ARBITRATION_CREATED","dispute_update":"TYPE_UPDATE",
"dispute_action_on":"MERCHANT"},"order_details":{"order_id":"order_1944392D4jHtCeVPPdTXkaUwg5cfnujQe",
"order_amount":40000,"order_currency":"INR","cf_payment_id":885457437,"payment_amount":40000,
"payment_currency":"INR"}},"event_time":"2023-06-15T21:20:24+05:30","type":"DISPUTE_UPDATED"}"""
DISPUTE_CLOSED = b"""{"data":{"dispute":{"dispute_id":"433475257","dispute_type":"CHARGEBACK",
"reason_code":"4855",
"reason_description":"Goods or Services Not Provided","dispute_amount":4500,
"created_at":"2023-06-15T21:16:03+05:30",
"updated_at":"2023-06-15T21:16:51+05:30","respond_by":"2023-06-18T00:00:00+05:30",
"resolved_at":"2023-06-15T21:16:51.682836678+05:30","dispute_status":"CHARGEBACK_MERCHANT_WON",
"cf_dispute_remarks":"Chargeback won by merchant"},"order_details":{
"order_id":"order_1944392D4jHtCeVPPdTXkaUwg5cfnujQe","order_amount":4500,"order_currency":"INR",
"cf_payment_id":885457437,"payment_amount":4500,"payment_currency":"INR"}},
"event_time":"2023-06-15T21:17:14+05:30","type":"DISPUTE_CLOSED"}"""
