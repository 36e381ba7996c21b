"""What a merchant's program does with Easebuzz, the official kit; run by `runs.program`."""

import json

from Easebuzz import constant
from Easebuzz.easebuzz_payment_gateway import EasebuzzAPIs
from program import TOLD, serve

# The kit has no setting for another address.
constant.PAYMENT_URL_TEST = constant.URL_TEST = f"{TOLD['url']}/"


class Form(dict):
    """What the kit wants: a form as Django has it, which it makes mutable itself."""


def client():
    return EasebuzzAPIs(TOLD["key"], TOLD["salt"], "test")


def page():
    """Begin a payment at Easebuzz's page."""
    fields = Form(
        txnid="o1",
        firstname="Asha",
        phone="9000090000",
        email="asha@example.com",
        amount="1100.00",
        productinfo="Order",
        surl="https://pay.example.in/done",
        furl="https://pay.example.in/failed",
    )
    return json.loads(client().initiate_payment_api(fields))


def paid():
    """Read a paid transaction, and what the browser brought back."""
    return {
        "transaction": json.loads(client().transaction_api_v2(Form(txnid="o1"))),
        "returned": json.loads(client().easebuzz_response(Form(TOLD["returned"]))),
    }


serve(page, paid)
