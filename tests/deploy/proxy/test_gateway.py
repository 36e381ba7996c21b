"""The gateway as others reach it, through the samples of a proxy as they stand."""

import re
import socket
import ssl
import subprocess
import time
from contextlib import ExitStack, closing, suppress

import httpx
import pytest

from hundi.api import endpoint
from hundi.api.interfaces import MERCHANTS
from hundi.api.merchant import disputes, refund
from hundi.console.routing import all_routes
from hundi.wire.merchant.disputes import EVIDENCE
from tests.conftest import NewFolder
from tests.deploy.proxy.conftest import Behind
from tests.deploy.proxy.proxies import NAME, SAMPLES, Proxy
from tests.system.browser import Browser
from tests.system.crowd import BY_CARD, BY_UPI, at_once, customers, one_more
from tests.system.plain import bearer_key, order
from tests.system.running import until
from tests.system.shop import new_order_id, pay_card
from tests.system.tls import ServerCertificate

HSTS = ["max-age=31536000; includeSubDomains"]
BODY_BYTES_MAX = max(
    endpoint.BODY_BYTES_MAX,
    disputes.EVIDENCE_BODY_BYTES_MAX,
    refund.BODY_BYTES_MAX,
    *(route.body_bytes_max for route in all_routes()),
)
"""The largest body that any address of the gateway takes."""
OTHERS_BYTES_MAX = refund.BODY_BYTES_MAX
"""The largest body of an address that takes no upload."""
SHORT = {
    "nginx": {"_header_timeout 15s": "_header_timeout 1s", "_body_timeout 15s": "_body_timeout 1s"},
    "caddy": {"read_header 15s": "read_header 1s", "read_body 30s": "read_body 1s"},
}


def test_a_payment_goes_through_and_its_secrets_stay_out_of_the_log(behind: Behind) -> None:
    """By page and card, back to the shop, asked about, and announced."""
    shop = behind.shop
    with Browser() as browser:
        screen = shop.open_page(browser, order_id := new_order_id())
        assert screen.url.startswith(f"{behind.proxy.address}/pay/v4/s/")
        assert pay_card(browser, screen).at == "result"
    assert shop.verify(order_id).is_paid
    assert shop.hears_event(order_id, "paid").transaction.is_paid
    logged = behind.proxy.logged()
    token = shop.client.access_token()
    with behind.proxy.client() as client:
        client.post(f"/gateway/pay/v4/api/verify/?token={token}", content=b"")
    until(lambda: "/gateway/pay/v4/api/verify/" in behind.proxy.logged(), "the line of verify")
    logged = behind.proxy.logged()
    session = screen.url.rpartition("/")[2].partition("?")[0]
    assert [each for each in (token, session, "token=") if each in logged] == []
    assert "/pay/v4/s/" in logged


def test_the_plain_interface_goes_through_and_its_key_stays_out_of_the_logs(
    behind: Behind,
) -> None:
    key = bearer_key(behind.gateway, behind.shop.merchant, "proxied", "page", "read")
    with behind.proxy.client(headers={"authorization": f"Bearer {key}"}) as client:
        made = client.post("/v1/orders", json=order(new_order_id()))
        assert (made.status_code, made.json()["state"]) == (201, "open")
        assert client.get(f"/v1/orders/{made.json()['order_id']}").json() == made.json()
        wrong = client.get("/v1/orders", headers={"authorization": f"Bearer {key[:-1]}"})
        assert wrong.status_code == 401
    until(lambda: "/v1/orders" in behind.proxy.logged(), "the line of the order")
    logs = [behind.proxy.logged(), *(each.logged() for each in behind.instances)]
    assert [each for each in logs if key[:-1] in each] == []


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
def test_both_new_versions_of_tls_are_taken(behind: Behind, version: ssl.TLSVersion) -> None:
    trust = behind.proxy.certificate.trust()
    trust.minimum_version = trust.maximum_version = version
    with trust.wrap_socket(_connection(behind.proxy), server_hostname=NAME) as connection:
        assert connection.version() == version.name.replace("_", ".")


def test_an_older_version_of_tls_is_refused(behind: Behind) -> None:
    place = f"127.0.0.1:{behind.proxy.port}"
    command = ["openssl", "s_client", "-connect", place, "-tls1_1", "-cipher", "DEFAULT@SECLEVEL=0"]
    ended = subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False
    )
    assert "alert protocol version" in ended.stderr, ended.stderr


def test_another_name_and_plain_http_get_nothing(behind: Behind) -> None:
    trust = ssl._create_unverified_context()  # noqa: S323, SLF001 (whatever is shown is too much)
    with pytest.raises(ssl.SSLError):
        trust.wrap_socket(_connection(behind.proxy), server_hostname="other.example.in")
    with closing(_connection(behind.proxy)) as connection:
        connection.sendall(b"GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert b" 400 " in connection.recv(4096)


def test_every_answer_demands_tls_once(behind: Behind) -> None:
    """Those of the gateway, and those of the proxy itself."""
    with behind.proxy.client() as client:
        answers = [
            client.get("/health/live"),
            client.get("/console/"),
            client.get("/nowhere"),
            client.get("/metrics"),
            client.post("/gateway/pay/v4/api/verify/", content=bytes(BODY_BYTES_MAX + 1)),
        ]
    assert [each.status_code for each in answers[:4]] == [200, 303, 404, 404]
    assert [each.headers.get_list("strict-transport-security") for each in answers] == [HSTS] * 5


def test_everybody_reads_the_status_page_through_the_proxy(behind: Behind) -> None:
    with behind.proxy.client() as client:
        answers = [client.get("/status"), client.get("/status.json")]
    assert [each.status_code for each in answers] == [200, 200]
    assert [each.headers["cache-control"] for each in answers] == ["public, max-age=15"] * 2
    assert answers[1].json()["components"]


def test_a_form_of_the_console_counts_as_its_own_and_another_sites_does_not(
    behind: Behind,
) -> None:
    """The port is no usual one: the address of a form has it, and Host has it."""
    form = {"email": "asha@demo.example", "password": "not hers"}
    with behind.proxy.client() as client:
        ours, other = (
            client.post("/console/sign-in", data=form, headers={"origin": origin})
            for origin in (behind.proxy.address, "https://shop.example")
        )
    assert "This form came from another site" in other.text
    assert "address or password is wrong" in ours.text


def test_a_forged_sender_is_not_believed(behind: Behind) -> None:
    """The address that the gateway writes down is the connection's, whatever the client claims."""
    ours, forged = "127.0.0.9", "203.0.113.77"
    headers = {"x-forwarded-for": forged, "forwarded": f"for={forged}", "x-real-ip": forged}
    before = [len(each.logged()) for each in behind.instances]
    with behind.proxy.client(ours, headers=headers) as client:
        client.post("/gateway/pay/v4/api/verify/", json={"merchant_id": "27708635"})

    def written() -> str:
        return "".join(
            each.logged()[start:] for each, start in zip(behind.instances, before, strict=True)
        )

    until(lambda: "request_refused" in written(), "the refusal's line")
    assert ours in written()
    assert forged not in written()


def test_counters_cannot_be_read_from_outside(behind: Behind) -> None:
    headers = {"x-forwarded-for": "127.0.0.1"}
    with behind.proxy.client(headers=headers) as client:
        paths = ("metrics", "metrics/", "/metrics", "%6detrics", "pay/../metrics", "metrics?a=b")
        answers = {each: _as_it_stands(client, behind, each) for each in paths}
    assert [each for each, text in answers.items() if "hundi_" in text] == []
    # Somebody who forgot the proxy's part is kept safe by the gateway's own.
    direct = f"http://127.0.0.1:{behind.instances[0].port}/metrics"
    forwarded = {"x-forwarded-for": "203.0.113.9"}
    assert httpx.get(direct, headers=forwarded, trust_env=False).status_code == 404
    assert httpx.get(direct, trust_env=False).status_code == 200


def _places() -> list[tuple[str, int]]:
    """Return the places of nginx's sample with a larger body, each with its bytes; else OTHER."""
    text = (SAMPLES / "nginx.conf").read_text()
    places = re.findall(r"location ~ (\S+) \{\n\s+client_max_body_size (\d+)k;", text)
    assert f"    client_max_body_size {OTHERS_BYTES_MAX // 1024}k;" in text
    return [(place, int(kib) * 1024) for place, kib in places]


def _allowed(path: str) -> int:
    fitting = (most for place, most in _places() if re.search(place, path))
    return next(fitting, OTHERS_BYTES_MAX)


def test_only_uploads_have_room_for_a_large_body() -> None:
    routes = {
        re.sub(r"\{[^}]+\}", "1", route.address): route.body_bytes_max
        for route in all_routes()
        if route.method == "POST"
    }
    assert [path for path, most in routes.items() if most > _allowed(path)] == []
    assert _allowed(EVIDENCE.address) == disputes.EVIDENCE_BODY_BYTES_MAX
    assert max(most for _, most in _places()) == BODY_BYTES_MAX
    merchants = {operation.address for operation in MERCHANTS} - {EVIDENCE.address}
    small = {*merchants, "/console/sign-in", "/console/1/payments/1/refund", "/pay/v4/s/1/card"}
    assert {_allowed(path) for path in small} == {OTHERS_BYTES_MAX}


@pytest.mark.parametrize(
    ("address", "bytes_max"),
    [
        ("/gateway/pay/v4/api/verify/", OTHERS_BYTES_MAX),
        (EVIDENCE.address, disputes.EVIDENCE_BODY_BYTES_MAX),
        ("/console/all/reconciliation/statements", BODY_BYTES_MAX),
    ],
)
def test_what_the_gateway_takes_the_proxy_lets_through(
    behind: Behind, address: str, bytes_max: int
) -> None:
    """The largest body is answered by the gateway; what is larger, by nginx alone.

    Caddy leaves that to the gateway, too.
    """
    with behind.proxy.client() as client:
        largest = client.post(address, content=bytes(bytes_max))
        larger = client.post(address, content=bytes(bytes_max + 1))
    assert largest.status_code < 500
    assert "x-request-id" in largest.headers
    by_nginx = behind.proxy.kind == "nginx"
    assert "x-request-id" not in larger.headers if by_nginx else "x-request-id" in larger.headers
    assert (larger.status_code == 413) == by_nginx or largest.status_code == 413


def _as_it_stands(client: httpx.Client, behind: Behind, path: str) -> str:
    """Return the text at an address that no client has put in order."""
    url = httpx.URL(behind.proxy.address).copy_with(raw_path=b"/" + path.encode())
    return client.send(client.build_request("GET", url)).text


@pytest.mark.parametrize("offer", ["--http1.1", "--http2"])
def test_http_2_is_spoken_outside(behind: Behind, offer: str) -> None:
    told = _curl(behind, f"{behind.proxy.address}/gateway/pay/v4/api/verify/", offer)
    assert told == ("2" if offer == "--http2" else "1.1", "200", "0")


def test_an_offer_of_h2c_keeps_the_body(behind: Behind) -> None:
    """Java's client sends it with every request, and curl with `--http2` without TLS."""
    plain, offered = (
        _curl(
            behind, f"http://127.0.0.1:{behind.instances[0].port}/gateway/pay/v4/api/verify/", each
        )
        for each in ("--http1.1", "--http2")
    )
    assert plain == offered == ("1.1", "200", "0")
    headers = {"connection": "Upgrade, HTTP2-Settings", "upgrade": "h2c", "http2-settings": "AAMA"}
    with behind.proxy.client() as client:
        address, body = (
            "/gateway/pay/v4/api/verify/",
            {"merchant_id": behind.shop.merchant.merchant_id},
        )
        answers = [client.post(address, data=body, headers=each).json() for each in ({}, headers)]
    for each in answers:
        del each["request_id"]
    assert answers[0] == answers[1]


def _curl(behind: Behind, url: str, offer: str) -> tuple[str, ...]:
    """Send a form, and return version, status and how many redirects there were."""
    command = [
        *("curl", "--silent", "--fail", "--cacert", str(behind.proxy.certificate.authority), offer),
        *("--data", f"merchant_id={behind.shop.merchant.merchant_id}", "--output", "/dev/null"),
        *("--write-out", "%{http_version} %{http_code} %{num_redirects}", url),
    ]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == 0, ended.stderr
    return tuple(ended.stdout.split())


def _connection(proxy: Proxy) -> socket.socket:
    return socket.create_connection(("127.0.0.1", proxy.port), timeout=30)


def test_instances_start_again_in_turn_and_no_customer_notices(behind: Behind) -> None:
    """Whoever pays meanwhile sees no failure, and what was acknowledged stays.

    A customer notes whatever breaks on the way.
    """
    crowd = customers(behind.shop, 40, (BY_UPI, BY_CARD))

    def start_again() -> None:
        for instance in (*behind.instances, *behind.instances):
            one_more(crowd)
            instance.stop()
            one_more(crowd)
            instance.start()

    at_once(crowd, start_again, width=8)
    for each in crowd:
        each.ends()
    assert [word for each in crowd for word in each.broken] == []
    behind.gateway.audit()


SLOW = {
    "head": b"POST /gateway/pay/v4/api/verify/ HTTP/1.1\r\nHost: localhost\r\n",
    "body": (
        b"POST /gateway/pay/v4/api/verify/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99\r\n"
        b"\r\nmerchant_id="
    ),
}


@pytest.mark.parametrize("begun", SLOW.values(), ids=SLOW)
def test_a_client_that_sends_no_more_is_left_and_holds_up_nobody(
    behind: Behind, begun: bytes, new_folder: NewFolder, certificate: ServerCertificate
) -> None:
    """The waits of the samples, 15 and 30 seconds, are one here."""
    ports = (behind.instances[0].port, behind.instances[-1].port)
    kind = behind.proxy.kind
    folder = new_folder(f"{kind}-{len(begun)}")
    with (
        Proxy(kind, folder, certificate, ports, changes=SHORT[kind]) as proxy,
        ExitStack() as connections,
        proxy.client() as other,
    ):
        slow = [
            connections.enter_context(
                certificate.trust().wrap_socket(_connection(proxy), server_hostname=NAME)
            )
            for _ in range(50)
        ]
        for connection in slow:
            connection.sendall(begun)
        began = time.monotonic()
        assert other.get("/health/live").status_code == 200
        assert time.monotonic() - began < 1
        for connection in slow:
            with suppress(ConnectionError):
                while connection.recv(4096):
                    pass
        assert time.monotonic() - began < 15
