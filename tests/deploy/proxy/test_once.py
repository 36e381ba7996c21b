"""A proxy never sends a payment twice: only a request that found no connection goes elsewhere."""

import socket
import threading
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Self

import pytest

from hundi.api.addresses import MANDATE_PAGE, PAGES_OF_ONE
from tests.deploy.proxy.proxies import Proxy
from tests.system.machine import free_port
from tests.system.tls import ServerCertificate

ANSWER = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\nok"
SECRET = "a1b2c3d4e5f6"


class Instance:
    """Stands for an instance of the gateway; keeps the heads of the requests that it was sent.

    answer: what it sends back before it closes the connection, b"" for one that ends meanwhile.
    """

    def __init__(self, answer: bytes) -> None:
        self.requests: list[bytes] = []
        self._answer = answer
        self._listening = socket.create_server(("127.0.0.1", free_port()))
        self.port: int = self._listening.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._listening.close()

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self._listening.accept()
                threading.Thread(target=self._take, args=(connection,), daemon=True).start()

    def _take(self, connection: socket.socket) -> None:
        with closing(connection):
            told = b""
            while b"\r\n\r\n" not in told or (b"POST" in told and not told.endswith(b"paid=1")):
                told += connection.recv(65536)
            self.requests.append(told)
            connection.sendall(self._answer)


@pytest.fixture
def ending() -> Iterator[Instance]:
    with Instance(b"") as instance:
        yield instance


@pytest.fixture
def living() -> Iterator[Instance]:
    with Instance(ANSWER) as instance:
        yield instance


def test_a_post_that_was_sent_and_not_answered_is_sent_once(
    kind: str, certificate: ServerCertificate, tmp_path: Path, ending: Instance, living: Instance
) -> None:
    with Proxy(kind, tmp_path / kind, certificate, (ending.port, living.port)) as proxy:
        with proxy.client() as client:
            answers = [client.post("/pay/v4/", content=b"paid=1").status_code for _ in range(4)]
        unanswered = answers.count(502)
        assert unanswered >= 2
        assert (len(ending.requests), len(living.requests)) == (unanswered, 4 - unanswered)


def test_a_request_that_finds_nobody_is_taken_by_the_other_instance(
    certificate: ServerCertificate, tmp_path: Path, living: Instance
) -> None:
    with Proxy("nginx", tmp_path / "nginx", certificate, (free_port(), living.port)) as proxy:
        with proxy.client() as client:
            answers = [client.post("/pay/v4/", content=b"paid=1").status_code for _ in range(6)]
        assert answers == [200] * 6
        assert len(living.requests) == 6


def test_a_get_without_an_answer_is_asked_again(
    certificate: ServerCertificate, tmp_path: Path, ending: Instance, living: Instance
) -> None:
    with Proxy("nginx", tmp_path / "nginx", certificate, (ending.port, living.port)) as proxy:
        with proxy.client() as client:
            answers = [client.get("/pay/v4/s/name").status_code for _ in range(4)]
        assert answers == [200] * 4
        assert len(living.requests) == 4


def test_where_no_instance_answers_logs_show_neither_token_nor_session(
    kind: str, certificate: ServerCertificate, tmp_path: Path, ending: Instance
) -> None:
    """Lines about failures are the ones in which a proxy tells most."""
    with Proxy(kind, tmp_path / kind, certificate, (ending.port, free_port())) as proxy:
        headers = {"referer": f"https://shop.example/?token={SECRET}"}
        with proxy.client(headers=headers) as client:
            gone = client.get(f"/gateway/pay/v4/api/verify/?token={SECRET}")
            client.post(f"/gateway/pay/v4/api/verify/?token={SECRET}", content=b"paid=1")
            for page in (*PAGES_OF_ONE, f"/airpay{MANDATE_PAGE}"):
                client.get(f"{page}{SECRET}/status?again={SECRET}")
        assert gone.status_code == 502
        assert gone.headers.get_list("strict-transport-security") == [
            "max-age=31536000; includeSubDomains"
        ]
        logged = proxy.logged()
    assert SECRET not in logged
    assert "/gateway/pay/v4/api/verify/" in logged
    assert [page for page in PAGES_OF_ONE if page not in logged] == []
