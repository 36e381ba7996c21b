"""A gateway behind each proxy, with two instances of its API that a test may end."""

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Self

import httpx
import pytest

from hundi.infra.processes import end_with_parent
from hundi.sdk import Client, Gateway
from tests.conftest import NewFolder
from tests.deploy.proxy.proxies import Proxy
from tests.patience import PATIENCE_S
from tests.system.conftest import add_merchant
from tests.system.endpoint import MerchantServer
from tests.system.machine import clean_environment, free_port
from tests.system.running import HUNDI, RunningGateway, until
from tests.system.shop import Shop
from tests.system.tls import ServerCertificate, TestAuthority

KINDS = ("nginx", "caddy")


class Instance:
    """An API process of its own beside a gateway, as `hundi api` runs it."""

    def __init__(self, gateway: RunningGateway, public: str) -> None:
        """Start it. public: the address of the proxy in front."""
        self.port = free_port()
        self._log = gateway.log.with_name(f"instance-{self.port}.log")
        self._folder = gateway.data_dir
        self._settings = {
            "HUNDI_DEMO": "on",
            "HUNDI_PORT": str(self.port),
            "HUNDI_BASE_URL": public,
            "HUNDI_SIMBANK_URL": gateway.simbank_url,
            "HUNDI_ACQUIRER_KEY": gateway.acquirer_key,
            "HUNDI_TRUSTED_PROXIES": "127.0.0.1/32",
        }
        self.start()

    def start(self) -> None:
        """Start it, and wait until it is ready."""
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                [str(HUNDI), "api", "--data-dir", str(self._folder)],
                env=clean_environment() | self._settings,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                preexec_fn=partial(end_with_parent, os.getpid(), signal.SIGTERM),  # noqa: PLW1509 (two system calls)
            )
        until(self._is_ready, "an instance to be ready")

    def _is_ready(self) -> bool:
        assert self._process.poll() is None, self._log.read_text()
        try:
            address = f"http://127.0.0.1:{self.port}/health/ready"
            return httpx.get(address, trust_env=False, timeout=10).status_code == 200
        except httpx.TransportError:
            return False

    def stop(self) -> None:
        """End it as an operator does."""
        self._process.terminate()
        assert self._process.wait(PATIENCE_S) == 0, self._log.read_text()

    def logged(self) -> str:
        """Return its log."""
        return self._log.read_text()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


class ServedInstance:
    """The API process of `hundi serve` itself, whose socket outlives it."""

    def __init__(self, gateway: RunningGateway, port: int) -> None:
        """Keep its gateway. port: of the socket."""
        self.port = port
        self._gateway = gateway

    def stop(self) -> None:
        """End the process as an operator does, who reloads it."""
        (process,) = self._gateway.part("api")
        process.terminate()
        process.wait(PATIENCE_S)

    def start(self) -> None:
        """Wait until it is back."""
        until(self._gateway.is_ready, "the next API process")

    def logged(self) -> str:
        """Return the gateway's log."""
        return self._gateway.log.read_text()


@dataclass(frozen=True)
class Behind:
    """A gateway behind a proxy, the instances that take the proxy's requests, and a shop."""

    gateway: RunningGateway
    instances: tuple[Instance, ...] | tuple[ServedInstance, ...]
    proxy: Proxy
    shop: Shop


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> ServerCertificate:
    """The certificate of the proxies, made for these tests."""
    authority = TestAuthority(tmp_path_factory.mktemp("certificate"))
    return authority.issued(ends_in=timedelta(days=30))


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    """Each proxy in turn."""
    return request.param


@pytest.fixture(scope="session")
def behind_each(
    new_folder: NewFolder, certificate: ServerCertificate
) -> Iterator[dict[str, Behind]]:
    """The same gateway behind each proxy; it has the first one's address."""
    with ExitStack() as stack:
        server, port = stack.enter_context(MerchantServer()), free_port()
        gateway = stack.enter_context(
            RunningGateway(
                new_folder("proxied"),
                HUNDI_BASE_URL=f"https://localhost:{port}",
                HUNDI_TRUSTED_PROXIES="127.0.0.1/32",
                SSL_CERT_FILE=str(certificate.chain),
            )
        )
        # What tests ask by themselves is asked at once.
        served = ServedInstance(gateway, _port_of(gateway))
        gateway.base_url = f"http://127.0.0.1:{served.port}"
        first, second = (
            stack.enter_context(Instance(gateway, f"https://localhost:{port}")) for _ in range(2)
        )
        behind = {}
        for kind, instances in {"nginx": (first, second), "caddy": (served,)}.items():
            ports = (instances[0].port, instances[-1].port)
            proxy = Proxy(kind, new_folder(kind), certificate, ports, port=port)
            stack.enter_context(proxy)
            shop = stack.enter_context(_open_shop(gateway, server, proxy))
            behind[kind] = Behind(gateway, instances, proxy, shop)
            port = free_port()
        yield behind


def _port_of(gateway: RunningGateway) -> int:
    command = gateway.process.args
    assert isinstance(command, list)
    return int(command[command.index("--port") + 1])


@pytest.fixture
def behind(behind_each: dict[str, Behind], kind: str) -> Behind:
    """The gateway behind one of the proxies."""
    return behind_each[kind]


@contextmanager
def _open_shop(gateway: RunningGateway, server: MerchantServer, proxy: Proxy) -> Iterator[Shop]:
    """Open a shop that knows the gateway by its proxy alone."""
    endpoint = server.endpoint(proxy.kind)
    merchant = add_merchant(
        gateway,
        f"Behind {proxy.kind}",
        notification_url=endpoint.url,
        success_url=f"{server.url}/{proxy.kind}/paid",
        failure_url=f"{server.url}/{proxy.kind}/unpaid",
    )
    transport = httpx.HTTPTransport(verify=proxy.certificate.trust())
    addresses = Gateway(base_url=proxy.address)
    with Client(merchant.credentials, addresses, transport=transport) as client:
        yield Shop(gateway, merchant, client, endpoint)
