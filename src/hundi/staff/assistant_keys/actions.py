"""The actions of assistants' keys: make one, find who sends one, revoke one."""

import hmac
import secrets
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256

from hundi.infra.postgres.database import Beside, Database, Queries
from hundi.infra.secrets.marks import holds, mark_of
from hundi.infra.secrets.vault import Vault
from hundi.kernel.clock import world_now
from hundi.kernel.ids import ID_TRIES_MAX, new_id
from hundi.kernel.records import replace
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.staff.assistant_keys import rules, store
from hundi.staff.assistant_keys.rules import AssistantKey, AssistantScope, KeyParts
from hundi.staff.people import store as people
from hundi.staff.people.proofs import actions as proofs
from hundi.staff.people.rules import Person, Role
from hundi.staff.trail import actions as trail

_NOUN = "assistant_key"
REVOKE = f"{_NOUN}.revoke"
"""The name of the entry of a revocation."""
_PURPOSE = "assistant-key"
"""The purpose of a key's mark: whoever can write rows alone makes no key."""


@dataclass(frozen=True, slots=True)
class NewAssistantKey:
    """A key that was made. text: what its holder sends, shown once."""

    key: AssistantKey
    text: str


@dataclass(frozen=True, slots=True)
class AssistantCaller:
    """Who sends a good key: an assistant of this person, who has this role at the key's place."""

    key: AssistantKey
    person: Person
    role: Role

    @property
    def scopes(self) -> frozenset[AssistantScope]:
        """Return what the key may be used for now."""
        return rules.usable_scopes(self.key, self.role)

    @property
    def name(self) -> str:
        """Return who acts, as the trail and proposals name them."""
        return f"{self.person.name} (assistant {self.key.name})"


async def make(
    db: Database,
    vault: Vault,
    merchant_id: int,
    person: Person,
    name: str,
    scopes: Collection[AssistantScope],
    days: int,
    beside: Beside,
) -> NewAssistantKey:
    """Make a key for an assistant of a person; its life is by the world's clock.

    beside: writes more in its transaction. Raises Refused: FIELD_INVALID, also for scopes that the
    person's role does not have; STATE_FORBIDS for one key too many.
    """
    role = await proofs.role_at(db, vault, merchant_id, person.person_id)
    if role is None:
        raise refuse(
            RefusalCode.FIELD_INVALID,
            field="person",
            received=person.email,
            allowed="somebody who has a role at this place",
        )
    granted, now = rules.checked(name, scopes, days, role), world_now()
    secret = secrets.token_urlsafe(rules.SECRET_BYTES)
    key = AssistantKey(
        merchant_id=merchant_id,
        key_id=0,
        name=name,
        person_id=person.person_id,
        scopes=granted,
        secret_hash=_hash_of(secret),
        made_at=now,
        ends_at=now + rules.life_of(days),
    )
    async with db.transaction() as conn:
        if await store.count_good(conn, merchant_id, now) >= rules.KEYS_MAX:
            allowed = f"{rules.KEYS_MAX} keys at most: revoke one first"
            raise refuse(RefusalCode.STATE_FORBIDS, field="name", received=name, allowed=allowed)
        for _ in range(ID_TRIES_MAX):
            numbered = replace(key, key_id=new_id(now))
            marked = replace(numbered, mark=mark_of(vault, _PURPOSE, *_marked(numbered)))
            if await store.insert(conn, marked):
                await beside(conn, marked.key_id)
                parts = KeyParts(merchant_id, marked.key_id, secret)
                return NewAssistantKey(marked, rules.text_of(parts))
    message = "no free id for an assistant's key"
    raise AssertionError(message)


async def caller_of(source: Queries, vault: Vault, text: str) -> AssistantCaller | None:
    """Return who sends a key; None for one that is unknown, over, revoked, or written by SQL.

    None, too, where its person has no role at its place any more.
    """
    parts = rules.parts_of(text)
    if parts is None:
        return None
    key = await store.select(source, parts.merchant_id, parts.key_id)
    if key is None or not hmac.compare_digest(key.secret_hash, _hash_of(parts.secret)):
        return None
    if not rules.is_good(key, world_now()) or not holds(vault, _PURPOSE, key.mark, *_marked(key)):
        return None
    if await _was_revoked(source, vault, key):
        return None
    role = await proofs.role_at(source, vault, key.merchant_id, key.person_id)
    person = await people.select(source, key.person_id)
    if role is None or person is None or person.state == "ended":
        return None
    return AssistantCaller(key, person, role)


async def _was_revoked(source: Queries, vault: Vault, key: AssistantKey) -> bool:
    """Return whether the trail has a revocation: SQL alone brings no key back."""
    entries = await trail.proved_about(source, vault, key.merchant_id, _NOUN, key.key_id)
    return any(entry.act == REVOKE for entry in entries)


async def end(db: Database, merchant_id: int, key_id: int, beside: Beside) -> None:
    """Revoke a key at once. Raises Refused: NO_RECORDS for none that is good."""
    async with db.transaction() as conn:
        if not await store.end(conn, merchant_id, key_id, world_now()):
            raise refuse(RefusalCode.NO_RECORDS, field="key_id", received=str(key_id))
        await beside(conn, key_id)


def _hash_of(secret: str) -> bytes:
    return sha256(secret.encode()).digest()


def _marked(key: AssistantKey) -> tuple[int | str | bytes | datetime, ...]:
    """Return what a key's mark is over: all that decides what it may do."""
    return (
        *(key.merchant_id, key.key_id, key.person_id, " ".join(key.scopes)),
        *(key.secret_hash, key.ends_at),
    )
