"""The simulated registers, asked over HTTP as the simulated bank is; they live with it, in books of their own."""

from typing import Any, TypeVar

import msgspec

from hundi.connectors.port import Unknown
from hundi.connectors.sandbox.transport import DEFAULT_TIMEOUTS, Timeouts, Transport
from hundi.providers.port import Nobody, Registration, Silent

NAME = "simulated"
Entry = TypeVar("Entry")


class RegisterWord(msgspec.Struct, frozen=True):
    """One answer of the simulated registers. status: found, nobody, done or refused; entry: what was found."""

    status: str
    entry: msgspec.Raw = msgspec.Raw(b"null")
    message: str = ""


_decoder = msgspec.json.Decoder(RegisterWord)


def _read(answer: bytes) -> RegisterWord | None:
    try:
        return _decoder.decode(answer)
    except msgspec.MsgspecError:
        return None


class SandboxRegisters:
    """The simulated registers of businesses, holders and cards."""

    def __init__(self, base_url: str, key: bytes, timeouts: Timeouts = DEFAULT_TIMEOUTS) -> None:
        """Remember where they are; nothing is opened before the first call."""
        self._registers = Transport(base_url, key, timeouts, _read)

    async def close(self) -> None:
        """Close the connection pool."""
        await self._registers.close()

    async def registration(self, gstin: str) -> Registration | Nobody | Silent:
        """Return the registration of a GSTIN."""
        return await self._find("/registers/businesses/find", {"gstin": gstin}, Registration)

    async def businesses(self, words: str, limit: int) -> list[dict[str, Any]] | Nobody | Silent:
        """Return entries that hold these words."""
        return await self._find("/registers/businesses/list", {"words": words, "limit": limit}, list[dict[str, Any]])

    async def change_business(self, gstin: str, fields: dict[str, str]) -> dict[str, Any] | Nobody | Silent:
        """Change fields of an entry and return it."""
        return await self._find("/registers/businesses/change", {"gstin": gstin, "fields": fields}, dict[str, Any])

    async def _find(self, path: str, asked: dict[str, Any], entry: type[Entry]) -> Entry | Nobody | Silent:
        word = await self._registers.ask(self._registers.question(path, asked))
        if isinstance(word, Unknown):
            return Silent(word.message)
        if word.status == "nobody":
            return Nobody()
        try:
            return msgspec.json.decode(word.entry, type=entry)
        except msgspec.MsgspecError as error:
            return Silent(f"the register's entry cannot be used: {error}")
