"""Every worked example of the specification is right, by itself and by the gateway's code."""

import base64
import json
import re
from collections.abc import Callable
from datetime import UTC, date, datetime
from decimal import Decimal

import pytest

from hundi.instruments import bharat_qr, card, emi, upi_uri
from hundi.kernel import registrations
from hundi.kernel.money import rupees
from hundi.notifications import rules as notifications
from hundi.partners.gst import rules as gst
from hundi.partners.identity import document
from hundi.partners.identity import rules as identity
from hundi.partners.offers import rules as offers
from hundi.payments.splits import rules as splits
from hundi.payments.splits.rules import SharePart, Shares, SplitKind, SplitOrder
from hundi.wire import cipher, envelope, fields
from hundi.wire.merchant import checksum, privatekey, securehash
from hundi.wire.merchant import splits as wire_splits
from hundi.wire.partner import envelope as partners
from hundi.wire.partner import leads, pos_entries
from hundi.wire.partner import offers as wire_offers
from tests.docs.examples import Block, blocks
from tests.docs.spec import PAGES, section, sections

USERNAME, PASSWORD, SECRET, AFFILIATE = "demo-user", "demo-pass", "demo-secret", "DEMO01"
DAY = date(2026, 1, 15)
PRIVATEKEY = privatekey.derive(SECRET, USERNAME, PASSWORD)
ORDER = {"orderid": "ORD-1001", "amount": "1499.50", "currency_code": "356", "iso_currency": "INR"}
TOKEN = {
    "client_id": "cid",
    "client_secret": "cs",
    "merchant_id": "12345",
    "grant_type": "client_credentials",
}
KIT = {
    "email": "a@b.co",
    "firstname": "A",
    "lastname": "B",
    "address": "xxxx",
    "city": "c",
    "state": "ss",
}
PAYEE = {
    "payee_vpa": "asha@hundi",
    "payee_name": "Asha Handlooms",
    "reference": "10001-217383559059813",
}
EXAMPLE = "Worked example"
Values = list[object]


def _cipher() -> Values:
    key = cipher.encryption_key(USERNAME, PASSWORD)
    return [key.decode(), cipher.seal(key, b'{"orderid":"ORD-1001"}', "0123456789abcdef")]


def _replies() -> Values:
    return [
        envelope.reply_bytes({"data": {"a": "x}y"}, "message": "m", "status_code": "200"}).decode()
    ]


def _mobile() -> Values:
    asked = {f"buyer_{name}": text for name, text in (KIT | {"country": "India"}).items()}
    asked |= {"amount": "10.00", "orderid": "ORD1"}
    return [checksum.mobile(asked, username=USERNAME, password=PASSWORD, day=DAY)]


def _crc32() -> Values:
    forms = checksum.crc32_forms(ORDER)
    return [forms["crc32-by-key-decimal"], forms["crc32-by-key-hex"]]


def _secure_hash() -> Values:
    values = ("ORD1", "777", "10.00", "200", "Success", "12345", USERNAME)
    return [securehash.secure_hash(*values), securehash.secure_hash(*values, "a@upi")]


def _signature() -> Values:
    webhook_id = notifications.DeliveryKey(10001, 217383559059812, 2)
    rendered = notifications.Rendered(
        "application/json", b'{"merchant_id":"10001","response":"sealed"}'
    )
    key = "whsec_" + base64.b64encode(b"0123456789abcdef" * 2).decode()
    signed = notifications.signed_headers(
        webhook_id, rendered, [key], datetime.fromtimestamp(1768435200, UTC)
    )
    return [signed["webhook-signature"], signed["webhook-id"]]


def _retries() -> Values:
    began = at = datetime(2026, 1, 15, tzinfo=UTC)
    tries = [began]
    while (
        due := notifications.next_due(len(tries), began, at, retry_after_s=0, jitter=0)
    ) is not None:
        tries.append(due)
        at = due
    return [*(f"{each:%H:%M:%S}" for each in tries[1:7]), len(tries)]


def _entries() -> Values:
    return [pos_entries.signature("pss-example", "1763800000", b'{"mercid":"10001","entries":[]}')]


def _lead() -> Values:
    key = leads.key(AFFILIATE, SECRET)
    query = cipher.seal(key, b'{"lead_id":7}', "0123456789abcdef")
    digest = re.search(r'"([0-9a-f]{64})"', section("wire.md#lead-cipher"))
    assert digest is not None
    assert leads.checksum_form(query, {}, digest[1], AFFILIATE, SECRET) == "query"
    return [key.decode(), query]


def _offers() -> Values:
    data = {
        "transactiontime": "2026-01-15 10:30:00",
        "customer": "Asha Rao",
        "amount": "1499.50",
        "expiryday": "30",
    }
    asked = wire_offers.question(AFFILIATE, "b2ZmZXI=", SECRET)[1]
    return [asked, wire_offers.answer_checksum(AFFILIATE, SECRET, data)]


def _origin() -> Values:
    sent = "aHR0cHM6Ly9zaG9wLmV4YW1wbGUuaW4="
    return [sent, fields.origin(sent)]


def _split() -> Values:
    request = SplitOrder(
        1, "1", SplitKind.PERCENTAGE, 3334, (SharePart("a", 3333), SharePart("b", 3333)), b""
    )
    shares = splits.shares(request, 10001)
    reduced = splits.reduced(shares, 5001)
    assert reduced == Shares(1669, (1666, 1666))
    return [f"({list(each.parts_paise)}, {each.primary_paise})" for each in (shares, reduced)]


def _gst() -> Values:
    told: Values = []
    for same_state in (True, False):
        found = gst.calculate(10_000_00, Decimal(500), Decimal("100.50"), same_state=same_state)
        halves = (found.cost.sgst_paise, found.profit.cgst_paise)
        wholes = (found.cost.igst_paise, found.profit.igst_paise)
        amounts = (
            found.profit.paise,
            found.total_tax_paise,
            found.total_paise,
            *(halves if same_state else wholes),
        )
        told += [fields.text_from_paise(each) for each in amounts if each is not None]
    return told


def _gst_halves() -> Values:
    within, between = (
        gst.calculate(3333, Decimal(0), Decimal(5), same_state=each) for each in (True, False)
    )
    return [fields.text_from_paise(each.total_tax_paise) for each in (within, between)]


def _coupons() -> Values:
    amounts = (2_000_01, 2_000_00, 1_000_00, 999_99, 500_00, 499_99)
    return [[offers.coupon_count(paise, 1) for paise in amounts]]


def _bharat_qr() -> Values:
    text = bharat_qr.payload(
        **PAYEE, amount_paise=149950, order_id="ORD-1001", mcc="5651", city="Jaipur"
    )
    return [text[-4:], "".join(PAYEE["reference"])]


def _link() -> Values:
    expires_at = datetime(2026, 1, 15, 5, 8, tzinfo=UTC)
    link = upi_uri.pay_link(
        **PAYEE, amount_paise=149950, note="ORD-1001", mcc="5651", expires_at=expires_at
    )
    return link.partition("&mode")[::2][:1]  # the line is written in two


def _emi() -> Values:
    found = emi.instalments(30_000_00, 1500, 6)
    return [f"({found.monthly_paise}, {found.last_paise}, {found.interest_paise})"]


def _luhn() -> Values:
    assert card.luhn_holds("4111111111111111")
    assert not card.luhn_holds("4111111111111112")
    return ["4111111111111111"]


def _aadhaar() -> Values:
    fitting = [digit for digit in range(10) if identity.is_number(f"23412341234{digit}")]
    return [f"23412341234{digit}" for digit in fitting] or ["none"]


GATEWAY: dict[str, Callable[[], Values]] = {
    "wire.md#cipher": _cipher,
    "wire.md#replies": _replies,
    "wire.md#privatekey": lambda: [PRIVATEKEY],
    "wire.md#checksum-v4": lambda: [checksum.v4(TOKEN, DAY)],
    "wire.md#checksum-crc32": _crc32,
    "wire.md#checksum-mobile": _mobile,
    "wire.md#secure-hash": _secure_hash,
    "wire.md#signature": _signature,
    "wire.md#retries": _retries,
    "wire.md#partner-checksum": lambda: [
        partners.checksum(["10000", "500", "100.50", "Y"], SECRET)
    ],
    "wire.md#lead-cipher": _lead,
    "partner-interfaces.md#pos-entries": _entries,
    "wire.md#offer-checksums": _offers,
    "payment-interfaces.md#origin": _origin,
    "payment-interfaces.md#split-rounding": _split,
    "payment-interfaces.md#split-flat": lambda: [
        wire_splits.flat_token(PRIVATEKEY, "217383559059812", SECRET)
    ],
    "partner-interfaces.md#age-band": lambda: [identity.age_band(date(1990, 6, 15), DAY)],
    "partner-interfaces.md#gst-calculator": _gst,
    "partner-interfaces.md#coupons": _coupons,
    "domain.md#money": lambda: [fields.text_from_paise(1_00_000_00), rupees(1_00_000_00)],
    "domain.md#upi-link": _link,
    "domain.md#bharat-qr": _bharat_qr,
    "domain.md#card-ranges": _luhn,
    "domain.md#card-masking": lambda: [card.masked("4111111111111111")],
    "domain.md#emi": _emi,
    "domain.md#emi-no-cost": lambda: [emi.no_cost(30_000_00, 1500, 6).discount_paise],
    "domain.md#gstin": lambda: [
        "27AAPFU0939F1Z" + registrations.gstin_check_character("27AAPFU0939F1Z")
    ],
    "domain.md#gst-halves": _gst_halves,
    "domain.md#aadhaar-number": _aadhaar,
    "domain.md#contact-hash": lambda: [document.contact_hash("9876543210", "1234", "0013")],
}
"""What the gateway gives for each worked example; each value must stand under the anchor."""


def test_every_worked_example_is_compared_with_the_gateway() -> None:
    shown = {
        f"{page.name}#{anchor}"
        for page in PAGES
        for anchor, text in sections(page).items()
        if EXAMPLE in text
    }
    assert shown == GATEWAY.keys()


@pytest.mark.parametrize("place", GATEWAY)
def test_the_gateway_gives_what_the_example_says(place: str) -> None:
    told = section(place).partition(EXAMPLE)[2]
    missing = [value for value in GATEWAY[place]() if str(value) not in told]
    assert missing == [], json.dumps(missing, default=str)


CODE = [block for page in PAGES for block in blocks(page) if block.language == "python"]


def test_there_are_examples_that_run() -> None:
    assert len(CODE) >= len(GATEWAY) - 2


@pytest.mark.parametrize("block", CODE, ids=lambda block: block.where)
def test_the_example_gives_what_it_says(block: Block) -> None:
    """Run it alone: whoever reads one section has all that its example needs."""
    assert "assert " in block.text
    exec(compile(block.text, block.where, "exec"), {})  # noqa: S102 (the examples are ours)
