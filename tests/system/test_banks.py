"""The bank list through the running gateway.

Every bank of every channel, restricted, and how the banks are.
"""

import re
import time
from base64 import b64encode
from collections.abc import Iterator
from typing import Any

import pytest

from hundi.acquirers.calls.breaker import OPEN_S
from tests.system.bank_redirects import NB, go, pay_there
from tests.system.browser import Browser
from tests.system.conftest import NewMerchant, open_shop
from tests.system.endpoint import MerchantServer
from tests.system.envelopes import Sender
from tests.system.running import RunningGateway, until
from tests.system.shop import NotStartedError, Shop, new_order_id, settled

pytestmark = pytest.mark.usefixtures("books_hold")
FIELDS = [
    "chmod",
    "channel_name",
    "title",
    "description",
    "bank_code",
    "bank_name",
    "health",
    "min_amount",
    "max_amount",
]


@pytest.fixture(scope="module")
def lister(gateway: RunningGateway, server: MerchantServer) -> Iterator[Shop]:
    """A merchant whose banks are listed."""
    yield from open_shop(gateway, server, "lister", channels="upi_pg_nb_ppc_emi_btqr")


def listed(sender: Sender, shop: Shop, **asked: Any) -> list[dict[str, str]]:
    reply = sender.ask("banks", shop.merchant, asked)
    assert (reply.code, reply.envelope["status"], reply.envelope["status_code"]) == (
        "00",
        "success",
        "200",
    )
    assert all(list(record) == FIELDS for record in reply.data)
    return reply.data


def test_every_bank_of_every_channel_is_listed_flat(sender: Sender, lister: Shop) -> None:
    records = listed(sender, lister)
    assert list(dict.fromkeys(each["chmod"] for each in records)) == [
        "upi",
        "pg",
        "nb",
        "ppc",
        "emi",
        "btqr",
    ]
    (upi,) = [each for each in records if each["chmod"] == "upi"]
    assert (upi["bank_code"], upi["bank_name"], upi["max_amount"], upi["health"]) == (
        "",
        "",
        "100000.00",
        "up",
    )
    banks = {each["bank_code"]: each["bank_name"] for each in records if each["chmod"] == "nb"}
    assert (banks["HDFC"], banks["HDFC_C"], banks["SBIN"]) == (
        "HDFC Bank",
        "HDFC Bank (corporate)",
        "State Bank of India",
    )
    assert all(re.fullmatch(r"[A-Z]{4}(_C)?", code) for code in banks)
    assert {each["min_amount"] for each in records if each["chmod"] == "emi"} == {"1000.00"}
    assert tuple(each.code for each in lister.client.banks(("nb",))) == tuple(banks)


@pytest.mark.parametrize(
    ("chmod", "found"), [("nb", {"nb"}), ("upi_emi", {"upi", "emi"}), ("", set("abc"))]
)
def test_chmod_restricts_the_list(
    sender: Sender, lister: Shop, chmod: str, found: set[str]
) -> None:
    records = listed(sender, lister, chmod=chmod)
    assert chmod == "" or {each["chmod"] for each in records} == found


@pytest.mark.parametrize(("chmod", "code"), [("va", "113"), ("xx", "110"), ("nb_", "110")])
def test_a_channel_that_is_none_or_not_the_merchants_is_refused(
    sender: Sender, lister: Shop, chmod: str, code: str
) -> None:
    reply = sender.ask("banks", lister.merchant, {"chmod": chmod})
    assert (reply.code, reply.data) == (code, [])


def test_a_merchant_with_domains_says_from_which_it_asks(
    gateway: RunningGateway, server: MerchantServer, sender: Sender
) -> None:
    def domain(text: str) -> str:
        return b64encode(text.encode()).decode()

    for shop in open_shop(gateway, server, "domained", domain="https://shop.example.in"):
        assert (
            sender.ask("banks", shop.merchant, {"mer_dom": domain("https://shop.example.in")}).code
            == "00"
        )
        for sent in ({}, {"mer_dom": domain("https://evil.example")}):
            reply = sender.ask("banks", shop.merchant, sent)
            assert (reply.code, reply.data) == ("U04", [])


def test_banks_are_down_while_nobody_can_be_reached(
    gateway: RunningGateway, sender: Sender, lister: Shop
) -> None:
    gateway.inject_faults(lose_request=1.0)
    try:

        def down() -> bool:
            sender.ask("validatevpa", lister.merchant, {"vpa": f"{new_order_id('x')}@hundi"})
            return {each["health"] for each in listed(sender, lister, chmod="upi")} == {"down"}

        until(down, "the breaker to open")
        held = time.monotonic() + 3 * OPEN_S
        while time.monotonic() < held:
            assert {each["health"] for each in listed(sender, lister, chmod="upi")} == {"down"}
            time.sleep(0.2)
    finally:
        gateway.inject_faults()
    until(
        lambda: {each["health"] for each in listed(sender, lister, chmod="upi")} == {"up"},
        "the breaker to close",
    )


@pytest.mark.parametrize(
    ("bank", "of_trouble", "health"), [("CNRB", 5, "down"), ("PUNB", 2, "degraded")]
)
def test_a_bank_is_as_well_as_its_latest_attempts(
    gateway: RunningGateway,
    sender: Sender,
    lister: Shop,
    browser: Browser,
    bank: str,
    of_trouble: int,
    health: str,
) -> None:
    for number in range(5):
        again = new_order_id()
        back = pay_there(
            browser, go(browser, lister.open_page(browser, again), NB, bank), NB, "decline"
        )
        settled(browser, back)
        if number < of_trouble:
            gateway.rows(
                "UPDATE attempts SET bank_code = '91' FROM payments p WHERE p.merchant_id ="
                " attempts.merchant_id"
                " AND p.payment_id = attempts.payment_id AND p.order_id = $1 AND bank = $2",
                again,
                bank,
            )

    def told() -> dict[str, str]:
        return {each["bank_code"]: each["health"] for each in listed(sender, lister, chmod="nb")}

    until(lambda: told()[bank] == health, "the health to be read again")
    assert told()["HDFC"] == "up"


# --- what the networks carry ---


def test_an_amount_that_no_upi_payment_carries_is_paid_otherwise(
    gateway: RunningGateway, server: MerchantServer, browser: Browser, sender: Sender
) -> None:
    for shop in open_shop(gateway, server, "jewels", channels="upi_btqr_pg"):
        most, more = 1_00_000_00, 1_00_000_01
        assert shop.open_page(browser, new_order_id(), most).upi_link
        screen = shop.open_page(browser, new_order_id(), more)
        assert screen.at == "choose"
        assert not screen.offers("/upi/app")
        with pytest.raises(NotStartedError, match="no way to take a payment"):
            shop.open_page(browser, new_order_id(), more, channels=("upi", "btqr"))
        order = {"orderid": new_order_id(), "amount": "100000.01"}
        assert sender.ask("generateorder", shop.merchant, order).code == "113"
        assert {each["max_amount"] for each in listed(sender, shop, chmod="upi")} == {"100000.00"}


def test_a_jeweller_may_be_paid_more_by_upi(
    gateway: RunningGateway,
    server: MerchantServer,
    browser: Browser,
    sender: Sender,
    new_merchant: NewMerchant,
) -> None:
    for shop in open_shop(gateway, server, "jeweller", channels="upi_btqr", mcc="5944"):
        grocer = new_merchant("Grocer", channels="upi_btqr")
        for merchant, most in ((shop.merchant, "200000.00"), (grocer, "100000.00")) * 2:
            assert {each["max_amount"] for each in sender.ask("banks", merchant, {}).data} == {most}
        assert shop.open_page(browser, new_order_id(), 2_00_000_00).upi_link
        with pytest.raises(NotStartedError, match="no way to take a payment"):
            shop.open_page(browser, new_order_id(), 2_00_000_01)
