"""SIGHUP to `hundi api`: new processes take over, and no request is lost on the way."""

import http.client
import os
import secrets
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from hundi.sdk import Client, Gateway, QrOrder
from tests.deploy.instances import ApiInstance
from tests.docs.conftest import AMOUNT_PAISE, credentials_of
from tests.patience import PATIENCE_S
from tests.system.running import RunningGateway
from tests.system.waiting import until

CALLERS = 6
RELOADS = 3


class Api(ApiInstance):
    """`hundi api` with two processes, and the service manager that it tells how it does."""

    def __init__(self, gateway: RunningGateway, folder: Path) -> None:
        """Start it, and listen to what it tells."""
        self.manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.manager.settimeout(PATIENCE_S)
        self.manager.bind(str(folder / "manager"))
        super().__init__(
            gateway,
            HUNDI_BASE_URL=gateway.base_url,
            HUNDI_PAYMENT_PAGE_URL=gateway.demo["payment_page_url"],
            HUNDI_WORKERS="2",
            NOTIFY_SOCKET=str(folder / "manager"),
        )

    def told(self, words: str) -> None:
        """Wait until the service manager is told something."""
        while not self.manager.recv(4_096).decode().startswith(words):
            pass

    def children(self) -> set[psutil.Process]:
        """Return the processes that serve."""
        return set(psutil.Process(self.process.pid).children())


@pytest.fixture
def api(gateway: RunningGateway, tmp_path: Path) -> Iterator[Api]:
    """A running `hundi api`."""
    running = Api(gateway, tmp_path)
    with running.manager, running:
        running.told("READY=1")
        yield running


@contextmanager
def beside(*works: Callable[[threading.Event], None]) -> Iterator[None]:
    """Do works in threads meanwhile, each until it is told to end."""
    over = threading.Event()
    threads = [threading.Thread(target=work, args=(over,)) for work in works]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        over.set()
        for thread in threads:
            thread.join()


def test_no_request_is_lost_while_new_processes_take_over(
    api: Api, gateway: RunningGateway
) -> None:
    answered: list[int] = []
    lost: list[Exception] = []
    orders: list[str] = []

    def call(over: threading.Event) -> None:
        """Keep one connection as a proxy does, and open another when the answer says so."""
        connection = http.client.HTTPConnection("127.0.0.1", api.port, timeout=PATIENCE_S)
        while not over.is_set():
            try:
                connection.request("POST", "/gateway/pay/v4/api/verify/", b"a=1")
                answer = connection.getresponse()
                answer.read()
                answered.append(answer.status)
            except (OSError, http.client.HTTPException) as error:
                lost.append(error)
                connection.close()
            time.sleep(0.002)
        connection.close()

    def order(over: threading.Event) -> None:
        while not over.is_set():
            order_id = f"RELOAD-{secrets.token_hex(6)}"
            client.generate_qr(QrOrder(order_id=order_id, amount_paise=AMOUNT_PAISE))
            orders.append(order_id)

    places = Gateway(
        base_url=f"http://127.0.0.1:{api.port}", payment_page_url=gateway.demo["payment_page_url"]
    )
    with Client(credentials_of(gateway), places) as client:
        with beside(order, *[call] * CALLERS):
            for _ in range(RELOADS):
                before = api.children()
                served = len(answered)
                until(lambda served=served: len(answered) > served + 50, "requests")
                os.kill(api.process.pid, signal.SIGHUP)
                api.told("RELOADING=1")
                api.told("READY=1")
                until(lambda before=before: not before & api.children(), "the old ones to end")
                assert len(api.children()) == 2
        assert lost == []
        assert {200} == set(answered)
        for order_id in orders:
            assert client.verify(order_id=order_id, amount_paise=AMOUNT_PAISE).order_id == order_id


def test_a_reload_that_cannot_start_leaves_the_old_processes(
    api: Api, gateway: RunningGateway
) -> None:
    before = api.children()
    (moved := gateway.data_dir / "kek").rename(moved.with_name("kek.away"))
    try:
        os.kill(api.process.pid, signal.SIGHUP)
        api.told("RELOADING=1")
        api.told("READY=1")
    finally:
        moved.with_name("kek.away").rename(moved)
    assert api.children() == before
    assert "; the old one goes on" in api.logged()


def test_the_manager_hears_that_it_lives(api: Api) -> None:
    for _ in range(2):
        api.told("WATCHDOG=1")
