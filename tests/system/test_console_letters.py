"""Letters at the console: what was sent, masked; sending again by role; what a person chooses."""

import re
from collections.abc import Iterator

import pytest

from tests.system.browser import Browser
from tests.system.conftest import open_shop
from tests.system.console import Console
from tests.system.endpoint import MerchantServer
from tests.system.operating import did
from tests.system.running import RunningGateway
from tests.system.shop import Shop
from tests.system.test_console_payments import OPERATOR, session_of
from tests.system.test_letters import arrived, choose, ended, pay


@pytest.fixture(scope="module")
def operator(operated: RunningGateway) -> Iterator[Console]:
    with session_of(operated, OPERATOR, "198.51.100.91") as browser:
        yield browser


@pytest.fixture(scope="module")
def telling(operated: RunningGateway, server: MerchantServer) -> Iterator[Shop]:
    for shop in open_shop(operated, server, "told"):
        choose(shop, "receipt")
        yield shop


def test_a_letter_is_seen_masked_and_sent_again_with_an_entry(
    operated: RunningGateway, operator: Console, telling: Shop, browser: Browser
) -> None:
    payment = pay(telling, browser, "hidden@customers.example")[1]
    letter = ended(telling, payment, "sent")
    place = str(telling.merchant.number)
    shown = operator.get(f"{place}/letters").text
    assert "h•••@customers.example" in shown
    page = operator.get(f"{place}/letters/{letter['letter_id']}").text
    assert "Receipt from The told" in page
    assert "hidden@" not in shown + page
    assert f"/console/{place}/letters/{letter['letter_id']}" in operator.get("all/letters").text
    number = letter["letter_id"]
    resend = f"{place}/letters/{number}/resend"
    soon = operator.post(resend, seen_at=f"{place}/letters/{number}")
    assert "ten minutes after it was sent" in soon.text
    earlier = "UPDATE letters SET sent_at = sent_at - interval '11 minutes' WHERE letter_id = $1"
    operated.rows(earlier, int(number))
    again = operator.post(resend, seen_at=f"{place}/letters/{number}")
    assert "said=letter_resent" in again.headers["location"]
    second, first = arrived(operated, "hidden@customers.example", 2)
    assert first["message_id"] == second["message_id"]
    assert did(operated, place).count("letter.resend") == 1


def test_a_letter_of_another_merchant_is_not_found(
    operated: RunningGateway, operator: Console, telling: Shop, browser: Browser
) -> None:
    payment = pay(telling, browser, "other@customers.example")[1]
    number = ended(telling, payment, "sent")["letter_id"]
    first = operated.demo["merchants"][0]["merchant_id"]
    assert operator.get(f"{first}/letters/{number}").status_code == 404
    assert operator.post(f"{first}/letters/{number}/resend").status_code == 404
    assert ended(telling, payment, "sent")["letter_id"] == number, "it was not sent again"


def test_a_person_chooses_and_tests_their_own_mails(
    operated: RunningGateway, operator: Console
) -> None:
    kept = operator.post("you/letters", dispute_due="yes")
    assert "said=letters_chosen" in kept.headers["location"]
    ticked = re.findall(r'name="(\w+)" value="yes" checked', operator.get("you").text)
    assert ticked == ["dispute_due"]
    form_at = operator.field("you", "form_at")
    for _ in range(2):
        operator.post("you/letters/trial", form_at=form_at)
    (trial,) = arrived(operated, OPERATOR)
    assert trial["subject"].startswith("A test mail from http://")


def test_switches_choose_letters_by_channel_and_a_template_is_written_by_its_form(
    operated: RunningGateway, operator: Console, telling: Shop
) -> None:
    place = telling.merchant.merchant_id
    path = f"{place}/integration/letters"
    assert "No template yet" in operator.get(path).text
    answer = operator.post(path, **{"on_receipt": "1", "on_receipt:sms": "1", "language": "hi"})
    assert answer.headers["location"].endswith("said=settings_kept")
    shown = operated.operate("merchant", "show", place)
    assert shown["settings"]["letters"] == ["receipt", "receipt:sms"]
    assert shown["settings"]["letter_language"] == "hi"
    form = {
        "channel": "sms",
        "kind": "debit_notice",
        "language": "en",
        "template_id": "1107000000000000055",
        "entity_id": "1101000000000000055",
        "header": "ASHAPY",
        "text": "{#var#} debits Rs {#var#} on {#var#}.",
    }
    write = f"{place}/verbs/template/set"
    refused = operator.post(write, **form, field="merchant amount rrn")
    assert "rrn" in refused.text
    operator.post(write, **form, field="merchant amount date")
    listed = operator.get(f"{place}/verbs/template/list").text
    assert "1107000000000000055" in listed
    assert did(operated, place).count("template.set") == 1
    choose(telling, "receipt")
