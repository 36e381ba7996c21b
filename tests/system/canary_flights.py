"""Where the canaries of test_canaries.py are sent, beside the payments."""

from tests.system.browser import Browser
from tests.system.envelopes import PAGE, Reply, Sender, form, order, v4
from tests.system.running import RunningGateway, until
from tests.system.shop import Shop, enter_otp, new_order_id, settled

KEPT = "4539578763621486"
"""Paid for in instalments and let be kept."""

APPROVED, DECLINED, MISTYPED = "4556737586899855", "4000000000009995", "4556737586899856"
"""Of these only the last four digits may stay, the last one (its check digit is wrong) not even
those.
"""

CVV, HOLDER = "7391", "CANARY KHANNA"

AMEX = "371449635398431"

ACCOUNT = {
    "key_secret": "canary of an account 4711",
    "webhook_secret": "canary of its webhooks 4712",
}
"""Secrets of an account at an acquirer."""


def kept_and_lent(shop: Shop, browser: Browser) -> None:
    """Pay with a card in instalments, keep one and pay with it, and approve later debits."""
    card = {"expiry": "12/40", "cvv": "739", "holder": HOLDER}
    lent = shop.open_page(browser, new_order_id()).form("/emi")
    assert (
        settled(
            browser, enter_otp(browser, browser.submit(lent, plan="UTIB-6", number=KEPT, **card))
        ).at
        == "result"
    )
    assert browser.submit(lent, plan="UTIB-6", number=MISTYPED, **card).at in {"choose", "result"}
    customer = new_order_id("CUST")
    first = shop.open_page(browser, new_order_id(), customer_id=customer).form("/card")
    settled(browser, enter_otp(browser, browser.submit(first, number=KEPT, **card, save="yes")))
    (saved,) = until(lambda: shop.client.saved_cards(customer), "the card to be kept")
    again = shop.open_page(
        browser, new_order_id(), customer_id=customer, saved_card=saved.token
    ).form("/saved")
    assert (
        settled(browser, enter_otp(browser, browser.submit(again, card=saved.token))).at == "result"
    )


def from_the_server(gateway: RunningGateway, sender: Sender, shop: Shop) -> None:
    """Send cards with the merchant's own payments.

    Paid for, refused, broken off, and in every wrong place.
    """

    def ask(verb: str = "seamless", checksum: str = "", **card: str) -> Reply:
        sent = {
            "pay_by": "pg",
            "card_expiry": "12/40",
            "card_cvv": "739",
            "card_holder": HOLDER,
        } | card
        message = order(new_order_id()) | sent
        return sender.ask(verb, shop.merchant, message, checksum=checksum or v4(message))

    until(lambda: ask(card_number=APPROVED).code == "00", "the setting to be known")
    spaced = " ".join(APPROVED[at : at + 4] for at in range(0, 16, 4))
    for number, code in (
        (DECLINED, "00"),
        (spaced, "00"),
        (MISTYPED, "110"),
        (APPROVED * 3, "110"),
        ("", "110"),
    ):
        assert ask(card_number=number).code == code
    assert ask(card_number=AMEX, card_cvv=CVV).code == "00"
    for wrong in (
        "vpa",
        "customer_ip",
        "pay_by",
        "amount",
        "txnsubtype",
        "card_expiry",
        "card_cvv",
        "currency_code",
    ):
        for number in (APPROVED, MISTYPED, spaced):
            assert ask(card_number=APPROVED, **{wrong: number}).code == "110", wrong
    for number in (APPROVED, MISTYPED):
        assert ask(pay_by="nb", bank_code=number).code == "110"
        assert ask(pay_by="upi", vpa=f"{number}@hundi").code == "113"
        assert ask("seamless", "0" * 64, instrument={"number": number, "code": CVV}).code == "103"
    for verb in ("seamless", "verify", "refund", "capture", "generateorder"):
        assert ask(verb, "0" * 64, card_number=APPROVED).code == "103"
        assert ask(verb, "0" * 64, pan=spaced, card_number=APPROVED).code == "103"
        sent = order(
            new_order_id(), buyer_address=f"{spaced} 12/40", notes=[APPROVED], terms={"cvv": CVV}
        )
        assert sender.ask(verb, shop.merchant, sent, checksum="0" * 64).code == "103"
    gateway.inject_faults(lose_reply=1.0)
    ask(card_number=APPROVED)
    gateway.inject_faults()


def refusals(sender: Sender, shop: Shop) -> None:
    """Send every secret where another one belongs."""
    ours = shop.merchant
    for secret in (ours.secret, ours.password, ours.client_secret, ours.webhook_key):
        sender.ask_token(ours, ours.token_request | {"client_secret": secret + "x"})
        sender.ask_token(ours, ours.token_request | {"client_id": secret[:20]})
        sender.verify(ours, {"orderid": secret}, privatekey=secret)
        sender.verify(ours, {"orderid": "x"}, token=secret)
        sender.verify(ours, {"orderid": "x"}, checksum=secret)
        sender.raw(PAGE, form(ours.envelope(order("x", token=secret), checksum="0")), token=secret)
