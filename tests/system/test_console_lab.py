"""The envelope lab uses the code of the commands, and never shows its keys."""

import base64
import hmac
import html
import json
import re
import time
from collections.abc import Iterator

import pytest
from standardwebhooks import Webhook

from hundi.wire import cipher
from tests.system.console import Console
from tests.system.envelopes import Merchant, Sender, order, v4
from tests.system.running import RunningGateway
from tests.system.shop import Shop
from tests.system.test_console_payments import session_of
from tests.system.test_console_requests import DEVELOPER, FINANCE

BODY = '{"orderid": "ORD-1", "amount": "10.00"}'


@pytest.fixture(scope="module")
def developer(gateway: RunningGateway) -> Iterator[Console]:
    with session_of(gateway, DEVELOPER, "198.51.100.51") as browser:
        yield browser


@pytest.fixture(scope="module")
def merchant(gateway: RunningGateway) -> Merchant:
    return Merchant.of(gateway.demo["merchants"][0])


class Lab:
    """One person at the lab of one merchant."""

    def __init__(self, console: Console, merchant: Merchant) -> None:
        self.console, self.merchant = console, merchant

    def page(self, act: str, **fields: str) -> str:
        """Return the whole page that an act is answered with."""
        return self.console.post(f"{self.merchant.merchant_id}/lab", act=act, **fields).text

    def says(self, act: str, **fields: str) -> str:
        """Return the result as text."""
        found = re.search(
            r'<section class="sheet".*?</section>', self.page(act, **fields), re.DOTALL
        )
        assert found
        return html.unescape(re.sub(r"<[^>]+>", "", found[0]))

    def value(self, name: str, act: str, **fields: str) -> str:
        """Return one of the values that can be copied."""
        found = re.search(
            rf'<h3 id="value-\d+">{name}</h3>\s*<pre[^>]*>(.*?)</pre>',
            self.page(act, **fields),
            re.DOTALL,
        )
        assert found, name
        return html.unescape(found[1])

    @property
    def typed(self) -> dict[str, str]:
        """Return the keys as somebody types them."""
        one = self.merchant
        return {
            "keys": "typed",
            "username": one.username,
            "password": one.password,
            "secret": one.secret,
        }


@pytest.fixture
def lab(developer: Console, merchant: Merchant) -> Lab:
    return Lab(developer, merchant)


def test_a_reply_is_opened_and_a_customer_covered(
    lab: Lab, merchant: Merchant, sender: Sender
) -> None:
    inside = {
        "orderid": "ORD-9",
        "buyer_email": "zubeida@example.in",
        "nested": {"customer_phone": "9876543210"},
    }
    inside |= {"customvar": {"call": ["9876543210"]}}
    for pasted in (
        merchant.sealed(inside),
        json.dumps({"merchant_id": "1", "response": merchant.sealed(inside)}),
    ):
        opened = json.loads(lab.value("message", "open", sealed=pasted))
        assert opened == {
            "orderid": "ORD-9",
            "buyer_email": "xxxxxxx@xxxxxxx.xx",
            "nested": {"customer_phone": "9999999999"},
            "customvar": {"call": ["9999999999"]},
        }
    assert (
        json.loads(lab.value("message", "open", sealed=merchant.sealed(inside), **lab.typed))
        == inside
    )
    reply = sender.verify(merchant, {"orderid": "nobody"})
    assert '"response_code": "503"' in lab.value("message", "open", sealed=reply.text)
    swapped = Merchant.of(
        {**vars(merchant), "username": merchant.password, "password": merchant.username}
    )
    assert "username and password swapped" in lab.says("open", sealed=swapped.sealed(inside))
    assert "does not open" in lab.says("open", sealed="0" * 40)


def test_what_is_sealed_is_taken(lab: Lab, merchant: Merchant, sender: Sender) -> None:
    own = lab.page("seal", text=BODY)
    encdata = lab.value("encdata", "seal", text=BODY)
    assert json.loads(cipher.open_(merchant.key, encdata)) == json.loads(BODY)
    asked = {
        name: lab.value(name, "seal", text='{"orderid": "ORD-1"}')
        for name in ("encdata", "checksum")
    }
    assert sender.verify(merchant, {}, **asked).code == "503"
    assert merchant.privatekey not in own
    assert lab.value("privatekey", "seal", text=BODY, **lab.typed) == merchant.privatekey
    assert "cannot be sealed" in lab.page("seal", text="[1]")


def test_a_signature_is_made_and_checked(lab: Lab, merchant: Merchant) -> None:
    at = str(int(time.time()))
    named = {"webhook_id": "ipn_1_2_3", "timestamp": at, "body": BODY}
    signature = lab.value("webhook-signature", "sign", **named)
    headers = {"webhook-id": "ipn_1_2_3", "webhook-timestamp": at, "webhook-signature": signature}
    Webhook(merchant.webhook_key).verify(BODY, headers, json_parse=False)
    assert "holds, by the newest webhook key" in lab.says("sign", signature=signature, **named)
    key = base64.b64decode(merchant.webhook_key.removeprefix("whsec_"))
    for text, raw, words in (
        (
            f"ipn_1_2_3.{at}.{json.dumps(json.loads(BODY), separators=(',', ':'))}",
            key,
            "again as compact JSON",
        ),
        (f"{at}.{BODY}", key, "without the id"),
        (f"ipn_1_2_3.{at}.{BODY}", merchant.webhook_key.encode(), "whsec_ included"),
    ):
        wrong = "v1," + base64.b64encode(hmac.digest(raw, text.encode(), "sha256")).decode()
        told = lab.says("sign", signature=wrong, **named)
        assert words in told
        assert signature not in told, "the right one would be a forgery for whoever may not sign"
    assert "no usual mistake" in lab.says("sign", signature="v1,AAAA", **named)
    assert "begins with whsec_" in lab.page("sign", keys="typed", **named)
    assert "seconds since 1970" in lab.page("sign", **(named | {"timestamp": "999999999999"}))


def test_a_whole_request_is_compared(lab: Lab, merchant: Merchant) -> None:
    fields = order("ORD-77", buyer_firstname="Zubeida")
    right = merchant.envelope(fields)
    assert lab.says("compare", body=json.dumps(right)).count(" is right") == 3
    for year in ("0001", "9999"):
        assert "is written as" in lab.page(
            "compare", body=json.dumps(right), at=f"{year}-12-31T23:59"
        )
    wrong = json.dumps(
        {**right, "checksum": v4({**fields, "amount": "149950"}), "privatekey": "0" * 64}
    )
    told = lab.says("compare", body=wrong)
    assert "privatekey is wrong" in told
    assert "the amount in paise" in told
    assert "Zubeida" not in told
    assert "Zubeida" in lab.says("compare", body=wrong, **lab.typed)
    assert "checksum is right" in lab.says(
        "compare", encdata=right["encdata"], checksum=right["checksum"]
    )
    assert "the date 20" in lab.says("compare", body=json.dumps(right), at="2026-01-01T12:00")
    assert "cannot be read" in lab.page("compare", body='{"a": [')
    assert merchant.secret not in lab.page("compare", body=wrong, **lab.typed)
    assert merchant.password not in lab.page("compare", body=wrong, **lab.typed)


def test_a_key_is_named_and_never_repeated(lab: Lab, merchant: Merchant) -> None:
    for value, words in (
        (merchant.secret, "This is the API secret"),
        (merchant.client_secret, "This is the OAuth client secret"),
        (merchant.webhook_key, "This is the webhook key"),
        (merchant.privatekey, "This is the privatekey"),
        (merchant.key.decode(), "This is the encryption key"),
        (merchant.password.swapcase(), "not in its capitals"),
        ("api-nobodys", "no key of this merchant"),
    ):
        assert words in lab.says("which", key=value)
        assert value not in lab.page("which", key=value)


def test_nothing_pasted_is_kept_or_logged(
    gateway: RunningGateway, lab: Lab, merchant: Merchant
) -> None:
    mark = "CANARY-4be1c0"
    lab.page("seal", text=json.dumps({"orderid": mark}))
    lab.page("open", sealed=merchant.sealed({"orderid": mark}))
    lab.page("compare", body=json.dumps(merchant.envelope({"orderid": mark}, checksum="0" * 64)))
    acts = [
        row["act"]
        for row in gateway.rows("SELECT act, detail FROM trail_entries WHERE act LIKE 'lab.%'")
    ]
    assert "lab.seal" in acts
    tables = [
        row["name"]
        for row in gateway.rows(
            "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'"
        )
    ]
    for each in tables:
        assert gateway.value(f"SELECT count(*) FROM {each} t WHERE t::text LIKE '%{mark}%'") == 0, (
            each
        )
    assert mark not in gateway.logged()


def test_who_may_use_whose_keys(
    gateway: RunningGateway, developer: Console, merchant: Merchant, shop: Shop
) -> None:
    assert (
        developer.post(f"{shop.merchant.merchant_id}/lab", act="which", key="x").status_code == 404
    )
    with session_of(gateway, FINANCE, "198.51.100.52") as finance:
        assert finance.get(f"{merchant.merchant_id}/lab").status_code == 403
        assert finance.post(f"{merchant.merchant_id}/lab", act="which", key="x").status_code == 403
