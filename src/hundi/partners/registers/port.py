"""The port to register providers: one narrow protocol for each question.

A provider leaves out questions that it does not answer. "Not found" is an answer: `Nobody`. Silence
is `Silent`, and decides nothing.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from hundi.kernel.refusals import RefusalCode


@dataclass(frozen=True, slots=True)
class Nobody:
    """The register has no such entry."""


@dataclass(frozen=True, slots=True)
class Silent:
    """The register did not answer, or not usably. reason: for the log."""

    reason: str


@dataclass(frozen=True, slots=True)
class Forbidden:
    """The register refuses an order. reason: its words."""

    reason: str


@dataclass(frozen=True, slots=True)
class RegisteredAddress:
    """A business's place of work. nature: what it does there. updated: DD/MM/YYYY."""

    nature: str = ""
    full: str = ""
    kind: str = ""
    email: str = ""
    updated: str = ""
    mobile: str = ""


@dataclass(frozen=True, slots=True)
class RegisteredContact:
    """A business's contact; each field may be unknown."""

    email: str | None = None
    mobile: str | None = None
    name: str | None = None


@dataclass(frozen=True, slots=True)
class RegisterEntry:
    """A business as the GST register has it.

    Dates are DD/MM/YYYY, as everywhere in that register.
    """

    gstin: str
    legal_name: str
    trade_name: str
    taxpayer_type: str
    constitution: str
    status: str
    registered_on: str
    updated_on: str
    cancelled_on: str
    state_jurisdiction_code: str
    state_jurisdiction: str
    centre_jurisdiction_code: str
    centre_jurisdiction: str
    activities: tuple[str, ...]
    principal: RegisteredAddress
    additional: tuple[RegisteredAddress, ...] = ()
    members: tuple[str, ...] = ()
    cancel_flag: str = "NA"
    compliance_rating: str = "NA"
    preparer: str = "NA"
    contact: RegisteredContact = field(default_factory=RegisteredContact)


@dataclass(frozen=True, slots=True)
class Holder:
    """The holder of an identity number.

    dob: DD-MM-YYYY. photo: base64 of a JPEG. "" for what is not known.
    """

    name: str
    dob: str
    gender: str
    careof: str
    house: str
    street: str
    landmark: str
    location: str
    vtc: str
    subdistrict: str
    district: str
    post_office: str
    state: str
    country: str
    pincode: str
    mobile: str
    email: str
    vid_last4: str
    photo: str

    def __repr__(self) -> str:
        """Hide everything: this value reaches tracebacks."""
        return "Holder(****)"


@runtime_checkable
class HolderRegister(Protocol):
    """Knows the holders of identity numbers by a keyed reference.

    It gives the number to nobody.
    """

    def reference(self, number: str) -> bytes:
        """Return the 32 bytes by which a holder is found."""
        ...

    async def holder(self, reference: bytes) -> Holder | Nobody | Silent:
        """Return the holder of a number."""
        ...


@dataclass(frozen=True, slots=True)
class TurnedDown:
    """A provider's refusal that the asker can correct."""

    code: RefusalCode


@dataclass(frozen=True, slots=True)
class Forwarded:
    """A provider's ids of a request for a document."""

    request_id: str
    gateway_txn_id: int


@dataclass(frozen=True, slots=True)
class ForwardedDocument:
    """A live provider's document. told: its facts, as the partner gets them."""

    told: Mapping[str, Any] = field(repr=False)
    share_code: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class HolderFacts:
    """A provider's facts of a holder whose name was right."""

    age_band: str
    gender: str
    state: str
    mobile: str


@runtime_checkable
class IssuesDocuments(Protocol):
    """Sends passwords to holders and issues documents itself.

    We do not keep the forwarded number.
    """

    async def request_otp(self, number: str) -> Forwarded | TurnedDown | Silent:
        """Have a one-time password sent to the holder of a number."""
        ...

    async def fetch_document(
        self, request: Forwarded, otp: str
    ) -> ForwardedDocument | TurnedDown | Silent:
        """Exchange the password for the document."""
        ...


@runtime_checkable
class ChecksHolders(Protocol):
    """Checks numbers and names by itself."""

    async def check_holder(
        self, number: str, name: str, consent: str
    ) -> HolderFacts | TurnedDown | Silent:
        """Check a number and its holder's name."""
        ...


@runtime_checkable
class OtpSender(Protocol):
    """Sends texts to holders of identity numbers."""

    async def send_text(self, reference: bytes, words: str) -> Nobody | Silent | None:
        """Send a text to the phone of a holder; None when it is on its way."""
        ...


@dataclass(frozen=True, slots=True)
class ProgrammeCard:
    """A card of a programme. number: masked. expiry: MM/YY. status: as ACTIVE.

    kind: PHYSICAL or VIRTUAL.
    """

    kit_no: str
    number: str
    expiry: str
    status: str
    kind: str


@runtime_checkable
class CardRegister(Protocol):
    """Knows the cards of a programme's customers."""

    async def cards(
        self, programme: str, entity_id: str
    ) -> tuple[ProgrammeCard, ...] | Nobody | Silent:
        """Return the cards of a customer; Nobody when the programme has no such customer."""
        ...


@runtime_checkable
class GstRegister(Protocol):
    """Knows who is registered for GST."""

    async def registration(self, gstin: str) -> RegisterEntry | Nobody | Silent:
        """Return the registration of a GSTIN."""
        ...
