"""Card and Aadhaar numbers typed into free text anywhere at the running gateway: no table, log, page or message has them."""

from collections.abc import Iterator
from typing import Any

import pytest

from hundi.api.merchant.free_text import FREE, IDENTIFIERS
from tests.system.conftest import open_shop
from tests.system.console import Console
from tests.system.endpoint import MerchantServer
from tests.system.envelopes import Sender, order
from tests.system.running import RunningGateway
from tests.system.shop import Shop, new_order_id
from tests.system.test_canaries import assert_free, dumped

pytestmark = pytest.mark.usefixtures("books_hold")

CARD, CVV, AADHAAR = "4929130112350983", "863", "587429630123"
_SPACED = " ".join(CARD[at : at + 4] for at in range(0, 16, 4))
SPELLINGS = (
    f"{CARD} {CVV}",
    f"card {_SPACED} cvv {CVV}",
    _SPACED.replace(" ", "\N{EN DASH}"),
    _SPACED.replace(" ", "%20"),
    CARD.translate({ord(digit): chr(0x0966 + int(digit)) for digit in "0123456789"}),
    f'{{"pan":"{CARD}","cvv":"{CVV}"}}',
    f"uid {AADHAAR}",
    f"{AADHAAR[:4]} {AADHAAR[4:8]} {AADHAAR[8:]}",
)
CANARIES = {f"spelling {place}": text for place, text in enumerate(SPELLINGS)} | {"card": CARD, "Aadhaar": AADHAAR}


@pytest.fixture(scope="module")
def shop(gateway: RunningGateway, server: MerchantServer) -> Iterator[Shop]:
    """A shop of this file's own: what it was told is looked through."""
    yield from open_shop(gateway, server, "openbook")


@pytest.fixture(scope="module")
def replies(gateway: RunningGateway, shop: Shop, sender: Sender) -> list[str]:
    """Type every spelling into every free field of an order, right and wrong, and into what people type."""
    found: list[Any] = []
    merchant = shop.merchant
    for spelling in SPELLINGS:
        for name in sorted(name for name in FREE if name.startswith(("buyer_", "custom"))):
            if name == "buyer_pincode" and len(spelling) > 10:
                continue
            sent = order(new_order_id(), **{name: spelling})
            found.append(sender.ask("generateorder", merchant, sent).data)
            found.append(sender.ask("generateorder", merchant, sent, checksum="0" * 64).envelope)
        found += [
            sender.ask("generateorder", merchant, order(new_order_id()) | {name: spelling}).envelope
            for name in ("amount", "currency_code", "chmod", "buyer_pincode", "orderid", "iso_currency")
        ]
        gateway.operate("link", "make", merchant.merchant_id, "1500", spelling)
    with Console.signed_in(gateway, "operator@demo.example", "198.51.100.86") as console:
        number = int(gateway.demo["merchants"][0]["merchant_id"])
        payment = gateway.value("SELECT max(payment_id) FROM payments WHERE merchant_id = $1", number)
        place = f"{number}/payments/{payment}"
        for spelling in SPELLINGS:
            assert console.post(f"{place}/note", note=spelling).status_code == 303
            assert console.post(f"{place}/reveal", reason=f"asked for {spelling}").status_code == 200
        found.append(console.get(place).text)
    return [str(each) for each in found]


def test_nothing_keeps_or_shows_them(gateway: RunningGateway, shop: Shop, replies: list[str]) -> None:
    books = dumped(gateway, "hundi")
    # What was typed is there, masked: so the rest would have been found.
    assert f"XXXXXXXXXXXX{CARD[-4:]}" in books
    assert f"XXXXXXXX{AADHAAR[-4:]}" in books
    assert "cvv XXX" in books
    assert_free(books, CANARIES, "the gateway's database")
    assert_free(gateway.logged(), CANARIES, "the logs")
    assert_free("\n".join(replies), CANARIES, "a page or a reply")


@pytest.mark.parametrize("name", sorted(IDENTIFIERS & {"orderid", "UID", "buyer_email"}))
def test_an_identifier_that_is_a_card_is_refused_by_name(shop: Shop, sender: Sender, name: str) -> None:
    sent = f"{CARD}@example.in" if name == "buyer_email" else CARD
    reply = sender.ask("generateorder", shop.merchant, order(new_order_id()) | {name: sent})
    assert reply.code == "110"
    assert name in reply.envelope["message"]
    assert CARD not in str(reply.envelope)
