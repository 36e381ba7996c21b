"""Orders that one bank account may pay (`upi_tpv_*`): money from another account goes back."""

import pytest

from tests.system.browser import Browser
from tests.system.conftest import NewMerchant
from tests.system.envelopes import Sender, order
from tests.system.shop import AMOUNT_PAISE, PAID_POSTING, Shop, new_order_id, scan

pytestmark = pytest.mark.usefixtures("books_hold")
ACCOUNT, IFSC = "50100012345678", "HDFC0000001"
OWN, OTHERS = f"{ACCOUNT}.{IFSC.lower()}@hundi", f"{ACCOUNT}.icic0000001@hundi"
TPV = {"upi_tpv_account": ACCOUNT, "upi_tpv_ifsc": IFSC}


def qr_of(sender: Sender, shop: Shop, order_id: str, **more: str) -> str:
    reply = sender.ask("generateorder", shop.merchant, order(order_id, **TPV, **more))
    assert reply.code == "00"
    return reply.data["qr_string"]


def test_the_named_account_pays(shop: Shop, sender: Sender) -> None:
    order_id = new_order_id()
    scan(shop.gateway, qr_of(sender, shop, order_id), OWN)
    told = shop.becomes(order_id, 200)
    assert (told.payment_status, shop.postings(order_id)) == ("SUCCESS", PAID_POSTING)
    assert ACCOUNT not in str(shop.payment(order_id))


@pytest.mark.parametrize("payer", [OTHERS, "success@hundi"])
def test_money_from_another_account_goes_back_and_the_right_one_may_pay(
    shop: Shop, sender: Sender, payer: str
) -> None:
    order_id = new_order_id()
    scan(shop.gateway, qr_of(sender, shop, order_id), payer)
    excess = shop.hears_event(order_id, "excess_payment").transaction
    assert (excess.status_code, excess.amount_paise) == (211, AMOUNT_PAISE)
    shop.hears_event(order_id, "excess_refunded")
    assert shop.bank_refunds(order_id) == [(AMOUNT_PAISE, "done")]
    assert [each["bank_code"] for each in shop.attempts(order_id)] == ["other_account"]
    assert shop.verify(order_id).status_code == 211
    scan(shop.gateway, qr_of(sender, shop, order_id), OWN)
    assert shop.becomes(order_id, 200).payment_status == "SUCCESS"


def test_the_page_offers_only_what_can_be_checked_and_says_why_money_went_back(
    shop: Shop, browser: Browser
) -> None:
    order_id = new_order_id()
    screen = shop.open_page(browser, order_id, payer_account=ACCOUNT, payer_ifsc=IFSC)
    assert screen.at == "choose"
    assert shop.payment(order_id)["channels"] == ["upi"]
    scan(shop.gateway, screen.link("upi://"), OTHERS)
    shop.hears_event(order_id, "excess_payment")
    again = browser.get(screen.url)
    assert "The money came from another bank account" in again.text
    assert "₹1,499.50 goes back to where it came from." in again.text


@pytest.mark.parametrize(
    ("fields", "code", "field"),
    [
        ({"upi_tpv_account": ACCOUNT}, "110", "upi_tpv_ifsc"),
        ({"upi_tpv_ifsc": IFSC}, "110", "upi_tpv_account"),
        (TPV | {"upi_tpv_ifsc": "HDFC1"}, "110", "upi_tpv_ifsc"),
        (TPV | {"upi_tpv_account": "1"}, "110", "upi_tpv_account"),
        (
            TPV | {"txnsubtype": "12", "sb_period": "A", "sb_amount": "10.00"},
            "113",
            "upi_tpv_account",
        ),
    ],
)
def test_what_cannot_be_checked_is_refused(
    shop: Shop, sender: Sender, fields: dict[str, str], code: str, field: str
) -> None:
    reply = sender.ask("generateorder", shop.merchant, order(new_order_id(), **fields))
    assert (reply.code, field in reply.message, ACCOUNT in reply.message) == (code, True, False)


def test_a_merchant_without_upi_cannot_bind_an_account(
    new_merchant: NewMerchant, sender: Sender
) -> None:
    reply = sender.ask(
        "generateorder", new_merchant(channels="pg_nb"), order(new_order_id(), **TPV)
    )
    assert (reply.code, "upi_tpv_account" in reply.message) == ("113", True)
