"""The shop of the first page: started as the page says, it sells one thing."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.docs.examples import ROOT
from tests.system.browser import Browser, read_screen
from tests.system.machine import free_port
from tests.system.running import RunningGateway, until
from tests.system.shop import pay_card


@pytest.fixture
def shop_url(gateway: RunningGateway, tmp_path: Path) -> Iterator[str]:
    """Start examples/shop.py for a merchant of its own."""
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    added = gateway.operate("merchant", "add", "My shop")
    addresses = {"success": "/return", "failure": "/return", "notification": "/notifications"}
    options = [part for name, path in addresses.items() for part in (f"--{name}-url", url + path)]
    gateway.operate("merchant", "set", added["merchant_id"], *options)
    keys = tmp_path / "merchant.json"
    keys.write_text(json.dumps(added), "utf-8")
    command = [sys.executable, ROOT / "examples" / "shop.py", keys, gateway.base_url, str(port)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as shop:
        try:
            assert shop.stdout is not None
            assert shop.stdout.readline().strip() == f"Open {url}/"
            yield url
        finally:
            shop.kill()


def test_the_shop_of_the_first_page_sells_something(shop_url: str) -> None:
    with Browser() as browser:
        before = browser.get(shop_url + "/")
        assert (before.heading, before.form("/buy").fields) == ("My shop", {})
        sent = browser.submit(before.form("/buy"))
        result = pay_card(browser, browser.submit(sent.forms[0]))
        back = browser.submit(result.form("/return"))
        assert back.url == shop_url + "/"
        assert ": paid" in until(lambda: browser.get(shop_url + "/"), "the shop").text
        forged = browser.http.post(shop_url + "/notifications", data={"response": "made up"})
        assert (forged.status_code, read_screen(forged).text[:12]) == (400, "Not believed")
