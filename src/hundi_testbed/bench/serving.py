"""The gateway under test: `hundi serve` in a directory of its own, its merchants, and its audit."""

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from hundi.gateway.bootstrap import open_operator_context
from hundi.infra.processes import end_with_parent
from hundi.infra.settings import load_settings
from hundi.merchants.directory import actions as merchants
from hundi.merchants.directory.rules import MerchantSettings
from hundi.sdk.credentials import Credentials
from hundi.staff.trail.actions import at_command_line, recording_merchant
from hundi_testbed.bench import load
from hundi_testbed.bench.chain import Addresses, BenchShop, connect

HOST = "127.0.0.1"
READY_S_MAX = 60.0
STOP_S_MAX = 40.0
AUDIT_S_MAX = 60.0
_POLL_S = 0.01
_LOG_TAIL_BYTES = 2_000
_READY = 200


class ServeError(Exception):
    """`hundi serve` or another command failed; the text holds the end of its output."""


@dataclass(frozen=True, slots=True)
class Serving:
    """A running `hundi serve`.

    ready_s: from its start until gateway and bank were ready.
    """

    process: subprocess.Popen[bytes]
    data_dir: Path
    port: int
    simbank_port: int
    ready_s: float

    @property
    def addresses(self) -> Addresses:
        """Return the addresses of gateway and bank."""
        return Addresses(f"{HOST}:{self.port}", f"{HOST}:{self.simbank_port}")

    def require_running(self) -> None:
        """Raise ServeError when it has ended."""
        if self.process.poll() is not None:
            raise ServeError(self.story(f"hundi serve ended with status {self.process.returncode}"))

    def story(self, what: str) -> str:
        """Return a message, with the last output of the gateway's processes."""
        last_words = _log(self.data_dir).read_bytes()[-_LOG_TAIL_BYTES:].decode(errors="replace")
        return f"{what}; the end of the output of hundi serve:\n{last_words}"

    def stop(self) -> None:
        """Stop it as an operator would, without a remaining process. A second stop is allowed."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(STOP_S_MAX)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()


async def serve(
    data_dir: Path, ports: tuple[int, int] | None = None, api_processes: int = 1
) -> Serving:
    """Start a gateway with defaults except what is given, and wait until it is ready.

    Raises ServeError.

    ports: of gateway and bank; free ones when left out.
    """
    port, simbank_port = ports or free_ports(2)
    places = (
        "--port",
        str(port),
        "--simbank-port",
        str(simbank_port),
        "--workers",
        str(api_processes),
    )
    began = time.perf_counter()
    with _log(data_dir).open("ab") as log:
        process = subprocess.Popen(  # noqa: ASYNC220 (starting it is what is measured)
            [hundi_command(), "serve", "--demo", *places, "--data-dir", str(data_dir)],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            env=_environment(),
            # Ctrl-C stops the measurement alone: its audit needs the bank's answers.
            start_new_session=True,
            # It stops in order even when this process is killed.
            preexec_fn=partial(end_with_parent, os.getpid(), signal.SIGTERM),  # noqa: PLW1509 (takes no Python lock)
        )
    serving = Serving(process, data_dir, port, simbank_port, 0.0)
    try:
        for address in (serving.addresses.gateway, serving.addresses.bank):
            await _until_ready(serving, address, began + READY_S_MAX)
    except BaseException:
        serving.stop()
        raise
    return Serving(process, data_dir, port, simbank_port, time.perf_counter() - began)


async def _until_ready(serving: Serving, address: str, give_up: float) -> None:
    question = load.get(address, "/health/ready")
    connection = connect(address)
    while time.perf_counter() < give_up:
        serving.require_running()
        try:
            if (await connection.send(question)).status == _READY:
                connection.close()
                return
        except OSError:
            pass
        await asyncio.sleep(_POLL_S)
    raise ServeError(serving.story(f"not ready after {READY_S_MAX:.0f} s"))


def free_ports(number: int) -> list[int]:
    """Return ports that are free now."""
    sockets = [socket.create_server((HOST, 0)) for _ in range(number)]
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def hundi_command() -> str:
    """Return the command beside this Python."""
    return str(Path(sys.executable).with_name("hundi"))


def _environment() -> dict[str, str]:
    """Return our environment without another gateway's settings."""
    return {name: value for name, value in os.environ.items() if not name.startswith("HUNDI_")}


def _log(data_dir: Path) -> Path:
    return data_dir.with_name(data_dir.name + ".log")


async def open_shops(
    serving: Serving, number: int, notification_url: str, channels: tuple[str, ...] = ("upi", "pg")
) -> list[BenchShop]:
    """Add merchants to a running gateway by its Python interface; return their servers."""
    settings = load_settings(data_dir=serving.data_dir, demo=True)
    chosen = MerchantSettings(
        success_url="https://shop.example.in/thanks",
        failure_url="https://shop.example.in/sorry",
        notification_url=notification_url,
        mcc="5651",
        channels=channels,
    )
    shops: list[BenchShop] = []
    async with open_operator_context(settings) as context:
        for place in range(number):
            merchant_id, keys = await merchants.add(
                context.db,
                context.vault,
                name=f"Bench {place + 1}",
                mode="live",
                settings=chosen,
                now=datetime.now(UTC),
                beside=recording_merchant(
                    at_command_line("bench", context.vault), "merchant.add", datetime.now(UTC)
                ),
            )
            credentials = Credentials(
                merchant_id=str(merchant_id),
                username=keys.username,
                password=keys.password,
                api_secret=keys.secret,
                oauth_client_id=keys.client_id,
                oauth_client_secret=keys.client_secret,
                webhook_keys=keys.webhook_keys,
            )
            shops.append(BenchShop(credentials))
    return shops


async def audit(serving: Serving) -> dict[str, Any]:
    """Return the result of `hundi audit`, violations or not.

    Raises ServeError without output.
    """
    command = [
        hundi_command(),
        "audit",
        "--data-dir",
        str(serving.data_dir),
        "--simbank-url",
        f"http://{serving.addresses.bank}",
        "--json",
    ]
    process = await asyncio.create_subprocess_exec(
        *command, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE, env=_environment()
    )
    async with asyncio.timeout(AUDIT_S_MAX):
        output, complained = await process.communicate()
    try:
        return json.loads(output)
    except ValueError:
        last_words = complained[-_LOG_TAIL_BYTES:].decode(errors="replace")
        message = f"hundi audit ended with status {process.returncode}: {last_words}"
        raise ServeError(message) from None
