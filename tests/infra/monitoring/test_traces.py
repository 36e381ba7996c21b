"""What is told of work, and what is not."""

import time

from hundi.infra.monitoring import traces
from hundi.kernel.ids import recipient_of_partner
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
    assert [(service, span.name) for service, span in told] == [("hundi-test", "delivery")]


async def test_a_collector_that_is_away_holds_nobody_up() -> None:
    traces.start("http://127.0.0.1:9", "test")
    traces.note(27708635, 215373998123456)
    traces.tell("delivery", traces.WORK, time.perf_counter())
    began = time.monotonic()
    await traces.stop()
    assert time.monotonic() - began < 3
