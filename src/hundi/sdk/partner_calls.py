"""The partner's side of its interfaces without I/O: requests, and the meaning of replies."""

import json
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from decimal import Decimal
from typing import Any, Generic, TypeVar
from urllib.parse import urlencode

import msgspec

from hundi.sdk import errors
from hundi.sdk.calls import FORM, JSON
from hundi.wire import cipher
from hundi.wire.fields import FieldError
from hundi.wire.message import write_request
from hundi.wire.partner import envelope as partners
from hundi.wire.partner import gst, identity, leads, pos, pos_entries, prepaid_cards
from hundi.wire.partner.gst import CalculationRequest, GstCalculation, RegistrationRequest, Taxed
from hundi.wire.partner.identity import (
    DocumentRequest,
    HolderCheck,
    HolderRequest,
    OfflineDocument,
    OtpRequest,
    OtpSent,
)
from hundi.wire.partner.leads import LeadRequest, LeadTaken
from hundi.wire.partner.operation import PartnerOperation, Proof
from hundi.wire.partner.pos import SaleRequest, SalesRequest, TerminalSale
from hundi.wire.partner.pos_entries import EntriesRequest, EntryResult, TerminalEntry
from hundi.wire.partner.prepaid_cards import CardRecord, CardsRequest
from hundi.wire.parts import Declared
from hundi.wire.strict_json import JsonValue

__all__ = [
    "CardRecord",
    "EntryResult",
    "GstCalculation",
    "HolderCheck",
    "LeadTaken",
    "OfflineDocument",
    "OtpSent",
    "PartnerCalls",
    "PartnerCredentials",
    "PartnerRefusedError",
    "PartnerRequest",
    "Taxed",
    "TerminalEntry",
    "TerminalSale",
]

Request = TypeVar("Request", bound=Declared)
Told = TypeVar("Told", bound=Declared)
Result = TypeVar("Result")
Picked = TypeVar("Picked")


@dataclass(frozen=True, slots=True, kw_only=True)
class PartnerCredentials:
    """The credentials that the operator gave a partner (`hundi partner add`).

    secret: makes checksums, and never travels.
    """

    affiliate: str
    api_key: str = field(default="", repr=False)
    processor_key: str = field(default="", repr=False)
    secret: str = field(repr=False)
    card_token: str = field(default="", repr=False)
    gateway_key: str = field(default="", repr=False)


class PartnerRefusedError(errors.RefusedError):
    """A partner's call was refused.

    problems: all faults of a lead: mappings of `group`, `field` and `problem`; otherwise empty.
    """

    def __init__(
        self,
        message: str,
        *,
        code: str,
        problems: Sequence[Mapping[str, str]] = (),
        reference_id: str = "",
    ) -> None:
        """Keep the values."""
        super().__init__(message, code=code, reference_id=reference_id)
        self.problems = tuple(problems)


@dataclass(frozen=True, slots=True)
class PartnerRequest(Generic[Result]):
    """One call: its request, and the meaning of its reply.

    Made by `PartnerCalls`, performed by a client.
    """

    path: str
    headers: Mapping[str, str] = field(repr=False)
    body: bytes = field(repr=False)
    content_type: str
    read: Callable[[dict[str, Any]], Result]

    def giving(self, pick: Callable[[Result], Picked]) -> "PartnerRequest[Picked]":
        """Return the same call, whose result is picked from the reply."""
        read = self.read
        return PartnerRequest(
            self.path, self.headers, self.body, self.content_type, lambda reply: pick(read(reply))
        )


class PartnerCalls:
    """Every call of a partner without I/O."""

    def __init__(self, credentials: PartnerCredentials) -> None:
        """Keep the credentials."""
        self._keys = credentials

    def request_otp(self, number: str, *, live: bool = False) -> PartnerRequest[OtpSent]:
        """Send a one-time password to the holder of an Aadhaar number.

        live: from the live provider.

        See docs/spec/partner-interfaces.md#aadhaar-xml.
        """
        return self._asked(identity.OTP, OtpRequest(type="otp", number=number), live=live)

    def fetch_document(
        self, sent: OtpSent, otp: str, *, live: bool = False
    ) -> PartnerRequest[OfflineDocument]:
        """Exchange the password for the document (docs/spec/partner-interfaces.md#aadhaar-xml)."""
        asked = DocumentRequest(
            type="file", request_id=sent.request_id, otp=otp, gateway_txn_id=sent.gateway_txn_id
        )
        return self._asked(identity.DOCUMENT, asked, live=live)

    def check_holder(self, number: str, name: str, consent: str) -> PartnerRequest[HolderCheck]:
        """Check an Aadhaar number and its holder's name, with consent.

        See docs/spec/partner-interfaces.md#aadhaar-verification.
        """
        return self._asked(
            identity.VERIFICATION, HolderRequest(name=name, consent=consent, number=number)
        )

    def registration(self, gstin: str) -> PartnerRequest[dict[str, Any]]:
        """Return the GST registration of a number: a mapping by our names, such as `legal_name`.

        See docs/spec/partner-interfaces.md#gst-verification.
        """
        return self._asked(gst.VERIFICATION, RegistrationRequest(gstin=gstin)).giving(asdict)

    def calculate(
        self, cost_paise: int, *, profit: Decimal | int, rate: Decimal | int, same_state: bool
    ) -> PartnerRequest[GstCalculation]:
        """Compute GST. profit: per cent of the cost. rate: per cent; whole ones may be ints.

        See docs/spec/partner-interfaces.md#gst-calculator.
        """
        asked = CalculationRequest(
            cost_paise=cost_paise, profit=Decimal(profit), rate=Decimal(rate), same_state=same_state
        )
        return self._asked(gst.CALCULATOR, asked)

    def cards(self, entity_id: str) -> PartnerRequest[tuple[CardRecord, ...]]:
        """Return a customer's cards (docs/spec/partner-interfaces.md#card-details)."""
        return self._asked(prepaid_cards.DETAILS, CardsRequest(entity_id=entity_id)).giving(
            lambda told: told.cards
        )

    def send_lead(
        self, groups: Mapping[str, Any], *, lead_id: int = 0
    ) -> PartnerRequest[LeadTaken]:
        """Add a lead, or update the lead of `lead_id` (docs/spec/partner-interfaces.md#leads).

        groups: `basic_info`, `company_info`, `business_info`, `bank_info` and `signatory_info` by
        position.
        """
        lead = dict(groups) | ({"lead_id": str(lead_id)} if lead_id else {})
        query = cipher.seal(self._lead_key, json.dumps(lead, ensure_ascii=False).encode())
        return self._asked(leads.CREATE, LeadRequest(query=query))

    def sales(
        self, merchant_id: str, terminal_id: str, unique_id: str
    ) -> PartnerRequest[tuple[TerminalSale, ...]]:
        """Return a terminal's sales of the last 24 hours; your address has to be on its list.

        See docs/spec/partner-interfaces.md#pos.
        """
        asked = SalesRequest(merchant_id=merchant_id, terminal_id=terminal_id, unique_id=unique_id)
        return self._asked(pos.LISTING, asked).giving(lambda told: told.sales)

    def sale(
        self, merchant_id: str, terminal_id: str, unique_id: str, reference: str
    ) -> PartnerRequest[TerminalSale]:
        """Return one sale by the terminal's reference.

        See docs/spec/partner-interfaces.md#pos-detail.
        """
        asked = SaleRequest(
            merchant_id=merchant_id,
            terminal_id=terminal_id,
            unique_id=unique_id,
            reference=reference,
        )
        return self._asked(pos.DETAIL, asked).giving(lambda told: told.sales[0])

    def tell_sales(
        self, merchant_id: str, entries: Sequence[TerminalEntry]
    ) -> PartnerRequest[tuple[EntryResult, ...]]:
        """Report sales of terminals that you manage; the same reference again is recorded once.

        It is signed now and accepted for 5 minutes: make the call again to send it later. See
        docs/spec/partner-interfaces.md#pos-entries.
        """
        asked = EntriesRequest(merchant_id=merchant_id, entries=tuple(entries))
        return self._asked(pos_entries.ENTRIES, asked).giving(lambda told: told.entries)

    def opened(self, reply: dict[str, Any]) -> dict[str, Any]:
        """Return a reply, opened where it is sealed. Raises UnreadableReplyError."""
        if set(reply) != {"query"}:
            return reply
        try:
            return msgspec.json.decode(
                cipher.open_(self._lead_key, reply["query"]), type=dict[str, Any]
            )
        except (cipher.UnreadableCipher, msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            message = "the reply is sealed with another key"
            raise errors.UnreadableReplyError(message) from None

    @property
    def _lead_key(self) -> bytes:
        return leads.key(self._keys.affiliate, self._keys.secret)

    def _asked(
        self, operation: PartnerOperation[Request, Told], request: Request, *, live: bool = False
    ) -> PartnerRequest[Told]:
        """Return the call of an operation. Raises InvalidRequestError for what cannot be sent."""
        try:
            sent = write_request(request)
        except FieldError as problem:
            raise errors.InvalidRequestError(
                problem.field, problem.received, problem.allowed
            ) from problem
        as_json = operation.body == "json"
        body = msgspec.json.encode(sent) if as_json else urlencode(sent).encode()
        headers = self._headers(operation.proof, sent.values(), body) | (
            {"live": "Y"} if live else {}
        )
        return PartnerRequest(
            operation.paths[0], headers, body, JSON if as_json else FORM, operation.told
        )

    def _headers(self, proof: Proof, values: Iterable[JsonValue], body: bytes) -> dict[str, str]:
        """Return the headers that prove a call of these values and this body."""
        keys, summed = self._keys, [*map(str, values)]
        match proof:
            case "keys":
                named = {
                    "affiliate": keys.affiliate,
                    "api-key": keys.api_key,
                    "processor-key": keys.processor_key,
                }
            case "card token":
                named = {"token": keys.card_token}
            case "processor key":
                named = {"affiliate": keys.affiliate, "processor-key": keys.processor_key}
                named |= {"GATEWAYKEY": keys.gateway_key} if keys.gateway_key else {}
                summed.append(keys.affiliate)
            case "signature":
                timestamp = str(int(time.time()))
                signature = pos_entries.signature(keys.secret, timestamp, body)
                return {"affiliate": keys.affiliate, "timestamp": timestamp, "signature": signature}
            case "address":
                return {}
        return {**named, "checksum": partners.checksum(summed, keys.secret)}
