"""The partner's side of the auxiliary interfaces without I/O: what to send, and what a reply means."""

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
from hundi.sdk.terminals import EntryResult, TerminalEntry, TerminalSale, read_results, read_sale
from hundi.wire import cipher
from hundi.wire.fields import FieldError
from hundi.wire.message import Declared, write_request
from hundi.wire.partner import envelope as partners
from hundi.wire.partner import gst, leads, pos_entries, prepaid_cards
from hundi.wire.partner.gst import CalculationRequest, GstCalculation, RegistrationRequest
from hundi.wire.partner.operation import PartnerOperation, Proof
from hundi.wire.partner.prepaid_cards import CardRecord, CardsRequest

Request = TypeVar("Request", bound=Declared)
Told = TypeVar("Told", bound=Declared)
Result = TypeVar("Result")
Picked = TypeVar("Picked")


@dataclass(frozen=True, slots=True, kw_only=True)
class PartnerCredentials:
    """What the operator gave a partner (`hundi partner add`). secret: makes checksums, and never travels."""

    affiliate: str
    api_key: str = field(default="", repr=False)
    processor_key: str = field(default="", repr=False)
    secret: str = field(repr=False)
    card_token: str = field(default="", repr=False)
    gateway_key: str = field(default="", repr=False)


class PartnerRefusedError(errors.RefusedError):
    """A partner's call was refused.

    problems: of a lead, everything that is wrong: mappings of `group`, `field` and `problem`; empty otherwise.
    """

    def __init__(
        self, message: str, *, code: str, problems: Sequence[Mapping[str, str]] = (), reference_id: str = ""
    ) -> None:
        """Keep the parts."""
        super().__init__(message, code=code, reference_id=reference_id)
        self.problems = tuple(problems)


@dataclass(frozen=True, slots=True)
class Asked(Generic[Result]):
    """One call: what to send, and what its reply means. Made by `PartnerCalls`, performed by a client."""

    path: str
    headers: Mapping[str, str] = field(repr=False)
    body: bytes = field(repr=False)
    content_type: str
    read: Callable[[dict[str, Any]], Result]

    def giving(self, pick: Callable[[Result], Picked]) -> "Asked[Picked]":
        """Return the same call, whose result is picked from what the reply tells."""
        read = self.read
        return Asked(self.path, self.headers, self.body, self.content_type, lambda reply: pick(read(reply)))


@dataclass(frozen=True, slots=True)
class OtpSent:
    """A one-time password is on its way to the holder of a number; both ids go into the second call."""

    request_id: str
    gateway_txn_id: int


@dataclass(frozen=True, slots=True)
class OfflineDocument:
    """A holder's document. told: `dataFromAadhaar`. file: an encrypted zip that the share code opens."""

    told: Mapping[str, Any] = field(repr=False)
    share_code: str = field(repr=False)
    file: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class HolderCheck:
    """What is told about the holder of a number whose name was right. mobile: masked, "" for none."""

    age_band: str
    gender: str
    state: str
    mobile: str


@dataclass(frozen=True, slots=True)
class LeadTaken:
    """A lead that was taken in. notes: what people will look at."""

    lead_id: int
    message: str
    notes: tuple[str, ...]


class PartnerCalls:
    """Every call of a partner without I/O."""

    def __init__(self, credentials: PartnerCredentials) -> None:
        """Keep the credentials."""
        self._keys = credentials

    def request_otp(self, number: str, *, live: bool = False) -> Asked[OtpSent]:
        """Send a one-time password to the holder of an Aadhaar number. live: from the live provider.

        See docs/spec/partner-interfaces.md#aadhaar-xml.
        """

        def read(reply: dict[str, Any]) -> OtpSent:
            # `requstId` is given; the right spelling is ours (docs/spec/partner-interfaces.md#aadhaar-xml).
            return OtpSent(str(reply["requstId"]), int(reply["gateway_txn_id"]))

        return self._form("/ms/baas/api/aadhaar-xml", {"type": "otp", "aadhaarNo": number}, read, live=live)

    def fetch_document(self, sent: OtpSent, otp: str, *, live: bool = False) -> Asked[OfflineDocument]:
        """Exchange the password for the document (docs/spec/partner-interfaces.md#aadhaar-xml)."""

        def read(reply: dict[str, Any]) -> OfflineDocument:
            data = reply["data"]
            return OfflineDocument(data["dataFromAadhaar"], data["shareCode"], data["dataFromAadhaar"]["file"])

        asked = {
            "type": "file",
            "requestId": sent.request_id,
            "otp": otp,
            "gateway_txn_id": str(sent.gateway_txn_id),
        }
        return self._form("/ms/baas/api/aadhaar-xml", asked, read, live=live)

    def check_holder(self, number: str, name: str, consent: str) -> Asked[HolderCheck]:
        """Check an Aadhaar number and its holder's name, with consent.

        See docs/spec/partner-interfaces.md#aadhaar-verification.
        """

        def read(reply: dict[str, Any]) -> HolderCheck:
            data = reply["data"]
            return HolderCheck(data["ageBand"], data["gender"], data["state"], data["mobile"])

        asked = {"name": name, "consentText": consent, "aadhaarNo": number}
        return self._signed("/ms/baas/api/aadhaar-verification", asked, msgspec.json.encode(asked), JSON, read)

    def registration(self, gstin: str) -> Asked[dict[str, Any]]:
        """Ask who is registered for GST: a mapping by our names, such as `legal_name`.

        See docs/spec/partner-interfaces.md#gst-verification.
        """
        return self._asked(gst.VERIFICATION, RegistrationRequest(gstin=gstin)).giving(asdict)

    def calculate(
        self, cost_paise: int, *, profit: Decimal | int, rate: Decimal | int, same_state: bool
    ) -> Asked[GstCalculation]:
        """Compute GST. profit: per cent of the cost. rate: per cent; whole ones may be ints.

        See docs/spec/partner-interfaces.md#gst-calculator.
        """
        asked = CalculationRequest(
            cost_paise=cost_paise, profit=Decimal(profit), rate=Decimal(rate), same_state=same_state
        )
        return self._asked(gst.CALCULATOR, asked)

    def cards(self, entity_id: str) -> Asked[tuple[CardRecord, ...]]:
        """Ask for a customer's cards (docs/spec/partner-interfaces.md#card-details)."""
        return self._asked(prepaid_cards.DETAILS, CardsRequest(entity_id=entity_id)).giving(lambda told: told.cards)

    def send_lead(self, groups: Mapping[str, Any], *, lead_id: int = 0) -> Asked[LeadTaken]:
        """Add a lead, or update the one that `lead_id` names (docs/spec/partner-interfaces.md#leads).

        groups: `basic_info`, `company_info`, `business_info`, `bank_info` and `signatory_info` by position.
        """
        keys = self._keys
        key = leads.key(keys.affiliate, keys.secret)

        def read(reply: dict[str, Any]) -> LeadTaken:
            data = reply["data"]
            return LeadTaken(data["lead_id"], data["message"], tuple(data.get("notes", ())))

        message = dict(groups) | ({"lead_id": str(lead_id)} if lead_id else {})
        query = cipher.seal(key, json.dumps(message, ensure_ascii=False).encode())
        headers = {
            "affiliate": keys.affiliate,
            "processor-key": keys.processor_key,
            "checksum": partners.checksum([query, keys.affiliate], keys.secret),
        }
        if keys.gateway_key:
            headers["GATEWAYKEY"] = keys.gateway_key
        body = msgspec.json.encode({"query": query})
        return Asked("/ms/leads/api/createlead", headers, body, JSON, read)

    def sales(self, merchant_id: str, terminal_id: str, unique_id: str) -> Asked[tuple[TerminalSale, ...]]:
        """Ask what was sold at a terminal in the last 24 hours; your address has to be on its list.

        See docs/spec/partner-interfaces.md#pos.
        """

        def read(reply: dict[str, Any]) -> tuple[TerminalSale, ...]:
            return tuple(read_sale(each) for each in reply["DATA"])

        asked = {"mercid": merchant_id, "terminalid": terminal_id, "uniqueid": unique_id}
        return Asked("/ms/pos/api/transaction-detail-bulk", {}, urlencode(asked).encode(), FORM, read)

    def sale(self, merchant_id: str, terminal_id: str, unique_id: str, reference: str) -> Asked[TerminalSale]:
        """Ask for one sale by the terminal's own reference (docs/spec/partner-interfaces.md#pos-detail)."""
        asked = {"mercid": merchant_id, "terminalid": terminal_id, "uniqueid": unique_id, "referenceid": reference}
        return Asked(
            "/ms/pos/api/transaction-detail",
            {},
            urlencode(asked).encode(),
            FORM,
            lambda reply: read_sale(reply["DATA"][0]),
        )

    def tell_sales(self, merchant_id: str, entries: Sequence[TerminalEntry]) -> Asked[tuple[EntryResult, ...]]:
        """Tell what terminals sold, which you manage; the same reference again is recorded once.

        It is signed now and taken for 5 minutes: make the call anew to send it again.
        See docs/spec/partner-interfaces.md#pos-entries.
        """
        body = msgspec.json.encode({"mercid": merchant_id, "entries": [each.told() for each in entries]})
        timestamp = str(int(time.time()))
        headers = {
            "affiliate": self._keys.affiliate,
            "timestamp": timestamp,
            "signature": pos_entries.signature(self._keys.secret, timestamp, body),
        }
        return Asked("/ms/pos/api/transaction-entries", headers, body, JSON, read_results)

    def opened(self, reply: dict[str, Any]) -> dict[str, Any]:
        """Return a reply, opened where it is sealed. Raises UnreadableReplyError."""
        if set(reply) != {"query"}:
            return reply
        key = leads.key(self._keys.affiliate, self._keys.secret)
        try:
            return msgspec.json.decode(cipher.open_(key, reply["query"]), type=dict[str, Any])
        except (cipher.Unreadable, msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            message = "the reply is sealed with another key"
            raise errors.UnreadableReplyError(message) from None

    def _asked(
        self, operation: PartnerOperation[Request, Told], request: Request, *, live: bool = False
    ) -> Asked[Told]:
        """Return the call of an operation. Raises InvalidRequestError for what cannot be sent."""
        try:
            sent = write_request(request)
        except FieldError as problem:
            raise errors.InvalidRequestError(problem.field, problem.received, problem.allowed) from problem
        as_json = operation.body == "json"
        body = msgspec.json.encode(sent) if as_json else urlencode(sent).encode()
        headers = self._headers(operation.proof, map(str, sent.values())) | ({"live": "Y"} if live else {})
        return Asked(operation.paths[0], headers, body, JSON if as_json else FORM, operation.told)

    def _headers(self, proof: Proof, values: Iterable[str]) -> dict[str, str]:
        """Return the headers that prove a call with these values."""
        keys = self._keys
        match proof:
            case "keys":
                named = {"affiliate": keys.affiliate, "api-key": keys.api_key, "processor-key": keys.processor_key}
            case "card token":
                named = {"token": keys.card_token}
            case _:
                return {}
        return {**named, "checksum": partners.checksum(values, keys.secret)}

    def _form(
        self, path: str, asked: dict[str, str], read: Callable[[dict[str, Any]], Result], *, live: bool = False
    ) -> Asked[Result]:
        return self._signed(path, asked, urlencode(asked).encode(), FORM, read, live=live)

    def _signed(  # noqa: PLR0913 (where, what, how spelt, how read)
        self,
        path: str,
        asked: dict[str, str],
        body: bytes,
        content_type: str,
        read: Callable[[dict[str, Any]], Result],
        *,
        live: bool = False,
    ) -> Asked[Result]:
        keys = self._keys
        headers = {
            "affiliate": keys.affiliate,
            "api-key": keys.api_key,
            "processor-key": keys.processor_key,
            "checksum": partners.checksum(asked.values(), keys.secret),
        }
        return Asked(path, headers | ({"live": "Y"} if live else {}), body, content_type, read)
