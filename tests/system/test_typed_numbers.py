"""A card with its code and an Aadhaar number, typed into every field of words.

Nothing of it is kept or shown.
"""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from hundi.api.description import document
from tests.system.browser import Browser
from tests.system.conftest import open_shop
from tests.system.console import Console
from tests.system.endpoint import MerchantServer
from tests.system.envelopes import Sender, order
from tests.system.running import RunningGateway
from tests.system.shop import Shop, new_order_id
from tests.system.test_console_payments import OPERATOR, session_of

pytestmark = pytest.mark.usefixtures("books_hold")
CARD, CVV, AADHAAR = "4485275742308327", "cvv 867", "498765432102"
_GROUPED = "4485 2757 4230 8327"
SPELLINGS = (
    *(CARD, _GROUPED, AADHAAR, "4987 6543 2102"),
    *(
        _GROUPED.replace(" ", between)
        for between in ("-", ".", "%20", "+", "\N{EN DASH}", "\N{NO-BREAK SPACE}")
    ),
    CARD.translate({ord(digit): chr(0x0966 + int(digit)) for digit in "0123456789"}),
)
TYPED = f"pay {_GROUPED}, {CVV} or {CARD} of 4987 6543 2102"
SCHEMAS = document.document()["components"]["schemas"]
EXACT = {
    *("UID", "token", "client_id", "client_secret", "rrn", "customer_agent", "mer_dom"),
    *("card_number", "card_expiry", "card_cvv", "card_holder"),
}
"""Fields of text that identify something, or that are never kept."""


def words_of(name: str) -> list[str]:
    """Return the fields of a request that take any text."""
    fields = SCHEMAS[name]["properties"]
    return [each for each, schema in fields.items() if "maxLength" in schema and each not in EXACT]


@pytest.fixture(scope="module")
def typed(gateway: RunningGateway, server: MerchantServer, sender: Sender) -> Iterator[Shop]:
    """A shop in whose every field of words somebody typed the numbers."""
    for shop in open_shop(gateway, server, "typed", channels="upi_pg_nb"):
        number = shop.merchant.merchant_id
        words = {
            each: TYPED[:20] + CARD if each == "buyer_pincode" else TYPED
            for each in words_of("PaymentRequest")
        }
        words |= {each: TYPED[:50] for each in words if "name" in each}
        fields = order(new_order_id("TYP")) | {
            name: text for name, text in words.items() if name != "buyer_pincode"
        }
        assert sender.ask("generateorder", shop.merchant, fields).code == "00"
        for spelling in SPELLINGS:
            fine = order(new_order_id("TYP"), customvar=f"my {spelling} {CVV}", buyer_city=spelling)
            assert sender.ask("generateorder", shop.merchant, fine).code == "00"
            assert sender.ask("generateorder", shop.merchant, fine, checksum="0" * 64).code == "103"
            assert (
                sender.ask("generateorder", shop.merchant, fine | {"amount": spelling}).code
                == "110"
            )
        link = {"link_reference": new_order_id("L"), "amount": "5.00", "description": TYPED}
        assert sender.ask("link/create", shop.merchant, link).code == "00"
        for wrong in (
            fields | {"amount": CARD},
            fields | {"buyer_email": TYPED},
            fields | {"orderid": TYPED},
        ):
            assert sender.ask("generateorder", shop.merchant, wrong).code == "110"
        gateway.operate("link", "make", number, "7", TYPED)
        with Browser() as browser:
            shop.open_page(browser, new_order_id("TYP"), custom_var=TYPED)
        with session_of(gateway, OPERATOR, "198.51.100.91") as console:
            note(console, shop)
        yield shop


def note(console: Console, shop: Shop) -> None:
    """Write a note in the console, as a person who helps a customer does."""
    payment = shop.gateway.value(
        "SELECT max(payment_id) FROM payments WHERE merchant_id = $1", shop.merchant.number
    )
    place = f"{shop.merchant.merchant_id}/payments/{payment}"
    answer = console.post(f"{place}/note", seen_at=place, note=TYPED)
    assert answer.status_code == 303, answer.text


def everything(gateway: RunningGateway) -> dict[str, list[Any]]:
    """Return every row of every table, as text."""
    names = gateway.rows(
        "SELECT tablename::text AS name FROM pg_tables WHERE schemaname = 'public'"
    )
    return {
        each["name"]: [
            dict(row) for row in gateway.rows(f'SELECT t::text AS row FROM "{each["name"]}" t')
        ]
        for each in names
    }


def test_no_table_keeps_a_number_that_was_typed(gateway: RunningGateway, typed: Shop) -> None:
    found = {
        name: [row for row in rows if any(each in json.dumps(row) for each in (*SPELLINGS, CVV))]
        for name, rows in everything(gateway).items()
    }
    assert {name: rows for name, rows in found.items() if rows} == {}
    kept = json.dumps(everything(gateway)["payments"])
    assert "[card]" in kept
    assert "[aadhaar]" in kept


def test_no_log_line_and_no_notification_holds_one(gateway: RunningGateway, typed: Shop) -> None:
    logged = gateway.logged()
    assert not [each for each in (*SPELLINGS, CVV) if each in logged]


def test_an_address_with_a_card_in_it_is_refused_without_the_number(
    typed: Shop, sender: Sender
) -> None:
    fields = order(new_order_id("TYP")) | {"buyer_email": f"{CARD}@example.in"}
    reply = sender.ask("generateorder", typed.merchant, fields)
    assert (reply.code, "buyer_email" in reply.envelope["message"]) == ("110", True)
    assert CARD not in str(reply.envelope)


def test_there_are_fields_of_words() -> None:
    assert {"buyer_address", "buyer_city", "customvar", "buyer_firstname"} <= {
        *words_of("PaymentRequest")
    }
