"""A customer's way through the page: choose, go to the bank, come back, see the outcome.

And all that can go twice.
"""

import asyncio
import re
from urllib.parse import urlsplit

import pytest
from structlog.testing import capture_logs

from hundi.acquirers.port.answers import Approved, Declined
from hundi.kernel.money import Money
from hundi.kernel.states import AttemptState as A
from hundi.kernel.states import PaymentState as P
from hundi.payments.orders.extensions.actions import TIMES_MAX
from tests.page.conftest import Till
from tests.page.test_receipt import words

CARD = {"number": "4111 1111 1111 1111", "expiry": "12/40", "cvv": "123", "holder": "Asha"}
PHONE = {"user-agent": "Mozilla/5.0 (Linux; Android 15; Pixel 9) Chrome/141.0 Mobile Safari/537.36"}


async def test_the_page_names_merchant_order_and_amount_and_escapes_them(till: Till):
    page = await till.browser.get(await till.order())
    assert page.status_code == 200
    assert "Asha &lt;Handlooms&gt;" in page.text
    assert "₹1,499.50" in page.text
    assert "<Handlooms>" not in page.text


async def test_every_page_is_locked(till: Till):
    page = await till.browser.get(await till.order())
    policy = page.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self';" in policy
    assert "frame-ancestors 'none'" in policy
    assert "form-action 'self';" in policy, "no acquirer's host has to be known"
    assert page.headers["referrer-policy"] == "no-referrer"
    assert page.headers["cache-control"] == "no-store"
    assert page.headers["x-content-type-options"] == "nosniff"


async def test_every_file_the_page_names_exists_and_lasts(till: Till):
    page = await till.browser.get(await till.order())
    names = re.findall(r'(?:src|href)="(/pay/v4/static/[^"]+)"', page.text)
    assert len(names) >= 4
    for name in names:
        file = await till.browser.get(name)
        assert file.status_code == 200
        assert "immutable" in file.headers["cache-control"]
    assert (await till.browser.get("/pay/v4/static/../rules.py")).status_code == 404


async def test_a_qr_first_on_a_desk_and_a_button_first_on_a_phone(till: Till):
    path = await till.order()
    desk = (await till.browser.get(path)).text
    phone = (await till.browser.get(path, headers=PHONE)).text
    assert 'class="button" href="upi://pay?' not in desk
    assert 'class="button" href="upi://pay?' in phone
    assert phone.index('class="button" href="upi://pay?') < phone.index('class="qr"')
    source = re.search(r'<img src="([^"]+)"', desk)
    assert source is not None
    drawn = await till.browser.get(source[1])
    assert drawn.headers["content-type"].startswith("image/svg+xml")
    assert drawn.text.startswith("<svg")


@pytest.mark.parametrize("name", ["1.svg", "x.svg", "१.svg", "9" * 400 + ".svg"])
async def test_only_the_sessions_own_qr_is_drawn(till: Till, name: str):
    assert (await till.browser.get(f"{await till.order()}/qr/{name}")).status_code == 404


@pytest.mark.parametrize("session", ["x", "1.2.abc", "7.215000000000001." + "A" * 24])
async def test_an_address_that_names_no_payment_says_so(till: Till, session: str):
    for tail in ("", "/status", "/qr/1.svg"):
        page = await till.browser.get(f"/pay/v4/s/{session}{tail}")
        assert page.status_code == 404
        assert "There is no payment here" in page.text


@pytest.mark.parametrize(
    "address", ["/pay/v4/s/x", "/pay/v4/s/x/status", "/pay/v4/m/x", "/l/none", "/"]
)
async def test_a_message_is_read_in_the_language_that_is_chosen(till: Till, address: str):
    page = await till.browser.get(address)
    assert '<html lang="en">' in page.text
    assert '<button class="link" name="lang" value="hi"' in page.text
    chosen = await till.browser.get(f"{address}?lang=hi")
    assert chosen.status_code == page.status_code
    assert '<html lang="hi">' in chosen.text
    assert '<button class="link" name="lang" value="en"' in chosen.text
    assert '<html lang="en">' in (await till.browser.get(f"{address}?lang=xx")).text


async def test_what_answers_a_form_has_no_switch_because_its_address_would_show_something_else(
    till: Till,
):
    answer = await till.browser.post(
        f"{await till.order()}/card", headers={"sec-fetch-site": "cross-site"}
    )
    assert answer.status_code == 403
    assert 'name="lang"' not in answer.text


async def test_a_card_goes_to_the_bank_and_comes_back_paid(till: Till):
    path = await till.order()
    sent = await till.browser.post(f"{path}/card", data=CARD)
    assert sent.status_code == 200
    assert 'id="onward" href="http://bank.test/3ds/a1">Continue to bank.test</a>' in sent.text
    attempt = (await till.view(path)).live[0]
    assert "Confirm at your bank" in (await till.browser.get(path)).text
    back = await till.browser.get(f"{path}/3ds/{attempt.attempt_id}?authentication_id=forged")
    assert back.status_code == 303
    assert back.headers["location"] == path
    page = await till.browser.get(path)
    assert "You have paid ₹1,499.50" in page.text
    assert 'action="https://shop.example.in/ok"' in page.text
    assert "form-action 'self' https:;" in page.headers["content-security-policy"]


async def test_a_paid_order_has_a_receipt_and_no_other_has_one(till: Till):
    path = await till.order()
    assert (await till.browser.get(f"{path}/receipt.pdf")).status_code == 404
    await till.browser.post(f"{path}/card", data=CARD)
    attempt = (await till.view(path)).live[0]
    assert (await till.browser.get(f"{path}/receipt.pdf")).status_code == 404, "nothing is paid yet"
    await till.browser.get(f"{path}/3ds/{attempt.attempt_id}")
    assert f'href="{path}/receipt.pdf"' in (await till.browser.get(path)).text
    got = await till.browser.get(f"{path}/receipt.pdf")
    assert got.status_code == 200
    assert got.headers["content-type"].startswith("application/pdf")
    payment_id = path.rpartition("/")[2].split(".")[1]
    assert got.headers["content-disposition"] == f'attachment; filename="receipt-{payment_id}.pdf"'
    assert got.headers["cache-control"] == "no-store"
    assert got.headers["x-content-type-options"] == "nosniff"
    assert got.content.startswith(b"%PDF-")
    assert len(got.content) < 30_000
    forged = path[:-1] + ("A" if path[-1] != "A" else "B")
    assert (await till.browser.get(f"{forged}/receipt.pdf")).status_code == 404
    view = await till.view(path)
    assert view.success is not None
    said = words(got.content)
    assert said.startswith("Asha <Handlooms>")
    for value in (
        f"Order {view.payment.order_id}",
        f"Payment number {payment_id}",
        f"Bank reference (RRN) {view.success.rrn}",
        "Paid by Credit or debit card",
        "card ending 1111",
        "Amount paid ₹1,499.50",
    ):
        assert value in said
    assert (await till.browser.get(f"{path}/receipt.pdf")).content == got.content
    hindi = words((await till.browser.get(f"{path}.hi/receipt.pdf")).content)
    assert payment_id in hindi
    assert "Payment number" not in hindi


async def test_nothing_secret_is_ever_sent_back(till: Till):
    path = await till.order()
    sent = await till.browser.post(
        f"{path}/card", data={**CARD, "number": "4111 1111 1111 1112", "cvv": "987"}
    )
    assert sent.status_code == 303
    address = sent.headers["location"]
    assert urlsplit(address).path == path
    page = (await till.browser.get(address)).text
    assert "typing error" in page
    assert 'value="12/40"' in page
    assert 'value="Asha"' in page
    # Standing alone: names of files and sessions may hold any three digits by chance.
    assert not re.search(r"(?<![\w-])(?:1112|987)(?![\w-])", page + address)
    assert till.bank.calls == []


async def test_an_empty_or_broken_form_gets_its_errors(till: Till):
    path = await till.order()
    for body in (b"", b"\xff\xfe", b"&".join(b"a=%d" % n for n in range(50))):
        sent = await till.browser.post(
            f"{path}/card",
            content=body,
            headers={"content-type": "application/x-www-form-urlencoded"},
        )
        assert sent.status_code == 303
        assert "Enter the card number." in (await till.browser.get(sent.headers["location"])).text
    huge = await till.browser.post(f"{path}/card", content=b"a" * 20_000)
    assert huge.status_code == 413


async def test_a_declined_card_leads_back_to_the_methods_and_the_next_one_pays(till: Till):
    path = await till.order()
    till.bank.authorisations.append(Declined("51", "Insufficient funds"))
    await till.browser.post(f"{path}/card", data=CARD)
    first = (await till.view(path)).live[0]
    await till.browser.get(f"{path}/3ds/{first.attempt_id}")
    page = (await till.browser.get(path)).text
    assert "There was not enough money in the account." in page
    assert "No money has left your account." in page
    assert f'action="{path}/card"' in page
    await till.browser.post(f"{path}/card", data=CARD)
    second = (await till.view(path)).live[0]
    await till.browser.get(f"{path}/3ds/{second.attempt_id}")
    assert (await till.view(path)).payment.state is P.PAID


async def test_a_card_pressed_twice_is_charged_once(till: Till):
    path = await till.order()
    answers = await asyncio.gather(
        *(till.browser.post(f"{path}/card", data=CARD) for _ in range(5))
    )
    assert sorted(answer.status_code for answer in answers) == [200, 303, 303, 303, 303], (
        "one is taken to the bank"
    )
    again = await till.browser.post(f"{path}/card", data=CARD)
    assert again.headers["location"] == path
    live = (await till.view(path)).live
    assert len(live) == 1
    await asyncio.gather(*(till.browser.get(f"{path}/3ds/{live[0].attempt_id}") for _ in range(5)))
    assert [call for call, _ in till.bank.calls].count("authorise") == 1
    after = await till.browser.post(f"{path}/card", data=CARD)
    assert after.headers["location"] == path
    assert [call for call, _ in till.bank.calls].count("authorise") == 1


async def test_a_challenge_may_be_left_for_another_method(till: Till):
    path = await till.order()
    await till.browser.post(f"{path}/card", data=CARD)
    assert f'href="{path}?choose=1"' in (await till.browser.get(path)).text
    methods = (await till.browser.get(f"{path}?choose=1")).text
    assert f'action="{path}/card?choose=1"' in methods
    again = await till.browser.post(f"{path}/card?choose=1", data=CARD)
    assert 'href="http://bank.test/3ds/a1"' in again.text
    states = [each.state for each in (await till.view(path)).attempts if each.method == "card"]
    assert sorted(states) == [A.AUTHENTICATING, A.EXPIRED]


async def test_a_upi_id_is_asked_and_waited_for(till: Till):
    path = await till.order()
    wrong = await till.browser.post(f"{path}/vpa", data={"vpa": "asha"})
    assert "does not look like a UPI ID" in (await till.browser.get(wrong.headers["location"])).text
    sent = await till.browser.post(f"{path}/vpa", data={"vpa": " Asha@YBL "})
    assert sent.headers["location"] == path
    page = (await till.browser.get(path)).text
    assert "asha@ybl" in page
    assert 'http-equiv="refresh" content="5"' in page


async def test_the_bank_is_asked_and_the_browser_is_not_believed(till: Till):
    path = await till.order()
    till.bank.trans_status = "N"
    await till.browser.post(f"{path}/card", data=CARD)
    attempt = (await till.view(path)).live[0]
    await till.browser.post(f"{path}/3ds/{attempt.attempt_id}", data={"transStatus": "Y"})
    assert "did not confirm that it was you" in (await till.browser.get(path)).text
    assert ("authorise", attempt.reference) not in till.bank.calls


async def test_another_payments_attempt_is_unknown_here(till: Till):
    mine, other = await till.order(), await till.order()
    await till.browser.post(f"{other}/card", data=CARD)
    theirs = (await till.view(other)).live[0]
    assert (await till.browser.get(f"{mine}/3ds/{theirs.attempt_id}")).status_code == 404
    assert (await till.view(other)).live == (theirs,)


@pytest.mark.parametrize("form", ["card", "vpa", "qr"])
async def test_a_form_of_another_site_does_nothing(till: Till, form: str):
    path = await till.order()
    with capture_logs() as lines:
        answer = await till.browser.post(
            f"{path}/{form}", data=CARD, headers={"sec-fetch-site": "cross-site"}
        )
    assert answer.status_code == 403
    assert [(line["event"], line["site"]) for line in lines] == [
        ("form_of_another_site", "cross-site")
    ]
    assert "came from another site" in answer.text
    assert till.bank.calls == []


async def test_a_customer_gets_more_time_so_many_times_and_no_more(till: Till):
    path = await till.order()
    opened = await till.view(path)
    for _ in range(TIMES_MAX + 2):
        assert (await till.browser.post(f"{path}/more")).status_code == 303
    after = await till.view(path)
    assert after.payment.revision == 1 + TIMES_MAX
    assert after.payment.expires_at > opened.payment.expires_at
    assert (await till.browser.get(f"{path}/status")).json()["screen"] == "choose"


async def test_status_tells_an_open_page_when_it_is_outdated(till: Till):
    path = await till.order()
    answer = await till.browser.get(f"{path}/status")
    assert answer.headers["cache-control"] == "no-store"
    before = answer.json()
    assert 0 < before.pop("left_s") <= 900
    assert before.pop("until").endswith(" IST")
    assert before == {"screen": "choose", "state": "open", "done": False, "revision": 1}
    await till.browser.post(f"{path}/card", data=CARD)
    attempt = (await till.view(path)).live[0]
    waiting = (await till.browser.get(f"{path}/status")).json()
    assert waiting["screen"] == "waiting"
    till.bank.authorisations.append(Approved(Money(149_950), "632512345678"))
    await till.browser.get(f"{path}/3ds/{attempt.attempt_id}")
    paid = (await till.browser.get(f"{path}/status")).json()
    assert (paid["screen"], paid["state"], paid["done"]) == ("result", "paid", True)
    assert paid["revision"] > waiting["revision"]


async def test_a_session_past_its_end_shows_the_way_back(till: Till):
    path = await till.order(session_s=-10)
    page = (await till.browser.get(path)).text
    assert "This payment page has closed" in page
    assert 'action="https://shop.example.in/no"' in page
    assert "data-at-once" not in page
    assert (await till.browser.post(f"{path}/card", data=CARD)).headers["location"] == path
    assert till.bank.calls == []


async def test_returning_unpaid_goes_to_the_failure_address(till: Till):
    path = await till.order()
    page = (await till.browser.post(f"{path}/return")).text
    assert 'action="https://shop.example.in/no"' in page
    assert 'name="TRANSACTIONSTATUS" value="211"' in page
    assert "Nothing was paid" in page


async def test_hindi_for_a_browser_that_asks_for_it(till: Till):
    page = (
        await till.browser.get(await till.order(), headers={"accept-language": "hi-IN,hi;q=0.9"})
    ).text
    assert '<html lang="hi">' in page
    assert "आप कैसे भुगतान करना चाहते हैं?" in page


async def test_a_start_that_cannot_be_read_says_why_with_a_reference(till: Till):
    for address in ("/pay/v4/?token=x", "/pay/v4", "/airpay/pay/v4/index.php"):
        page = await till.browser.post(address, data={"merchant_id": "999", "encdata": "x"})
        assert page.status_code == 200
        assert "This payment could not be started" in page.text
        assert "501" in page.text
        assert re.search(r"req_[0-9a-f]{20}", page.text)


async def test_a_person_who_opens_the_start_address_is_told_what_it_is(till: Till):
    assert "Payments start in a shop" in (await till.browser.get("/pay/v4/")).text


async def test_a_customer_changes_the_language_and_keeps_it_to_the_end(till: Till):
    path = await till.order()
    switched = await till.browser.get(f"{path}?lang=hi")
    assert switched.status_code == 303
    assert switched.headers["location"] == f"{path}.hi"
    page = await till.browser.get(f"{path}.hi")
    assert '<html lang="hi">' in page.text
    assert '<button class="link" name="lang" value="en" lang="en">English</button>' in page.text
    assert 'value="hi"' not in page.text
    sent = await till.browser.post(f"{path}.hi/card", data={**CARD, "number": ""})
    assert sent.headers["location"].startswith(f"{path}.hi?f=")
    back = await till.browser.get(f"{path}.hi?lang=en", headers={"accept-language": "hi"})
    assert back.headers["location"] == f"{path}.en"
    assert (
        '<html lang="en">'
        in (await till.browser.get(f"{path}.en", headers={"accept-language": "hi"})).text
    )


async def test_a_language_that_nobody_speaks_changes_nothing(till: Till):
    path = await till.order()
    assert (await till.browser.get(f"{path}?lang=xx")).status_code == 200
    assert (await till.browser.get("/pay/v4/s/1.2.abc?lang=hi")).status_code == 404
    assert (await till.browser.get(f"{path}.hindi")).status_code == 404
