"""Pays one order at a running demo, with the SDK: `python payment.py DEMO_JSON [ADDRESS ...]`.

It imports nothing but what the wheels install. Each further address must answer 200.
"""

import json
import secrets
import sys
import time
from pathlib import Path

import httpx

from hundi.sdk import Client, Credentials, Gateway, QrOrder

AMOUNT_PAISE = 149_950
_PATIENCE_S = 60


def pay(demo: dict[str, object], merchant: dict[str, str]) -> str:
    """Pay an order by UPI at the simulated bank; return our id of the payment."""
    credentials = Credentials(
        merchant_id=merchant["merchant_id"],
        username=merchant["username"],
        password=merchant["password"],
        api_secret=merchant["secret"],
        oauth_client_id=merchant["client_id"],
        oauth_client_secret=merchant["client_secret"],
        webhook_keys=(merchant["webhook_key"],),
    )
    places = Gateway(base_url=str(demo["base_url"]), payment_page_url=str(demo["payment_page_url"]))
    order_id = f"PROOF-{secrets.token_hex(6)}"
    with Client(credentials, places) as client:
        code = client.generate_qr(QrOrder(order_id=order_id, amount_paise=AMOUNT_PAISE))
        scan = {"uri": code.text, "payer_vpa": "success@hundi"}
        httpx.post(f"{demo['simbank_url']}/upi/pay", json=scan, trust_env=False).raise_for_status()
        give_up = time.monotonic() + _PATIENCE_S
        while True:
            transaction = client.verify(order_id=order_id, amount_paise=AMOUNT_PAISE)
            if transaction.is_paid:
                return transaction.transaction_id
            if time.monotonic() > give_up:
                sys.exit(f"the order is not paid after {_PATIENCE_S} s")
            time.sleep(0.2)


if __name__ == "__main__":
    demo = json.loads(Path(sys.argv[1]).read_text("utf-8"))
    print(pay(demo, demo["merchants"][0]))
    for address in sys.argv[2:]:
        httpx.get(address, trust_env=False).raise_for_status()
