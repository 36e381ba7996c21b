"""PhonePe's settlements of a day, as totals.

Source: developer.phonepe.com/settlement, "Date Range Based Settlement IDs" and "Settlement Status".
"""

from datetime import date, datetime, time, timedelta
from http import HTTPStatus
from urllib.parse import quote, urlencode

from hundi.acquirers.calls.aggregators import whole_of
from hundi.acquirers.phonepe import messages
from hundi.acquirers.phonepe.connector import PhonePeConnector
from hundi.acquirers.phonepe.mandates import PhonePeMandateConnector
from hundi.acquirers.phonepe.rules import AMOUNT_PAISE_MAX
from hundi.acquirers.port.answers import Unknown
from hundi.acquirers.port.settlement_reports import SettlementTotal, TotalsPage
from hundi.kernel.clock import INDIA

LISTED_AT_ONCE = 40
"""PhonePe's largest page."""
PROCESSED = "PROCESSED"
"""The only state in which the money was sent."""
UNDERWAY = frozenset({"INITIATED", "ATTEMPT_FAILED"})


class PhonePeTotalConnector(PhonePeConnector):
    """An account whose settlements PhonePe lists; it names no payments in them."""

    async def settlement_totals(self, day: date, after: str = "") -> TotalsPage | Unknown:
        """Return a page of the settlements of a day, each asked by its number."""
        offset = whole_of(after) or 0
        answer = await self._ask(self._http.look(_place(day, offset)))
        page = answer if isinstance(answer, Unknown) else _listed(answer)
        if isinstance(page, Unknown):
            return page
        totals: list[SettlementTotal] = []
        for each in page.settlements or ():
            if each.state != PROCESSED:
                continue
            path = f"/settlements/v1/{quote(each.settlement_id, safe='')}/status"
            status = await self._ask(self._http.look(path))
            total = (
                status
                if isinstance(status, Unknown)
                else _total(status.word, each.settlement_id, day)
            )
            if isinstance(total, Unknown):
                return total
            totals.append(total)
        after = str(offset + LISTED_AT_ONCE) if page.has_next else ""
        return TotalsPage(tuple(totals), after)


class PhonePeMandateTotalConnector(PhonePeTotalConnector, PhonePeMandateConnector):
    """The same, with AutoPay."""


def _place(day: date, offset: int) -> str:
    """Return the address of a page of a day of India. offset: how many come before it."""
    begins = datetime.combine(day, time(0), INDIA)
    query = {
        "from": int(begins.timestamp()) * 1_000,
        "to": int((begins + timedelta(days=1)).timestamp()) * 1_000 - 1,
        "limit": LISTED_AT_ONCE,
        "offset": offset,
    }
    return f"/settlements/v1/range?{urlencode(query)}"


def _listed(answer: messages.PhonePeAnswer) -> messages.AnswerBody | Unknown:
    found = answer.word.settlements
    known = UNDERWAY | {PROCESSED}
    if answer.status != HTTPStatus.OK or found is None or any(e.state not in known for e in found):
        return Unknown(answer.word.code or "", "PhonePe's list of settlements cannot be used")
    return answer.word


def _total(word: messages.AnswerBody, settlement: str, day: date) -> SettlementTotal | Unknown:
    """Return the total of a settlement that was processed."""
    ours = (word.settlement_id, word.state) == (settlement, PROCESSED)
    if not ours or not word.utr or not 0 < (word.amount or 0) <= AMOUNT_PAISE_MAX:
        return Unknown(word.code or "", "PhonePe's settlement cannot be used")
    return SettlementTotal(settlement, word.utr, word.amount or 0, day)
