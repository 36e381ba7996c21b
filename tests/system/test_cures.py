"""A refusal names the command for each setting that would accept the request."""

import base64
import json
import shlex
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from hundi.api.cures import COMMANDS, MCC
from hundi.merchants.directory.rules import MerchantSettings
from tests.system.conftest import NewMerchant
from tests.system.envelopes import PAGE, Merchant, Sender, form, order, v4
from tests.system.old_kit import START, OldKit
from tests.system.running import RunningGateway, until
from tests.system.shop import VISA, new_order_id, scan
from tests.system.test_pos import listing
from tests.system.test_subscriptions import in_days, plan

pytestmark = pytest.mark.usefixtures("books_hold")
PHONE = (
    "Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 Chrome/126.0 Mobile Safari/537.36"
)
CURES_NOTHING = {
    **dict.fromkeys(("success_url", "failure_url"), "where a browser goes afterwards"),
    **dict.fromkeys(
        (
            "notification_url",
            "notification_form",
            "notification_types",
            "redirect_delivers",
            "left_out",
            "secure_hash",
        ),
        "how the merchant's server is told: no request of its own",
    ),
    "events": "what the merchant's server is told",
    "reply_format": "how replies are written, refusals too",
    "frame_origins": "who may show the page: browsers refuse, no request is",
    "late_success": "what went back before stays with the customer",
    "capture_within_hours": "a hold that was given back is not there any more",
    "saved_cards": "without it a customer's cards are not looked for, and nothing is refused",
    **dict.fromkeys(("accent", "logo"), "a colour, a picture"),
    **dict.fromkeys(("letters", "letter_language"), "what customers are written to, and in which"),
    "endpoint_events": "what the merchant's further servers are told",
    "support": "what customers read",
    "dispute_fee_paise": "a price",
    **dict.fromkeys(
        ("operation_addresses", "scoped_tokens", "pos_addresses"),
        "who may send: whoever is refused may be anybody, and no advice lets them in",
    ),
    "token_failures_a_minute": (
        "right credentials are never held back by it, and wrong ones stay wrong"
    ),
}
"""Settings with which no request is accepted that was refused without, each with the reason."""


@dataclass(frozen=True)
class Stage:
    """Who asks whom."""

    gateway: RunningGateway
    sender: Sender
    merchant: Merchant

    def set(self, command: str, *options: str) -> None:
        """Carry out `hundi merchant COMMAND` for this merchant."""
        self.gateway.operate("merchant", command, self.merchant.merchant_id, *options)

    def ask(self, operation: str, message: dict[str, Any]) -> bool:
        """Return whether an operation was carried out."""
        return self.sender.ask(operation, self.merchant, message, checksum=v4(message)).code == "00"

    def start(self, **changes: Any) -> bool:
        """Return whether the payment page opens for a new order."""
        outer = self.merchant.envelope(order(new_order_id(), **changes))
        return self.sender.raw(
            PAGE, form(outer), token=self.sender.token(self.merchant)
        ).is_redirect

    def qr(self, amount: str = "1499.50", **changes: Any) -> bool:
        """Return whether an order gets a QR."""
        return self.ask("generateorder", order(new_order_id(), amount, **changes))

    def seamless(self, pay_by: str, order_id: str = "", **more: Any) -> bool:
        """Return whether the merchant's server begins a payment."""
        return self.ask("seamless", order(order_id or new_order_id()) | {"pay_by": pay_by} | more)

    def card(self, order_id: str = "") -> bool:
        """Return whether the merchant's server may send a card."""
        typed = {
            "card_number": VISA,
            "card_expiry": "12/40",
            "card_cvv": "123",
            "card_holder": "ASHA RAO",
        }
        return self.seamless("pg", order_id, **typed)

    def refund(self, payment: str) -> bool:
        """Return whether two rupees of a payment are given back."""
        items = base64.b64encode(
            json.dumps([{"ap_transactionid": payment, "amount": "2.00"}]).encode()
        ).decode()
        reply = self.sender.ask("refund", self.merchant, {"mode": "refund", "transactions": items})
        return reply.data["transactions"][0]["success"] == "true"

    def paid(self) -> str:
        """Return the id of a payment that a customer made."""
        reply = self.sender.ask("generateorder", self.merchant, order(new_order_id()))
        scan(self.gateway, reply.data["qr_string"])
        payment = str(reply.data["ap_transactionid"])
        until(
            lambda: (
                self.sender.verify(self.merchant, {"ap_transactionid": payment}).data[
                    "transaction_status"
                ]
                == 200
            ),
            "the payment to be paid",
        )
        return payment


Play = Callable[[Stage], Callable[[], bool]]
"""Prepares a merchant, and returns what is refused until its setting is changed."""


def mer_dom(stage: Stage) -> Callable[[], bool]:
    stage.set("set", "--domain", "https://shop.example")
    other = base64.b64encode(b"https://other.example").decode()
    return lambda: stage.qr(mer_dom=other)


def cash_with_a_fee(stage: Stage) -> Callable[[], bool]:
    stage.set("set", "--channels", "cash")
    stage.set("surcharge", "cash", "--flat-paise", "500")
    return lambda: stage.start(amount="50000.00")


def day_first(stage: Stage) -> Callable[[], bool]:
    far = next(day for day in map(in_days, range(10, 40)) if day.day > 12)
    return lambda: stage.ask(
        "generateorder", plan(new_order_id(), sb_nextrundate=f"{far:%d/%m/%Y}")
    )


def refunds_in_parts(stage: Stage) -> Callable[[], bool]:
    payment = stage.paid()
    assert stage.refund(payment)
    return lambda: stage.refund(payment)


def refunds_above_the_limit(stage: Stage) -> Callable[[], bool]:
    stage.set("set", "--refund-alone-on-api", "on", "--refund-alone-paise", "150")
    payment = stage.paid()
    return lambda: stage.refund(payment)


def a_upi_address(stage: Stage) -> Callable[[], bool]:
    stage.set("seamless", "on")
    stage.set("set", "--mcc", "6211")
    return lambda: stage.seamless("upi", vpa="success@hundi", customer_agent=PHONE)


def a_card_without_certificate(stage: Stage) -> Callable[[], bool]:
    stage.set("seamless", "on")
    return stage.card


def a_terminal(stage: Stage) -> Callable[[], bool]:
    stage.set("set", "--pos-address", "203.0.113.9")
    stage.gateway.operate("pos", "register", stage.merchant.merchant_id, "T1", "Counter")
    return lambda: listing(stage.sender, stage.merchant)["status"] == 200


def terminals_listed_often(stage: Stage) -> Callable[[], bool]:
    allowed = a_terminal(stage)
    stage.set("set", "--pos-address", "127.0.0.1")
    until(allowed, "the list of addresses to be known")
    stage.set("limits", "--pos-listings-a-minute", "5")
    return allowed


def an_operation(stage: Stage) -> bool:
    return stage.sender.verify(stage.merchant, {"ap_transactionid": "1"}).code == "503"


def a_listed_server(stage: Stage) -> Callable[[], bool]:
    stage.set("senders", "--operation-address", "203.0.113.9")
    return lambda: an_operation(stage)


def an_unscoped_token(stage: Stage) -> Callable[[], bool]:
    stage.set("senders", "--scoped-tokens", "on")
    return lambda: an_operation(stage)


def addresses_checked_often(within: str) -> Play:
    def play(stage: Stage) -> Callable[[], bool]:
        stage.set("limits", f"--address-checks-a-{within}", "5")
        return lambda: stage.ask("validatevpa", {"vpa": "success@hundi"})

    return play


def an_order_tried_often(stage: Stage) -> Callable[[], bool]:
    stage.set("seamless", "on", "--cards", "on")
    stage.set("limits", "--attempts-an-hour", "2")
    order_id = new_order_id()
    return lambda: stage.card(order_id)


def an_old_kit(stage: Stage) -> Callable[[], bool]:
    kit = OldKit(stage.merchant, stage.gateway.base_url)
    return lambda: stage.sender.raw(START, form(kit.form(new_order_id("K")))).is_redirect


CURED: dict[str, tuple[Play, str]] = {
    "domains": (mer_dom, "set {id} --domain https://shop.example --domain https://other.example"),
    "currencies": (
        lambda stage: lambda: stage.start(currency_code="840", iso_currency="USD"),
        "currencies {id} INR USD",
    ),
    "channels": (lambda stage: lambda: stage.start(chmod="nb"), "set {id} --channels upi_pg_nb"),
    "surcharges": (cash_with_a_fee, "surcharge {id} cash --remove"),
    "dates": (day_first, "dates {id} day-first"),
    "kit_versions": (an_old_kit, "kits {id} --version 3"),
    "multiple_partial_refunds": (refunds_in_parts, "set {id} --multiple-partial-refunds on"),
    "refund_alone_paise": (refunds_above_the_limit, "set {id} --refund-alone-paise 200"),
    "refund_alone_on_api": (refunds_above_the_limit, "set {id} --refund-alone-on-api off"),
    "upi_collect_allowed": (a_upi_address, "set {id} --upi-collect on"),
    "moto": (lambda stage: lambda: stage.start(txnsubtype="3"), "set {id} --moto on"),
    "seamless": (lambda stage: lambda: stage.seamless("upi"), "seamless {id} on"),
    "seamless_cards": (a_card_without_certificate, "seamless {id} on --cards on"),
    "mcc": (lambda stage: lambda: stage.qr("150000.00"), f"set {{id}} --mcc {MCC}"),
    "address_checks_a_minute": (
        addresses_checked_often("minute"),
        "limits {id} --address-checks-a-minute ",
    ),
    "address_checks_a_day": (addresses_checked_often("day"), "limits {id} --address-checks-a-day "),
    "pos_listings_a_minute": (terminals_listed_often, "limits {id} --pos-listings-a-minute "),
    "attempts_an_hour": (an_order_tried_often, "limits {id} --attempts-an-hour 3"),
}
"""By setting: a request that is refused without it, and the command that its refusal names (its
beginning).
"""


def test_every_setting_either_cures_a_refusal_or_says_why_not() -> None:
    every = {*MerchantSettings.__struct_fields__}
    assert CURED.keys() | CURES_NOTHING.keys() == every
    assert not CURED.keys() & CURES_NOTHING.keys()
    assert CURED.keys() <= COMMANDS.keys()


@pytest.mark.parametrize("setting", CURED)
def test_a_refusal_names_the_setting_that_accepts_the_request(
    gateway: RunningGateway, sender: Sender, new_merchant: NewMerchant, setting: str
) -> None:
    play, command = CURED[setting]
    stage = Stage(gateway, sender, new_merchant("Curable"))
    request = play(stage)
    until(lambda: not request(), "the request to be refused")
    newest, *_ = gateway.operate("refusal", "list", stage.merchant.merchant_id)
    expected = f"hundi merchant {command.format(id=stage.merchant.merchant_id)}"
    (named,) = [each for each in newest["settings"] if each.startswith(expected)]
    assert named == expected or expected.endswith(" ")
    _, *words = shlex.split(named.replace(MCC, "6300"))
    gateway.operate(*words)
    # Not often: what is counted is counted while it is refused, too.
    until(request, f"{named} to be known", every_s=1)


@pytest.mark.parametrize(
    ("play", "why"),
    [
        (a_listed_server, "operation_addresses"),
        (an_unscoped_token, "need a token of the scope operations"),
        (a_terminal, "is not on the list"),
    ],
)
def test_no_advice_lets_in_who_is_not_proven(
    gateway: RunningGateway, sender: Sender, new_merchant: NewMerchant, play: Play, why: str
) -> None:
    stage = Stage(gateway, sender, new_merchant("Guarded"))
    request = play(stage)
    until(lambda: not request(), "the request to be refused")
    newest, *_ = gateway.operate("refusal", "list", stage.merchant.merchant_id)
    assert why in newest["detail"]
    assert newest["settings"] == []
