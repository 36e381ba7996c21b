"""The actions of identity: send a one-time password, issue a document, check a number.

The number itself is only an argument: its last four digits and a keyed reference are stored, logged
and sent on.
"""

import hmac
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import TYPE_CHECKING

from hundi.infra.postgres.database import Connection, Database, Queries
from hundi.infra.secrets.vault import Vault
from hundi.kernel.clock import business_day
from hundi.kernel.ids import new_id
from hundi.kernel.records import replace
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.partners.directory import actions as partners
from hundi.partners.directory.rules import Partner
from hundi.partners.identity import rules, store
from hundi.partners.identity.consents import actions as consents
from hundi.partners.identity.rules import OtpRecord, RequestState
from hundi.partners.registers.port import (
    ChecksHolders,
    Forwarded,
    ForwardedDocument,
    Holder,
    HolderFacts,
    HolderRegister,
    IssuesDocuments,
    Nobody,
    OtpSender,
    Silent,
    TurnedDown,
)
from hundi.partners.registers.routing import Registers, told

if TYPE_CHECKING:
    from hundi.partners.identity.document import SignedDocument
from hundi.partners.identity.keys.actions import Signers, signer_of

_OTP_PURPOSE = "identity-otp"
_REFERENCE_PURPOSE = "identity-reference"


@dataclass(frozen=True, slots=True)
class IdentityContext:
    """Dependencies of the identity actions."""

    db: Database
    vault: Vault
    registers: Registers
    signers: Signers


@dataclass(frozen=True, slots=True)
class IssuedDocument:
    """A document, the holder it is about, and the last digits of the number."""

    document: "SignedDocument"
    holder: Holder
    last4: str


async def send_otp(
    context: IdentityContext, partner: Partner, number: str, *, live: bool, now: datetime
) -> OtpRecord:
    """Send a one-time password to the holder of a number.

    Raises Refused: FIELD_INVALID, TOO_MANY_REQUESTS, INTERFACE_NOT_ENABLED, NO_RECORDS,
    PROVIDER_SILENT.
    """
    _check_number(number)
    if live and not partner.settings.live:
        raise refuse(RefusalCode.INTERFACE_NOT_ENABLED, detail="live data is off for this partner")
    await partners.count_lookup(context.db, partner, now)
    issuer = context.registers.find(IssuesDocuments, live=live)
    if issuer is not None:
        return await _forward(context, partner, issuer, number, now)
    register = context.registers.of(HolderRegister, live=live).provider
    sender = context.registers.of(OtpSender, live=live).provider
    reference = register.reference(number)
    holder = told(await register.holder(reference))
    if not holder.mobile:
        raise refuse(RefusalCode.NO_RECORDS, detail="the holder has no mobile number")
    otp = f"{secrets.randbelow(10**rules.OTP_DIGITS):0{rules.OTP_DIGITS}d}"
    async with context.db.transaction() as conn:
        request = await _asked(conn, context, partner, (reference,), number[-4:], otp, now)
    minutes = rules.OTP_LIFE.seconds // 60
    words = (
        f"{otp} is your one-time password for the number ending in {request.last4}. Valid "
        f"for {minutes} minutes."
    )
    match await sender.send_text(reference, words):
        case Silent(reason):
            raise refuse(RefusalCode.PROVIDER_SILENT, detail=reason)
        case Nobody():
            raise refuse(RefusalCode.NO_RECORDS, detail="the sender knows no phone of the holder")
        case None:
            pass
    return request


async def _forward(
    context: IdentityContext, partner: Partner, issuer: IssuesDocuments, number: str, now: datetime
) -> OtpRecord:
    """Ask a live provider to send the password, within our own limits."""
    references = _own_references(context, number)
    # A random password in place of the real one, which only the provider knows.
    async with context.db.transaction() as conn:
        request = await _asked(
            conn, context, partner, references, number[-4:], secrets.token_hex(), now
        )
    sent = await issuer.request_otp(number)
    if not isinstance(sent, Forwarded):
        raise _provider_refusal(sent)
    await store.forwarded(context.db, request, sent.request_id, sent.gateway_txn_id)
    return request


async def _asked(
    conn: Connection,
    context: IdentityContext,
    partner: Partner,
    references: tuple[bytes, ...],
    last4: str,
    otp: str,
    now: datetime,
) -> OtpRecord:
    """Store a new request, or a new password of the open one.

    references: of the holder, newest key first.
    """
    # There is no row to lock yet: many first requests at once must not send many passwords.
    await store.lock_holder(conn, references[0])
    latest = await store.lock_latest(conn, partner.affiliate, references)
    if latest is not None and (wait := rules.wait_before_resend(latest, now)):
        raise _too_many(f"another password in {wait} seconds", wait)
    sends = await store.sends_to(conn, partner.affiliate, references, now - rules.SENDS_COUNTED_FOR)
    if sends >= rules.SENDS_MAX:
        raise _too_many(
            f"{rules.SENDS_MAX} passwords an hour", int(rules.SENDS_COUNTED_FOR.total_seconds())
        )
    expires_at = now + rules.OTP_LIFE
    if latest is not None and latest.is_open(now):
        again = replace(
            latest,
            otp_hash=_otp_hash(context, latest.request_id, otp),
            sent_at=now,
            expires_at=expires_at,
        )
        await store.resend(conn, again)
        return again
    request_id = "idr_" + secrets.token_hex(10)
    new = OtpRecord(
        affiliate=partner.affiliate,
        request_id=request_id,
        gateway_txn_id=new_id(now),
        holder_reference=references[0],
        last4=last4,
        state=RequestState.OPEN,
        otp_hash=_otp_hash(context, request_id, otp),
        sends=1,
        wrong=0,
        sent_at=now,
        expires_at=expires_at,
    )
    await store.insert(conn, new)
    return new


def _too_many(allowed: str, wait_s: int) -> Exception:
    return refuse(RefusalCode.TOO_MANY_REQUESTS, allowed=allowed, retry_after_s=wait_s)


async def issue(
    context: IdentityContext,
    partner: Partner,
    request_id: str,
    gateway_txn_id: int,
    otp: str,
    now: datetime,
) -> IssuedDocument | ForwardedDocument:
    """Issue the document of a request for its one-time password, which is then used up.

    If a live provider issued it, return the provider's answer. Raises Refused: NO_RECORDS,
    OTP_OVER, OTP_WRONG, INTERFACE_NOT_ENABLED, PROVIDER_SILENT.
    """
    request = await _open_request(context.db, partner, request_id, gateway_txn_id, now)
    # The sender of the password judges it, whatever the second call's headers say.
    if request.forwarded_as:
        issuer = context.registers.of(IssuesDocuments, live=True).provider
        return await _fetched(context, partner, issuer, request, otp, now)
    # Signing and XML are a tenth of a process's start: only processes that issue documents pay for
    # them.
    from hundi.partners.identity import document  # noqa: PLC0415

    register = context.registers.of(HolderRegister, live=False).provider
    signer = await signer_of(context.signers, context.db, context.vault, now)
    # Before the password is used up: while the register is silent it may be entered again.
    holder = told(await register.holder(request.holder_reference))
    if not _is_right(context, request, otp):
        await _end_try(context, partner, request, now, lambda _: False)
    # Before the password is used up: after a failure here the partner may ask again.
    issued = IssuedDocument(
        document.issue(holder, request.last4, signer, now), holder, request.last4
    )
    # The request was changed meanwhile: the slower way finds out how.
    if not await store.use_up(context.db, request, now):
        await _end_try(
            context, partner, request, now, lambda otp_record: _is_right(context, otp_record, otp)
        )
    return issued


async def _fetched(
    context: IdentityContext,
    partner: Partner,
    issuer: IssuesDocuments,
    request: OtpRecord,
    otp: str,
    now: datetime,
) -> ForwardedDocument:
    """Let a live provider judge the password and issue the document."""
    document = await issuer.fetch_document(
        Forwarded(request.forwarded_as, request.forwarded_txn), otp
    )
    if isinstance(document, TurnedDown) and document.code is RefusalCode.OTP_WRONG:
        await _end_try(context, partner, request, now, lambda _: False)
    if isinstance(document, TurnedDown | Silent):
        raise _provider_refusal(document)
    await _end_try(context, partner, request, now, lambda _: True)
    return document


async def _end_try(
    context: IdentityContext,
    partner: Partner,
    request: OtpRecord,
    now: datetime,
    is_right: Callable[[OtpRecord], bool],
) -> None:
    """Store the result of a try with a password. Raises Refused (OTP_WRONG, OTP_OVER)."""
    refusal = None
    async with context.db.transaction() as conn:
        otp_record = await _open_request(
            conn, partner, request.request_id, request.gateway_txn_id, now
        )
        if is_right(otp_record):
            await store.tried(conn, otp_record, otp_record.wrong, RequestState.USED)
        else:
            wrong, state = rules.after_wrong(otp_record)
            await store.tried(conn, otp_record, wrong, state)
            refusal = refuse(
                RefusalCode.OTP_WRONG, allowed=f"more tries: {rules.WRONG_MAX - wrong}"
            )
    if refusal is not None:
        raise refusal


def _is_right(context: IdentityContext, request: OtpRecord, otp: str) -> bool:
    # A password sent before a new key was put first is still valid.
    hashes = [
        _hashed_otp(key, request.request_id, otp) for key in context.vault.derive_all(_OTP_PURPOSE)
    ]
    return any(hmac.compare_digest(each, request.otp_hash) for each in hashes)


async def _open_request(
    conn: Queries, partner: Partner, request_id: str, gateway_txn_id: int, now: datetime
) -> OtpRecord:
    request = await store.lock(conn, partner.affiliate, request_id)
    if request is None or request.gateway_txn_id != gateway_txn_id:
        raise refuse(RefusalCode.NO_RECORDS, field="requestId", received=request_id)
    if not request.is_open(now):
        over = "expired" if request.state is RequestState.OPEN else request.state
        raise refuse(RefusalCode.OTP_OVER, detail=over)
    return request


@dataclass(frozen=True, slots=True)
class Check:
    """A check of a holder's name, and the text to which the holder consented."""

    name: str
    number: str
    consent: str

    def __repr__(self) -> str:
        """Hide everything: this value reaches tracebacks."""
        return "Check(****)"


async def check(
    context: IdentityContext, partner: Partner, request: Check, reference: str, now: datetime
) -> HolderFacts:
    """Return facts about a number's holder if the name is right; the consent is stored in any case.

    reference: of this call. Raises Refused: FIELD_INVALID, TOO_MANY_REQUESTS,
    INTERFACE_NOT_ENABLED, NO_RECORDS, NAME_DIFFERS, PROVIDER_SILENT.
    """
    _check_number(request.number)
    await partners.count_lookup(context.db, partner, now)
    live = partner.settings.live
    checker = context.registers.find(ChecksHolders, live=live)
    register = (
        None if checker is not None else context.registers.of(HolderRegister, live=live).provider
    )
    known_as = (
        register.reference(request.number)
        if register
        else _own_references(context, request.number)[0]
    )
    words = consents.sealed(context.vault, partner.affiliate, reference, request.consent)
    await store.insert_consent(
        context.db, partner.affiliate, reference, now, known_as, request.number[-4:], words
    )
    if checker is not None:
        answer = await checker.check_holder(request.number, request.name, request.consent)
        if not isinstance(answer, HolderFacts):
            raise _provider_refusal(answer)
        return answer
    assert register is not None, "one of the two was chosen"
    holder = told(await register.holder(known_as))
    if not rules.same_name(request.name, holder.name):
        raise refuse(RefusalCode.NAME_DIFFERS)
    try:
        born = rules.born_on(holder.dob)
    except ValueError:
        raise refuse(
            RefusalCode.PROVIDER_SILENT, detail="the register tells no date of birth"
        ) from None
    band = rules.age_band(born, business_day(now))
    return HolderFacts(band, holder.gender, holder.state, rules.masked_mobile(holder.mobile))


def _own_references(context: IdentityContext, number: str) -> tuple[bytes, ...]:
    """Return our references of a holder whose number a live provider keeps, newest key first."""
    return tuple(
        hmac.digest(key, number.encode(), sha256)
        for key in context.vault.derive_all(_REFERENCE_PURPOSE)
    )


def _provider_refusal(answer: TurnedDown | Silent) -> Exception:
    if isinstance(answer, Silent):
        return refuse(RefusalCode.PROVIDER_SILENT, detail=answer.reason)
    return refuse(answer.code, detail="the live provider refused")


def _check_number(number: str) -> None:
    if not rules.is_number(number):
        # The received text may be somebody's number with one wrong digit: it is not repeated.
        length = f"{len(number)} characters" if number else ""
        raise refuse(
            RefusalCode.FIELD_INVALID,
            field="aadhaarNo",
            received=length,
            allowed="12 digits with a right check digit",
        )


def _otp_hash(context: IdentityContext, request_id: str, otp: str) -> bytes:
    return _hashed_otp(context.vault.derive(_OTP_PURPOSE), request_id, otp)


def _hashed_otp(key: bytes, request_id: str, otp: str) -> bytes:
    return hmac.digest(key, f"{request_id} {otp}".encode(), sha256)


async def sweep(db: Database, now: datetime) -> None:
    """Delete requests past their retention (scheduled, gateway-wide)."""
    await store.sweep(db, now - rules.REQUESTS_KEPT_FOR)
