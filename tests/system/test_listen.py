"""`hundi listen`: notifications on a developer's machine, in order, signed and resumed."""

import json
import re
import signal
import subprocess
from pathlib import Path

import pytest

from hundi.sdk import Callbacks
from tests.system.browser import Browser
from tests.system.endpoint import Answer, Endpoint, MerchantServer
from tests.system.machine import clean_environment
from tests.system.running import HUNDI, RunningGateway, until
from tests.system.shop import Shop, new_order_id, scan


@pytest.fixture
def credentials(shop: Shop, tmp_path: Path) -> Path:
    path = tmp_path / "merchant.json"
    path.write_text(json.dumps({**vars(shop.merchant), "base_url": shop.gateway.base_url}))
    return path


@pytest.fixture
def machine(server: MerchantServer) -> Endpoint:
    """The developer's own server."""
    return server.endpoint("developer")


def paid(gateway: RunningGateway, shop: Shop, browser: Browser) -> str:
    order_id = new_order_id("L")
    scan(gateway, shop.open_page(browser, order_id).upi_link)
    shop.becomes(order_id, 200)
    return order_id


def listened(gateway: RunningGateway, credentials: Path, *arguments: str) -> tuple[str, str, str]:
    """Listen until nothing more is there.

    Return what was printed, what was said aside, and the place.
    """
    ended = gateway.invoke("listen", *arguments, "--once", "--credentials", str(credentials))
    assert ended.exit_code == 0, ended.stderr
    place = re.search(r"--after (\S+)", ended.stderr)
    assert place
    return ended.stdout, ended.stderr, place[1]


def test_notifications_are_sent_on_signed_and_resumed(
    gateway: RunningGateway, shop: Shop, browser: Browser, credentials: Path, machine: Endpoint
) -> None:
    nothing, _, place = listened(gateway, credentials)
    assert nothing == "", "what was before is not told again"
    orders = [paid(gateway, shop, browser) for _ in range(2)]
    machine.choose = lambda heard: Answer(500 if len(machine.heard) > 1 else 204)
    told, aside, later = until(
        lambda: (
            found
            if all(
                each in (found := listened(gateway, credentials, machine.url, "--after", place))[0]
                for each in orders
            )
            else None
        ),
        "two notifications",
    )
    # The shop's earlier orders may have news of their own meanwhile.
    assert [found for line in told.splitlines() if (found := line.split()[2]) in orders] == orders
    assert "-> 500 in" in told.splitlines()[-1], "an answer that is no yes ends nothing"
    heard = [each for each in machine.heard if each.webhook_id]
    reader = Callbacks(shop.merchant.credentials)
    read = [reader.read_notification(each.headers, each.body) for each in heard]
    assert {each.transaction.order_id for each in read if each.event == "paid"} >= set(orders)
    assert machine.url in aside
    again, _, _ = listened(gateway, credentials, machine.url, "--after", later)
    assert again == ""
    assert shop.hears_event(orders[0], "paid"), "the merchant's own server was told as ever"


def test_all_begins_with_the_first_and_no_server_is_told_as_such(
    gateway: RunningGateway, shop: Shop, browser: Browser, credentials: Path
) -> None:
    order_id = paid(gateway, shop, browser)
    told, _, _ = until(
        lambda: (
            found
            if order_id
            in (found := listened(gateway, credentials, "http://127.0.0.1:9/x", "--all"))[0]
            else None
        ),
        "the order",
    )
    assert "no answer (ConnectError)" in told


def test_once_ends_where_no_gateway_answers(gateway: RunningGateway, credentials: Path) -> None:
    nowhere = {**json.loads(credentials.read_text()), "base_url": "http://127.0.0.1:9"}
    credentials.write_text(json.dumps(nowhere))
    ended = gateway.command("listen", "--once", "--all", "--credentials", str(credentials))
    assert (ended.returncode, "(at http://127.0.0.1:9)" in ended.stderr) == (2, True)


def test_an_interrupt_ends_it_cleanly(
    gateway: RunningGateway, shop: Shop, browser: Browser, credentials: Path, tmp_path: Path
) -> None:
    out, aside = tmp_path / "out", tmp_path / "aside"
    with out.open("w") as written, aside.open("w") as said:
        running = subprocess.Popen(
            [str(HUNDI), "listen", "--credentials", str(credentials)],
            stdout=written,
            stderr=said,
            env=clean_environment(),
            # Whoever runs tests in the background may have it ignored.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509 (one system call)
        )
    try:
        until(lambda: "Ctrl-C ends it" in aside.read_text(), "it to listen")
        order_id = paid(gateway, shop, browser)
        until(lambda: order_id in out.read_text(), "the notification")
    finally:
        running.send_signal(signal.SIGINT)
        status = running.wait(120)
    assert status == 0
    assert re.search(
        r"1 notifications\. To go on here: hundi listen --after \d+-\d+-\d+", aside.read_text()
    )
    assert "Traceback" not in aside.read_text()


def test_only_this_machine_and_only_ones_own(
    gateway: RunningGateway, shop: Shop, rival: Shop, browser: Browser, credentials: Path
) -> None:
    refused = gateway.command(
        "listen", "https://elsewhere.example/x", "--credentials", str(credentials)
    )
    assert refused.returncode == 2
    assert "only a server of this machine" in refused.stderr
    theirs = paid(gateway, rival, browser)
    mine = paid(gateway, shop, browser)
    told, _, _ = until(
        lambda: found if mine in (found := listened(gateway, credentials, "--all"))[0] else None,
        "the order",
    )
    assert theirs not in told
    wrong = gateway.command(
        "listen", "--once", "--after", "here", "--credentials", str(credentials)
    )
    assert wrong.returncode == 2
    assert "after" in wrong.stderr
