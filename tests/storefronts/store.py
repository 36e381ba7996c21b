"""A shop's own process, connected as a merchant of the running gateway."""

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, Self

import httpx

from hundi.infra.processes import end_with_parent
from hundi.sdk import Client, Gateway, Transaction
from tests.house.source import ROOT
from tests.system.conftest import add_merchant
from tests.system.machine import clean_environment, free_port
from tests.system.running import RunningGateway
from tests.system.waiting import until

SHOPS = ROOT / "shops"
ENVIRONMENTS = ROOT / ".venv" / "shops"
START_S_MAX = 90


class Store:
    """One shop. url: where it is; merchant: what it is at the gateway."""

    def __init__(self, gateway: RunningGateway, folder: Path, name: str, **paths: str) -> None:
        """Open a merchant whose addresses are pages of this shop.

        paths: `back`, where customers come back to; `told`, where notifications go.
        """
        self.name, self.folder, self.gateway = name, folder, gateway
        self.environment = ENVIRONMENTS / name
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.merchant = add_merchant(
            gateway,
            f"The {name} shop",
            multiple_partial_refunds="on",
            success_url=self.url + paths["back"],
            failure_url=self.url + paths["back"],
            notification_url=self.url + paths["told"],
        )
        self._log = folder / "shop.log"
        self._process: subprocess.Popen[bytes] | None = None
        folder.mkdir(parents=True, exist_ok=True)

    @property
    def settings(self) -> dict[str, Any]:
        """What a shop's plugin is configured with, under the names of the SDK."""
        own = self.merchant.credentials
        names = ("merchant_id", "username", "password", "api_secret")
        client = ("oauth_client_id", "oauth_client_secret")
        values = {name: getattr(own, name) for name in (*names, *client)}
        return {**values, "webhook_keys": [*own.webhook_keys], "base_url": self.gateway.base_url}

    def start(
        self, command: Sequence[str], cwd: Path, ready: str, environment: Mapping[str, str]
    ) -> None:
        """Start the shop and wait until a page answers."""
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                command,
                cwd=cwd,
                env={**clean_environment(), **environment},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                preexec_fn=partial(end_with_parent, os.getpid(), signal.SIGTERM),  # noqa: PLW1509 (two system calls)
            )
        until(lambda: self._answers(ready), f"{self.name} to answer", within_s=START_S_MAX)

    def _answers(self, page: str) -> bool:
        assert self._process
        assert self._process.poll() is None, self._log.read_text(errors="replace")[-4000:]
        try:
            return httpx.get(self.url + page, trust_env=False, timeout=30).status_code < 400
        except httpx.HTTPError:
            return False

    def post(self, path: str, **content: Any) -> int:
        """Send what somebody else could send, and return the status."""
        return httpx.post(self.url + path, trust_env=False, timeout=30, **content).status_code

    def told_again(self, order_id: str) -> None:
        """Let the gateway send all that it told of an order once more, and wait until it has."""
        with ThreadPoolExecutor() as elsewhere:  # the browser's event loop runs in this thread
            elsewhere.submit(self._tell_again, order_id).result()

    def _tell_again(self, order_id: str) -> None:
        told = until(lambda: self._told(order_id), f"news of {order_id}")
        before = len(self._taken(order_id))
        for each in told:
            self.gateway.operate("delivery", "replay", each)
        again = before + len(told)
        until(lambda: len(self._taken(order_id)) >= again, f"news of {order_id} again")

    def _told(self, order_id: str) -> list[str]:
        """Return the webhook ids of what was delivered about an order, if nothing waits."""
        rows = self._about(order_id, "d.state", "deliveries d")
        if any(row["state"] != "delivered" for row in rows):
            return []
        return [f"ipn_{row['merchant_id']}_{row['payment_id']}_{row['event_no']}" for row in rows]

    def _taken(self, order_id: str) -> list[dict[str, Any]]:
        """Return the tries that the shop took."""
        rows = self._about(order_id, "d.status", "delivery_attempts d")
        return [row for row in rows if row["status"] == 200]

    def _about(self, order_id: str, column: str, table: str) -> list[dict[str, Any]]:
        return self.gateway.rows(
            f"SELECT d.merchant_id, d.payment_id, d.event_no, {column} FROM {table}"
            " JOIN payments p USING (merchant_id, payment_id)"
            " WHERE d.merchant_id = $1 AND p.order_id = $2",
            self.merchant.number,
            order_id,
        )

    def verify(self, order_id: str, amount_paise: int) -> Transaction:
        """Ask the gateway how a payment of this shop stands."""
        with Client(self.merchant.credentials, Gateway(base_url=self.gateway.base_url)) as client:
            return client.verify(order_id=order_id, amount_paise=amount_paise)

    def logged(self) -> str:
        """Return the end of what the shop wrote."""
        return self._log.read_text(errors="replace")[-4000:]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process is None:
            return
        os.killpg(self._process.pid, signal.SIGTERM)
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            os.killpg(self._process.pid, signal.SIGKILL)
