"""The contents of traces, and what they leave out."""

import asyncio
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from hundi.infra.monitoring import traces
from hundi.kernel.ids import recipient_of_partner
from tests.patience import PATIENCE_S
from tests.system.test_traces import collector


async def test_a_partners_news_is_no_payment_and_spoils_no_others_spans() -> None:
    with collector() as (address, told):
        traces.start(address, "test")
        for merchant_id, name in ((recipient_of_partner("A1"), "news"), (27708635, "delivery")):
            traces.forget()
            traces.note(merchant_id, 215373998123456)
            traces.tell(name, traces.WORK, time.perf_counter(), outcome="done")
        await traces.stop()
        traces.tell("after the end", traces.WORK, time.perf_counter())
        # The end of a process waits for a second only; the thread that sends goes on.
        async with asyncio.timeout(PATIENCE_S):
            while not told:
                await asyncio.sleep(0.01)
    assert [(service, span.name) for service, span in told] == [("hundi-test", "delivery")]


async def test_a_collector_that_is_away_holds_nobody_up() -> None:
    traces.start("http://127.0.0.1:9", "test")
    traces.note(27708635, 215373998123456)
    traces.tell("delivery", traces.WORK, time.perf_counter())
    async with asyncio.timeout(PATIENCE_S):
        await traces.stop()


@contextmanager
def endless() -> Iterator[tuple[str, threading.Event]]:
    """Serve a collector whose answers do not end.

    Yields its address, and whether it has been asked.
    """
    asked, over = threading.Event(), threading.Event()

    class Collector(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.send_response(200)
            self.send_header("content-length", "1000000")
            self.end_headers()
            asked.set()
            with suppress(OSError):
                while not over.wait(0.05):
                    self.wfile.write(b" ")

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Collector) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", asked
        finally:
            over.set()
            server.shutdown()


async def test_a_collector_whose_answer_does_not_end_holds_nobody_up() -> None:
    with endless() as (address, asked):
        traces.start(address, "test")
        traces.note(27708635, 215373998123456)
        traces.tell("delivery", traces.WORK, time.perf_counter())
        assert await asyncio.to_thread(asked.wait, PATIENCE_S)
        async with asyncio.timeout(PATIENCE_S):
            await traces.stop()
