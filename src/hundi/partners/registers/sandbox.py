"""The simulated registers over HTTP; they are in the simulator's database."""

import hmac
from hashlib import sha256
from typing import Any, TypeAlias, TypeVar

import msgspec
from stdnum import verhoeff

from hundi.acquirers.calls.client import DEFAULT_TIMEOUTS, Timeouts
from hundi.acquirers.port.answers import Unknown
from hundi.acquirers.simulator import simulator_client
from hundi.partners.registers.port import (
    Forbidden,
    Holder,
    Nobody,
    ProgrammeCard,
    RegisterEntry,
    Silent,
)

NAME = "simulated"
Entry = TypeVar("Entry")
Told: TypeAlias = "dict[str, Any] | Nobody | Forbidden | Silent"


class RegisterWord(msgspec.Struct, frozen=True):
    """One answer of the simulated registers.

    status: found, nobody or forbidden. entry: the entry that was found.
    """

    status: str
    entry: msgspec.Raw = msgspec.Raw(b"null")
    message: str = ""


_decoder = msgspec.json.Decoder(RegisterWord)


def _read(answer: bytes) -> RegisterWord | None:
    try:
        return _decoder.decode(answer)
    except (msgspec.MsgspecError, RecursionError):
        return None


class SandboxRegisters:
    """The simulated registers of businesses, holders and cards."""

    def __init__(self, base_url: str, key: bytes, timeouts: Timeouts = DEFAULT_TIMEOUTS) -> None:
        """Keep the configuration; the first call opens a connection."""
        self._key = key
        self._registers = simulator_client(base_url, key, timeouts, _read)

    async def close(self) -> None:
        """Close the connection pool."""
        await self._registers.close()

    async def registration(self, gstin: str) -> RegisterEntry | Nobody | Silent:
        """Return the registration of a GSTIN."""
        return await self._find("/registers/businesses/find", {"gstin": gstin}, RegisterEntry)

    def reference(self, number: str) -> bytes:
        """Return the simulated register's reference of a holder."""
        return hmac.digest(self._key, b"identity register " + number.encode(), sha256)

    async def holder(self, reference: bytes) -> Holder | Nobody | Silent:
        """Return the holder of a number."""
        return await self._find("/registers/people/find", {"reference": reference.hex()}, Holder)

    async def send_text(self, reference: bytes, words: str) -> Nobody | Silent | None:
        """Send a text to the simulated phone of a holder."""
        call = self._registers.post("/phones/send", {"reference": reference.hex(), "words": words})
        answer = _entry(await self._registers.ask(call), dict[str, Any])
        return answer if isinstance(answer, Nobody | Silent) else None

    async def people(self, words: str, limit: int) -> list[dict[str, Any]] | Nobody | Silent:
        """Return holders whose entry contains these words."""
        return await self._find(
            "/registers/people/list", {"words": words, "limit": limit}, list[dict[str, Any]]
        )

    async def change_person(self, holder_no: int, fields: dict[str, str]) -> Told:
        """Change fields of a holder and return the entry."""
        return await self._tell(
            "/registers/people/change", {"holder_no": holder_no, "fields": fields}
        )

    async def cards(
        self, programme: str, entity_id: str
    ) -> tuple[ProgrammeCard, ...] | Nobody | Silent:
        """Return the cards of a customer."""
        request = {"programme": programme, "entity_id": entity_id}
        return await self._find("/registers/cards/find", request, tuple[ProgrammeCard, ...])

    async def issue_card(self, programme: str, entity_id: str, kind: str) -> Told:
        """Assign a new card to a customer and return it."""
        request = {"programme": programme, "entity_id": entity_id, "kind": kind}
        return await self._tell("/registers/cards/issue", request)

    async def move_card(self, programme: str, kit_no: str, verb: str, reason: str) -> Told:
        """Activate, lock, unlock, block, hotlist, close or replace a card.

        Return it, or its replacement.
        """
        request = {"programme": programme, "kit_no": kit_no, "verb": verb, "reason": reason}
        return await self._tell("/registers/cards/move", request)

    async def businesses(self, words: str, limit: int) -> list[dict[str, Any]] | Nobody | Silent:
        """Return entries that contain these words."""
        return await self._find(
            "/registers/businesses/list", {"words": words, "limit": limit}, list[dict[str, Any]]
        )

    async def change_business(self, gstin: str, fields: dict[str, str]) -> Told:
        """Change fields of an entry and return it."""
        return await self._tell("/registers/businesses/change", {"gstin": gstin, "fields": fields})

    async def _find(
        self, path: str, request: dict[str, Any], entry: type[Entry]
    ) -> Entry | Nobody | Silent:
        """Ask for an entry, twice at most."""
        word = await self._registers.ask(self._registers.question(path, request))
        return _entry(word, entry)

    async def _tell(self, path: str, request: dict[str, Any]) -> Told:
        """Change something once, and return the changed entry."""
        word = await self._registers.ask(self._registers.post(path, request))
        if isinstance(word, RegisterWord) and word.status == "forbidden":
            return Forbidden(word.message)
        return _entry(word, dict[str, Any])


def number_of(holder_no: int) -> str:
    """Return the number of a simulated holder, by place in the register.

    There is no list of them.
    """
    first = f"9999{holder_no:07d}"
    return first + verhoeff.calc_check_digit(first)


def _entry(word: RegisterWord | Unknown, entry: type[Entry]) -> Entry | Nobody | Silent:
    if isinstance(word, Unknown):
        return Silent(word.message)
    if word.status == "nobody":
        return Nobody()
    try:
        return msgspec.json.decode(word.entry, type=entry)
    except (msgspec.MsgspecError, RecursionError) as error:
        return Silent(f"the register's entry cannot be used: {error}")
