"""BillDesk's settlements of a day, as totals.

Source: docs.billdesk.io/reference/retrieve-settlement. The lines of a settlement are another call,
whose address no page prints.
"""

from datetime import date
from typing import Any

from hundi.acquirers.billdesk import rules
from hundi.acquirers.billdesk.answers import LISTED, BillDeskAnswer
from hundi.acquirers.billdesk.connector import SETTLEMENT_PLACE, BillDeskConnector
from hundi.acquirers.billdesk.direct import BillDeskBanksConnector, BillDeskDirectConnector
from hundi.acquirers.calls.aggregators import objects_of, signed_paise_of, text_of
from hundi.acquirers.port.answers import Unknown
from hundi.acquirers.port.settlement_reports import SettlementTotal, TotalsPage

LENGTH_MAX = 64


class BillDeskTotalConnector(BillDeskConnector):
    """An account whose settlements BillDesk lists."""

    async def settlement_totals(self, day: date, after: str = "") -> TotalsPage | Unknown:  # noqa: ARG002 (a day has one page)
        """Return the settlements of a day whose transfer BillDesk names."""
        asked = f"{day:%Y%m%d}"
        request = {"mercid": self._mercid, "from_date": asked, "to_date": asked}
        answer = await self._ask("/settlements/get", request, place=SETTLEMENT_PLACE)
        return answer if isinstance(answer, Unknown) else _page(answer, self._mercid, day)


class BillDeskBanksTotalConnector(BillDeskTotalConnector, BillDeskBanksConnector):
    """The same, with net banking by call."""


class BillDeskDirectTotalConnector(BillDeskTotalConnector, BillDeskDirectConnector):
    """The same, with UPI intents as well."""


def _page(answer: BillDeskAnswer, mercid: str, day: date) -> TotalsPage | Unknown:
    """Return the totals of a list; Unknown for one with an entry that cannot be used."""
    rows = answer.body.get(LISTED)
    vouchers = objects_of(rows)
    if not answer.is_done or not isinstance(rows, list) or len(vouchers) != len(rows):
        return answer.unknown()
    totals: list[SettlementTotal] = []
    for voucher in vouchers:
        total = _total(voucher, mercid, day)
        if total is None:
            return Unknown(message="BillDesk's list of settlements cannot be used")
        totals.append(total)
    return TotalsPage(tuple(each for each in totals if each.utr and each.net_paise))


def _total(voucher: dict[str, Any], mercid: str, day: date) -> SettlementTotal | None:
    """Return what one payment voucher hands over: nothing yet while it names no transfer.

    None for one that is not ours, in another currency, or without a whole amount.
    """
    number = text_of(voucher.get("pv_number"), LENGTH_MAX)
    net = signed_paise_of(voucher.get("payout_amount"))
    is_ours = voucher.get("mercid") == mercid and voucher.get("currency") == rules.RUPEES_CODE
    if not is_ours or not number or net is None:
        return None
    return SettlementTotal(number, text_of(voucher.get("utr"), LENGTH_MAX), net, day)
