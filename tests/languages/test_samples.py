"""Every sample of the documentation, in one program for each language, at the running gateway."""

import json
import os
import secrets
import subprocess
import sys
from typing import Any

import pytest

from hundi.sdk import Buyer, Order, QrOrder
from tests.house.source import ROOT
from tests.languages.conftest import LANGUAGES
from tests.patience import PATIENCE_S
from tests.system.browser import Browser
from tests.system.conftest import sender
from tests.system.envelopes import Sender
from tests.system.shop import AMOUNT_PAISE, Shop, new_order_id, pay_card, scan
from tests.system.test_subscriptions import approved
from tools.sdks import sample_languages, sample_pages
from tools.sdks.samples import SAMPLES, GivenValue, PageSample, is_list, variables

__all__ = ["sender"]
PROGRAMS = {
    "curl": ("build/samples/calls.sh", ["bash", "-eu", "build/samples/calls.sh"]),
    "python": ("build/samples/calls.py", [sys.executable, "build/samples/calls.py"]),
    "node": ("sdks/node/build/calls.mjs", ["node", "sdks/node/build/calls.mjs"]),
    "go": ("sdks/go/build/calls/main.go", ["go", "-C", "sdks/go", "run", "./build/calls"]),
    "java": (
        "sdks/java/target/Calls.java",
        ["java", "-cp", "sdks/java/target/classes", "sdks/java/target/Calls.java"],
    ),
    "php": (
        "sdks/php/build/calls.php",
        ["php", "-d", "auto_prepend_file=sdks/php/tests/autoload.php", "sdks/php/build/calls.php"],
    ),
}
"""Where the program of each language is written, and how it is run."""
EXPECTED = {
    "verify": "SUCCESS",
    "capture": "CAPTURE",
    "void": "VOIDED",
    "validate_vpa": "Asha Rao (simulated)",
    "create_link": "open",
    "link": "open",
    "subscription": "active",
    "pause_subscription": "paused",
    "split": "configured",
}
"""What a sample prints, by its operation; others print a count, or what they were given."""


def held(shop: Shop, browser: Browser) -> str:
    """Return the id of a payment that a card's bank holds."""
    order_id = new_order_id("HOLD")
    buyer = Buyer(first_name="Asha", last_name="Rao", email="asha@example.in", phone="9876543210")
    order = Order(order_id=order_id, amount_paise=AMOUNT_PAISE, buyer=buyer, authorise_only=True)
    form = shop.client.payment_form(order)
    pay_card(browser, browser.post(form.action_url, form.fields))
    return shop.verify(order_id).transaction_id


@pytest.fixture
def given(shop: Shop, browser: Browser, sender: Sender) -> dict[str, str]:
    """The environment that the samples promise, with payments of its own."""
    order_id, own = new_order_id("PAID"), shop.merchant.credentials
    code = shop.client.generate_qr(QrOrder(order_id=order_id, amount_paise=AMOUNT_PAISE))
    scan(shop.gateway, code.text)
    paid = shop.becomes(order_id, 200)
    values = {
        "MERCHANT_ID": own.merchant_id,
        "USERNAME": own.username,
        "PASSWORD": own.password,
        "API_SECRET": own.api_secret,
        "OAUTH_CLIENT_ID": own.oauth_client_id,
        "OAUTH_CLIENT_SECRET": own.oauth_client_secret,
        "WEBHOOK_KEY": own.webhook_keys[0],
        "BASE_URL": shop.gateway.base_url,
        "ORDER_ID": order_id,
        "NEW_ORDER_ID": new_order_id("NEW"),
        "TRANSACTION_ID": paid.transaction_id,
        "SPLITTABLE_ID": paid.transaction_id,
        "SPLITTABLE_RRN": paid.rrn,
        "SPLIT_REQUEST_ID": str(secrets.randbelow(10**12)),
        "HELD_ID": held(shop, browser),
        "OTHER_HELD_ID": held(shop, browser),
        "SUBSCRIPTION_ID": str(approved(sender, shop)["ap_transactionid"]),
    }
    assert set(variables()) <= set(values)
    return values


def run(language: str, given: dict[str, str]) -> list[str]:
    """Write the program of a language, run it, and return what it printed."""
    (written,) = [each for each in sample_languages.LANGUAGES if each.name == language]
    place, command = PROGRAMS[language]
    (ROOT / place).parent.mkdir(parents=True, exist_ok=True)
    (ROOT / place).write_text(sample_pages.program(written), "utf-8")
    ran = subprocess.run(
        command,
        cwd=ROOT,
        env={**os.environ, **given},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S * 4,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout.splitlines()


def value_of(sample: PageSample, given: dict[str, str]) -> str:
    """Return what a sample prints that shows a field it was given, "" for another one."""
    value: Any = sample.values.get(sample.shows)
    if sample.method == "refund":
        value = sample.values["items"][0][sample.shows]
    return given[value.name] + value.after if isinstance(value, GivenValue) else ""


@pytest.mark.parametrize("name", ["python", *LANGUAGES])
def test_every_sample_answers_as_it_says(name: str, given: dict[str, str]) -> None:
    printed = run(name, given)
    assert len(printed) == len(SAMPLES), printed
    for sample, line in zip(SAMPLES, printed, strict=True):
        expected = EXPECTED.get(sample.method) or value_of(sample, given)
        if is_list(sample):
            assert line.isdigit(), (sample.method, line)
        elif expected:
            assert line == expected, (sample.method, line)
        else:
            assert line, sample.method


def test_every_sample_is_answered_by_curl(given: dict[str, str]) -> None:
    replies = [json.loads(line) for line in run("curl", given)]
    assert [
        (each.method, reply["message"])
        for each, reply in zip(SAMPLES, replies, strict=True)
        if reply["status"] != "success"
    ] == []
