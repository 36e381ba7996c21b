"""API processes of their own beside a gateway, as `hundi api` runs them."""

import os
import signal
import subprocess
from functools import partial
from typing import Self

import httpx

from hundi.infra.processes import end_with_parent
from tests.patience import PATIENCE_S
from tests.system.machine import clean_environment, free_port
from tests.system.running import HUNDI, RunningGateway, until


class ApiInstance:
    """`hundi api` on the data directory of a gateway, which goes on beside it."""

    def __init__(self, gateway: RunningGateway, **settings: str) -> None:
        """Start it. settings: further variables, such as the address of a proxy in front."""
        self.port = free_port()
        self._log = gateway.log.with_name(f"instance-{self.port}.log")
        self._folder = gateway.data_dir
        self._settings = {
            "HUNDI_DEMO": "on",
            "HUNDI_PORT": str(self.port),
            "HUNDI_SIMBANK_URL": gateway.simbank_url,
            "HUNDI_ACQUIRER_KEY": gateway.acquirer_key,
        } | settings
        self.start()

    def start(self) -> None:
        """Start it, and wait until it is ready."""
        with self._log.open("ab") as log:
            self.process = subprocess.Popen(
                [str(HUNDI), "api", "--data-dir", str(self._folder)],
                env=clean_environment() | self._settings,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                preexec_fn=partial(end_with_parent, os.getpid(), signal.SIGTERM),  # noqa: PLW1509 (two system calls)
            )
        until(self._is_ready, "an instance to be ready")

    def _is_ready(self) -> bool:
        assert self.process.poll() is None, self._log.read_text()
        try:
            address = f"http://127.0.0.1:{self.port}/health/ready"
            return httpx.get(address, trust_env=False, timeout=10).status_code == 200
        except httpx.TransportError:
            return False

    def stop(self) -> None:
        """End it as an operator does."""
        self.process.terminate()
        assert self.process.wait(PATIENCE_S) == 0, self._log.read_text()

    def logged(self) -> str:
        """Return its log."""
        return self._log.read_text()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
