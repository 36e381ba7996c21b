"""What a merchant's program does with cashfree_payout; run by `runs.program`."""

import base64
import hashlib
import hmac
import json

from cashfree_payout import api_client, rest
from cashfree_payout.api_client import Cashfree
from cashfree_payout.exceptions import ApiException
from cashfree_payout.models.create_batch_transfer_request import CreateBatchTransferRequest
from cashfree_payout.models.create_beneficiary_request import CreateBeneficiaryRequest
from cashfree_payout.models.create_transfer_request import CreateTransferRequest
from program import TOLD, serve

VERSION, SANDBOX = "2024-01-01", "https://sandbox.cashfree.com"
_request = rest.RESTClientObject.request
# Its verification of webhooks uses four modules that version 0.0.13 forgets to import.
api_client.base64, api_client.hashlib = base64, hashlib
api_client.hmac, api_client.json = hmac, json


def request(self, method, url, *arguments, **named):
    """Call the stand-in: the client has no setting for another address."""
    assert url.startswith(SANDBOX), url
    return _request(self, method, TOLD["url"] + url.removeprefix(SANDBOX), *arguments, **named)


rest.RESTClientObject.request = request
Cashfree.XClientId, Cashfree.XClientSecret = TOLD["client_id"], TOLD["client_secret"]
Cashfree.XEnvironment = Cashfree.SANDBOX
TO = {
    "beneficiary_id": "JOHN_1",
    "beneficiary_name": "John Doe",
    "beneficiary_instrument_details": {
        "bank_account_number": "1223334444",
        "bank_ifsc": "HDFC0000001",
    },
}


def as_json(answer):
    return json.loads(answer.data.to_json())


def transfer():
    """Add a beneficiary and pay."""
    asked = {"transfer_id": "p1", "transfer_amount": 10.5, "transfer_mode": "imps"}
    asked["beneficiary_details"] = {"beneficiary_id": "JOHN_1"}
    one = Cashfree()
    added = one.PayoutCreateBeneficiary(VERSION, None, CreateBeneficiaryRequest.from_dict(TO))
    made = one.PayoutInitiateTransfer(VERSION, None, CreateTransferRequest.from_dict(asked))
    batch = {"batch_transfer_id": "b1", "transfers": [asked | {"transfer_id": "p2"}]}
    batched = one.PayoutInitiateBatchTransfer(
        VERSION, None, CreateBatchTransferRequest.from_dict(batch)
    )
    return {
        "added": as_json(added),
        "known": as_json(one.PayoutFetchBeneficiary(VERSION, None, "JOHN_1")),
        "made": as_json(made),
        "batched": as_json(batched),
        "batch": as_json(one.PayoutFetchBatchTransfer(VERSION, None, None, "b1")),
    }


def read():
    """Read a transfer by our reference, and one that is not there."""
    one = Cashfree()
    found = as_json(one.PayoutFetchTransfer(VERSION, None, None, "p1"))
    try:
        one.PayoutFetchTransfer(VERSION, None, None, "nothing")
    except ApiException as error:
        return {"found": found, "status": error.status, "said": json.loads(error.body)}
    return {"found": found}


def webhook():
    """Verify a webhook."""
    known = Cashfree().PayoutVerifyWebhookSignature(
        TOLD["signature"], TOLD["body"], TOLD["timestamp"]
    )
    return {"type": known.type}


serve(transfer, read, webhook)
