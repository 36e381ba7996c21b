"""A stand-in of PhonePe that hands over what was paid: totals of settlements, no lines.

    play = Settlements(); await play.open()
    play.pay("o1")
    number = play.initiate()                   # all that is paid and in no settlement
    play.process(number); play.attempt_failed(number)
    play.told[-1]                              # the webhook of each step

Written by a hand that has not read the connector, from developer.phonepe.com/settlement,
.../settlement/date-range-based-settlement-ids, .../v1/reference/{settlement-v2-status,
settlement-v2-webhooks}. What they leave open:

- whether `amount` is net of fees, and of refunds: here net of both; `fee_bps` is the fee's.
- whether a settlement that failed is told again under its number: here it is, and processed later.
- the codes of a refusal: here those of payments, 400 BAD_REQUEST.
- the order of the list: here the oldest first. The ends of the range: here both within it.
- whether `utr` is there before the money moved: the samples of all states have one. Here it is.
"""

import time
from typing import Any

from aiohttp import web

from tests.acquirers.phonepe.standin import PhonePe

DAY_MS = 86_400_000
OLDEST_MS = 183 * DAY_MS
LIMIT_MAX, LIMIT = 40, 10
MERCHANT = "STANDINMID"


class Settlements(PhonePe):
    """PhonePe on a free port, with settlements.

    clock_ms: the hour that it believes. told: a webhook of each step, headers and body.
    """

    def __init__(self) -> None:
        super().__init__()
        self.clock_ms = int(time.time() * 1000)
        self.fee_bps = 0
        self.settlements: dict[str, dict[str, Any]] = {}
        self.settled: set[str] = set()
        self.told: list[tuple[dict[str, str], bytes]] = []

    def routes(self, app: web.Application) -> None:
        super().routes(app)
        app.router.add_get("/settlements/v1/range", self._range)
        app.router.add_get("/settlements/v1/{id}/status", self._settlement)

    def initiate(self) -> str:
        """Begin a settlement of all that was paid or given back and is in none yet."""
        amount = 0
        for reference, order in self.orders.items():
            if order.state == "COMPLETED" and reference not in self.settled:
                amount += order.amount - order.amount * self.fee_bps // 10_000
                self.settled.add(reference)
        for reference, refund in self.refunds.items():
            if refund["state"] == "COMPLETED" and reference not in self.settled:
                amount -= refund["amount"]
                self.settled.add(reference)
        number = f"abca-defa-kadi-{len(self.settlements):04d}"
        self.settlements[number] = {
            "settlementId": number,
            "state": "INITIATED",
            "utr": f"UTR{len(self.settlements):06d}",
            "amount": amount,
            "merchantId": MERCHANT,
            "lastAttemptErrorCode": "",
            "lastAttemptErrorDescription": "",
            "lastUpdatedAt": self.clock_ms,
            "date": self.clock_ms,
        }
        self._tell(number, "initiated")
        return number

    def process(self, number: str) -> None:
        """Let the money arrive at the merchant's bank."""
        nothing = {"lastAttemptErrorCode": "", "lastAttemptErrorDescription": ""}
        self.settlements[number] |= {"state": "PROCESSED", **nothing}
        self._tell(number, "processed")

    def attempt_failed(self, number: str, code: str = "BENEFICIARY_ACCOUNT_INVALID") -> None:
        why = {"lastAttemptErrorCode": code, "lastAttemptErrorDescription": "Attempt failed"}
        self.settlements[number] |= {"state": "ATTEMPT_FAILED", **why}
        self._tell(number, "attempt.failed")

    def _tell(self, number: str, word: str) -> None:
        self.settlements[number]["lastUpdatedAt"] = self.clock_ms
        self.told.append(self.webhook(f"settlement.{word}", self._shown(number)))

    def _shown(self, number: str) -> dict[str, Any]:
        return {name: each for name, each in self.settlements[number].items() if name != "date"}

    async def _range(self, request: web.Request) -> web.Response:
        asked = request.query
        try:
            first, last = int(asked["from"]), int(asked["to"])
            limit, offset = int(asked.get("limit", LIMIT)), int(asked.get("offset", 0))
        except (KeyError, ValueError):
            return _refusal("from and to are mandatory")
        if min(first, last) < self.clock_ms - OLDEST_MS:
            return _refusal("older than 6 months is not accepted")
        if not 1 <= limit <= LIMIT_MAX or offset < 0 or last < first:
            return _refusal("invalid limit, offset or range")
        found = [each for each in self.settlements.values() if first <= each["date"] <= last]
        shown = [
            {name: each[name] for name in ("state", "settlementId", "utr", "date")}
            for each in found[offset : offset + limit]
        ]
        more = offset + limit < len(found)
        return web.json_response({"settlements": shown, "hasNext": more})

    async def _settlement(self, request: web.Request) -> web.Response:
        number = request.match_info["id"]
        if number not in self.settlements:
            return _refusal("No entry found for given settlement id")
        return web.json_response(self._shown(number))


def _refusal(message: str) -> web.Response:
    said = {"success": False, "code": "BAD_REQUEST", "message": message, "data": {}}
    return web.json_response(said, status=400)
