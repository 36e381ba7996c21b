"""A gateway behind each proxy, with two instances of its API that a test may end."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import timedelta

import httpx
import pytest

from hundi.sdk import Client, Gateway
from tests.conftest import NewFolder
from tests.deploy.instances import ApiInstance
from tests.deploy.proxy.proxies import Proxy
from tests.patience import PATIENCE_S
from tests.system.conftest import add_merchant
from tests.system.endpoint import MerchantServer
from tests.system.machine import free_port
from tests.system.running import RunningGateway, until
from tests.system.shop import Shop
from tests.system.tls import ServerCertificate, TestAuthority

KINDS = ("nginx", "caddy")


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
    instances: tuple[ApiInstance, ...] | tuple[ServedInstance, ...]
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
    lasting_folder: NewFolder, certificate: ServerCertificate
) -> Iterator[dict[str, Behind]]:
    """The same gateway behind each proxy; it has the first one's address."""
    with ExitStack() as stack:
        server, port = stack.enter_context(MerchantServer()), free_port()
        gateway = stack.enter_context(
            RunningGateway(
                lasting_folder("proxied"),
                HUNDI_BASE_URL=f"https://localhost:{port}",
                HUNDI_TRUSTED_PROXIES="127.0.0.1/32",
                SSL_CERT_FILE=str(certificate.authority),
            )
        )
        # What tests ask by themselves is asked at once.
        served = ServedInstance(gateway, _port_of(gateway))
        gateway.base_url = f"http://127.0.0.1:{served.port}"
        first, second = (
            stack.enter_context(
                ApiInstance(
                    gateway,
                    HUNDI_BASE_URL=f"https://localhost:{port}",
                    HUNDI_TRUSTED_PROXIES="127.0.0.1/32",
                )
            )
            for _ in range(2)
        )
        behind = {}
        for kind, instances in {"nginx": (first, second), "caddy": (served,)}.items():
            ports = (instances[0].port, instances[-1].port)
            proxy = Proxy(kind, lasting_folder(kind), certificate, ports, port=port)
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
