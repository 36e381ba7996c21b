"""`hundi call`: each operation from the command line, as a merchant's developer tries it out."""

import json
from pathlib import Path
from typing import Any

import httpx
import pytest
from typer.testing import CliRunner, Result

from hundi.cli import application
from hundi.infra.settings import DEMO_FILE
from tests.system.browser import Browser, read_screen
from tests.system.envelopes import Sender
from tests.system.running import RunningGateway, until
from tests.system.shop import AMOUNT_PAISE, Shop, new_order_id, pay_card, scan

AMOUNT = "1499.50"


@pytest.fixture(scope="module")
def keys(gateway: RunningGateway, shop: Shop, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One merchant's credentials in a file, as demo.json has them."""
    names = (
        "merchant_id",
        "username",
        "password",
        "secret",
        "client_id",
        "client_secret",
        "webhook_key",
    )
    content = {name: getattr(shop.merchant, name) for name in names} | {
        "base_url": gateway.base_url
    }
    path = tmp_path_factory.mktemp("keys") / "merchant.json"
    path.write_text(json.dumps(content))
    return path


def invoke(keys: Path, *arguments: str) -> Result:
    return CliRunner().invoke(
        application("call"), ["call", *arguments, "--credentials", str(keys), "--json"]
    )


def call(keys: Path, *arguments: str) -> Any:
    ended = invoke(keys, *arguments)
    assert ended.exit_code == 0, (ended.output, ended.exception)
    return json.loads(ended.stdout)


def test_what_merchant_add_prints_is_taken_as_credentials(
    gateway: RunningGateway, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "added.json"
    path.write_text(json.dumps(gateway.operate("merchant", "add", "Added and called")))
    monkeypatch.setenv("HUNDI_BASE_URL", gateway.base_url)
    assert len(call(path, "token")["access_token"]) == 40
    monkeypatch.setenv("HUNDI_BASE_URL", "http://127.0.0.1:9")
    assert "(at http://127.0.0.1:9)" in invoke(path, "token").output


def test_the_gateway_of_a_demo_is_found_at_whichever_port_it_has(
    gateway: RunningGateway, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("HUNDI_BASE_URL", raising=False)
    path = tmp_path / "added.json"
    path.write_text(json.dumps(gateway.operate("merchant", "add", "Added at another port")))
    (tmp_path / DEMO_FILE).write_text(
        json.dumps({"simbank_url": "", "base_url": gateway.base_url, "merchants": []})
    )
    arguments = ["call", "token", "--credentials", str(path), "--data-dir", str(tmp_path), "--json"]
    ended = CliRunner().invoke(application("call"), arguments)
    assert ended.exit_code == 0, ended.output


def test_a_qr_is_made_paid_verified_refunded_and_split(
    gateway: RunningGateway, shop: Shop, keys: Path, tmp_path: Path
) -> None:
    order_id, picture = new_order_id(), tmp_path / "qr.png"
    code = call(keys, "qr", order_id, AMOUNT, "--picture", str(picture))
    assert picture.read_bytes().startswith(b"\x89PNG")
    scan(gateway, code["text"])
    shop.becomes(order_id, 200)
    told = call(keys, "verify", order_id, AMOUNT)
    assert (told["status_code"], told["amount_paise"]) == (200, AMOUNT_PAISE)
    gateway.operate(
        "split",
        "link",
        shop.merchant.merchant_id,
        "CALLED",
        "Called",
        "HDFC0000001",
        "--number",
        "123456789012",
    )
    shared = call(
        keys,
        "split",
        told["transaction_id"],
        told["rrn"],
        "CALLED=80.00",
        "--primary",
        "20.00",
        "--request-id",
        "77",
    )
    assert shared["shares_paise"] == {"CALLED": 119_960}
    named = (
        "verify",
        order_id,
        AMOUNT,
        "--transaction-id",
        told["transaction_id"],
        "--rrn",
        told["rrn"],
    )
    assert call(keys, *named)["transaction_id"] == told["transaction_id"]
    wanted = f"{told['transaction_id']}=100.00", "217000000000001"
    given, unknown = call(keys, "refund", *wanted, "--request-id", order_id)
    (shown,) = gateway.operate("payment", "show", shop.merchant.merchant_id, order_id)["refunds"]
    assert (shown["refund_id"], shown["amount_paise"], shown["why"]) == (
        given["refund_id"],
        10_000,
        "merchant",
    )
    assert shown["refund_request_id"] == order_id
    assert (given["accepted"], given["amount_paise"]) == (True, 10_000)
    assert (unknown["accepted"], unknown["code"]) == (False, "503")


def test_a_payment_begins_with_a_form_that_only_its_owner_may_read(
    shop: Shop, keys: Path, browser: Browser, tmp_path: Path
) -> None:
    order_id, form = new_order_id(), tmp_path / "pay.html"
    form.write_text("of before, for everybody to read")
    form.chmod(0o644)
    for wrong in (("pay", order_id, "1e3", str(form)), ("refund", "1=x", "--request-id", "R-1")):
        ended = invoke(keys, *wrong)
        assert (ended.exit_code, "amount" in ended.output) == (2, True), ended.exception
    nowhere = tmp_path / "nowhere" / "file"
    for unwritten in (
        ("pay", order_id, AMOUNT, str(nowhere)),
        ("qr", f"{order_id}-2", AMOUNT, "--picture", str(nowhere)),
    ):
        ended = invoke(keys, *unwritten)
        assert (ended.exit_code, ended.stderr) == (2, f"{nowhere}: No such file or directory\n"), (
            ended.exception
        )
    call(
        keys,
        "pay",
        order_id,
        AMOUNT,
        str(form),
        "--authorise-only",
        "--channels",
        "pg",
        "--name",
        "Asha Devi Rao",
    )
    assert form.stat().st_mode & 0o777 == 0o600
    (start,) = read_screen(
        httpx.Response(
            200, text=form.read_text(), request=httpx.Request("GET", shop.gateway.base_url)
        )
    ).forms
    pay_card(browser, browser.submit(start))
    assert shop.verify(order_id).payment_status == "AUTHORIZE"


def test_a_token_for_tools_that_speak_for_themselves(
    sender: Sender, shop: Shop, keys: Path
) -> None:
    issued = call(keys, "token")["access_token"]
    assert sender.verify(shop.merchant, {"orderid": "never-sent"}, token=issued).code == "503"


@pytest.mark.parametrize(("verb", "state"), [("capture", "CAPTURE"), ("void", "VOIDED")])
def test_an_authorisation_ends(
    shop: Shop, keys: Path, browser: Browser, verb: str, state: str
) -> None:
    order_id = new_order_id()
    pay_card(browser, shop.open_page(browser, order_id, authorise_only=True))
    assert call(keys, verb, shop.verify(order_id).transaction_id)["payment_status"] == state
    ended = invoke(keys, verb, shop.verify(order_id).transaction_id)
    assert (ended.exit_code, "120" in ended.output) == (2, True)


def test_banks_and_addresses_are_asked_for(keys: Path) -> None:
    assert {each["channel"] for each in call(keys, "banks", "upi")} == {"upi"}
    assert call(keys, "vpa", "asha@hundi")["name"] == "Asha (simulated)"


def test_what_a_merchant_is_settled_by_and_told_is_listed(
    gateway: RunningGateway, shop: Shop, keys: Path
) -> None:
    before = call(keys, "notification", "list")["next"]
    scan(gateway, call(keys, "qr", order_id := new_order_id(), AMOUNT)["text"])
    shop.becomes(order_id, 200)
    ahead = call(keys, "settlement", "next")
    assert (ahead["currency"], ahead["held"]) == ("INR", False)
    assert call(keys, "fees") == {"plan_no": 0, "first_day": None, "prices": []}
    assert all(each["state"] for each in call(keys, "bankaccount", "list"))
    assert call(keys, "settlement", "list") == []
    assert call(keys, "payout", "list", "--state", "done") == []
    told = until(
        lambda: call(keys, "notification", "list", "--after", before)["notifications"],
        "the payment to be announced",
    )
    (paid,) = [each for each in told if each["order_id"] == order_id]
    assert (paid["event"], "response" in json.loads(paid["text"])) == ("paid", True)


@pytest.mark.parametrize(
    ("content", "words"),
    [("", "holds no credentials"), ("{}", "holds no credentials"), (None, "No such file")],
)
def test_credentials_that_are_none_are_named(
    tmp_path: Path, content: str | None, words: str
) -> None:
    path = tmp_path / "keys.json"
    if content is not None:
        path.write_text(content)
    ended = invoke(path, "banks")
    assert (ended.exit_code, words in ended.output) == (2, True)
