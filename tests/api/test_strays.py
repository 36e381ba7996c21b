"""What meets no interface, and who opens the gateway's bare address."""

from pathlib import Path
from typing import Any, cast

import httpx
import pytest

from hundi.api.addresses import page
from hundi.app import build_with
from hundi.infra.settings import load_settings

VERIFY = "/gateway/pay/v4/api/verify/"


@pytest.fixture
def caller(tmp_path: Path) -> httpx.AsyncClient:
    """Return a client of an application that was never started: nothing here asks a database."""
    app = build_with(load_settings(data_dir=str(tmp_path), database_url="postgresql://nobody@localhost/none"))
    return httpx.AsyncClient(transport=httpx.ASGITransport(cast("Any", app)), base_url="http://testserver.local")


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
    assert (envelope["status_code"], envelope["status"], envelope["response_code"]) == ("400", "fail", "101")
    assert envelope["data"] == []
    assert named in envelope["message"]
    assert answer.headers["x-request-id"] == envelope["request_id"]


@pytest.mark.parametrize("address", ["/", "/pay/v4/", "/gateway/pay/v4", "/airpay/pay/v4/index.php"])
async def test_who_opens_a_bare_address_is_told_what_it_is(caller: httpx.AsyncClient, address: str) -> None:
    answer = await caller.get(address)
    assert answer.status_code == 200
    assert "Payments start in a shop" in answer.text


def test_the_page_is_mounted_under_the_gateway_and_every_alias() -> None:
    assert {"/pay/v4", "/gateway/pay/v4/", "/old/pay/v4/index.php"} <= set(page(["/old"]))


@pytest.mark.parametrize(
    ("method", "address"),
    [
        ("GET", VERIFY),
        ("POST", "/gateway/pay/v4/api/<script>/"),
        ("DELETE", "/metrics"),
        ("GET", "/health/live"),
        ("GET", "/gateway/pay/v4/openapi.json"),
        ("GET", "/"),
        ("GET", "/nothing"),
    ],
)
async def test_no_browser_guesses_what_an_answer_is(caller: httpx.AsyncClient, method: str, address: str) -> None:
    answer = await caller.request(method, address)
    assert answer.headers.get_list("x-content-type-options") == ["nosniff"]
