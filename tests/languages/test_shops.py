"""The shop in one file of each language: started as its first lines say, it sells one thing."""

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.house.source import ROOT
from tests.patience import PATIENCE_S
from tests.system.browser import Browser, read_screen
from tests.system.machine import free_port
from tests.system.running import RunningGateway, until
from tests.system.shop import pay_card

COMMANDS = {
    "node": ("node", "examples/shop.mjs"),
    "java": ("java", "-cp", "sdks/java/target/classes", "examples/Shop.java"),
    "go": ("go", "-C", "sdks/go", "run", "../../examples/shop.go"),
    "php": ("php", "-S", "127.0.0.1:{port}", "examples/shop.php"),
}
"""How the shop of each language is started."""


def answers(url: str) -> bool:
    """Return whether a shop is there."""
    try:
        return httpx.get(url).status_code == httpx.codes.OK
    except httpx.HTTPError:
        return False


@pytest.fixture
def shop_url(gateway: RunningGateway, tmp_path: Path, language: str) -> Iterator[str]:
    """Start the shop of a language for a merchant of its own."""
    port = str(free_port())
    url = f"http://127.0.0.1:{port}"
    added = gateway.operate("merchant", "add", "My shop")
    addresses = {"success": "/return", "failure": "/return", "notification": "/notifications"}
    options = [part for name, path in addresses.items() for part in (f"--{name}-url", url + path)]
    gateway.operate("merchant", "set", added["merchant_id"], *options)
    keys = tmp_path / "merchant.json"
    keys.write_text(json.dumps(added), "utf-8")
    command = [part.format(port=port) for part in COMMANDS[language]]
    if language != "php":
        command += [str(keys), gateway.base_url, port]
    environment = {**os.environ, "MERCHANT": str(keys), "GATEWAY": gateway.base_url}
    with (tmp_path / "log").open("wb") as log:
        shop = subprocess.Popen(
            command, cwd=ROOT, env=environment, stdout=log, stderr=log, start_new_session=True
        )
    try:
        until(lambda: answers(url), "the shop", within_s=PATIENCE_S * 4)
        yield url
    finally:
        os.killpg(shop.pid, signal.SIGKILL)
        shop.wait()


def test_the_shop_sells_and_believes_no_forgery(shop_url: str) -> None:
    with Browser() as browser:
        before = browser.get(shop_url + "/")
        assert before.heading == "My shop"
        sent = browser.submit(before.form("/buy"))
        result = pay_card(browser, browser.submit(sent.forms[0]))
        back = browser.submit(result.form("/return"))
        assert back.url == shop_url + "/"
        assert ": paid" in until(lambda: browser.get(shop_url + "/"), "the shop").text
        forged = browser.http.post(shop_url + "/notifications", data={"response": "made up"})
        assert (forged.status_code, read_screen(forged).text[:12]) == (400, "Not believed")
