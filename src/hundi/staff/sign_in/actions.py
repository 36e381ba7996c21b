"""The actions of signing in: password, second factor, sessions.

Sessions, one-time passwords and waits use the world's clock, so moving a demo's clock ends none.
"""

import hashlib
import hmac
import secrets
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

import structlog
from pyotp.totp import TOTP

from hundi.infra.http.rates import Rates
from hundi.infra.postgres.database import Database
from hundi.infra.secrets.marks import holds, mark_of
from hundi.infra.secrets.vault import Vault
from hundi.kernel.clock import utc_now, world_now
from hundi.kernel.records import replace
from hundi.kernel.refusals import Refused
from hundi.merchants.access.rules import network_of
from hundi.staff.people import rules as people_rules
from hundi.staff.people import store as people_store
from hundi.staff.people.factors import actions as factors
from hundi.staff.people.passwords.actions import Passwords
from hundi.staff.people.proofs import actions as proofs
from hundi.staff.people.rules import Person
from hundi.staff.sign_in import rules, store
from hundi.staff.sign_in.rules import Session
from hundi.staff.trail import actions as trail
from hundi.staff.trail.actions import Who

TOKEN_BYTES = 32
_FAILURES = "staff-sign-in-failures"
_KNOWN_BROWSER = "staff-known-browser"
_SESSION, _FACTOR = "staff-session", "staff-session-factor"
_LATE_STEPS = (0, -1, 1)
"""The steps of a code around now: clocks of telephones differ by some seconds."""
_log = structlog.get_logger(__name__)


class SignInRefusal(StrEnum):
    """Why a sign-in is refused; the words do not reveal whether the person exists."""

    WRONG = "E-mail address or password is wrong."
    WRONG_CODE = "This code is not right, or was used before. Wait for the next one."
    WAIT = (
        "Too many tries. Wait a quarter of an hour, or use a browser that you signed in with"
        " before."
    )
    OVER = "This took too long. Begin again with your password."


@dataclass(frozen=True, slots=True)
class Caller:
    """The sender of a request.

    known: the cookie of a browser that signed in before, "" for none.
    """

    address: str
    agent: str
    known: str = ""

    @property
    def network(self) -> str:
        """Return the network for which limits are counted."""
        return network_of(self.address) if self.address else ""


@dataclass(frozen=True, slots=True)
class Signed:
    """A new session, and its token, which only the browser stores. known: its other cookie."""

    session: Session
    person: Person
    token: str
    known: str = ""


def form_token(token: str) -> str:
    """Return the token in each form of a session, so that no other site can send one."""
    return hashlib.sha256(b"hundi console form " + token.encode()).hexdigest()[:43]


class SignIn:
    """Lets people in."""

    def __init__(self, db: Database, vault: Vault) -> None:
        """Store the parts."""
        self._db = db
        self._vault = vault
        self.passwords = Passwords()
        self._rates = Rates()

    def close(self) -> None:
        """End the password thread."""
        self.passwords.close()

    # --- the first step ---

    async def try_password(
        self, email: str, password: str, caller: Caller
    ) -> Signed | SignInRefusal:
        """Return a session that still needs the second factor. Raises Refused (TOO_MANY_REQUESTS).

        An unknown person is refused like a known one: after one hash, with the same words, by the
        same limits.
        """
        now = world_now()
        self.count(caller)
        address = people_rules.email_of(email) or ""
        subject = self._subject(address, caller.known)
        if await self._count_try(subject, rules.FAILURES_MAX, now):
            return SignInRefusal.WAIT
        person = await people_store.select_by_email(self._db, address) if address else None
        is_active = person is not None and person.state == "active"
        kept = (
            await proofs.secrets_of(self._db, self._vault, person.person_id)
            if person and is_active
            else None
        )
        try:
            is_right = await self.passwords.is_right(kept.password_hash if kept else "", password)
        except Refused:
            # No password was tried: a flood must not use up the person's tries.
            await store.uncount_failure(self._db, subject)
            raise
        if person is None or kept is None or not is_right:
            _log.warning("sign_in_refused")
            return SignInRefusal.WRONG
        await store.forget_failures(self._db, subject)
        if self.passwords.is_old(kept.password_hash):
            anew = await self.passwords.hashed(password)
            await proofs.hash_anew(self._db, self._vault, person.person_id, kept, anew, now)
        return await self._begin(person, "password", now, caller)

    async def try_code(self, session: Session, code: str, caller: Caller) -> Signed | SignInRefusal:
        """Return a complete session in place of one that has only shown the password, or a refusal.

        The token is new, so the old one is worthless.
        """
        now = world_now()
        person = await people_store.select(self._db, session.person_id)
        if (
            session.stage != "password"
            or session.is_over(now)
            or person is None
            or person.state != "active"
        ):
            return SignInRefusal.OVER
        refusal = await self._try_factor(
            session, code, self._subject(person.email, caller.known, "code ")
        )
        if refusal is not None:
            return refusal
        await store.end(self._db, session.session_hash, session.person_id)
        return await self.complete(person, caller, "password and code")

    async def show_factor(self, session: Session, code: str) -> SignInRefusal | None:
        """Check a second factor of a signed-in session; return why it is refused, or None.

        Wrong ones are counted by session: a stranger with the password cannot block the person's
        own work.
        """
        return await self._try_factor(
            session, code, self._keyed(_FAILURES, f"session {session.session_hash.hex()}")
        )

    async def _try_factor(
        self, session: Session, code: str, subject: bytes
    ) -> SignInRefusal | None:
        """Check a one-time password or a recovery code."""
        now = world_now()
        if await self._count_try(subject, rules.CODES_WRONG_MAX, now):
            return SignInRefusal.WAIT
        if not await self._is_factor(session.person_id, code, now):
            _log.warning("sign_in_refused")
            return SignInRefusal.WRONG_CODE
        await store.forget_failures(self._db, subject)
        mark = mark_of(self._vault, _FACTOR, session.session_hash, now)
        await store.show_factor(self._db, session.session_hash, now, mark)
        return None

    async def _is_factor(self, person_id: int, code: str, now: datetime) -> bool:
        digits = "".join(code.split())
        kept = await proofs.secrets_of(self._db, self._vault, person_id)
        if kept.sealed_totp is not None:
            step = step_of_code(
                factors.open_totp(self._vault, person_id, kept.sealed_totp), digits, now
            )
            if step is not None:
                return await people_store.use_step(self._db, person_id, step)
        return await proofs.use_code(
            self._db, self._vault, person_id, factors.hash_of(digits.lower()), now
        )

    def count(self, caller: Caller) -> None:
        """Count a network's try to sign in. Raises Refused (TOO_MANY_REQUESTS)."""
        self._rates.count(
            caller.network, "sign-in", rules.NETWORK_TRIES_A_MINUTE, world_now().timestamp()
        )

    # --- sessions ---

    async def complete(self, person: Person, caller: Caller, by: str) -> Signed:
        """Begin a complete session of a person who proved who they are. by: how, for the trail."""
        now = world_now()
        signed = await self._begin(person, "complete", now, caller)
        cookie = self._known_browser(person)
        for each in await proofs.memberships_of(self._db, self._vault, person.person_id):
            who = Who(person.person_id, person.name, self._vault, caller.network)
            browser = rules.browser_name(caller.agent)
            await trail.record(
                self._db, each.merchant_id, who, "session.begin", browser, utc_now(), by=by
            )
        await store.sweep(self._db, now, now - rules.FAILURES_FOR)
        return replace(signed, known=cookie)

    async def find(self, token: str) -> Session | None:
        """Return the session of a token, and note its use; None if it is over.

        A session that this gateway did not begin is ignored, and a second factor that was not shown
        here is not fresh: access to the rows gives no key to mark them.
        """
        if not token:
            return None
        now = world_now()
        session = await store.select(self._db, factors.hash_of(token))
        if session is None or session.is_over(now) or not self._is_ours(session):
            return None
        if not holds(
            self._vault, _FACTOR, session.factor_mark, session.session_hash, session.factor_at
        ):
            session = replace(session, factor_at=None)
        if now - session.seen_at >= rules.SEEN_AGAIN:
            await store.see(self._db, session.session_hash, now)
        return session

    async def sessions_of(self, person_id: int) -> list[Session]:
        """Return a person's sessions, used last first."""
        now = world_now()
        return await store.select_of(self._db, person_id, now, now - rules.IDLE)

    async def end(self, session_hash: bytes, person_id: int) -> bool:
        """End a session of a person; return False if it was over."""
        return await store.end(self._db, session_hash, person_id)

    async def end_others(self, person_id: int, kept: bytes = b"") -> None:
        """End every session of a person but one."""
        await store.end_others(self._db, person_id, kept)

    async def _begin(
        self, person: Person, stage: rules.Stage, now: datetime, caller: Caller
    ) -> Signed:
        token = secrets.token_urlsafe(TOKEN_BYTES)
        complete = stage == "complete"
        session = Session(
            session_hash=factors.hash_of(token),
            person_id=person.person_id,
            stage=stage,
            began_at=now,
            seen_at=now,
            ends_at=now + (rules.LIFE if complete else rules.HALF_LIFE),
            factor_at=now if complete else None,
            challenge=None,
            network=caller.network,
            browser=rules.browser_name(caller.agent)[: rules.BROWSER_LENGTH_MAX],
        )
        session = replace(
            session,
            mark=mark_of(self._vault, _SESSION, *_marked(session)),
            factor_mark=mark_of(self._vault, _FACTOR, session.session_hash, session.factor_at),
        )
        await store.insert(self._db, session)
        return Signed(session, person, token)

    def _is_ours(self, session: Session) -> bool:
        return holds(self._vault, _SESSION, session.mark, *_marked(session))

    # --- limits against guessing ---

    def _subject(self, name: str, known: str, what: str = "") -> bytes:
        """Return the key under which wrong tries are counted together.

        A browser that signed in as this person before is counted separately, so that a guessing
        stranger locks out strangers, and never the person. what: is guessed, "" for the password.
        """
        apart = known if known and self._knows(name, known) else ""
        return self._keyed(_FAILURES, f"{what}{name}\n{apart}")

    def _known_browser(self, person: Person) -> str:
        mark = secrets.token_urlsafe(12)
        return f"{mark}.{self._mark(mark, person.email, 0)}"

    def _knows(self, email: str, known: str) -> bool:
        mark, _, shown = known.partition(".")
        keys = len(self._vault.derive_all(_KNOWN_BROWSER))
        # As bytes: texts can only be compared if they are ASCII, and a cookie may have any letters.
        sent = shown.encode("utf-8", "surrogatepass")
        return any(
            hmac.compare_digest(sent, self._mark(mark, email, place).encode())
            for place in range(keys)
        )

    def _mark(self, mark: str, email: str, place: int) -> str:
        key = self._vault.derive_all(_KNOWN_BROWSER)[place]
        return hmac.new(
            key, f"{mark}\n{email}".encode("utf-8", "surrogatepass"), hashlib.sha256
        ).hexdigest()[:32]

    def _keyed(self, purpose: str, text: str) -> bytes:
        return hmac.new(self._vault.derive_oldest(purpose), text.encode(), hashlib.sha256).digest()

    async def _count_try(self, subject: bytes, most: int, now: datetime) -> bool:
        """Count a try before it is made, so that many at once do not pass the limit.

        Return whether it has to wait.
        """
        row = await store.count_failure(self._db, subject, now, now - rules.FAILURES_FOR)
        return rules.waits(row["failures"], row["first_at"], most, now) is not None


def _marked(session: Session) -> tuple[bytes, int, str, datetime, datetime]:
    """Return the fields that identify a session's person, its stage and its end."""
    return session.session_hash, session.person_id, session.stage, session.began_at, session.ends_at


def step_of_code(secret: str, code: str, now: datetime) -> int | None:
    """Return the time step of a one-time password, None if it is not of these minutes."""
    totp = TOTP(secret)
    found = None
    for offset in _LATE_STEPS:
        step = rules.step_of(now) + offset
        if hmac.compare_digest(totp.at(step * rules.TOTP_STEP_S).encode(), code.encode()):
            found = step
    return found


def uri_of(secret: str, email: str, issuer: str) -> str:
    """Return the address in the QR code for an authenticator app."""
    return TOTP(secret).provisioning_uri(name=email, issuer_name=issuer)
