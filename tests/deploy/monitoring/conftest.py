"""A gateway behind a proxy, with payments, and the real Prometheus that reads it every second."""

import os
import secrets
import signal
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlsplit

import httpx
import pytest

from hundi.infra.processes import end_with_parent
from hundi.sdk import RefundItem
from tests.conftest import NewFolder
from tests.deploy.monitoring.test_rules import SAMPLES
from tests.deploy.proxy.proxies import Proxy
from tests.patience import PATIENCE_S
from tests.system.browser import Browser
from tests.system.conftest import open_shop
from tests.system.endpoint import MerchantServer
from tests.system.machine import free_port
from tests.system.running import RunningGateway, until
from tests.system.shop import Shop, new_order_id, pay_card, scan
from tests.system.tls import TestAuthority

DECLINED = "4000000000009995"
CERTIFICATE_DAYS = 10


@dataclass
class Prometheus:
    """The real Prometheus with our samples; only ports and waits differ."""

    folder: Path
    metrics_port: int

    def __enter__(self) -> Self:
        config = (SAMPLES / "prometheus.yml").read_text()
        for sampled, ours in {
            "127.0.0.1:9400": f"127.0.0.1:{self.metrics_port}",
            "interval: 15s": "interval: 1s",
        }.items():
            assert sampled in config
            config = config.replace(sampled, ours)
        self.folder.mkdir(parents=True)
        (self.folder / "prometheus.yml").write_text(config)
        (self.folder / "hundi-rules.yml").write_bytes((SAMPLES / "rules.yml").read_bytes())
        port = free_port()
        self._http = httpx.Client(base_url=f"http://127.0.0.1:{port}", trust_env=False, timeout=30)
        self._log = self.folder / "log"
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                [
                    *("prometheus", f"--config.file={self.folder / 'prometheus.yml'}"),
                    f"--storage.tsdb.path={self.folder / 'data'}",
                    f"--web.listen-address=127.0.0.1:{port}",
                ],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                preexec_fn=partial(end_with_parent, os.getpid(), signal.SIGTERM),  # noqa: PLW1509 (two system calls)
            )
        until(self._is_ready, "Prometheus")
        return self

    def __exit__(self, *_: object) -> None:
        self._http.close()
        self._process.terminate()
        self._process.wait(PATIENCE_S)

    def _is_ready(self) -> bool:
        assert self._process.poll() is None, self._log.read_text()
        try:
            return self._http.get("/-/ready").status_code == 200
        except httpx.TransportError:
            return False

    def query(self, expression: str) -> list[dict[str, Any]]:
        """Return the series of an expression now."""
        answer = self._http.get("/api/v1/query", params={"query": expression}).json()
        assert answer["status"] == "success", (expression, answer)
        return answer["data"]["result"]

    def firing(self) -> dict[str, str]:
        """Return the summaries of the alarms that fire, by name."""
        alerts = self._http.get("/api/v1/alerts").json()["data"]["alerts"]
        return {
            each["labels"]["alertname"]: each["annotations"]["summary"]
            for each in alerts
            if each["state"] == "firing"
        }


@dataclass(frozen=True)
class Watched:
    """A gateway with some business, and the Prometheus that watches it."""

    gateway: RunningGateway
    prometheus: Prometheus
    shop: Shop
    metrics_url: str

    def fires(self, alarm: str) -> str:
        """Wait until an alarm fires, and return its summary."""
        return until(lambda: self.prometheus.firing().get(alarm), f"{alarm} to fire")

    def ends(self, alarm: str) -> None:
        """Wait until an alarm fires no more."""
        until(lambda: alarm not in self.prometheus.firing(), f"{alarm} to end")


@pytest.fixture(scope="session")
def watched(lasting_folder: NewFolder, postgres_url: str) -> Iterator[Watched]:
    """Its certificate ends soon, nobody made a backup, and its replica follows no primary."""
    with ExitStack() as stack:
        ends = timedelta(days=CERTIFICATE_DAYS)
        certificate = TestAuthority(lasting_folder("watched-certificate")).issued(ends_in=ends)
        public, metrics = free_port(), free_port()
        gateway = stack.enter_context(
            RunningGateway(
                lasting_folder("watched"),
                HUNDI_PAYMENT_PAGE_URL=f"https://localhost:{public}",
                HUNDI_METRICS_PORT=str(metrics),
                HUNDI_READ_DATABASE_URL=postgres_url,
            )
        )
        port = urlsplit(gateway.base_url).port
        assert port is not None
        folder = lasting_folder("watched-nginx")
        stack.enter_context(Proxy("nginx", folder, certificate, (port, port), port=public))
        # Nobody waits five minutes here; each worker looks once a minute.
        gateway.rows("UPDATE schedules SET due_at = now() WHERE name = 'seal_books'")
        prometheus = Prometheus(lasting_folder("prometheus"), metrics)
        stack.enter_context(prometheus)
        server = stack.enter_context(MerchantServer())
        shop = stack.enter_context(contextmanager(open_shop)(gateway, server, "watched"))
        _trade(shop)
        yield Watched(gateway, prometheus, shop, f"http://127.0.0.1:{metrics}/metrics")


def _trade(shop: Shop) -> None:
    """Pay by UPI and card, be declined, and give one payment back."""
    with Browser() as browser:
        for _ in range(3):
            screen = shop.open_page(browser, order_id := new_order_id())
            scan(shop.gateway, screen.upi_link)
            shop.becomes(order_id, 200)
        pay_card(browser, shop.open_page(browser, new_order_id()), number=DECLINED)
        assert pay_card(browser, shop.open_page(browser, new_order_id())).at == "result"
    payment_id = str(shop.payment(order_id)["payment_id"])
    shop.client.refund([RefundItem(payment_id)], request_id=f"R-{secrets.token_hex(6)}")
