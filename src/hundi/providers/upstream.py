"""An upstream that speaks our own auxiliary interfaces: another Hundi, or one before a licensed provider."""

from collections.abc import Mapping
from typing import Any, TypeVar

import structlog

from hundi.infra.settings import Settings
from hundi.providers.port import (
    BusinessAddress,
    BusinessContact,
    Card,
    Checked,
    Forwarded,
    Nobody,
    Registration,
    Silent,
    TurnedDown,
)
from hundi.sdk import Gateway
from hundi.sdk.errors import HundiError
from hundi.sdk.partner import AsyncPartnerClient, PartnerCredentials, PartnerRefusedError
from hundi.sdk.partner_calls import Asked, OtpSent

NAME = "upstream"
TIMEOUT_S = 10.0
_NOBODY = "503"
_ABOUT_THE_QUESTION = frozenset({"110", "140", "141", "142", "429"})
"""Refusals that are the asker's business; any other one (keys, limits of ours, its own faults) is ours to mend."""
Result = TypeVar("Result")
_log = structlog.get_logger(__name__)


class Upstream:
    """The live provider of identity, GST and card data."""

    def __init__(self, url: str, credentials: PartnerCredentials) -> None:
        """Connect to nothing yet; the first question does."""
        self._client = AsyncPartnerClient(credentials, Gateway(base_url=url, timeout_s=TIMEOUT_S))

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()

    async def registration(self, gstin: str) -> Registration | Nobody | Silent:
        """Return the registration of a GSTIN."""
        found = await self._found(self._client.calls.registration(gstin))
        return _registration(found) if isinstance(found, Mapping) else found

    async def cards(self, programme: str, entity_id: str) -> tuple[Card, ...] | Nobody | Silent:  # noqa: ARG002 (the upstream knows its own programme)
        """Return the cards of a customer."""
        found = await self._found(self._client.calls.cards(entity_id))
        if isinstance(found, Nobody | Silent):
            return found
        return tuple(Card(each.kit_no, each.number, each.expiry, each.status, each.kind) for each in found)

    async def request_otp(self, number: str) -> Forwarded | TurnedDown | Silent:
        """Have a one-time password sent to the holder of a number."""
        sent = await self._asked(self._client.calls.request_otp(number, live=False))
        return Forwarded(sent.request_id, sent.gateway_txn_id) if isinstance(sent, OtpSent) else sent

    async def fetch_document(self, request: Forwarded, otp: str) -> Mapping[str, Any] | TurnedDown | Silent:
        """Exchange the password for the document, as the upstream tells it."""
        sent = OtpSent(request.request_id, request.gateway_txn_id)
        found = await self._asked(self._client.calls.fetch_document(sent, otp, live=False))
        if isinstance(found, TurnedDown | Silent):
            return found
        return {"dataFromAadhaar": found.told, "message": "Aadhaar XML file generated", "shareCode": found.share_code}

    async def check_holder(self, number: str, name: str, consent: str) -> Checked | TurnedDown | Silent:
        """Check a number and its holder's name."""
        found = await self._asked(self._client.calls.check_holder(number, name, consent))
        if isinstance(found, TurnedDown | Silent):
            return found
        return Checked(found.age_band, found.gender, found.state, found.mobile)

    async def _found(self, asked: Asked[Result]) -> Result | Nobody | Silent:
        said = await self._asked(asked)
        if isinstance(said, TurnedDown):
            return Nobody() if said.code == _NOBODY else Silent(f"the upstream refused with {said.code}")
        return said

    async def _asked(self, asked: Asked[Result]) -> Result | TurnedDown | Silent:
        try:
            return await self._client.ask(asked)
        except PartnerRefusedError as refused:
            if refused.code in _ABOUT_THE_QUESTION | {_NOBODY}:
                return TurnedDown(refused.code)
            _log.error("upstream_refused", path=asked.path, code=refused.code)
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
    return Upstream(settings.upstream_url, credentials)


def _registration(found: Mapping[str, Any]) -> Registration:
    values = dict(found)
    values["principal"] = BusinessAddress(**found["principal"])
    values["additional"] = tuple(BusinessAddress(**each) for each in found["additional"])
    values["contact"] = BusinessContact(**found["contact"])
    for name in ("activities", "members"):
        values[name] = tuple(found[name])
    return Registration(**values)
