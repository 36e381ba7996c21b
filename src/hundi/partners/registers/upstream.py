"""An upstream with our own partner interfaces: another Hundi, or a licensed provider behind one."""

import re
from collections.abc import Mapping
from typing import TypeVar

import msgspec
import structlog

from hundi.infra.http.turns import lent
from hundi.infra.settings import Settings
from hundi.kernel.refusals import RefusalCode
from hundi.partners.registers.port import (
    Forwarded,
    ForwardedDocument,
    HolderFacts,
    Nobody,
    ProgrammeCard,
    RegisterEntry,
    Silent,
    TurnedDown,
)
from hundi.sdk import Gateway
from hundi.sdk.errors import HundiError
from hundi.sdk.partner import AsyncPartnerClient, PartnerCredentials, PartnerRefusedError
from hundi.sdk.partner_calls import OtpSent, PartnerRequest

NAME = "upstream"
TIMEOUT_S = 10.0
_REFUSAL_OF = {
    "110": RefusalCode.FIELD_INVALID,
    "140": RefusalCode.OTP_WRONG,
    "141": RefusalCode.OTP_OVER,
    "142": RefusalCode.NAME_DIFFERS,
    "429": RefusalCode.TOO_MANY_REQUESTS,
    "503": RefusalCode.NO_RECORDS,
}
"""Refusals that the asker can correct, by code of the wire.

Any other one (keys, its own faults) is ours to correct.
"""
_MASKED = re.compile(r"[0-9]{0,6}[Xx*]{4,}[0-9]{4}\Z")
Result = TypeVar("Result")
_log = structlog.get_logger(__name__)


class Upstream:
    """The live provider of identity, GST and card data."""

    def __init__(
        self, url: str, credentials: PartnerCredentials, *, live: bool, card_programme: str
    ) -> None:
        """Keep the configuration; the first question opens a connection.

        live: the upstream's own live provider answers. card_programme: our programme at the
        upstream.
        """
        self._live = live
        self._card_programme = card_programme
        self._client = AsyncPartnerClient(credentials, Gateway(base_url=url, timeout_s=TIMEOUT_S))

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()

    async def registration(self, gstin: str) -> RegisterEntry | Nobody | Silent:
        """Return the registration of a GSTIN."""
        entry = await self._found(self._client.calls.registration(gstin))
        if not isinstance(entry, Mapping):
            return entry
        try:
            return msgspec.convert(entry, RegisterEntry)
        except msgspec.ValidationError:
            return Silent("the upstream's registration is not of the documented form")

    async def cards(
        self, programme: str, entity_id: str
    ) -> tuple[ProgrammeCard, ...] | Nobody | Silent:
        """Return the cards of a customer of our programme at the upstream."""
        if programme != self._card_programme:
            return Nobody()
        answer = await self._found(self._client.calls.cards(entity_id))
        if isinstance(answer, Nobody | Silent):
            return answer
        if not all(_MASKED.match(each.number) for each in answer):
            return Silent("the upstream told a card number that is not masked")
        return tuple(
            ProgrammeCard(each.kit_no, each.number, each.expiry, each.status, each.kind)
            for each in answer
        )

    async def request_otp(self, number: str) -> Forwarded | TurnedDown | Silent:
        """Have a one-time password sent to the holder of a number."""
        sent = await self._asked(self._client.calls.request_otp(number, live=self._live))
        return (
            Forwarded(sent.request_id, sent.gateway_txn_id) if isinstance(sent, OtpSent) else sent
        )

    async def fetch_document(
        self, request: Forwarded, otp: str
    ) -> ForwardedDocument | TurnedDown | Silent:
        """Exchange the password for the document, as the upstream sends it."""
        sent = OtpSent(request.request_id, request.gateway_txn_id)
        document = await self._asked(self._client.calls.fetch_document(sent, otp, live=self._live))
        return (
            document
            if isinstance(document, TurnedDown | Silent)
            else ForwardedDocument(document.told, document.share_code)
        )

    async def check_holder(
        self, number: str, name: str, consent: str
    ) -> HolderFacts | TurnedDown | Silent:
        """Check a number and its holder's name."""
        check = await self._asked(self._client.calls.check_holder(number, name, consent))
        if isinstance(check, TurnedDown | Silent):
            return check
        return HolderFacts(check.age_band, check.gender, check.state, check.mobile)

    async def _found(self, request: PartnerRequest[Result]) -> Result | Nobody | Silent:
        answer = await self._asked(request)
        if isinstance(answer, TurnedDown):
            return (
                Nobody()
                if answer.code is RefusalCode.NO_RECORDS
                else Silent(f"it refused: {answer.code.log_name}")
            )
        return answer

    async def _asked(self, request: PartnerRequest[Result]) -> Result | TurnedDown | Silent:
        try:
            with lent():
                return await self._client.ask(request)
        except PartnerRefusedError as refused:
            if (code := _REFUSAL_OF.get(refused.code or "")) is not None:
                return TurnedDown(code)
            _log.error("upstream_refused", path=request.path, code=refused.code)
            return Silent(f"the upstream refused with {refused.code}")
        except HundiError as error:
            return Silent(f"the upstream cannot be asked: {type(error).__name__}")


def of(settings: Settings) -> Upstream:
    """Return the upstream that the settings name."""
    credentials = PartnerCredentials(
        affiliate=settings.upstream_affiliate,
        api_key=settings.upstream_api_key,
        processor_key=settings.upstream_processor_key,
        secret=settings.upstream_secret,
        card_token=settings.upstream_card_token,
    )
    return Upstream(
        settings.upstream_url,
        credentials,
        live=settings.upstream_live,
        card_programme=settings.upstream_card_programme,
    )
