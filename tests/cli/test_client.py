"""`hundi client detect` end to end: a file or standard input, with or without the head."""

import json
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from typer.testing import CliRunner

from hundi.cli.client import app

ORDER = {"mercid": "1", "orderid": "O1", "amount": "1.00", "buyerEmail": "a@b.co"}
SECRET = "f" * 64


def detected(text: str, *, status: int = 0) -> dict[str, Any]:
    result = CliRunner().invoke(app, ["detect", "--json"], input=text)
    assert result.exit_code == status, result.output
    return json.loads(result.stdout)


def form(**more: str) -> str:
    return urlencode({**ORDER, "privatekey": SECRET, **more})


def test_a_whole_request_a_body_and_its_json_are_read_alike(tmp_path: Path) -> None:
    head = "POST /airpay/pay/index.php HTTP/1.1\r\nHost: x\r\n"
    head += "Content-Type: application/x-www-form-urlencoded\r\n\r\n"
    whole = detected(head + form(checksum="a" * 64))
    assert (whole["read"], whole["kinds"]) == ("a request", ["kit-3"])
    assert any("/airpay/pay/index.php" in reason for reason in whole["reasons"])
    assert detected(form(checksum="a" * 32))["kinds"] == ["kit-2"]
    body = json.dumps({**ORDER, "privatekey": SECRET, "checksum": "a" * 64})
    assert detected(body)["kinds"] == ["kit-3"]
    sealed = {"merchant_id": "1", "privatekey": SECRET, "encdata": "x", "checksum": "a" * 64}
    assert detected("POST /pay/v4/?token=t HTTP/1.1\n\n" + urlencode(sealed))["kinds"] == [
        "standard"
    ]
    file = tmp_path / "request.txt"
    file.write_text(head + form(checksum="a" * 64))
    shown = CliRunner().invoke(app, ["detect", str(file)])
    assert shown.exit_code == 0
    assert "kind: kit-3" in shown.stdout
    assert "run: hundi merchant set ID --client kit-3" in shown.stdout
    assert SECRET not in shown.stdout
    assert "a@b.co" not in shown.stdout


def test_operations_of_old_kits_are_known_by_their_address_and_names() -> None:
    head = "POST /airpay/order/verify.php HTTP/1.1\n\n"
    third = urlencode({"merchant_id": "1", "merchant_txn_id": "O", "checksum": "a" * 64})
    assert detected(head + third)["kinds"] == ["kit-3"]
    second = urlencode({"mercid": "1", "merchant_txnId": "O", "privatekey": SECRET})
    assert detected("POST /order/verify.php HTTP/1.1\n\n" + second)["kinds"] == ["kit-2"]


def test_operations_of_old_kits_are_known_without_an_address() -> None:
    third = urlencode(
        {"merchant_id": "1", "merchant_txn_id": "O", "private_key": SECRET, "checksum": "a" * 64}
    )
    assert detected(third)["kinds"] == ["kit-3"]
    second = urlencode({"mercid": "1", "merchant_txnId": "O", "privatekey": SECRET})
    assert detected(second)["kinds"] == ["kit-2"]
    refund = {"merchant_id": "1", "private_key": SECRET, "mode": "refund", "checksum": "a" * 64}
    refund |= {"transactions": [{"amount": "1.00", "processor_id": "7"}]}
    assert detected(json.dumps(refund))["kinds"] == ["kit-3"]
    code = {"encData": "x", "mercid": "1", "checksum": "a" * 64}
    assert detected(json.dumps(code))["kinds"] == ["kit-3"]
    sealed = {"merchant_id": "1", "privatekey": SECRET, "encdata": "x", "checksum": "a" * 64}
    assert detected(json.dumps(sealed))["kinds"] == ["standard"]


def test_a_browsers_copy_as_a_curl_command_is_a_request() -> None:
    copied = (
        "curl 'https://old.example/pay/index.php' \\\n"
        "  -H 'Content-Type: application/x-www-form-urlencoded' \\\n"
        f"  --data-raw '{form(checksum='a' * 32)}'"
    )
    told = detected(copied)
    assert (told["read"], told["kinds"]) == ("a request", ["kit-2"])
    assert any("/pay/index.php" in reason for reason in told["reasons"])
    parts = "curl -d mercid=1 -d merchant_txnId=O https://old.example/order/verify.php"
    assert detected(parts)["kinds"] == ["kit-2"]
    assert detected("curl 'unfinished", status=1)["read"] == "an answer"


def test_a_browsers_curl_for_bash_and_for_windows_are_one_request() -> None:
    body = form(checksum="a" * 64, buyerFirstName="D'Souza!")
    odd = body.replace("%27", "\\'").replace("%21", "\\u0021")
    bash = f"curl 'https://shop.example/pay/index.php' -H 'origin: x' --data-raw $'{odd}'"
    quoted = body.replace("%", "^%").replace("&", "^&")
    windows = (
        'curl ^"https://shop.example/pay/index.php^" ^\r\n'
        f'  -H ^"content-type: application/x-www-form-urlencoded^" ^\r\n  --data-raw ^"{quoted}^"'
    )
    assert detected(bash) == detected(windows)
    assert detected(bash)["kinds"] == ["kit-3"]


def test_a_browsers_copy_as_fetch_is_a_request() -> None:
    options = {
        "headers": {"content-type": "application/x-www-form-urlencoded"},
        "body": form(checksum="a" * 64),
        "method": "POST",
    }
    for before in ("", "await "):
        copied = f'{before}fetch("https://x.example/airpay/pay/index.php", {json.dumps(options)});'
        told = detected(copied)
        assert (told["read"], told["kinds"]) == ("a request", ["kit-3"])
    assert detected('fetch("https://x.example/", {broken', status=1)["kinds"] == []
    assert detected('fetch("https://x.example/")', status=1)["kinds"] == []


def har(*requests: dict[str, Any]) -> str:
    return json.dumps(
        {"log": {"version": "1.2", "entries": [{"request": each} for each in requests]}}
    )


def posted(url: str, **data: Any) -> dict[str, Any]:
    return {"method": "POST", "url": url, "headers": [], "postData": data}


def test_a_har_file_is_looked_through_for_the_request_of_a_client() -> None:
    page = {"method": "GET", "url": "https://shop.example/", "headers": []}
    search = posted("https://shop.example/search", text="q=saris")
    mime = "application/x-www-form-urlencoded"
    pay = posted("https://x.example/pay/index.php", mimeType=mime, text=form(checksum="a" * 64))
    told = detected(har(page, search, pay))
    assert (told["read"], told["kinds"]) == ("request 2 of 2 that have a body", ["kit-3"])
    params = [{"name": "mercid", "value": "1"}, {"name": "merchant_txnId", "value": "O"}]
    verify = posted("https://x.example/order/verify.php", mimeType=mime, params=params)
    assert detected(har(page, verify))["kinds"] == ["kit-2"]
    nothing = detected(har(search, search), status=1)
    assert (nothing["read"], nothing["kinds"]) == ("2 requests that have a body", [])
    assert detected('{"log": {"entries": 7}}', status=1)["kinds"] == []


def test_what_is_printed_has_no_secret_of_the_recording() -> None:
    key = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    for text in (
        f"Notice: Undefined index: TRANSACTIONID {key} asha@shop.example in ipn.php",
        f"POST /{SECRET}/pay/index.php HTTP/1.1\n\n" + form(checksum="a" * 64),
    ):
        told = json.dumps(detected(text))
        assert not [each for each in (key, SECRET, "asha@", "a" * 64) if each in told], told


def test_an_answer_is_read_with_and_without_its_head() -> None:
    redirect = "HTTP/1.1 302 Found\nLocation: /thanks\n\n"
    assert detected(redirect)["kinds"] == ["woocommerce"]
    assert detected("Notice: Undefined index: TRANSACTIONID")["kinds"] == ["form"]
    silent = detected("HTTP/1.1 200 OK\n\nthanks", status=1)
    assert (silent["read"], silent["kinds"], silent["settings"]) == ("an answer", [], [])


def test_what_shows_nothing_and_what_cannot_be_read_say_so() -> None:
    shown = CliRunner().invoke(app, ["detect"], input="thanks")
    assert shown.exit_code == 1
    assert "hundi delivery show" in shown.stdout
    missing = CliRunner().invoke(app, ["detect", "/nowhere/at/all"])
    assert (missing.exit_code, "cannot be read" in missing.output) == (2, True)
