"""A shop in each framework believes nothing where its webhook key is one that everybody has."""

import base64
import hmac
import os
import signal
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.languages.frameworks import FRAMEWORKS
from tests.languages.test_frameworks import (
    BOOKS,
    HERE,
    books,
    listens,
    run,
    variables_of,
)
from tests.system.conftest import add_merchant
from tests.system.machine import free_port
from tests.system.running import RunningGateway, until

__all__ = ["books", "run"]


def forge(address: str) -> httpx.Response:
    """Send a notification that is signed with an empty key."""
    body, now = b'{"response": "forged"}', str(int(time.time()))
    mac = hmac.digest(b"", f"msg_1.{now}.".encode() + body, "sha256")
    signed = {
        "webhook-id": "msg_1",
        "webhook-timestamp": now,
        "webhook-signature": f"v1,{base64.b64encode(mac).decode()}",
        "content-type": "application/json",
    }
    return httpx.post(address, content=body, headers=signed, trust_env=False, timeout=60)


@pytest.mark.parametrize("name", HERE)
def test_a_key_that_everybody_has_is_refused(
    name: str,
    gateway: RunningGateway,
    books: dict[str, str],
    run: Callable[..., list[Any]],
    tmp_path: Path,
) -> None:
    """`whsec_A` decodes to an empty key: whoever signs with that one would be believed."""
    run("DROP TABLE IF EXISTS orders, hundi_events, django_migrations, migrations CASCADE")
    run(BOOKS)
    framework, port, log = FRAMEWORKS[name], free_port(), tmp_path / "shop.log"
    merchant = add_merchant(gateway, f"Careless {name}")
    environment = variables_of(merchant, gateway, books) | {"WEBHOOK_KEY": "whsec_A"}
    framework.write()
    try:
        process = framework.start(environment, port, log)
    except subprocess.CalledProcessError:
        assert "24 bytes" in log.read_text()
        return
    url = f"http://127.0.0.1:{port}"
    try:
        until(lambda: process.poll() is not None or listens(url), f"{name} to listen")
        if process.poll() is None:  # it looks at its settings when it needs them
            forged = forge(f"{url}/hundi/notification")
            assert forged.status_code == httpx.codes.INTERNAL_SERVER_ERROR
        assert "24 bytes" in log.read_text()
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
