"""Attacks on the wire and on the wall between merchants.

Tampered, replayed and borrowed messages gain nothing.
"""

import json
import re
from typing import Any

import pytest

from hundi.sdk import Order, errors
from hundi.wire.merchant.table import OPERATIONS
from hundi.wire.merchant.token import ISSUE
from tests.system.browser import Browser, read_screen
from tests.system.conftest import NewMerchant
from tests.system.envelopes import API, PAGE, TOKEN, VERIFY, Merchant, Sender, form, order, v4
from tests.system.running import RunningGateway
from tests.system.shop import (
    AMOUNT_PAISE,
    ASHA,
    PAID_POSTING,
    SESSION,
    Shop,
    enter_card,
    enter_otp,
    new_order_id,
    pay_card,
    scan,
    settled,
)

pytestmark = pytest.mark.usefixtures("books_hold")
BLOCK = 16
VERBS = [each.paths[0].strip("/") for each in OPERATIONS if each.root == API and each is not ISSUE]


def other_iv(encdata: str, before: bytes, after: bytes) -> str:
    """Return the IV that changes a plaintext's first 16 bytes, "" when it is not printable."""
    assert len(before) == len(after) == BLOCK
    iv = bytes(
        old ^ was ^ wanted
        for old, was, wanted in zip(encdata[:BLOCK].encode(), before, after, strict=True)
    )
    return iv.decode() if all(32 <= byte < 127 for byte in iv) else ""


def tampered(merchant: Merchant, payload: bytes, after: bytes) -> str:
    """Change the first 16 bytes of a message, as anybody can who holds it.

    Of those held, one has an IV that allows it.
    """
    for _ in range(20_000):
        encdata = merchant.sealed(payload)
        iv = other_iv(encdata, payload[:BLOCK], after)
        if iv:
            return iv + encdata[BLOCK:]
    message = "no IV allows this change"
    raise AssertionError(message)


TAMPERINGS = [
    b'{"orderid":"B22"',
    b'{"rrn":"1","a":{',
    b'{"x":"yyyyyyyy",',
    b'{"client_id":"a"',
    b'{"mode":"refund"',
    b"................",
]


@pytest.mark.parametrize("start", TAMPERINGS)
def test_a_payment_form_with_a_changed_iv_opens_nothing_on_any_other_operation(
    gateway: RunningGateway, sender: Sender, shop: Shop, start: bytes
) -> None:
    """A message made for the payment page opens nothing else (docs/spec/wire.md#page-messages)."""
    payload = json.dumps(order("B11-" + "x" * 20), separators=(",", ":")).encode()
    encdata = tampered(shop.merchant, payload, start)
    outer = shop.merchant.envelope({}, encdata=encdata, checksum=None)
    for name in (TOKEN, VERIFY, "orderconfirmation/"):
        reply = sender.post(
            "/gateway" + API + name, form(outer), shop.merchant, token=sender.token(shop.merchant)
        )
        assert reply.envelope["status"] == "fail"
        assert reply.code in {"102", "110"}
        # Not of the whole text: its sealed half is random and may spell anything.
        assert "B11" not in json.dumps(reply.envelope)
        assert not reply.envelope["data"] or reply.data["success"] is False
    assert (
        gateway.value(
            "SELECT count(*) FROM payments WHERE order_id LIKE 'B22%' OR order_id LIKE 'B11%'"
        )
        == 0
    )


def test_a_return_leg_seen_in_a_browser_opens_no_operation_and_no_page(
    sender: Sender, shop: Shop, browser: Browser
) -> None:
    order_id = new_order_id()
    (leg,) = settled(
        browser, pay_card(browser, shop.open_page(browser, order_id, authorise_only=True))
    ).forms
    seen = {"encdata": leg.fields["response"], "checksum": None}
    for operation in VERBS:
        # As if the privatekey had been lost, too: not even then.
        reply = sender.ask(operation, shop.merchant, order(order_id), **seen)
        refusal = (
            "103" if operation == "seamless" else "110"
        )  # the one that demands a checksum, as the page does
        assert (operation, reply.code, reply.data) == (operation, refusal, []), reply.message
    outer = form(shop.merchant.envelope(order(order_id), **seen))
    assert (
        read_screen(sender.raw(PAGE, outer, token=sender.token(shop.merchant))).codes[0] == "103"
    ), "no checksum"
    assert shop.verify(order_id).payment_status == "AUTHORIZE"


def test_the_form_of_our_sdk_holds_nothing_worth_changing_in_its_first_block(
    sender: Sender, shop: Shop
) -> None:
    """The SDK spends the first 16 bytes on a field that only the merchant can compute."""
    asked = Order(order_id=new_order_id(), amount_paise=AMOUNT_PAISE, buyer=ASHA)
    for start, code in (
        (b'{"customvar"   :', "103"),
        (b'{"orderid"     :', "102"),
        (b'{"amount"      :', "102"),
        (b'{"chmod"       :', "103"),
    ):
        forms = (shop.client.payment_form(asked) for _ in range(20_000))
        changed = (
            (form, other_iv(form.fields["encdata"], b'{"request_seal":', start)) for form in forms
        )
        made, iv = next((form, iv) for form, iv in changed if iv)
        fields = dict(made.fields) | {"encdata": iv + made.fields["encdata"][BLOCK:]}
        assert read_screen(sender.http.post(made.action_url, data=fields)).codes[0] == code
        assert read_screen(sender.http.post(made.action_url, data=fields | {"checksum": ""})).codes[
            0
        ] in {"102", "103"}
    assert sender.http.post(made.action_url, data=dict(made.fields)).status_code == 303


def test_a_changed_amount_is_caught_where_it_matters(
    sender: Sender, shop: Shop, browser: Browser
) -> None:
    """A naive client puts the amount first.

    Whoever pays less is found out by the SDK's return and verify calls.
    """
    order_id = new_order_id()
    asked = {"amount": "9499.50"} | order(order_id, "9499.50")
    payload = json.dumps(asked, separators=(",", ":")).encode()
    assert payload.startswith(b'{"amount":"9499.')
    encdata = tampered(shop.merchant, payload, b'{"amount":"0001.')
    changed = asked | {"amount": "0001.50"}
    outer = shop.merchant.envelope({}, encdata=encdata, checksum=v4(changed))
    answer = sender.raw(PAGE, form(outer), token=sender.token(shop.merchant))
    assert answer.status_code == 303
    screen = browser.get(sender.base_url + answer.headers["location"])
    scan(shop.gateway, screen.upi_link)
    shop.becomes(order_id, 200, 150)
    with pytest.raises(errors.MismatchError) as caught:
        shop.verify(order_id, 949_950)
    assert caught.value.field == "amount"
    with pytest.raises(errors.MismatchError):
        shop.come_back(browser.get(screen.url), order_id, 949_950)
    assert shop.come_back(browser.get(screen.url), order_id, 150).transaction.is_paid


def test_a_replayed_form_reopens_the_same_payment_and_pays_nothing_twice(
    sender: Sender, shop: Shop, browser: Browser
) -> None:
    order_id = new_order_id()
    made = shop.client.payment_form(Order(order_id=order_id, amount_paise=AMOUNT_PAISE, buyer=ASHA))
    places = {
        sender.http.post(made.action_url, data=dict(made.fields)).headers["location"]
        for _ in range(3)
    }
    assert len(places) == 1
    scan(shop.gateway, browser.get(sender.base_url + places.pop()).upi_link)
    shop.becomes(order_id, 200)
    answer = sender.http.post(made.action_url, data=dict(made.fields))
    assert read_screen(answer).codes[0] == "112"
    assert (len(shop.attempts(order_id)), shop.postings(order_id), shop.bank_debits(order_id)) == (
        1,
        PAID_POSTING,
        [(AMOUNT_PAISE, "done")],
    )


# --- the wall between merchants ---


@pytest.fixture(scope="module")
def foreign(rival: Shop) -> dict[str, str]:
    """A paid order of somebody else."""
    order_id = new_order_id("R")
    with Browser() as browser:
        scan(rival.gateway, rival.open_page(browser, order_id).upi_link)
    told = rival.becomes(order_id, 200)
    return {"orderid": order_id, "ap_transactionid": told.transaction_id, "rrn": told.rrn}


@pytest.mark.parametrize(
    "names", [("orderid",), ("ap_transactionid",), ("rrn",), ("orderid", "ap_transactionid", "rrn")]
)
def test_every_reference_of_another_merchant_is_not_found(
    sender: Sender, shop: Shop, rival: Shop, foreign: dict[str, str], names: tuple[str, ...]
) -> None:
    asked = {name: foreign[name] for name in names}
    reply = sender.verify(shop.merchant, asked)
    assert (reply.code, reply.data, reply.message) == ("503", [], "No records found")
    nobody = sender.verify(shop.merchant, dict.fromkeys(names, "1" * 15))
    assert (nobody.code, nobody.message) == (reply.code, reply.message)
    assert sender.verify(rival.merchant, asked).data["orderid"] == foreign["orderid"]


def test_the_same_order_id_at_two_merchants_is_two_orders(
    shop: Shop, rival: Shop, browser: Browser
) -> None:
    order_id = new_order_id("BOTH")
    scan(shop.gateway, shop.open_page(browser, order_id).upi_link)
    rival.open_page(browser, order_id, 5_000)
    assert shop.becomes(order_id, 200).amount_paise == AMOUNT_PAISE
    assert rival.verify(order_id, 5_000).status_code == 211
    assert rival.postings(order_id) == []


def test_credentials_of_one_merchant_open_nothing_of_another(
    sender: Sender, shop: Shop, rival: Shop, foreign: dict[str, str]
) -> None:
    ours, theirs = shop.merchant, rival.merchant
    asked = {"orderid": foreign["orderid"]}
    tokens = {"ours": sender.token(ours), "theirs": sender.token(theirs)}
    # Their token with our proofs, our token with theirs, their id with everything of ours.
    assert sender.verify(ours, asked, token=tokens["theirs"]).code == "104"
    assert sender.verify(theirs, asked, token=tokens["ours"]).code == "104"
    assert (
        sender.verify(ours, asked, merchant_id=theirs.merchant_id, token=tokens["ours"]).code
        == "104"
    )
    assert (
        sender.verify(ours, asked, merchant_id=theirs.merchant_id, token=tokens["theirs"]).code
        == "108"
    )
    borrowed = sender.verify(theirs, "", encdata=ours.sealed(asked), token=tokens["theirs"])
    assert borrowed.code == "102"
    assert sender.ask_token(theirs, "", encdata=ours.sealed(ours.token_request)).code == "102"
    inside = sender.ask_token(ours, theirs.token_request)
    assert inside.code == "110"
    crossed = sender.ask_token(theirs, ours.token_request | {"merchant_id": theirs.merchant_id})
    assert crossed.code == "903"


def test_a_page_started_with_borrowed_credentials_shows_the_way_to_the_named_merchant_only(
    sender: Sender, shop: Shop, rival: Shop
) -> None:
    outer = shop.merchant.envelope(order(new_order_id()), merchant_id=rival.merchant.merchant_id)
    for token in (sender.token(shop.merchant), sender.token(rival.merchant)):
        screen = read_screen(sender.raw(PAGE, form(outer), token=token))
        assert screen.codes[0] in {"104", "108"}
        stored = rival.gateway.value(
            "SELECT settings->>'failure_url' FROM merchants WHERE merchant_id = $1",
            rival.merchant.number,
        )
        assert [address for address, _ in screen.links] == [stored]


# --- sessions ---


def test_a_session_opens_its_own_payment_and_nothing_else(
    gateway: RunningGateway, sender: Sender, shop: Shop, rival: Shop, browser: Browser
) -> None:
    mine, other = shop.open_page(browser, new_order_id()), shop.open_page(browser, new_order_id())
    theirs = rival.open_page(browser, new_order_id())
    merchant_id, payment_id, tag = mine.path.removeprefix(SESSION).split(".")
    _, other_id, other_tag = other.path.removeprefix(SESSION).split(".")
    their_merchant, their_id, _ = theirs.path.removeprefix(SESSION).split(".")
    forged = [
        f"{merchant_id}.{other_id}.{tag}",
        f"{their_merchant}.{their_id}.{tag}",
        f"{merchant_id}.{payment_id}.{other_tag}",
        f"{merchant_id}.{payment_id}.{'A' * 24}",
        f"0{merchant_id}.{payment_id}.{tag}",
        f"{merchant_id}.{payment_id}.",
        f"{merchant_id}.{payment_id}.{tag}x",
        "1.1.1",
        "%00",
        "आशा",
    ]
    for session in forged:
        for tail in ("", "/status", f"/qr/{shop.attempts(_order_of(mine))[0]['attempt_id']}.svg"):
            answer = sender.http.get(f"{gateway.base_url}{SESSION}{session}{tail}")
            assert answer.status_code == 404, (session, tail)
            assert "There is no payment here" in answer.text, (session, tail)
        for tail in ("/qr", "/vpa", "/card", "/return"):
            answer = sender.http.post(
                f"{gateway.base_url}{SESSION}{session}{tail}", data={"number": "4111111111111111"}
            )
            assert answer.status_code == 404, (session, tail)


def _order_of(screen: Any) -> str:
    return re.search(r"T-[0-9a-f]{12}", screen.text)[0]


def test_a_qr_and_a_challenge_belong_to_one_session(
    gateway: RunningGateway, sender: Sender, shop: Shop, browser: Browser
) -> None:
    mine, other = shop.open_page(browser, new_order_id()), shop.open_page(browser, new_order_id())
    drawn = re.search(r"/qr/(\d+)\.svg", mine.html)
    assert drawn is not None
    assert (
        sender.http.get(f"{mine.url}/qr/{drawn[1]}.svg")
        .headers["content-type"]
        .startswith("image/svg+xml")
    )
    assert sender.http.get(f"{other.url}/qr/{drawn[1]}.svg").status_code == 404
    challenge = enter_card(browser, mine)
    assert challenge.path.startswith("/3ds/"), challenge.text
    attempt = shop.attempts(_order_of(mine))[-1]
    for method in ("get", "post"):
        answer = getattr(sender.http, method)(f"{other.url}/3ds/{attempt['attempt_id']}")
        assert answer.status_code == 404
    # Coming back without having confirmed charges nothing, whatever the browser claims.
    for claim in (
        "",
        "?authentication_id=" + attempt["authentication_id"],
        "?trans_status=Y&status=paid&eci=05",
    ):
        sender.http.get(f"{mine.url}/3ds/{attempt['attempt_id']}{claim}")
        sender.http.post(
            f"{mine.url}/3ds/{attempt['attempt_id']}", data={"PaRes": "Y", "trans_status": "Y"}
        )
    assert shop.attempts(_order_of(mine))[-1]["state"] == "authenticating"
    assert shop.postings(_order_of(mine)) == []
    assert settled(browser, enter_otp(browser, challenge)).at == "result"
    assert shop.postings(_order_of(mine)) == PAID_POSTING


# --- forged forms ---


# --- timing and the limit on failures ---


def test_wrong_answers_are_limited_and_right_credentials_never(
    sender: Sender, new_merchant: NewMerchant
) -> None:
    """Ten a minute per merchant and address, then the address is told to wait.

    Whoever knows the secret gets in all the same.
    """
    merchant = new_merchant("Guessed")
    wrong = merchant.token_request | {"client_secret": "guess"}
    replies = [sender.ask_token(merchant, wrong) for _ in range(14)]
    assert [each.code for each in replies] == ["903"] * 10 + ["429"] * 4
    assert 20 <= int(replies[-1].headers["retry-after"]) <= 30
    assert "retry-after" not in replies[0].headers
    assert sender.ask_token(merchant, "no JSON").code == "429"
    assert sender.ask_token(merchant, merchant.token_request).code == "00"
    assert sender.ask_token(merchant, wrong).code == "429"
    # Nobody else pays for it: neither another merchant, nor what this one has under way.
    assert sender.ask_token(new_merchant("Neighbour"), wrong).code == "110"
    neighbour = new_merchant("Neighbour")
    assert (
        sender.ask_token(neighbour, neighbour.token_request | {"client_secret": "guess"}).code
        == "903"
    )
    assert sender.verify(merchant, {"orderid": "x"}).code == "503"
