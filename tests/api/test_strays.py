"""What meets no interface, and who opens the gateway's bare address."""

from pathlib import Path
from typing import Any, cast

import httpx
import pytest
from structlog.testing import capture_logs

from hundi.api.addresses import page
from hundi.gateway.app import build_with
from hundi.infra.settings import load_settings
from hundi.page.render import ASSETS

VERIFY = "/gateway/pay/v4/api/verify/"


@pytest.fixture(scope="module")
def caller(tmp_path_factory: pytest.TempPathFactory) -> httpx.AsyncClient:
    """Return a client of an application that was never started: nothing here asks a database."""
    return calling(tmp_path_factory.mktemp("strays"))


def calling(data_dir: Path, **settings: str) -> httpx.AsyncClient:
    database_url = "postgresql://nobody@localhost/none"
    app = build_with(load_settings(data_dir=str(data_dir), database_url=database_url, **settings))
    return httpx.AsyncClient(
        transport=httpx.ASGITransport(cast("Any", app)), base_url="http://testserver.local"
    )


@pytest.mark.parametrize(
    ("method", "address", "status", "named"),
    [
        ("GET", VERIFY, 200, "method was 'GET'; allowed: POST"),
        ("PUT", VERIFY.rstrip("/"), 200, "method was 'PUT'; allowed: POST"),
        ("POST", "/gateway/pay/v4/api/nothing/", 404, "address was '/gateway/pay/v4/api/nothing/'"),
        ("DELETE", "/metrics", 405, "method was 'DELETE'"),
    ],
)
async def test_every_answer_is_an_envelope_with_a_request_id(
    caller: httpx.AsyncClient, method: str, address: str, status: int, named: str
) -> None:
    answer = await caller.request(method, address)
    envelope = answer.json()
    assert answer.status_code == status
    assert (envelope["status_code"], envelope["status"], envelope["response_code"]) == (
        "400",
        "fail",
        "101",
    )
    assert envelope["data"] == []
    assert named in envelope["message"]
    assert answer.headers["x-request-id"] == envelope["request_id"]


@pytest.mark.parametrize(
    "address", ["/", "/pay/v4/", "/gateway/pay/v4", "/airpay/pay/v4/index.php"]
)
async def test_who_opens_a_bare_address_is_told_what_it_is(
    caller: httpx.AsyncClient, address: str
) -> None:
    answer = await caller.get(address)
    assert answer.status_code == 200
    assert "Payments start in a shop" in answer.text


def test_the_page_is_mounted_under_the_gateway_and_every_alias() -> None:
    assert {"/pay/v4", "/gateway/pay/v4/", "/old/pay/v4/index.php"} <= set(page(["/old"]))


ANYWHERE = (
    ("GET", VERIFY),
    ("TRACE", VERIFY),
    ("POST", VERIFY),
    ("POST", "/gateway/pay/v4/api/<script>/"),
    ("DELETE", "/metrics"),
    ("TRACE", "/"),
    ("OPTIONS", "/"),
    ("GET", "/health/live"),
    ("GET", "/gateway/pay/v4/openapi.json"),
    ("GET", ASSETS["icon.svg"].href),
    ("GET", "/"),
    ("GET", "/nothing"),
)
"""Answers of interfaces, pages, files and the framework; a POST to VERIFY fails.

The application was never started.
"""


@pytest.mark.parametrize(("method", "address"), ANYWHERE)
async def test_no_browser_guesses_what_an_answer_is(
    caller: httpx.AsyncClient, method: str, address: str
) -> None:
    answer = await caller.request(method, address)
    assert answer.headers.get_list("x-content-type-options") == ["nosniff"]
    kind = answer.headers.get("content-type", "")
    assert not kind.startswith(("text/", "image/svg")) or kind.endswith("; charset=utf-8")


@pytest.mark.parametrize(("method", "address"), ANYWHERE)
async def test_no_answer_is_framed_run_or_named_to_others(
    caller: httpx.AsyncClient, method: str, address: str
) -> None:
    answer = await caller.request(method, address)
    (policy,) = answer.headers.get_list("content-security-policy")
    directives = policy.split("; ")
    assert {"default-src 'none'", "base-uri 'none'", "frame-ancestors 'none'"} <= set(directives)
    assert "sandbox" in directives or answer.headers["content-type"].startswith("text/html")
    assert answer.headers.get_list("referrer-policy") == ["no-referrer"]
    assert answer.headers.get_list("cache-control") in (
        ["no-store"],
        ["public, max-age=31536000, immutable"],
    )
    assert VERIFY not in answer.text or method != "TRACE"
    given = {name for name, _ in answer.headers.multi_items()}
    assert not {
        name for name in given if name == "set-cookie" or name.startswith("access-control-")
    }


async def test_a_fault_shows_no_trace_whatever_the_environment_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LITESTAR_DEBUG", "1")
    async with calling(tmp_path) as caller:
        answer = await caller.get("/health/ready", headers={"accept": "text/html"})
    assert answer.status_code == 500
    assert "Traceback" not in answer.text
    assert "gateway" not in answer.text


@pytest.mark.parametrize(
    "named",
    [
        "/pay/v4/s/1.2.its-tag",
        "/pay/v4/s/1.2.its-tag/status",
        "/pay/v4/m/1.2.its-tag",
        "/app/AF1/its-tag",
    ],
)
async def test_the_log_of_a_fault_does_not_name_what_an_address_opens(
    caller: httpx.AsyncClient, named: str
) -> None:
    with capture_logs() as lines:
        assert (await caller.get(named)).status_code == 500
    (path,) = {line["path"] for line in lines if line["event"] == "request_failed"}
    assert path == named.partition("1.2.")[0].partition("AF1")[0]


@pytest.mark.parametrize(
    ("base_url", "payment_page_url", "expected"),
    [
        (
            "https://pay.example.in",
            "https://pay.example.in",
            ["max-age=31536000; includeSubDomains"],
        ),
        ("https://pay.example.in", "http://page.example.in", []),
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080", []),
    ],
)
async def test_who_is_reached_by_tls_is_asked_by_nothing_else(
    tmp_path: Path, base_url: str, payment_page_url: str, expected: list[str]
) -> None:
    async with calling(tmp_path, base_url=base_url, payment_page_url=payment_page_url) as caller:
        for method, address in ANYWHERE:
            answer = await caller.request(method, address)
            assert answer.headers.get_list("strict-transport-security") == expected, (
                method,
                address,
            )
