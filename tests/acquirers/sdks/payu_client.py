"""What a merchant's program does with payu_websdk; run by `runs.program`."""

import json

from payu_websdk import payuClient
from program import TOLD, serve


def client():
    """Return the client, which keeps its addresses in one place that it has no setting for."""
    one = payuClient.Client(TOLD["key"], TOLD["salt"], "TEST")
    payuClient.Base().set_params(
        {
            "key": TOLD["key"],
            "salt": TOLD["salt"],
            "paymentURL": f"{TOLD['url']}/_payment",
            "apiURL": f"{TOLD['url']}/merchant/postservice.php?form=2",
        }
    )
    return one


def form():
    """Make the form that a browser posts."""
    fields = dict(TOLD["fields"])
    client().generatePaymentForm(fields)
    return fields


def asked():
    """Ask for a transaction by our reference, and for a day's settlements."""
    return {
        "verified": json.loads(client().verifyPayment(TOLD["txnid"])),
        "settled": json.loads(client().getSettlementDetails("2026-11-28")),
    }


def returned():
    """Verify what the browser brought back, or a webhook's form."""
    return client().validateReverseHash(TOLD["form"])


serve(form, asked, returned)
