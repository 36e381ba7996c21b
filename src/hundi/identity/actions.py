"""The business verbs of identity: send a one-time password, issue a document for it, check a number with consent.

The number itself is an argument and nothing else: what is stored, logged and sent on are its last four digits and a
keyed reference.
"""

import asyncio
import hmac
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from hundi.identity import rules, store
from hundi.identity.rules import OtpRequest, RequestState
from hundi.infra.database import Connection, Database
from hundi.infra.vault import Vault
from hundi.kernel.clock import business_day
from hundi.kernel.ids import new_id
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.partners import actions as partners
from hundi.partners.rules import Partner
from hundi.providers.port import (
    Checked,
    ChecksHolders,
    Forwarded,
    Holder,
    HolderRegister,
    IssuesDocuments,
    Nobody,
    OtpSender,
    Silent,
    TurnedDown,
)
from hundi.providers.registers import Registers

if TYPE_CHECKING:
    from hundi.identity.document import Document, Signer

_SIGNING_PURPOSE = "offline-document"
_OTP_PURPOSE = "identity-otp"
_CONSENT_PURPOSE = "identity-consent"
_REFERENCE_PURPOSE = "identity-reference"


@dataclass(slots=True)
class Signers:
    """This process's key for documents, read (or made) when the first one is issued, by one request for all."""

    known: "Signer | None" = None
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)


@dataclass(frozen=True, slots=True)
class Desk:
    """What identity is worked on with."""

    db: Database
    vault: Vault
    registers: Registers
    signers: Signers


@dataclass(frozen=True, slots=True)
class Issued:
    """A document, the holder it is about, and the last digits of the number."""

    document: "Document"
    holder: Holder
    last4: str


async def send_otp(desk: Desk, partner: Partner, number: str, *, live: bool, now: datetime) -> OtpRequest:
    """Send a one-time password to the holder of a number.

    Raises Refused: FIELD_INVALID, TOO_MANY_REQUESTS, INTERFACE_NOT_ENABLED, NO_RECORDS, PROVIDER_SILENT.
    """
    _check_number(number)
    await partners.count_lookup(desk.db, partner, now)
    issuer = desk.registers.find(IssuesDocuments, live=live)
    if issuer is not None:
        return await _forward(desk, partner, issuer, number, now)
    register = desk.registers.of(HolderRegister, live=live).provider
    sender = desk.registers.of(OtpSender, live=live).provider
    reference = register.reference(number)
    holder = await _holder(register, reference)
    if not holder.mobile:
        raise refuse(RefusalCode.NO_RECORDS, detail="the holder has no mobile number")
    otp = f"{secrets.randbelow(10**rules.OTP_DIGITS):0{rules.OTP_DIGITS}d}"
    async with desk.db.transaction() as conn:
        request = await _asked(conn, desk, partner, reference, number[-4:], otp, now)
    words = f"{otp} is your one-time password for the number ending in {request.last4}. Valid for 10 minutes."
    if isinstance(said := await sender.send_text(reference, words), Silent):
        raise refuse(RefusalCode.PROVIDER_SILENT, detail=said.reason)
    return request


async def _forward(desk: Desk, partner: Partner, issuer: IssuesDocuments, number: str, now: datetime) -> OtpRequest:
    """Have a live provider send the password; our limits hold before its own."""
    reference = _own_reference(desk, number)
    # A password that nobody has: only the provider knows the one that was sent.
    async with desk.db.transaction() as conn:
        request = await _asked(conn, desk, partner, reference, number[-4:], secrets.token_hex(), now)
    sent = await issuer.request_otp(number)
    if not isinstance(sent, Forwarded):
        raise _provider_refusal(sent)
    await store.forwarded(desk.db, request, sent.request_id, sent.gateway_txn_id)
    return request


async def _asked(  # noqa: PLR0913 (whose request about whom, with which password)
    conn: Connection, desk: Desk, partner: Partner, reference: bytes, last4: str, otp: str, now: datetime
) -> OtpRequest:
    """Write a request, or that another password counts for the one that is open."""
    # Before there is a row to lock: many first requests at once must not send many passwords.
    await store.lock_holder(conn, reference)
    latest = await store.lock_latest(conn, partner.affiliate, reference)
    if latest is not None and (wait := rules.wait_before_resend(latest, now)):
        raise _too_many(f"another password in {wait} seconds")
    sends = await store.sends_to(conn, partner.affiliate, reference, now - rules.SENDS_COUNTED_FOR)
    if sends >= rules.SENDS_MAX:
        raise _too_many(f"{rules.SENDS_MAX} passwords an hour")
    expires_at = now + rules.OTP_LIFE
    if latest is not None and latest.is_open(now):
        again = replace(latest, otp_hash=_otp_hash(desk, latest.request_id, otp), sent_at=now, expires_at=expires_at)
        await store.resend(conn, again)
        return again
    request_id = "idr_" + secrets.token_hex(10)
    new = OtpRequest(
        affiliate=partner.affiliate,
        request_id=request_id,
        gateway_txn_id=new_id(now),
        holder_reference=reference,
        last4=last4,
        state=RequestState.OPEN,
        otp_hash=_otp_hash(desk, request_id, otp),
        sends=1,
        wrong=0,
        sent_at=now,
        expires_at=expires_at,
    )
    await store.insert(conn, new)
    return new


def _too_many(allowed: str) -> Exception:
    return refuse(RefusalCode.TOO_MANY_REQUESTS, allowed=allowed)


async def issue(  # noqa: PLR0913 (which request, proven how)
    desk: Desk, partner: Partner, request_id: str, gateway_txn_id: int, otp: str, now: datetime
) -> Issued | Mapping[str, Any]:
    """Issue the document of a request for its one-time password, which is used up by it.

    Returns what a live provider told, where it is one that issued. Raises Refused: NO_RECORDS, OTP_OVER, OTP_WRONG,
    INTERFACE_NOT_ENABLED, PROVIDER_SILENT.
    """
    async with desk.db.transaction() as conn:
        request = await _open_request(conn, partner, request_id, gateway_txn_id, now)
    # Where the password came from decides who judges it, whatever the second call's headers say.
    if request.forwarded_as:
        issuer = desk.registers.of(IssuesDocuments, live=True).provider
        return await _fetched(desk, partner, issuer, request, otp, now)
    # Signing and XML are a tenth of a process's start: only who issues documents pays for them.
    from hundi.identity import document  # noqa: PLC0415

    register = desk.registers.of(HolderRegister, live=False).provider
    signer = await _signer(desk, now)
    # Asked before the password is used up: while the register is silent it may be entered again.
    holder = await _holder(register, request.holder_reference)
    await _end_try(desk, partner, request, now, lambda asked: _is_right(desk, asked, otp))
    return Issued(document.issue(holder, request.last4, signer, now), holder, request.last4)


async def _fetched(  # noqa: PLR0913 (whose request, at whom, proven how)
    desk: Desk, partner: Partner, issuer: IssuesDocuments, request: OtpRequest, otp: str, now: datetime
) -> Mapping[str, Any]:
    """Let a live provider judge the password and issue the document."""
    found = await issuer.fetch_document(Forwarded(request.forwarded_as, request.forwarded_txn), otp)
    if isinstance(found, TurnedDown) and found.code == _WRONG_OTP:
        await _end_try(desk, partner, request, now, lambda _: False)
    if isinstance(found, TurnedDown | Silent):
        raise _provider_refusal(found)
    await _end_try(desk, partner, request, now, lambda _: True)
    return found


async def _end_try(
    desk: Desk, partner: Partner, request: OtpRequest, now: datetime, is_right: Callable[[OtpRequest], bool]
) -> None:
    """Write how a try with a password ended. Raises Refused (OTP_WRONG, OTP_OVER)."""
    refusal = None
    async with desk.db.transaction() as conn:
        asked = await _open_request(conn, partner, request.request_id, request.gateway_txn_id, now)
        if is_right(asked):
            await store.tried(conn, asked, asked.wrong, RequestState.USED)
        else:
            wrong, state = rules.after_wrong(asked)
            await store.tried(conn, asked, wrong, state)
            left = rules.WRONG_MAX - wrong
            refusal = refuse(RefusalCode.OTP_WRONG, allowed=f"{left} more tries")
    if refusal is not None:
        raise refusal


def _is_right(desk: Desk, request: OtpRequest, otp: str) -> bool:
    return hmac.compare_digest(_otp_hash(desk, request.request_id, otp), request.otp_hash)


async def _open_request(
    conn: Connection, partner: Partner, request_id: str, gateway_txn_id: int, now: datetime
) -> OtpRequest:
    request = await store.lock(conn, partner.affiliate, request_id)
    if request is None or request.gateway_txn_id != gateway_txn_id:
        raise refuse(RefusalCode.NO_RECORDS, field="requestId", received=request_id)
    if not request.is_open(now):
        raise refuse(RefusalCode.OTP_OVER, detail=request.state)
    return request


@dataclass(frozen=True, slots=True)
class Check:
    """What is checked, and in which words the holder agreed to it."""

    name: str
    number: str
    consent: str

    def __repr__(self) -> str:
        """Hide everything: this value reaches tracebacks."""
        return "Check(****)"


async def check(desk: Desk, partner: Partner, asked: Check, reference: str, now: datetime) -> Checked:
    """Tell about the holder of a number whose name was given rightly; the consent is kept, whatever comes of it.

    reference: of this call. Raises Refused: FIELD_INVALID, TOO_MANY_REQUESTS, INTERFACE_NOT_ENABLED, NO_RECORDS,
    NAME_DIFFERS, PROVIDER_SILENT.
    """
    _check_number(asked.number)
    await partners.count_lookup(desk.db, partner, now)
    live = partner.settings.live
    checker = desk.registers.find(ChecksHolders, live=live)
    register = None if checker is not None else desk.registers.of(HolderRegister, live=live).provider
    known_as = register.reference(asked.number) if register else _own_reference(desk, asked.number)
    words = desk.vault.seal(asked.consent.encode(), _CONSENT_PURPOSE)
    await store.insert_consent(desk.db, partner.affiliate, reference, now, known_as, asked.number[-4:], words)
    if checker is not None:
        said = await checker.check_holder(asked.number, asked.name, asked.consent)
        if not isinstance(said, Checked):
            raise _provider_refusal(said)
        return said
    assert register is not None, "one of the two was chosen"
    holder = await _holder(register, known_as)
    if not rules.same_name(asked.name, holder.name):
        raise refuse(RefusalCode.NAME_DIFFERS)
    band = rules.age_band(rules.born_on(holder.dob), business_day(now))
    return Checked(band, holder.gender, holder.state, rules.masked_mobile(holder.mobile))


def _own_reference(desk: Desk, number: str) -> bytes:
    """Return what we know a holder by, where a live provider knows the number."""
    return hmac.digest(desk.vault.derive(_REFERENCE_PURPOSE), number.encode(), sha256)


_REFUSAL_OF = {
    "110": RefusalCode.FIELD_INVALID,
    "140": RefusalCode.OTP_WRONG,
    "141": RefusalCode.OTP_OVER,
    "142": RefusalCode.NAME_DIFFERS,
    "429": RefusalCode.TOO_MANY_REQUESTS,
    "503": RefusalCode.NO_RECORDS,
}
_WRONG_OTP = "140"


def _provider_refusal(said: TurnedDown | Silent) -> Exception:
    if isinstance(said, Silent):
        return refuse(RefusalCode.PROVIDER_SILENT, detail=said.reason)
    code = _REFUSAL_OF.get(said.code, RefusalCode.PROVIDER_SILENT)
    return refuse(code, detail=f"the live provider refused with {said.code}")


def _check_number(number: str) -> None:
    if not rules.is_number(number):
        # What was sent may be somebody's number with one digit mistyped: it is not repeated.
        shown = f"{len(number)} characters"
        raise refuse(
            RefusalCode.FIELD_INVALID, field="aadhaarNo", received=shown, allowed="12 digits with a right check digit"
        )


async def _holder(register: HolderRegister, reference: bytes) -> Holder:
    found = await register.holder(reference)
    if isinstance(found, Silent):
        raise refuse(RefusalCode.PROVIDER_SILENT, detail=found.reason)
    if isinstance(found, Nobody):
        raise refuse(RefusalCode.NO_RECORDS)
    return found


def _otp_hash(desk: Desk, request_id: str, otp: str) -> bytes:
    return hmac.digest(desk.vault.derive(_OTP_PURPOSE), f"{request_id} {otp}".encode(), sha256)


async def _signer(desk: Desk, now: datetime) -> "Signer":
    """Return this gateway's key for documents, made when the first one is issued; the same in every process."""
    async with desk.signers.turn:
        if desk.signers.known is None:
            desk.signers.known = await _stored_signer(desk, now)
        return desk.signers.known


async def _stored_signer(desk: Desk, now: datetime) -> "Signer":
    from hundi.identity import signing  # noqa: PLC0415 (as above)

    row = await store.signing_key(desk.db, _SIGNING_PURPOSE)
    if row is None:
        # A key takes a while to find; other requests go on meanwhile.
        key, certificate = await asyncio.to_thread(signing.new_key, now)
        sealed = desk.vault.seal(key, _SIGNING_PURPOSE)
        await store.insert_key(desk.db, _SIGNING_PURPOSE, sealed, certificate, now)
        row = await store.signing_key(desk.db, _SIGNING_PURPOSE)
    if row is None:
        message = "the signing key disappeared"
        raise AssertionError(message)
    return signing.read_key(desk.vault.open(row["sealed_key"], _SIGNING_PURPOSE), row["certificate"])


async def sweep(db: Database, now: datetime) -> None:
    """Delete requests that are old enough (scheduled, gateway-wide)."""
    await store.sweep(db, now - rules.REQUESTS_KEPT_FOR)
