"""The cases of the golden transcripts: what a merchant asks, by name."""

import base64
import hmac
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.system.browser import Browser
from tests.system.conftest import NewMerchant
from tests.system.envelopes import Merchant, Reply, Sender, json_body, order, read_reply, v4
from tests.system.running import RunningGateway
from tests.system.shop import Shop, new_order_id, pay_card, scan

CARD = {"card_number": "4111111111111111", "card_expiry": "12/40", "card_cvv": "123"}

SPLIT = "/gateway/neft/split_payout/transaction_level_split_config_api.php"

AMOUNT = "1499.50"


@dataclass
class Stage:
    """What the cases act on."""

    gateway: RunningGateway
    sender: Sender
    shop: Shop
    rival: Shop
    sandbox: Merchant
    browser: Browser
    new_merchant: NewMerchant

    def ask(self, verb: str, message: dict[str, Any], **changes: str | None) -> Reply:
        return self.sender.ask(verb, self.shop.merchant, message, **changes)

    def paid(self) -> tuple[str, str, str]:
        """Return order id, transaction id and RRN of a paid order."""
        order_id = new_order_id()
        scan(self.gateway, self.shop.open_page(self.browser, order_id).upi_link)
        told = self.shop.becomes(order_id, 200)
        return order_id, told.transaction_id, told.rrn

    def held(self) -> str:
        order_id = new_order_id()
        pay_card(self.browser, self.shop.open_page(self.browser, order_id, authorise_only=True))
        return self.shop.verify(order_id).transaction_id

    def wish(self, **changes: Any) -> dict[str, Any]:
        """Return a split of a paid order."""
        _, transaction, rrn = self.paid()
        return {
            "ap_transactionid": transaction,
            "rrn": rrn,
            "split_request_id": transaction[-9:],
            "split_type": "percentage",
            "primary_split_value": "20.00",
            "splits": [{"identifier": "GOLD", "value": "80.00"}],
        } | changes

    def split(self, message: dict[str, Any]) -> Reply:
        return self.sender.post(
            SPLIT, json_body(self.shop.merchant.envelope(message)), self.shop.merchant
        )

    def flat_split(self, secret: str) -> Reply:
        """Ask for the same unencrypted."""
        _, transaction, rrn = self.paid()
        merchant = self.shop.merchant
        proof = hmac.new(
            secret.encode(), (merchant.privatekey + transaction).encode(), "sha256"
        ).hexdigest()
        fields = {
            "merchant_id": merchant.merchant_id,
            "TRANSACTION_ID": transaction,
            "RRN": rrn,
            "SPLIT_REQUEST_ID": transaction[-9:],
            "PRIACCT_SPLIT_VALUE": "20.00",
            "OTHER_IDENTIFIERS": "GOLD",
            "SPLIT_VALUES": "80.00",
            "TOKEN": proof,
        }
        answer = self.sender.http.post(
            self.gateway.base_url + SPLIT, json=fields, headers={"Api-Key": secret}
        )
        return read_reply(answer, merchant)


def items(*each: dict[str, Any]) -> str:
    return base64.b64encode(json.dumps(each).encode()).decode()


def _refund(stage: Stage, *wanted: dict[str, Any], **more: str) -> Reply:
    return stage.ask("refund", {"mode": "refund", "transactions": items(*wanted), **more})


def _twice_refunded(stage: Stage) -> Reply:
    _, transaction, _ = stage.paid()
    item = {"ap_transactionid": transaction, "amount": "10.00"}
    _refund(stage, item)
    return _refund(stage, item)


def _reused_request(stage: Stage) -> Reply:
    _, transaction, _ = stage.paid()
    request = new_order_id("R")
    _refund(stage, {"ap_transactionid": transaction, "amount": "10.00"}, refund_request_id=request)
    return _refund(
        stage, {"ap_transactionid": transaction, "amount": "11.00"}, refund_request_id=request
    )


def _unpaid(stage: Stage) -> str:
    order_id = new_order_id()
    stage.shop.open_page(stage.browser, order_id)
    return stage.shop.verify(order_id).transaction_id


def _qr_again(stage: Stage, amount: str) -> Reply:
    order_id = new_order_id()
    stage.ask("generateorder", {"orderid": order_id, "amount": AMOUNT})
    return stage.ask("generateorder", {"orderid": order_id, "amount": amount})


def _qr_of_paid(stage: Stage) -> Reply:
    order_id = new_order_id()
    made = stage.ask("generateorder", {"orderid": order_id, "amount": AMOUNT})
    scan(stage.gateway, made.data["qr_string"])
    stage.shop.becomes(order_id, 200)
    return stage.ask("generateorder", {"orderid": order_id, "amount": AMOUNT})


def _after(stage: Stage, first: str, second: str) -> Reply:
    named = {"ap_transactionid": stage.held()}
    stage.ask(first, named)
    return stage.ask(second, named)


def _token(stage: Stage, **changes: Any) -> Reply:
    return stage.sender.ask_token(stage.shop.merchant, stage.shop.merchant.token_request | changes)


def _unknown_merchant(stage: Stage, verb: str) -> Reply:
    outer = stage.shop.merchant.envelope({"orderid": "X"}) | {"merchant_id": "999999999999"}
    answer = stage.sender.raw(f"/gateway/pay/v4/api/{verb}/", json_body(outer), token="0" * 40)
    return read_reply(answer, stage.shop.merchant)


def _replaced_split(stage: Stage) -> Reply:
    """Repeat a split after another one took its place."""
    first = stage.wish()
    stage.split(first)
    changed = {"primary_split_value": "30.00", "splits": [{"identifier": "GOLD", "value": "70.00"}]}
    stage.split(first | changed | {"split_request_id": first["split_request_id"][1:]})
    return stage.split(first)


def _reused_split(stage: Stage) -> Reply:
    first = stage.wish()
    stage.split(first)
    return stage.split(stage.wish(split_request_id=first["split_request_id"]))


def _split_of_refunded(stage: Stage) -> Reply:
    wished = stage.wish()
    _refund(stage, {"ap_transactionid": wished["ap_transactionid"]})
    return stage.split(wished)


def _from_nowhere(stage: Stage) -> Reply:
    return stage.sender.ask(
        "banks", stage.new_merchant("Domained", domain="https://shop.example.in"), {"chmod": "upi"}
    )


def _seamless(
    stage: Stage, pay_by: str, enabled: str = "on", cards: str = "on", **more: Any
) -> Reply:
    merchant = stage.new_merchant("Own page", channels="upi_nb_pg")
    stage.gateway.operate("merchant", "seamless", merchant.merchant_id, enabled, "--cards", cards)
    message = order(new_order_id()) | {"pay_by": pay_by} | more
    return stage.sender.ask("seamless", merchant, message, checksum=v4(message))


def _suspended(stage: Stage) -> Reply:
    merchant = stage.new_merchant("Paused for good")
    stage.sender.token(merchant)
    stage.gateway.operate("merchant", "suspend", merchant.merchant_id)
    return stage.sender.ask("verify", merchant, {"orderid": "X"})


def _too_many_addresses(stage: Stage) -> Reply:
    merchant = stage.new_merchant("Name collector")
    replies = (
        stage.sender.ask("validatevpa", merchant, {"vpa": f"{number}@hundi"})
        for number in range(9000, 9130)
    )
    return next(reply for reply in replies if reply.code == "429")


CASES: dict[str, Callable[[Stage], Reply]] = {
    "token-success": _token,
    "token-wrong-client-secret": lambda stage: _token(stage, client_secret="wrong"),
    "token-wrong-client-id": lambda stage: _token(stage, client_id="wrong"),
    "token-field-missing": lambda stage: _token(stage, grant_type=""),
    "token-unknown-merchant": lambda stage: _unknown_merchant(stage, "oauth2"),
    "verify-success": lambda stage: stage.ask("verify", {"orderid": stage.paid()[0]}),
    "verify-unknown": lambda stage: stage.ask("verify", {"orderid": "never-sent"}),
    "verify-no-reference": lambda stage: stage.ask("verify", {}),
    "verify-another-merchants": lambda stage: stage.sender.verify(
        stage.rival.merchant, {"orderid": stage.paid()[0]}
    ),
    "verify-sandbox": lambda stage: stage.sender.verify(stage.sandbox, {"orderid": "X"}),
    "verify-unknown-merchant": lambda stage: _unknown_merchant(stage, "verify"),
    "verify-wrong-privatekey": lambda stage: stage.ask(
        "verify", {"orderid": "X"}, privatekey="0" * 64
    ),
    "verify-wrong-checksum": lambda stage: stage.ask("verify", {"orderid": "X"}, checksum="0" * 64),
    "verify-unreadable": lambda stage: stage.ask(
        "verify", {"orderid": "X"}, encdata="0123456789abcdefAAAA"
    ),
    "verify-unknown-token": lambda stage: stage.sender.verify(
        stage.shop.merchant, {"orderid": "X"}, token="0" * 40
    ),
    "verify-a-page-s-message": lambda stage: stage.ask("verify", order("X")),
    "banks-success": lambda stage: stage.ask("banks", {"chmod": "ppc"}),
    "banks-channel-without-banks": lambda stage: stage.ask("banks", {"chmod": "upi"}),
    "banks-not-enabled": lambda stage: stage.ask("banks", {"chmod": "va"}),
    "banks-no-channel": lambda stage: stage.ask("banks", {"chmod": "zz"}),
    "refund-accepted-and-refused": lambda stage: _refund(
        stage, {"ap_transactionid": stage.paid()[1], "amount": "10.00"}, {"ap_transactionid": 1}
    ),
    "refund-all": lambda stage: _refund(stage, {"ap_transactionid": int(stage.paid()[1])}),
    "refund-exists": _twice_refunded,
    "refund-too-much": lambda stage: _refund(
        stage, {"ap_transactionid": stage.paid()[1], "amount": "1499.51"}
    ),
    "refund-unpaid": lambda stage: _refund(stage, {"ap_transactionid": _unpaid(stage)}),
    "refund-request-id-reused": _reused_request,
    "refund-bad-item": lambda stage: _refund(stage, {"ap_transactionid": "x", "amount": "1"}),
    "refund-not-base64": lambda stage: stage.ask(
        "refund", {"mode": "refund", "transactions": "}{"}
    ),
    "refund-not-an-array": lambda stage: stage.ask(
        "refund", {"transactions": base64.b64encode(b"{}").decode()}
    ),
    "refund-too-many": lambda stage: _refund(stage, *[{"ap_transactionid": 1}] * 1001),
    "generateorder-success": lambda stage: stage.ask(
        "generateorder", {"orderid": new_order_id(), "amount": AMOUNT}
    ),
    "generateorder-other-content": lambda stage: _qr_again(stage, "1499.51"),
    "generateorder-paid": _qr_of_paid,
    "generateorder-bad-amount": lambda stage: stage.ask(
        "generateorder", {"orderid": "X", "amount": "1.001"}
    ),
    "seamless-card": lambda stage: _seamless(stage, "pg", **CARD),
    "seamless-bank": lambda stage: _seamless(stage, "nb", bank_code="HDFC"),
    "seamless-upi": lambda stage: _seamless(stage, "upi"),
    "seamless-not-enabled": lambda stage: _seamless(stage, "upi", "off"),
    "seamless-cards-not-enabled": lambda stage: _seamless(stage, "pg", cards="off", **CARD),
    "seamless-mistyped-card": lambda stage: _seamless(
        stage, "pg", **CARD | {"card_number": "4111111111111112"}
    ),
    "validatevpa-registered": lambda stage: stage.ask("validatevpa", {"vpa": "asha.rao@hundi"}),
    "validatevpa-not-registered": lambda stage: stage.ask(
        "validatevpa", {"vpa": "unregistered@hundi"}
    ),
    "validatevpa-malformed": lambda stage: stage.ask("validatevpa", {"vpa": "no address}"}),
    "split-success": lambda stage: stage.split(stage.wish()),
    "split-flat": lambda stage: stage.flat_split(stage.shop.merchant.secret),
    "split-flat-unproven": lambda stage: stage.flat_split("wrong"),
    "split-does-not-add-up": lambda stage: stage.split(stage.wish(primary_split_value="19.99")),
    "split-unknown-account": lambda stage: stage.split(
        stage.wish(splits=[{"identifier": "LEAD", "value": "80.00"}])
    ),
    "split-amounts-differ": lambda stage: stage.split(stage.wish(split_type="absolute")),
    "split-unknown": lambda stage: stage.split(stage.wish(ap_transactionid="1")),
    "split-replaced": _replaced_split,
    "split-request-id-reused": _reused_split,
    "split-refunded": _split_of_refunded,
    "banks-domain-not-registered": _from_nowhere,
    "verify-suspended": _suspended,
    "verify-body-too-large": lambda stage: stage.ask("verify", {"orderid": "x" * 1_000_000}),
    "validatevpa-too-many": _too_many_addresses,
    "capture-success": lambda stage: stage.ask("capture", {"ap_transactionid": stage.held()}),
    "capture-partial": lambda stage: stage.ask(
        "capture", {"ap_transactionid": stage.held(), "amount": "1000.00"}
    ),
    "capture-too-much": lambda stage: stage.ask(
        "capture", {"ap_transactionid": stage.held(), "amount": "1499.51"}
    ),
    "capture-twice": lambda stage: _after(stage, "capture", "capture"),
    "capture-after-void": lambda stage: _after(stage, "void", "capture"),
    "capture-unknown": lambda stage: stage.ask("capture", {"ap_transactionid": "1"}),
    "capture-of-a-sale": lambda stage: stage.ask("capture", {"ap_transactionid": stage.paid()[1]}),
    "void-success": lambda stage: stage.ask("void", {"ap_transactionid": stage.held()}),
    "void-after-capture": lambda stage: _after(stage, "capture", "void"),
    "void-with-amount": lambda stage: stage.ask(
        "void", {"ap_transactionid": "1", "amount": "1.00"}
    ),
}
