"""What scripts rely on, to the letter.

Demo.json, the commands with --json and their exit statuses, the shop, health.
"""

import json
import stat
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from tests.system.browser import Browser
from tests.system.envelopes import Merchant, Sender
from tests.system.running import RunningGateway, until
from tests.system.shop import Shop, new_order_id, pay_card, pay_in_app, scan

pytestmark = pytest.mark.usefixtures("books_hold")


def ran(
    gateway: RunningGateway, *arguments: str, status: int = 0, text: str = "", **environment: str
) -> str:
    """Run a command as a script does; assert its exit status and return what it printed."""
    ended = gateway.command(*arguments, environment=environment, text=text)
    assert ended.returncode == status, (
        f"{arguments}: {ended.returncode}\n{ended.stdout}\n{ended.stderr}"
    )
    assert "Traceback" not in ended.stderr
    return ended.stdout


def shown(gateway: RunningGateway, *arguments: str, status: int = 0) -> Any:
    """Run a command with --json on the shared gateway's data, and return its output."""
    return json.loads(
        ran(gateway, *arguments, "--data-dir", str(gateway.data_dir), "--json", status=status)
    )


def test_demo_json_is_private_and_complete(gateway: RunningGateway) -> None:
    path = gateway.data_dir / "demo.json"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    demo = json.loads(path.read_text())
    assert set(demo) >= {
        "base_url",
        "payment_page_url",
        "offers_url",
        "simbank_url",
        "shop_url",
        "merchants",
    }
    assert demo["shop_url"] == demo["base_url"] + "/demo-shop/"
    assert not any(
        demo[name].endswith("/")
        for name in ("base_url", "payment_page_url", "offers_url", "simbank_url")
    )
    modes = [each["mode"] for each in demo["merchants"]]
    assert modes.count("live") >= 2
    assert modes.count("sandbox") >= 1
    wanted = (
        "merchant_id mode username password secret client_id client_secret webhook_key success_url"
        " failure_url notification_url"
    )
    for each in demo["merchants"]:
        assert set(wanted.split()) <= set(each)
        assert all(isinstance(each[name], str) and each[name] for name in wanted.split())
        assert each["merchant_id"].isdigit()
        assert each["webhook_key"].startswith("whsec_")
        assert 1 <= len(each["client_id"]) <= 20
        assert all(
            urlsplit(each[name]).netloc == urlsplit(demo["base_url"]).netloc
            for name in ("success_url", "notification_url")
        )
    secrets = [
        each[name]
        for each in demo["merchants"]
        for name in ("password", "secret", "client_secret", "webhook_key")
    ]
    assert len(set(secrets)) == len(secrets)


def test_every_demo_merchant_works_with_what_demo_json_says(
    gateway: RunningGateway, sender: Sender
) -> None:
    for each in gateway.demo["merchants"]:
        merchant = Merchant.of(each)
        assert sender.ask_token(merchant, merchant.token_request).code == "00"
        assert sender.verify(merchant, {"orderid": "none"}).code == (
            "503" if each["mode"] == "live" else "130"
        )


@pytest.mark.parametrize("how", ["upi", "card"])
def test_the_newcomer_pays_in_the_demo_shop_and_sees_it_paid_verified_and_notified(
    gateway: RunningGateway, browser: Browser, how: str
) -> None:
    """The main job end to end, without scripts: shop, page, bank, back at the shop."""
    home = browser.get(gateway.demo["shop_url"])
    checkout = browser.get(home.link("checkout?product="))
    sending = browser.submit(checkout.form("/orders"))
    page = browser.submit(sending.forms[0])
    assert page.at == "choose"
    if how == "upi":
        pay_in_app(browser, page)
        page = until(
            lambda: (seen := browser.get(page.url)).at == "result" and seen, "the page to see it"
        )
    else:
        page = pay_card(browser, page)
    shop = browser.submit(page.forms[0])
    assert shop.path.startswith("/demo-shop/orders/")

    def complete() -> Any:
        told = browser.get(shop.url)
        return told if "Notification from the gateway" in told.text else None

    told = until(complete, "the shop to be notified")
    assert "200 SUCCESS" in told.text
    assert "The browser came back" in told.text
    assert "We asked the gateway: verify" in told.text
    assert "not believed" not in told.text


def test_health_and_metrics_answer(gateway: RunningGateway) -> None:
    for path, words in (("/health/live", "live"), ("/health/ready", "ready")):
        answer = httpx.get(gateway.base_url + path, trust_env=False)
        assert (answer.status_code, answer.json()["status"]) == (200, words)
    metrics = httpx.get(gateway.base_url + "/metrics", trust_env=False)
    assert metrics.status_code == 200
    assert metrics.headers["content-type"].startswith("text/plain")
    assert "hundi_process_cpu_seconds_total" in metrics.text


# --- commands ---


def test_merchants_are_added_listed_set_rotated_suspended_and_resumed(
    gateway: RunningGateway, sender: Sender
) -> None:
    added = shown(gateway, "merchant", "add", "Kamala & Töchter 🪔")
    merchant = Merchant.of(added)
    assert sender.ask_token(merchant, merchant.token_request).code == "00"
    listed = {each["merchant_id"]: each for each in shown(gateway, "merchant", "list")}
    mine = listed[merchant.merchant_id]
    assert (mine["name"], mine["mode"], mine["state"]) == ("Kamala & Töchter 🪔", "live", "active")
    assert not set(mine) & {"password", "secret", "client_secret", "webhook_keys"}
    assert shown(gateway, "merchant", "show", merchant.merchant_id) == mine
    urls = {name: f"http://127.0.0.1:9/{name}" for name in ("success", "failure", "notification")}
    changed = gateway.operate(
        "merchant", "set", merchant.merchant_id, "--success-url", urls["success"], "--failure-url",
        urls["failure"], "--notification-url", urls["notification"], "--notification-form", "form",
        "--reply-format", "plain", "--domain", "https://a.example", "--domain", "https://b.example",
        "--multiple-partial-refunds", "on", "--late-success", "refund", "--rotate-webhook-key",
    )  # fmt: skip
    wanted = {
        "success_url": urls["success"], "failure_url": urls["failure"],
        "notification_url": urls["notification"], "notification_form": "form",
        "reply_format": "plain", "domains": ["https://a.example", "https://b.example"],
        "multiple_partial_refunds": True, "late_success": "refund",
    }  # fmt: skip
    assert {name: changed[name] for name in wanted} == wanted
    assert len(changed["webhook_keys"]) == 2
    # The running gateway knows at once.
    assert "response" not in sender.verify(merchant, {"orderid": "x"}).outer
    rotated = gateway.operate("merchant", "rotate", merchant.merchant_id, "client_secret")
    assert rotated["client_secret"] != merchant.client_secret
    gateway.operate("merchant", "suspend", merchant.merchant_id)
    fresh = Merchant.of(rotated)
    until(
        lambda: sender.ask_token(fresh, fresh.token_request).code == "131",
        "the suspension to be known",
    )
    assert gateway.operate("merchant", "resume", merchant.merchant_id)["state"] == "active"
    until(
        lambda: sender.ask_token(fresh, fresh.token_request).code == "00", "the suspension to end"
    )


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            ["--notification-url", "http://169.254.169.254/latest"],
            "169.254.169.254 is not a public address",
        ),
        (["--notification-url", "http://[fd00:ec2::254]/"], "not a public address"),
        (["--notification-url", "ftp://shop.example/"], "http"),
        (["--notification-url", "http://user:pw@127.0.0.1/"], "user name"),
        (["--success-url", "javascript:alert(1)"], "http or https"),
        (["--domain", "shop.example"], "origin"),
        (["--accent", "red"], "colour"),
        (["--mcc", "12"], "four digits"),
    ],
)
def test_a_setting_that_cannot_be_used_is_refused_in_words(
    gateway: RunningGateway, shop: Shop, arguments: list[str], words: str
) -> None:
    ended = gateway.invoke("merchant", "set", shop.merchant.merchant_id, *arguments)
    assert ended.exit_code == 2, ended.output
    assert words in ended.stderr


def test_commands_about_nobody_exit_2(gateway: RunningGateway, shop: Shop) -> None:
    ours = shop.merchant.merchant_id
    for arguments in (
        ("merchant", "suspend", "77"),
        ("merchant", "rotate", "77", "secret"),
        ("merchant", "rotate", ours, "everything"),
        ("merchant", "set", ours, "--reply-format", "xml"),
        ("merchant", "add", ""),
        ("payment", "show", ours, "nothing"),
        ("delivery", "replay", "ipn_1_2_3"),
        ("delivery", "replay", "nonsense"),
        ("delivery", "replay"),
    ):
        ended = gateway.invoke(*arguments)
        assert ended.exit_code == 2, (arguments, ended.output)
        assert ended.stderr
    ended = gateway.command("nonsense")
    assert ended.returncode == 2
    assert "Traceback" not in ended.stderr


def test_a_payment_is_shown_by_each_of_its_references(
    gateway: RunningGateway, shop: Shop, browser: Browser
) -> None:
    order_id = new_order_id()
    scan(gateway, shop.open_page(browser, order_id).upi_link)
    told = shop.becomes(order_id, 200)
    story = shown(gateway, "payment", "show", shop.merchant.merchant_id, order_id)
    assert set(story) == {
        "payment", "attempts", "fees", "settlements", "completions", "refunds", "disputes", "risk",
        "reviews", "deliveries", "events", "postings", "routing",
    }  # fmt: skip
    payment = story["payment"]
    assert (payment["orderid"], payment["ap_transactionid"], payment["state"]) == (
        order_id,
        told.transaction_id,
        "paid",
    )
    assert (payment["amount_paise"], payment["currency"]) == (149_950, "INR")
    assert [each["event"] for each in story["events"]] == ["created", "paid"]
    assert [(each["why"], each["debit"], each["credit"]) for each in story["postings"]] == [
        ("payment", "receivable:sandbox", "payable")
    ]
    for reference in (told.transaction_id, told.rrn):
        again = gateway.operate("payment", "show", shop.merchant.merchant_id, reference)
        assert {**again, "deliveries": []} == {**story, "deliveries": []}
    (listed, *_) = gateway.operate("payment", "list", shop.merchant.merchant_id)
    assert {name: payment[name] for name in listed} == listed
    drawn = ran(
        gateway,
        "payment",
        "show",
        shop.merchant.merchant_id,
        order_id,
        "--data-dir",
        str(gateway.data_dir),
    )
    assert "₹1,499.50" in drawn
    assert "IST" in drawn
    assert "UTC" not in drawn


def test_refusals_are_listed_newest_first_and_by_reference(
    gateway: RunningGateway, sender: Sender, shop: Shop
) -> None:
    first = sender.verify(shop.merchant, {"orderid": "x"}, checksum="0").envelope["request_id"]
    second = sender.verify(shop.merchant, {}).envelope["request_id"]
    listed = gateway.operate("refusal", "list", shop.merchant.merchant_id)
    assert [each["reference"] for each in listed[:2]] == [second, first]
    shown_of_each = (
        "reference",
        "at",
        "operation",
        "code",
        "response_code",
        "words",
        "detail",
        "address",
        "settings",
    )
    assert set(listed[0]) == {*shown_of_each}
    (one,) = shown(gateway, "refusal", "list", shop.merchant.merchant_id, first)
    assert (one["code"], one["operation"]) == ("checksum_wrong", "verify")
    assert "v4-ist" in one["detail"]


def test_deliveries_are_listed_shown_and_replayed(
    gateway: RunningGateway, shop: Shop, browser: Browser
) -> None:
    order_id = new_order_id()
    scan(gateway, shop.open_page(browser, order_id).upi_link)
    told = shop.hears_event(order_id, "paid")
    payment = str(shop.payment(order_id)["payment_id"])
    listing = ("delivery", "list", shop.merchant.merchant_id, "--payment", payment)
    (row,) = until(
        lambda: [each for each in gateway.operate(*listing) if each["state"] == "delivered"],
        "delivered",
    )
    assert (row["webhook_id"], row["event"], row["tries"], row["last_status"]) == (
        told.webhook_id,
        "paid",
        1,
        200,
    )
    assert (row["orderid"], row["amount_paise"]) == (order_id, 149_950)
    (tried,) = gateway.operate("delivery", "show", told.webhook_id)
    assert (tried["status"], tried["answer"], tried["problem"]) == (200, "thanks", "")
    assert shown(gateway, "delivery", "replay", told.webhook_id) == {"replayed": 1}
    again = shop.endpoint.hears(shop.merchant, order_id, 2)
    assert again[0].webhook_id == again[1].webhook_id
    assert again[0].transaction == again[1].transaction


def test_the_audit_says_by_its_status_whether_the_books_hold(gateway: RunningGateway) -> None:
    report = shown(gateway, "audit")
    assert set(report) == {"holds", "at", "checked", "notes", "figures"}
    assert report["holds"] is True
    assert all(set(each) == {"name", "violations", "samples"} for each in report["checked"])
    assert {
        "posting_missing",
        "second_success",
        "bank_moved_more",
        "bank_knows_nothing",
        "trial_balance",
    } <= {each["name"] for each in report["checked"]}
    told = ran(gateway, "audit", "--data-dir", str(gateway.data_dir))
    assert "All promises are kept." in told


def test_a_broken_book_fails_the_audit(
    gateway: RunningGateway, shop: Shop, browser: Browser
) -> None:
    """Somebody edits the database by hand.

    The auditor, who keeps no state of its own, sees it, and says where.
    """
    order_id = new_order_id()
    scan(gateway, shop.open_page(browser, order_id).upi_link)
    shop.becomes(order_id, 200)
    (attempt,) = shop.attempts(order_id)
    keys = (attempt["merchant_id"], attempt["attempt_id"])
    change = (
        "UPDATE attempts SET rrn = rrn, received_paise = $3::bigint, amount_paise = $3::bigint"
        " WHERE merchant_id = $1 AND attempt_id = $2"
    )
    with gateway.unsealed():
        gateway.rows(change, *keys, 100)
        try:
            report = gateway.operate("audit", status=1)
        finally:
            gateway.rows(change, *keys, attempt["received_paise"])
    assert report["holds"] is False
    broken = {each["name"]: each for each in report["checked"] if each["violations"]}
    assert {"posting_differs", "paid_amount_differs"} <= set(broken)
    assert broken["posting_differs"]["samples"][0]["subject"] == f"{keys[0]}-{keys[1]}"
