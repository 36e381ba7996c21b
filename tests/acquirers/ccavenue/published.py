"""Answers of CCAvenue's API guide, ciphertexts of a public library, and their sources.

GUIDE: CCAvenue's API guide, as docs/api/*.md of nermalcat69/ccavenue-api has it; people's names and
addresses left out. LIBRARY: pay-ccavenue 1.1.0, run with this text; the key is nobody's.
"""

KEY = "standin-working-key"
# LIBRARY.
TEXT = b"merchant_id=12345&order_id=10001-1&currency=INR&amount=1.00"
SEALED = (
    "fd97ed734d1b25d4bdcf0ee7a10acf47be5ab359fc66574897a790e9b9f3f3bf"
    "edab1d1b16bbe3f2e9e5989270efd043e41c2bb1203b5a5d6c45fd3c08dc5ab6"
)
# GUIDE, status.md.
PAID = b"""{
  "reference_no": "204000163469", "order_no": "66068092", "order_currncy": "INR", "order_amt": 1.0,
  "order_date_time": "2015-09-16 15:05:55.573", "order_notes": "order will be shipped",
  "order_ip": "192.168.2.182",
  "order_status": "Successful", "order_fraud_status": "NA",
  "order_status_date_time": "2015-09-1615:06:13.243",
  "order_capt_amt": 0.0, "order_card_name": "MasterCard", "order_delivery_details": "",
  "order_fee_perc": 2.3,
  "order_fee_perc_value": 0.02, "order_fee_flat": 0.0, "order_gross_amt": 1.0,
  "order_discount": 0.0,
  "order_tax": 0.0028, "order_bank_ref_no": "035944", "order_gtw_id": "ICICI",
  "order_bank_response": "Transaction Successful", "order_option_type": "OPTCRDC", "order_TDS": 0.0,
  "order_device_type": "PC", "error_desc": "", "status": 0, "error_code": ""
}"""
PAID_ORDER = "66068092"
NO_ORDER = b'{"error_desc": "Order List: Invalid Parameter", "error_code": "51313", "status": 1}'
# GUIDE, encryption-decryption.md.
REFUSED = b"status=1&enc_response=Access_code: Invalid Parameter&enc_error_code=51407."
# GUIDE, confirm.md.
NOT_CONFIRMED = b"""{
  "failed_List": [
    {"reference_no": "123456788", "reason": " Invalid order/tracking id ", "error_code": "51304 "},
    {"reference_no": "123456789", "reason": "Order List: Invalid Parameter", "error_code": "51206"}
  ],
  "error_desc": "", "success_count": 0, "error_code": ""
}"""
# GUIDE, refund.md.
REFUND_TAKEN = b'{"reason": "", "error_code": "", "refund_status": 0}'
REFUND_REFUSED = (
    b'{"reason": "Reference number: Invalid Parameter", "error_code": "51310", "refund_status": 1}'
)
# GUIDE, get-refund-details.md.
REFUNDS = b"""{
  "refund_list": [
    {"refund_amt": "1.00", "refund_issue_date": "2014-09-12 15:11:07.877",
    "refund_processed_on": "",
     "refund_completion_date": "2014-09-12 15:12:07.77", "refund_bank_ref_no": "2492",
     "refund_mer_ref_no": "A1",
     "refund_status": "TS-REFC"},
    {"refund_amt": "1.00", "refund_issue_date": "2014-09-12 15:11:13.99", "refund_processed_on": "",
     "refund_completion_date": "2014-09-12 15:12:10.413", "refund_bank_ref_no": "2493",
     "refund_mer_ref_no": "A2",
     "refund_status": "TS-REFC"}
  ],
  "reference_no": "203000111377", "order_no": "06333954", "order_amt": "10.00", "order_curr": "INR",
  "order_status": "Refunded", "error_desc": "", "error_code": ""
}"""
NO_REFUNDS = b"""{
  "reference_no": "123456789012", "order_no": "", "order_amt": "", "order_curr": "",
  "order_status": "",
  "error_desc": "Enc_request: No record found for given criteria.", "error_code": "51419"
}"""
