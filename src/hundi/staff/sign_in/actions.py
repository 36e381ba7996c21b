"""The actions of signing in: password, second factor, sessions.

Sessions, one-time passwords and waits go by the world's clocks: a demo's clock, which can be moved
on, ends none.
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
from hundi.staff.people import factors, proofs
from hundi.staff.people import rules as people_rules
from hundi.staff.people import store as people_store
from hundi.staff.people.passwords import Passwords
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
"""Of a code's time step: clocks of telephones differ by some seconds."""
_log = structlog.get_logger(__name__)


class SignInRefusal(StrEnum):
    """Why somebody is not let in; the words say nothing of whether there is such a person."""

    WRONG = "E-mail address and password do not belong together."
    WRONG_CODE = "This code is not right, or was used before. Wait for the next one."
    WAIT = (
        "Too many tries. Wait a quarter of an hour, or use a browser that you signed in with"
        " before."
    )
    OVER = "This took too long. Begin again with your password."


@dataclass(frozen=True, slots=True)
class Caller:
    """Where a request comes from.

    known: the cookie of a browser that signed in before, "" without one.
    """

    address: str
    agent: str
    known: str = ""

    @property
    def network(self) -> str:
        """Return the network that limits are counted for."""
        return network_of(self.address) if self.address else ""


@dataclass(frozen=True, slots=True)
class Signed:
    """A new session, and its token, which the browser alone keeps. known: its other cookie."""

    session: Session
    person: Person
    token: str
    known: str = ""


def form_token(token: str) -> str:
    """Return what each form of a session carries, so that no other site can send one."""
    return hashlib.sha256(b"hundi console form " + token.encode()).hexdigest()[:43]


class SignIn:
    """Lets people in."""

    def __init__(self, db: Database, vault: Vault) -> None:
        """Keep the parts."""
        self._db = db
        self._vault = vault
        self.passwords = Passwords()
        self._rates = Rates()

    def close(self) -> None:
        """End what runs beside."""
        self.passwords.close()

    # --- the first step ---

    async def try_password(
        self, email: str, password: str, caller: Caller
    ) -> Signed | SignInRefusal:
        """Return a session that still needs the second factor. Raises Refused (TOO_MANY_REQUESTS).

        Who does not exist is refused like who is: after one hash, with the same words, by the same
        limits.
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
            # Nothing was tried: a flood must not use up the person's tries.
            await self._db.execute(store.UNCOUNT_FAILURE, subject)
            raise
        if person is None or kept is None or not is_right:
            _log.warning("sign_in_refused")
            return SignInRefusal.WRONG
        await self._db.execute(store.FORGET_FAILURES, subject)
        if self.passwords.is_old(kept.password_hash):
            anew = await self.passwords.hashed(password)
            await proofs.hash_anew(self._db, self._vault, person.person_id, kept, anew, now)
        return await self._begin(person, "password", now, caller)

    async def try_code(self, session: Session, code: str, caller: Caller) -> Signed | SignInRefusal:
        """Return a complete session in place of one that has shown the password, or why not.

        The token is a new one: whoever knew the old one has nothing.
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
        await self._db.execute(store.END, session.session_hash, session.person_id)
        return await self.complete(person, caller, "password and code")

    async def show_factor(self, session: Session, code: str) -> SignInRefusal | None:
        """Take a second factor of a signed-in session; return why it is refused, or None.

        Wrong ones are counted by session: a stranger's, who has the password, keep nobody from what
        they are doing.
        """
        return await self._try_factor(
            session, code, self._keyed(_FAILURES, f"session {session.session_hash.hex()}")
        )

    async def _try_factor(
        self, session: Session, code: str, subject: bytes
    ) -> SignInRefusal | None:
        """Take a one-time password or a recovery code."""
        now = world_now()
        if await self._count_try(subject, rules.CODES_WRONG_MAX, now):
            return SignInRefusal.WAIT
        if not await self._is_factor(session.person_id, code, now):
            _log.warning("sign_in_refused")
            return SignInRefusal.WRONG_CODE
        await self._db.execute(store.FORGET_FAILURES, subject)
        mark = mark_of(self._vault, _FACTOR, session.session_hash, now)
        await self._db.execute(store.SHOW_FACTOR, session.session_hash, now, mark)
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
        """Count a try to sign in of a network. Raises Refused (TOO_MANY_REQUESTS)."""
        self._rates.count(
            caller.network, "sign-in", rules.NETWORK_TRIES_A_MINUTE, world_now().timestamp()
        )

    # --- sessions ---

    async def complete(self, person: Person, caller: Caller, by: str) -> Signed:
        """Begin a complete session of somebody who has shown who they are.

        by: how they did, for the trail.
        """
        now = world_now()
        signed = await self._begin(person, "complete", now, caller)
        known = self._known_browser(person)
        for each in await proofs.memberships_of(self._db, self._vault, person.person_id):
            who = Who(person.person_id, person.name, self._vault, caller.network)
            browser = rules.browser_name(caller.agent)
            await trail.record(
                self._db, each.merchant_id, who, "session.begin", browser, utc_now(), by=by
            )
        await self._db.execute(store.SWEEP, now)
        await self._db.execute(store.SWEEP_FAILURES, now - rules.FAILURES_FOR)
        return replace(signed, known=known)

    async def find(self, token: str) -> Session | None:
        """Return the session of a token, and note that it is used; None when it is over.

        A session that this gateway did not begin is none, and a second factor that was not shown
        here is not fresh: whoever can write rows has no key to mark them with.
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
            await self._db.execute(store.SEE, session.session_hash, now)
        return session

    async def sessions_of(self, person_id: int) -> list[Session]:
        """Return a person's sessions, used last first."""
        now = world_now()
        return await store.select_of(self._db, person_id, now, now - rules.IDLE)

    async def end(self, session_hash: bytes, person_id: int) -> bool:
        """End a session of a person; False when it was over."""
        return await self._db.fetchval(store.END, session_hash, person_id) is not None

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
        """Return whose wrong tries are counted together.

        A browser that signed in as this person before is counted apart from all others, so that a
        stranger who guesses keeps strangers out, and never the person. what: is guessed, "" for the
        password.
        """
        apart = known if known and self._knows(name, known) else ""
        return self._keyed(_FAILURES, f"{what}{name}\n{apart}")

    def _known_browser(self, person: Person) -> str:
        mark = secrets.token_urlsafe(12)
        return f"{mark}.{self._mark(mark, person.email, 0)}"

    def _knows(self, email: str, known: str) -> bool:
        mark, _, shown = known.partition(".")
        keys = len(self._vault.derive_all(_KNOWN_BROWSER))
        # Bytes: of texts only those of ASCII letters can be compared, and a cookie may hold any.
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
        row = await self._db.fetchrow(store.COUNT_FAILURE, subject, now, now - rules.FAILURES_FOR)
        return (
            row is not None and rules.waits(row["failures"], row["first_at"], most, now) is not None
        )


def _marked(session: Session) -> tuple[bytes, int, str, datetime, datetime]:
    """Return what decides whose session it is, how far they came and until when."""
    return session.session_hash, session.person_id, session.stage, session.began_at, session.ends_at


def step_of_code(secret: str, code: str, now: datetime) -> int | None:
    """Return the time step of a one-time password, None when it is not of these minutes."""
    totp = TOTP(secret)
    found = None
    for offset in _LATE_STEPS:
        step = rules.step_of(now) + offset
        if hmac.compare_digest(totp.at(step * rules.TOTP_STEP_S).encode(), code.encode()):
            found = step
    return found


def uri_of(secret: str, email: str, issuer: str) -> str:
    """Return what an authenticator app reads from a QR code."""
    return TOTP(secret).provisioning_uri(name=email, issuer_name=issuer)
