"""Offers verification, our side of it: the question to the affiliate's callback.

See docs/spec/partner-interfaces.md#offers.
"""

import time

import structlog

from hundi.api import replies
from hundi.infra.http.addresses import AddressRefusedError
from hundi.infra.http.client import NoAnswerError, OutboundClient
from hundi.kernel.clock import utc_now
from hundi.kernel.ids import request_reference
from hundi.kernel.refusals import RefusalCode, Refused, refuse
from hundi.partners.directory.actions import CallLog
from hundi.partners.directory.rules import Partner
from hundi.partners.directory.store import RecordedCall
from hundi.partners.offers.actions import Granted
from hundi.wire.codes import Code
from hundi.wire.partner import offers as wire

ANSWER_S_MAX = 5.0
"""Seconds that an affiliate may take; a customer looks at an empty page meanwhile.

See docs/spec/partner-interfaces.md#offer-limits.
"""
_log = structlog.get_logger(__name__)


class AffiliateCalls:
    """Asks affiliates about unique ids and records the calls.

    It uses one client with the address checks of all outbound calls.
    """

    def __init__(self, http: OutboundClient, calls: CallLog) -> None:
        """Keep the dependencies."""
        self._http = http
        self._calls = calls

    async def ask(self, partner: Partner, unique_id: str) -> Granted | None:
        """Ask an affiliate about a unique id.

        Raises Refused (PROVIDER_SILENT) without a usable answer.
        """
        at, began = utc_now(), time.perf_counter()
        code, detail = Code.OURS, ""
        try:
            granted = await self._asked(partner, unique_id)
            code = Code.SUCCESS if granted else Code.NO_RECORDS
        except Refused as refused:
            code, detail = replies.CODE_OF[refused.refusal.code], refused.refusal.detail
            raise
        finally:
            latency_ms = round((time.perf_counter() - began) * 1000)
            self._calls.note(
                RecordedCall(
                    partner.affiliate,
                    request_reference(),
                    at,
                    "offers",
                    code.wire,
                    detail[:200],
                    latency_ms,
                    "",
                )
            )
        return granted

    async def _asked(self, partner: Partner, unique_id: str) -> Granted | None:
        secrets = partner.keys.valid("secret")
        # During a rotation the older one: the affiliate's server certainly has it.
        body, checksum = wire.question(partner.affiliate, unique_id, secrets[-1])
        headers = {"Content-Type": "application/json", "checksum": checksum}
        url = partner.settings.offers_callback
        try:
            came = await self._http.post(url, body, headers, timeout_s=ANSWER_S_MAX)
            verified = wire.read_answer(came.status, came.body, partner.affiliate, secrets)
        except (AddressRefusedError, NoAnswerError, wire.AnswerError) as problem:
            _log.warning("offers_callback_failed", affiliate=partner.affiliate, reason=str(problem))
            raise refuse(RefusalCode.PROVIDER_SILENT, detail=str(problem)) from None
        if verified is None:
            return None
        return Granted(verified.customer, verified.amount_paise, verified.at, verified.expiry_days)
