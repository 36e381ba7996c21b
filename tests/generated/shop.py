"""A shop whose clients openapi-python-client made.

Calls what it is told on its input, and tells what it was answered.

Run by the environment of the generators, beside the packages `payment`, `partner` and `plain` that
they wrote.
"""

import json
import sys
from typing import Any

import partner
import payment
import plain
from partner.api.gst import gst_calculator
from partner.models import CalculationRequest
from payment.api.payments import banks, verify
from payment.api.refunds import refund
from payment.api.tokens import issue_token
from payment.models import BanksCall, IssueTokenCall, RefundCall, VerifyCall
from plain.api.orders import create_order, show_order
from plain.api.refunds import create_refund
from plain.models import PlainOrderRequest, PlainRefundRequest


def told(answer: Any) -> dict[str, Any]:
    """Return the name of an answer's type with what it says."""
    return {"type": type(answer).__name__, "says": answer.to_dict()}


def main() -> None:
    """Ask for a token, use it, and ask what only a partner may."""
    asked = json.load(sys.stdin)
    shop = payment.Client(base_url=asked["base_url"])
    token = issue_token.sync(client=shop, body=IssueTokenCall.from_dict(asked["token"]))
    opened = {"client": shop, "token": token.data.access_token}
    server = plain.AuthenticatedClient(base_url=asked["base_url"], token=asked["bearer key"])
    made = create_order.sync(client=server, body=PlainOrderRequest.from_dict(asked["order"]))
    answers = {
        "order": made,
        "order again": show_order.sync(made.order_id, client=server),
        "no refund": create_refund.sync(
            client=server,
            body=PlainRefundRequest(transaction_id=made.transaction_id),
            idempotency_key="python",
        ),
        "token": token,
        "banks": banks.sync(body=BanksCall.from_dict(asked["banks"]), **opened),
        "verify": verify.sync(body=VerifyCall.from_dict(asked["verify"]), **opened),
        "wrong key": refund.sync(body=RefundCall.from_dict(asked["wrong key"]), **opened),
        "sealed": issue_token.sync(client=shop, body=IssueTokenCall.from_dict(asked["sealed"])),
        "gst": gst_calculator.sync(
            client=partner.Client(base_url=asked["base_url"]),
            body=CalculationRequest.from_dict(asked["gst"]),
            **asked["keys"],
        ),
        "gst refused": gst_calculator.sync(
            client=partner.Client(base_url=asked["base_url"]),
            body=CalculationRequest.from_dict(asked["gst"]),
            **asked["keys"] | {"checksum": "0" * 64},
        ),
    }
    json.dump({name: told(answer) for name, answer in answers.items()}, sys.stdout)


main()
