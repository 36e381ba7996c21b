"""Refused requests in the console.

Listed, filtered, explained to the byte, without secrets and people; renewed live.
"""

import hashlib
import html
import re
from collections.abc import Iterator
from datetime import datetime

import pytest

from hundi.wire.merchant import checksum
from tests.system.console import Console
from tests.system.envelopes import Merchant, Reply, Sender, order
from tests.system.running import RunningGateway
from tests.system.shop import Shop, new_order_id
from tests.system.test_console_payments import session_of
from tests.system.test_subscriptions import plan

DEVELOPER, FINANCE = "developer@demo.example", "finance@demo.example"


@pytest.fixture(scope="module")
def developer(gateway: RunningGateway) -> Iterator[Console]:
    with session_of(gateway, DEVELOPER, "198.51.100.41") as browser:
        yield browser


@pytest.fixture(scope="module")
def merchant(gateway: RunningGateway) -> Merchant:
    return Merchant.of(gateway.demo["merchants"][0])


def told(developer: Console, merchant: Merchant, reply: Reply) -> str:
    """Return what the page of a refused request says, as text."""
    answer = developer.get(f"{merchant.merchant_id}/requests/{reply.envelope['request_id']}")
    assert answer.status_code == 200
    return html.unescape(re.sub(r"<[^>]+>", "", answer.text))


def test_a_wrong_checksum_is_explained_to_the_byte(
    developer: Console, sender: Sender, merchant: Merchant
) -> None:
    fields = order("BYTE-1", amount="1499.50", buyer_firstname="Zubeida")
    today = datetime.now(checksum.INDIA).date()
    right = "".join(fields[name] for name in sorted(fields)) + str(today)
    sent = hashlib.sha256(right.replace("1499.50", "1499.5").encode()).hexdigest()
    reply = sender.verify(merchant, fields, checksum=sent)
    assert reply.code == "103"
    page = told(developer, merchant, reply)
    # A whole digest would tell what is covered to whoever tries every value.
    for digest in (hashlib.sha256(right.encode()).hexdigest(), sent):
        assert f"{digest[:4]}…" in page
        assert digest not in page
    assert "the amount without zeros at its end" in page
    assert "The first 6 bytes are alike. Then ours has 0 of amount, and the other x" in page
    for personal in (fields["buyer_email"], fields["buyer_phone"], fields["buyer_firstname"]):
        assert personal not in page
    assert "letters are shown as x" in page


def test_a_privatekey_of_the_other_secret_is_named_and_never_shown(
    developer: Console, sender: Sender, merchant: Merchant
) -> None:
    mixed_up = Merchant.of({**vars(merchant), "secret": merchant.client_secret})
    reply = sender.verify(mixed_up, {"orderid": "x"})
    assert reply.code == "108"
    page = told(developer, merchant, reply)
    assert "<API secret>@<username>:|:<password>" in page
    assert "the OAuth client secret in place of the API secret" in page
    held = (
        merchant.secret,
        merchant.client_secret,
        merchant.password,
        merchant.privatekey,
        mixed_up.privatekey,
    )
    assert all(secret not in page for secret in held)


def test_encdata_of_another_key_says_which(
    developer: Console, sender: Sender, merchant: Merchant
) -> None:
    swapped = Merchant.of(
        {**vars(merchant), "username": merchant.password, "password": merchant.username}
    )
    reply = sender.verify(merchant, {"orderid": "x"}, encdata=swapped.sealed({"orderid": "x"}))
    assert reply.code == "102"
    assert "username and password swapped in the key" in told(developer, merchant, reply)


def test_bad_input_names_the_field_and_hides_a_customers(
    developer: Console, sender: Sender, merchant: Merchant
) -> None:
    reply = sender.verify(merchant, {"orderid": "bad id!"})
    assert reply.code == "110"
    page = told(developer, merchant, reply)
    assert "orderid was bad id!" in page


def test_the_setting_that_would_accept_a_request_is_named_as_a_command(
    developer: Console, sender: Sender, merchant: Merchant
) -> None:
    reply = sender.ask("generateorder", merchant, plan(new_order_id(), sb_nextrundate="25/12/2027"))
    assert (reply.code, "day-first" in reply.text) == ("110", False)
    page = told(developer, merchant, reply)
    assert (
        "change a setting, if you want such requests accepted: hundi merchant dates"
        f" {merchant.number} day-first."
    ) in page


def test_the_list_is_filtered_and_paged(
    developer: Console, sender: Sender, merchant: Merchant
) -> None:
    place = merchant.merchant_id
    replies = [sender.verify(merchant, {"orderid": "y"}, privatekey="0" * 64) for _ in range(52)]
    names = [each.envelope["request_id"] for each in replies]
    first = developer.get(f"{place}/requests", operation="verify", code="privatekey_wrong")
    shown = re.findall(r"/requests/(req_\w+)", first.text)
    assert shown == names[:1:-1]
    older = re.search(r'href="\?([^"]+)">Older', first.text)
    assert older
    second = developer.get(f"{place}/requests?{html.unescape(older[1])}").text
    assert re.findall(r"/requests/(req_\w+)", second)[:2] == names[1::-1]
    assert names[0] not in developer.get(f"{place}/requests", code="checksum_wrong").text
    assert "No refused request fits" in developer.get(f"{place}/requests", since="2999-01-01").text
    assert "data-live" in first.text
    assert ">Reload<" in first.text


def test_only_who_may_and_only_ones_own(
    gateway: RunningGateway, developer: Console, sender: Sender, merchant: Merchant, shop: Shop
) -> None:
    reply = sender.verify(shop.merchant, {"orderid": "z"}, privatekey="0" * 64)
    reference = reply.envelope["request_id"]
    assert developer.get(f"{merchant.merchant_id}/requests/{reference}").status_code == 404
    assert developer.get(f"{shop.merchant.merchant_id}/requests/{reference}").status_code == 404
    assert developer.get(f"{merchant.merchant_id}/requests/req_none").status_code == 404
    with session_of(gateway, FINANCE, "198.51.100.42") as finance:
        assert finance.get(f"{merchant.merchant_id}/requests").status_code == 403
        assert '/requests"' not in finance.get(f"{merchant.merchant_id}/").text
