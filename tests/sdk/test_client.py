"""Both clients against a gateway built of the wire: tokens, verify, forms, retries and refusals."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Protocol
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

from hundi.kernel.records import replace
from hundi.sdk import AsyncClient, Client, Gateway, PaymentForm, Transaction, errors
from tests.sdk.gateway_double import (
    CREDENTIALS,
    ORDER,
    PAID,
    GatewayDouble,
    changed,
    refused,
    reply,
)

GATEWAY = Gateway(base_url="http://127.0.0.1:1", pauses_s=(0.0, 0.0))
EXPECTED = {"order_id": "ORD-1001", "amount_paise": 149_950}


class AnyClient(Protocol):
    """What both clients can do, seen from synchronous tests."""

    def verify(self, **references: object) -> Transaction: ...
    def payment_form(self) -> PaymentForm: ...


class _Sync:
    def __init__(self, double: GatewayDouble, gateway: Gateway) -> None:
        self._client = Client(CREDENTIALS, gateway, transport=httpx.MockTransport(double))

    def verify(self, **references: object) -> Transaction:
        return self._client.verify(**(EXPECTED | references))

    def payment_form(self) -> PaymentForm:
        return self._client.payment_form(ORDER)


class _Async:
    def __init__(self, double: GatewayDouble, gateway: Gateway) -> None:
        self._client = AsyncClient(
            CREDENTIALS, gateway, transport=httpx.MockTransport(double.answer_later)
        )

    def verify(self, **references: object) -> Transaction:
        return asyncio.run(self._client.verify(**(EXPECTED | references)))

    def payment_form(self) -> PaymentForm:
        return asyncio.run(self._client.payment_form(ORDER))


@pytest.fixture(params=[_Sync, _Async], ids=["sync", "async"])
def connect(request: pytest.FixtureRequest) -> Callable[..., AnyClient]:
    return lambda double, gateway=GATEWAY: request.param(double, gateway)


def test_verify_returns_what_the_gateway_knows(connect: Callable[..., AnyClient]) -> None:
    double = GatewayDouble()
    told = connect(double).verify()
    assert (told.order_id, told.amount_paise, told.rrn) == ("ORD-1001", 149_950, "632512345678")
    assert told.is_paid
    assert told.custom_var == "a=1|b=2 }"
    assert double.paths == ["/gateway/pay/v4/api/oauth2/", "/gateway/pay/v4/api/verify/"]


@pytest.mark.parametrize(
    "references",
    [{"transaction_id": "215000000000001"}, {"rrn": "632512345678"}, {}],
    ids=["id", "rrn", "order"],
)
def test_verify_looks_up_by_each_reference(
    connect: Callable[..., AnyClient], references: dict[str, str]
) -> None:
    double = GatewayDouble()
    connect(double).verify(**references)
    asked = set(double.opened[-1]) - {"request_seal"}
    assert asked == (
        {"ap_transactionid"} if "transaction_id" in references else set(references) or {"orderid"}
    )


@pytest.mark.parametrize("reply_format", ["both", "encrypted"])
def test_every_encrypted_reply_format_is_read(
    connect: Callable[..., AnyClient], reply_format: str
) -> None:
    assert connect(GatewayDouble(reply_format=reply_format)).verify().is_paid


def test_a_plain_success_is_believed_only_on_request(connect: Callable[..., AnyClient]) -> None:
    double = GatewayDouble(reply_format="plain")
    with pytest.raises(errors.ConfigurationError, match="allow_plain_replies"):
        connect(double).verify()
    assert connect(double, replace(GATEWAY, allow_plain_replies=True)).verify().is_paid


@pytest.mark.parametrize(
    ("record", "field"),
    [
        (changed(PAID, amount="14.99"), "amount"),
        (changed(PAID, currency_code="840"), "currency_code"),
        (changed(PAID, merchant_id="54321"), "merchant_id"),
    ],
)
def test_another_amount_currency_or_merchant_is_a_mismatch(
    connect: Callable[..., AnyClient], record: object, field: str
) -> None:
    with pytest.raises(errors.MismatchError) as caught:
        connect(GatewayDouble(record=record)).verify()
    assert (caught.value.field, caught.value.retry) == (field, errors.Retry.NEVER)


def test_another_order_found_by_rrn_is_a_mismatch(connect: Callable[..., AnyClient]) -> None:
    with pytest.raises(errors.MismatchError, match="orderid"):
        connect(GatewayDouble(record=changed(PAID, orderid="ORD-2"))).verify(rrn="632512345678")


def test_a_record_whose_hash_is_wrong_is_not_believed(connect: Callable[..., AnyClient]) -> None:
    double = GatewayDouble(record=changed(PAID, keep_hash=True, message="Success!"))
    with pytest.raises(errors.SecureHashError):
        connect(double).verify()


def test_a_token_serves_many_calls(connect: Callable[..., AnyClient]) -> None:
    double = GatewayDouble()
    client = connect(double)
    client.verify()
    client.verify()
    assert len(double.tokens) == 1


@pytest.mark.parametrize("code", ["104", "105"])
def test_a_refused_token_is_renewed_once(connect: Callable[..., AnyClient], code: str) -> None:
    double = GatewayDouble()
    client = connect(double)
    client.verify()
    double.queue = [reply(refused(code))]
    assert client.verify().is_paid
    assert len(double.tokens) == 2


def test_a_fresh_token_that_is_refused_too_is_an_error(connect: Callable[..., AnyClient]) -> None:
    double = GatewayDouble()
    client = connect(double)
    client.verify()
    double.forgetful = True
    with pytest.raises(errors.TokenRefusedError):
        client.verify()
    assert len(double.paths) == 5


@pytest.mark.parametrize(
    ("code", "kind", "retry"),
    [
        ("101", errors.RequestRefusedError, "after_fix"),
        ("103", errors.RequestRefusedError, "after_fix"),
        ("108", errors.CredentialsRefusedError, "after_fix"),
        ("112", errors.OrderRefusedError, "never"),
        ("130", errors.NotEnabledError, "never"),
        ("131", errors.NotEnabledError, "later"),
        ("120", errors.StateRefusedError, "never"),
        ("429", errors.TooManyRequestsError, "later"),
        ("503", errors.NotFoundError, "never"),
        ("U04", errors.NotEnabledError, "after_fix"),
        ("777", errors.RefusedError, "after_fix"),
    ],
)
def test_each_refusal_has_its_error(
    connect: Callable[..., AnyClient], code: str, kind: type[errors.RefusedError], retry: str
) -> None:
    double = GatewayDouble()
    client = connect(double)
    client.verify()
    double.queue = [reply(refused(code, "a reason"))]
    with pytest.raises(errors.RefusedError) as caught:
        client.verify()
    assert type(caught.value) is kind
    assert (caught.value.code, caught.value.message, caught.value.reference_id) == (
        code,
        "a reason",
        "req_1",
    )
    assert caught.value.retry == retry
    assert str(caught.value) == f"[{code}] a reason (reference req_1)"


@pytest.mark.parametrize(
    "trouble",
    [
        httpx.ConnectError("refused"),
        httpx.ReadTimeout("slow"),
        httpx.Response(502, content=b"<html>Bad gateway</html>"),
        reply(refused("999")),
    ],
    ids=["connect", "timeout", "proxy", "fault"],
)
def test_what_moves_no_money_is_tried_again(
    connect: Callable[..., AnyClient], trouble: object
) -> None:
    double = GatewayDouble(queue=[trouble, trouble])
    assert connect(double).verify().is_paid


def test_trying_again_ends(connect: Callable[..., AnyClient]) -> None:
    double = GatewayDouble(queue=[httpx.ConnectError("refused")] * 9)
    with pytest.raises(errors.UnreachableError, match="ConnectError: refused") as caught:
        connect(double).verify()
    assert caught.value.retry == "later"
    assert len(double.paths) == 3


def test_a_refusal_is_not_tried_again(connect: Callable[..., AnyClient]) -> None:
    double = GatewayDouble(queue=[reply(refused("903"))])
    with pytest.raises(errors.CredentialsRefusedError):
        connect(double).verify()
    assert len(double.paths) == 1


@pytest.mark.parametrize(
    "body",
    [b"", b"[]", b'{"status_code":"200"', b"x" * 3_000_000, b'{"a":1,"a":2}'],
    ids=["empty", "list", "cut", "long", "twice"],
)
def test_what_is_not_the_gateways_answer_is_unreadable(
    connect: Callable[..., AnyClient], body: bytes
) -> None:
    double = GatewayDouble(queue=[httpx.Response(200, content=body)] * 9)
    with pytest.raises(errors.UnreadableReplyError):
        connect(double).verify()


def test_a_reply_under_another_key_says_what_is_wrong(connect: Callable[..., AnyClient]) -> None:
    other = replace(CREDENTIALS, password="another")
    double = GatewayDouble(queue=[reply(refused("102"), other)])
    with pytest.raises(
        errors.WrongKeyError, match="username or password is wrong; beside it stands: No"
    ) as caught:
        connect(double).verify()
    assert (caught.value.code, caught.value.reference_id, caught.value.retry) == (
        "102",
        "req_1",
        "after_fix",
    )
    assert len(double.paths) == 1


def test_the_payment_form_carries_what_the_page_needs(connect: Callable[..., AnyClient]) -> None:
    double = GatewayDouble()
    gateway = replace(
        GATEWAY, payment_page_url="http://localhost:2/", shop_origin="https://shop.example"
    )
    form = connect(double, gateway).payment_form()
    address = urlsplit(form.action_url)
    assert (address.netloc, address.path) == ("localhost:2", "/pay/v4/")
    assert parse_qs(address.query) == {"token": double.tokens}
    assert set(form.fields) == {"merchant_id", "privatekey", "encdata", "checksum"}
    sent = double.open(form.fields)
    assert next(iter(sent)) == "request_seal"
    assert (sent["amount"], sent["currency_code"], sent["buyer_firstname"]) == (
        "1499.50",
        "356",
        "आशा",
    )
    assert sent["mer_dom"] == "aHR0cHM6Ly9zaG9wLmV4YW1wbGU="


def test_the_same_order_has_the_same_content(connect: Callable[..., AnyClient]) -> None:
    double = GatewayDouble()
    client = connect(double)
    first, second = (double.open(client.payment_form().fields) for _ in range(2))
    assert first == second


def test_no_log_line_holds_a_token_or_a_secret(
    connect: Callable[..., AnyClient], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    double = GatewayDouble()
    connect(double).verify()
    written = caplog.text
    assert "/gateway/pay/v4/api/verify/" in written
    for secret in (
        *double.tokens,
        CREDENTIALS.privatekey,
        CREDENTIALS.api_secret,
        CREDENTIALS.password,
    ):
        assert secret not in written


def test_threads_share_one_token_request() -> None:
    double = GatewayDouble(delay_s=0.02)
    with (
        Client(CREDENTIALS, GATEWAY, transport=httpx.MockTransport(double)) as client,
        ThreadPoolExecutor(8) as pool,
    ):
        told = list(
            pool.map(lambda _: client.verify(order_id="ORD-1001", amount_paise=149_950), range(8))
        )
    assert all(each.is_paid for each in told)
    assert len(double.tokens) == 1


async def test_tasks_share_one_token_request() -> None:
    double = GatewayDouble()

    async def slowly(request: httpx.Request) -> httpx.Response:
        await asyncio.sleep(0.01)
        return await double.answer_later(request)

    async with AsyncClient(CREDENTIALS, GATEWAY, transport=httpx.MockTransport(slowly)) as client:
        calls = [client.verify(order_id="ORD-1001", amount_paise=149_950) for _ in range(8)]
        told = await asyncio.gather(*calls)
    assert all(each.is_paid for each in told)
    assert len(double.tokens) == 1


@contextmanager
def _dripping_server() -> Iterator[str]:
    """Serve an answer that never ends, one byte at a time: each read is quick, the whole is not."""
    stop = threading.Event()

    class Drip(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.send_response(200)
            self.end_headers()
            while not stop.wait(0.05):
                try:
                    self.wfile.write(b" ")
                except OSError:
                    return

        def log_message(self, *args: object) -> None:
            """Keep the test's output clean."""

    server = HTTPServer(("127.0.0.1", 0), Drip)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        stop.set()
        server.shutdown()
        thread.join()
        server.server_close()


def _sync_verify(gateway: Gateway) -> Transaction:
    with Client(CREDENTIALS, gateway) as client:
        return client.verify(order_id="ORD-1001", amount_paise=149_950)


def _async_verify(gateway: Gateway) -> Transaction:
    async def run() -> Transaction:
        async with AsyncClient(CREDENTIALS, gateway) as client:
            return await client.verify(order_id="ORD-1001", amount_paise=149_950)

    return asyncio.run(run())


@pytest.mark.parametrize("verify", [_sync_verify, _async_verify])
def test_a_dripping_answer_is_cut_off(verify: Callable[[Gateway], Transaction]) -> None:
    with _dripping_server() as address, pytest.raises(errors.UnreachableError):
        verify(Gateway(base_url=address, timeout_s=0.3, pauses_s=()))
