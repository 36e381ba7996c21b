"""PhonePe's settlements are read as it publishes them."""

from collections.abc import AsyncIterator
from datetime import date
from typing import Any

import pytest
from aiohttp import web

from hundi.acquirers.kinds import AcquirerContext
from hundi.acquirers.phonepe.kind import KIND
from hundi.acquirers.phonepe.totals import PhonePeTotalConnector
from hundi.acquirers.port.answers import Unknown
from hundi.acquirers.port.mandates import TakesMandates
from hundi.acquirers.port.memory import ShortMemory
from hundi.acquirers.port.settlement_reports import ReportsTotals, SettlementTotal, TotalsPage
from tests.acquirers.phonepe.opened import CALLBACK, settings
from tests.acquirers.phonepe.standin import PhonePe
from tests.acquirers.server import BROKEN, Server

DAY = date(2024, 8, 8)
# developer.phonepe.com/settlement/date-range-based-settlement-ids
LIST: dict[str, Any] = {
    "settlements": [
        {
            "state": "PROCESSED",
            "settlementId": "abca-defa-kadi-dald",
            "utr": "UTR0001",
            "date": 1723107864177,
        },
        {
            "state": "PROCESSED",
            "settlementId": "abca-defa-kadi-daal",
            "utr": "UTR0002",
            "date": 1635769200000,
        },
    ],
    "hasNext": True,
}
# developer.phonepe.com/settlement/settlement-status
STATUS: dict[str, Any] = {
    "settlementId": "abca-defa-kadi-dald",
    "state": "INITIATED",
    "utr": "UTR100291",
    "amount": 100,
    "merchantId": "merchantId",
    "lastAttemptErrorCode": "",
    "lastAttemptErrorDescription": "",
    "lastUpdatedAt": 121211331,
}
FIRST, SECOND = (each["settlementId"] for each in LIST["settlements"])


class TotalServer(Server):
    """Answers with lists and settlements that a test sets. asked: the queries of lists."""

    def __init__(self) -> None:
        super().__init__()
        self.pages: dict[str, dict[str, Any]] = {"0": LIST, "40": {"settlements": []}}
        self.settlements = {
            FIRST: {**STATUS, "state": "PROCESSED"},
            SECOND: {**STATUS, "state": "PROCESSED", "settlementId": SECOND, "amount": 250},
        }
        self.asked: list[dict[str, str]] = []

    def routes(self, app: web.Application) -> None:
        app.router.add_post("/v1/oauth/token", self._token)
        app.router.add_get("/settlements/v1/range", self._list)
        app.router.add_get("/settlements/v1/{id}/status", self._status)

    async def _token(self, _request: web.Request) -> web.Response:
        return web.json_response({"access_token": "one", "expires_at": 4_000_000_000})

    async def _list(self, request: web.Request) -> web.Response:
        assert request.headers["Authorization"] == "O-Bearer one"
        self.asked.append(dict(request.query))
        return web.json_response(self.pages[request.query["offset"]])

    async def _status(self, request: web.Request) -> web.Response:
        return web.json_response(self.settlements[request.match_info["id"]])


@pytest.fixture
async def server() -> AsyncIterator[TotalServer]:
    made = TotalServer()
    await made.open()
    yield made
    await made.close()


@pytest.fixture
async def connector(server: TotalServer) -> AsyncIterator[PhonePeTotalConnector]:
    fields = settings(PhonePe(), url=server.url, settlements=True)
    made = KIND.open("phonepe", fields, AcquirerContext(CALLBACK, ShortMemory()))
    assert isinstance(made, PhonePeTotalConnector)
    yield made
    await made.close()


async def test_the_published_settlements_are_totals(
    connector: PhonePeTotalConnector, server: TotalServer
) -> None:
    first = await connector.settlement_totals(DAY)
    assert first == TotalsPage(
        (
            SettlementTotal(FIRST, "UTR100291", 100, DAY),
            SettlementTotal(SECOND, "UTR100291", 250, DAY),
        ),
        "40",
    )
    assert await connector.settlement_totals(DAY, "40") == TotalsPage(())
    day = {"from": "1723055400000", "to": "1723141799999", "limit": "40"}
    assert server.asked == [{**day, "offset": "0"}, {**day, "offset": "40"}]


@pytest.mark.parametrize("state", ["INITIATED", "ATTEMPT_FAILED"])
async def test_a_settlement_that_is_under_way_is_left_for_later(
    connector: PhonePeTotalConnector, server: TotalServer, state: str
) -> None:
    listed = [{**LIST["settlements"][0], "state": state}, LIST["settlements"][1]]
    server.pages["0"] = {"settlements": listed}
    page = await connector.settlement_totals(DAY)
    assert isinstance(page, TotalsPage)
    assert [each.settlement for each in page.totals] == [SECOND]


@pytest.mark.parametrize(
    "change",
    [
        {"state": "INITIATED"},
        {"settlementId": SECOND},
        {"utr": ""},
        {"utr": None},
        {"amount": 0},
        {"amount": -5},
        {"amount": 10**14},
        {"amount": "100"},
    ],
)
async def test_a_settlement_that_contradicts_itself_makes_the_day_unreadable(
    connector: PhonePeTotalConnector, server: TotalServer, change: dict[str, Any]
) -> None:
    server.settlements[FIRST] |= change
    assert isinstance(await connector.settlement_totals(DAY), Unknown)


@pytest.mark.parametrize(
    "listed",
    [
        {},
        {"settlements": None},
        {"settlements": [{"settlementId": FIRST, "state": "A_NEW_STATE"}]},
        {"settlements": [{"state": "PROCESSED"}]},
    ],
)
async def test_a_list_of_another_form_is_no_empty_day(
    connector: PhonePeTotalConnector, server: TotalServer, listed: dict[str, Any]
) -> None:
    server.pages["0"] = listed
    assert isinstance(await connector.settlement_totals(DAY), Unknown)


@pytest.mark.parametrize("broken", BROKEN)
async def test_nothing_else_is_a_list(
    connector: PhonePeTotalConnector, server: TotalServer, broken: tuple[int, bytes]
) -> None:
    assert isinstance(await connector.settlement_totals(DAY, "40"), TotalsPage)
    server.answer_next = [broken] * 20
    assert isinstance(await connector.settlement_totals(DAY), Unknown)


@pytest.mark.parametrize("mandates", [False, True])
async def test_only_an_account_with_the_list_reports(*, mandates: bool) -> None:
    for settlements in (False, True):
        fields = settings(
            PhonePe(), url="https://one.example", settlements=settlements, mandates=mandates
        )
        opened = KIND.open("phonepe", fields, AcquirerContext(CALLBACK, ShortMemory()))
        assert isinstance(opened, ReportsTotals) is settlements
        assert isinstance(opened, TakesMandates) is mandates
        await opened.close()
