"""One trace tells what happened to one payment: at the gateway, in its worker and at the bank."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from hundi.sdk import RefundItem
from tests.system.browser import Browser
from tests.system.conftest import open_shop
from tests.system.endpoint import MerchantServer
from tests.system.running import RunningGateway, until
from tests.system.shop import VISA, new_order_id, pay_card

Told = list[tuple[str, Span]]


@contextmanager
def collector() -> Iterator[tuple[str, Told]]:
    """Serve as a collector does.

    Yields its address, and (service, span) for all that it was told.
    """
    told: Told = []

    class Collector(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            assert self.path == "/v1/traces"
            for each in ExportTraceServiceRequest.FromString(body).resource_spans:
                (service,) = (
                    one.value.string_value
                    for one in each.resource.attributes
                    if one.key == "service.name"
                )
                told.extend((service, span) for scope in each.scope_spans for span in scope.spans)
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Collector)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", told
    finally:
        server.shutdown()
        server.server_close()


def test_a_payment_is_one_trace_across_gateway_worker_and_bank(
    new_folder: Callable[[str], Path], server: MerchantServer
) -> None:
    with (
        collector() as (address, told),
        RunningGateway(new_folder("traced"), HUNDI_TRACES_TO=address) as gateway,
        contextmanager(open_shop)(gateway, server, "traced") as shop,
        Browser() as browser,
    ):
        screen = shop.open_page(browser, order_id := new_order_id())
        assert pay_card(browser, screen).at == "result"
        shop.hears_event(order_id, "paid")
        assert shop.verify(order_id).is_paid
        payment_id = shop.payment(order_id)["payment_id"]
        trace = (int(shop.merchant.merchant_id) << 64 | payment_id).to_bytes(16, "big")

        def of_it() -> list[tuple[str, str, Span]]:
            return [
                (service, span.name, span) for service, span in list(told) if span.trace_id == trace
            ]

        until(
            lambda: {"hundi-api", "hundi-worker", "simbank"} <= {each for each, *_ in of_it()},
            "spans of all three",
        )
        until(lambda: any("verify" in name for _, name, _ in of_it()), "the span of verify")
        (refund,) = shop.client.refund([RefundItem(str(payment_id))], request_id=new_order_id("R"))
        assert refund.accepted, refund
        refunds = ("hundi-worker", "refunds")
        until(lambda: refunds in {each[:2] for each in of_it()}, "the span of the worker's refund")
        at_refund = ("simbank", "POST /acquirer/refund")
        until(lambda: at_refund in {each[:2] for each in of_it()}, "the bank's span of the refund")
        spans = {span.span_id: (service, name) for service, name, span in of_it()}
        roots = [span for *_, span in of_it() if not span.parent_span_id]
        assert [root.span_id for root in roots] == [payment_id.to_bytes(8, "big")]
        assert all(span.parent_span_id in spans for *_, span in of_it() if span.parent_span_id)
        at_bank = [span for service, _, span in of_it() if service == "simbank"]
        assert {spans[span.parent_span_id][0] for span in at_bank} <= {"hundi-api", "hundi-worker"}
        assert ("hundi-worker", "deliveries") in spans.values()
        assert not any(
            secret in str(span)
            for *_, span in of_it()
            for secret in (VISA, screen.url.rpartition("/")[2])
        )
