"""The offers page through the running gateway.

The affiliate is asked once, and believed when its answer proves itself.
"""

import json
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any
from urllib.parse import quote

import httpx
import pytest

from hundi.wire.partner.offers import INDIA
from tests.system.conftest import NewPartner
from tests.system.endpoint import Answer, Endpoint, MerchantServer, ReceivedRequest
from tests.system.partners import PartnerSender
from tests.system.running import RunningGateway

NOW = datetime.now(UTC).astimezone(INDIA)
COUPON = re.compile(r"<code>([2-9A-HJ-NP-Z]{8})</code>")


def when(moment: datetime, form: str = "%Y-%m-%d %H:%M:%S") -> str:
    return moment.strftime(form)


class Affiliate:
    """A partner with a callback that answers by unique id."""

    def __init__(self, partner: PartnerSender, endpoint: Endpoint) -> None:
        self.partner, self.endpoint = partner, endpoint
        self.granted: dict[str, Callable[[], Answer]] = {}
        endpoint.choose = self._choose

    def _choose(self, heard: ReceivedRequest) -> Answer:
        keys, asked = self.partner.keys, json.loads(heard.body)
        assert set(asked) == {"affiliateid", "uniqueid"}
        text = keys.affiliate + keys.secret + keys.affiliate + asked["uniqueid"]
        assert heard.headers["checksum"] == sha256(text.encode()).hexdigest()
        assert heard.headers["content-type"] == "application/json"
        return self.granted.get(
            asked["uniqueid"], lambda: answer({"status": 400, "message": "fail", "data": {}})
        )()

    def signed(self, **data: Any) -> dict[str, Any]:
        keys = self.partner.keys
        values = [
            str(data[name])
            for name in ("transactiontime", "customer", "amount", "expiryday", "expiry")
            if name in data
        ]
        checksum = sha256((keys.affiliate + keys.secret + "".join(values)).encode()).hexdigest()
        return {"status": 200, "message": "success", "data": data, "checksum": checksum}

    def grants(
        self, unique: str, amount: str = "2500.00", customer: str = "Asha Rao", **more: Any
    ) -> None:
        data = {"transactiontime": when(NOW), "customer": customer, "amount": amount} | more
        self.granted[unique] = lambda: answer(self.signed(**data))

    def open(self, unique: str, language: str = "en", *, post: bool = False) -> httpx.Response:
        gateway = self.partner.gateway
        url = f"{gateway.demo['offers_url']}/app/{self.partner.keys.affiliate}/{unique}"
        call = self.partner.http.post if post else self.partner.http.get
        return call(url, headers={"accept-language": language})

    def asked(self, unique: str) -> int:
        return sum(json.loads(each.body)["uniqueid"] == unique for each in self.endpoint.heard)


def answer(content: Any, **more: Any) -> Answer:
    return Answer(
        body=content if isinstance(content, bytes) else json.dumps(content).encode(), **more
    )


@pytest.fixture(scope="module")
def affiliate(new_partner: NewPartner, server: MerchantServer) -> Affiliate:
    """An affiliate whose coupons are shown."""
    endpoint = server.endpoint("offers")
    limits = {"lookups_a_minute": 10_000, "lookups_a_day": 10_000}
    return Affiliate(
        new_partner(
            "Malgudi Sweets",
            offers_callback=endpoint.url,
            offers_coupons=3,
            offers_open_days=60,
            **limits,
        ),
        endpoint,
    )


@pytest.mark.parametrize(
    ("amount", "coupons"),
    [
        ("2000.01", 8),
        ("2000.00", 4),
        ("1000.00", 4),
        ("999.99", 2),
        ("500.00", 2),
        ("499.99", 3),
        ("0", 3),
        ("9999999999.99", 8),
    ],
)
def test_an_amount_is_worth_so_many_coupons(
    affiliate: Affiliate, amount: str, coupons: int
) -> None:
    unique = f"A{amount.replace('.', '')[-8:]}"
    affiliate.grants(unique, amount)
    page = affiliate.open(unique)
    assert (page.status_code, len(COUPON.findall(page.text))) == (200, coupons)
    assert f"Asha Rao, you have {coupons} coupons" in page.text
    assert "Granted by Malgudi Sweets" in page.text


def test_opened_again_it_shows_the_same_and_nobody_is_asked(affiliate: Affiliate) -> None:
    affiliate.grants("again")
    first = COUPON.findall(affiliate.open("again").text)
    affiliate.granted.clear()
    assert COUPON.findall(affiliate.open("again", post=True).text) == first
    assert "Asha Rao, आपके लिए 8 कूपन" in affiliate.open("again", "hi").text
    assert affiliate.asked("again") == 1


def test_an_offer_is_read_in_the_language_that_is_chosen(affiliate: Affiliate) -> None:
    affiliate.grants("spoken")
    first = affiliate.open("spoken")
    assert '<button class="link" name="lang" value="hi"' in first.text
    hindi = affiliate.open("spoken?lang=hi")
    assert "Asha Rao, आपके लिए 8 कूपन" in hindi.text
    assert COUPON.findall(hindi.text) == COUPON.findall(first.text)
    assert 'value="en"' in hindi.text
    assert affiliate.asked("spoken") == 1
    none = affiliate.open("nobodys?lang=ta")
    assert none.status_code == 404
    assert '<html lang="ta">' in none.text
    assert 'value="en"' in none.text
    assert '<html lang="en">' in affiliate.open("spoken?lang=xx").text


def test_an_affiliate_is_asked_with_the_older_secret_until_that_is_retired(
    gateway: RunningGateway, new_partner: NewPartner, server: MerchantServer
) -> None:
    endpoint = server.endpoint("rotating-offers")
    old = Affiliate(new_partner("Rotating Sweets", offers_callback=endpoint.url), endpoint)
    fresh = old.partner.rotated("secret")
    old.grants("before")
    assert old.open("before").status_code == 200
    new = Affiliate(fresh, endpoint)
    # Asked with the older one still, it may answer with the newer.
    old.granted["between"] = lambda: answer(new.signed(**GOOD))
    endpoint.choose = old._choose  # noqa: SLF001 (the affiliate before its secret changed)
    assert old.open("between").status_code == 200
    gateway.operate("partner", "retire", fresh.keys.affiliate, "secret")
    endpoint.choose = new._choose  # noqa: SLF001 (and after)
    new.grants("after")
    assert new.open("after").status_code == 200


@pytest.mark.parametrize("unique", ["YWI+/2Q==", "a/b/c/d+e=", "_-x"])
@pytest.mark.parametrize("spell", [str, lambda text: quote(text, safe="")], ids=["raw", "encoded"])
def test_a_base64_id_may_hold_anything_base64_does(
    affiliate: Affiliate, unique: str, spell: Callable[[str], str]
) -> None:
    affiliate.grants(unique)
    assert affiliate.open(spell(unique)).status_code == 200


@pytest.mark.parametrize(
    ("data", "until", "over"),
    [
        ({"expiryday": "7"}, NOW + timedelta(days=7), False),
        ({"expiry": 9}, NOW + timedelta(days=9), False),
        ({}, NOW + timedelta(days=30), False),
        (
            {
                "transactiontime": when(NOW - timedelta(days=40), "%Y:%m:%d %H:%M:%S"),
                "expiryday": "20",
            },
            NOW - timedelta(days=20),
            True,
        ),
    ],
)
def test_coupons_end_so_many_days_after_the_transaction(
    affiliate: Affiliate, data: dict[str, Any], until: datetime, *, over: bool
) -> None:
    unique = f"E{abs(hash(str(data))) % 10**7}"
    affiliate.grants(unique, **data)
    text = affiliate.open(unique).text
    assert when(until, "%d %b %Y, %H:%M IST").lstrip("0") in text
    assert ("no longer valid" in text, "You can open this page again" in text) == (over, not over)
    assert ("Asha Rao, you had 8 coupons" in text) is over


def test_after_the_affiliates_period_the_page_is_closed(affiliate: Affiliate) -> None:
    affiliate.grants("closed", transactiontime=when(NOW - timedelta(days=61)))
    page = affiliate.open("closed")
    assert (page.status_code, COUPON.findall(page.text)) == (410, [])
    assert "This offer is over" in page.text


@pytest.mark.parametrize("unique", ["unknown", "x" * 11, "a b", "a%00b", "é", "<b>", ""])
def test_an_id_that_is_none_is_said_so_calmly(affiliate: Affiliate, unique: str) -> None:
    page = affiliate.open(unique)
    assert page.status_code == 404
    assert COUPON.findall(page.text) == []


def test_a_no_is_not_asked_for_again_at_once(affiliate: Affiliate) -> None:
    for _ in range(3):
        assert affiliate.open("nothing").status_code == 404
    assert affiliate.asked("nothing") == 1


GOOD = {"transactiontime": when(NOW), "customer": "Asha", "amount": "600.00"}
BROKEN: dict[str, Callable[[Affiliate], Answer]] = {
    "nochecksum": lambda a: answer(a.signed(**GOOD) | {"checksum": ""}),
    "forged": lambda a: answer(a.signed(**GOOD) | {"data": GOOD | {"amount": "99999.00"}}),
    "nojson": lambda _: answer(b"<html>"),
    "doubled": lambda _: answer(b'{"status":200,"status":200}'),
    "deep": lambda _: answer(b'{"a":' * 50 + b"1" + b"}" * 50),
    "huge": lambda a: answer(json.dumps(a.signed(**GOOD)).encode() + b" " * 500_000),
    "error": lambda a: answer(a.signed(**GOOD), status=500),
    "redirect": lambda a: answer(
        b"", status=302, headers={"location": "http://169.254.169.254/latest/"}
    ),
    "nodata": lambda _: answer({"status": 200, "data": []}),
    "badamount": lambda a: answer(a.signed(**GOOD | {"amount": "1e9"})),
    "badtime": lambda a: answer(a.signed(**GOOD | {"transactiontime": "yesterday"})),
    "badname": lambda a: answer(a.signed(**GOOD | {"customer": "x" * 101})),
    "badexpiry": lambda a: answer(a.signed(**GOOD, expiryday="-1")),
    "slow": lambda a: answer(a.signed(**GOOD), pause_s=7.0),
}


@pytest.mark.parametrize("unique", BROKEN)
def test_an_answer_that_proves_nothing_is_not_shown(affiliate: Affiliate, unique: str) -> None:
    affiliate.granted[unique] = lambda: BROKEN[unique](affiliate)
    page = affiliate.open(unique)
    assert (page.status_code, COUPON.findall(page.text)) == (503, [])
    assert "Your offer cannot be shown right now" in page.text
    assert "Malgudi Sweets" not in page.text, "whoever is to blame, the customer need not know"
    affiliate.granted[unique] = lambda: answer(affiliate.signed(**GOOD))
    assert affiliate.open(unique).status_code == 200, "asked again later, it may answer well"


def test_a_customers_name_is_text(affiliate: Affiliate) -> None:
    affiliate.grants("markup", customer='<script>alert("x")</script> & Söhne')
    page = affiliate.open("markup")
    assert "&lt;script&gt;alert(" in page.text
    assert "<script>alert" not in page.text
    policy = page.headers["content-security-policy"]
    assert "script-src 'self'" in policy


def test_who_has_no_callback_has_no_page(
    gateway: RunningGateway, affiliate: Affiliate, new_partner: NewPartner, server: MerchantServer
) -> None:
    without = Affiliate(new_partner("Without"), server.endpoint("nobody-asked"))
    assert without.open("any").status_code == 404
    assert affiliate.partner.http.get(f"{gateway.base_url}/app/AF9999999/any").status_code == 404
    paused = Affiliate(
        new_partner("Paused", offers_callback=server.endpoint("paused").url),
        server.endpoint("paused"),
    )
    gateway.operate("partner", "suspend", paused.partner.keys.affiliate)
    assert paused.open("any").status_code == 404
    cut_short = (
        affiliate.partner.keys.affiliate,
        affiliate.partner.keys.affiliate + "/",
        "AF1",
        "AF1/",
        "",
        "%00",
    )
    for path in ("%00/%00", "%C3%A9/x", "AF000000/%00", *cut_short):
        page = affiliate.partner.http.get(f"{gateway.base_url}/app/{path}")
        assert (page.status_code, page.headers["content-type"]) == (404, "text/html; charset=utf-8")
        assert "There is no offer at this address" in page.text


def test_customer_and_codes_are_sealed_in_the_database(
    gateway: RunningGateway, affiliate: Affiliate
) -> None:
    affiliate.grants("sealed", customer="Canary Customer")
    codes = COUPON.findall(affiliate.open("sealed").text)
    assert codes
    (row,) = gateway.rows(
        "SELECT offers::text AS written, sealed_grant FROM offers WHERE unique_id = 'sealed'"
    )
    for secret in ("Canary", *codes):
        assert secret not in row["written"]
        assert secret.encode() not in bytes(row["sealed_grant"])
