"""One call of a tool: the key, its rights, the entry in the trail, and the answer."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec
import structlog

from hundi.api.replies import CODE_OF
from hundi.assistants import proposing, reading
from hundi.assistants.tools import AssistantTool, ToolCall
from hundi.assistants.words import outside
from hundi.infra.http.rates import Rates
from hundi.infra.postgres.database import Database
from hundi.infra.secrets.vault import Vault
from hundi.kernel.clock import world_now
from hundi.kernel.refusals import Refusal, Refused
from hundi.staff.assistant_keys import actions as keys
from hundi.staff.assistant_keys.actions import AssistantCaller
from hundi.staff.trail import actions as trail
from hundi.verbs.context import VerbContext, VerbProblemError

CALLS_A_MINUTE = 60
"""Calls of one key; each writes an entry of the trail."""
_TOO_MANY = "too_many"
_NUL = "\0"
"""The one character that no text of the database can hold."""
_log = structlog.get_logger(__name__)
TOOLS: Mapping[str, AssistantTool[Any]] = {
    each.name: each for each in (*reading.TOOLS, *proposing.TOOLS)
}
"""Every tool, by its name."""


class ToolRefusedError(Exception):
    """A call is refused; the message is for the assistant, and holds no text of others."""


@dataclass(frozen=True, slots=True)
class AssistantDesk:
    """Answers the calls of assistants. base: makes the context of verbs for a moment."""

    db: Database
    vault: Vault
    base: Callable[[], VerbContext]
    rates: Rates = field(default_factory=Rates)

    async def caller_of(self, text: str) -> AssistantCaller | None:
        """Return who sends a key, None for one that is no good."""
        return await keys.caller_of(self.db, self.vault, text)

    async def answer(
        self, caller: AssistantCaller, name: str, given: Mapping[str, Any]
    ) -> Mapping[str, Any]:
        """Do a call and return its reply as JSON values. Raises ToolRefusedError.

        Every call of a good key is in the trail before anything is read, refused ones too.
        """
        called = TOOLS.get(name)
        is_allowed = called is not None and called.scope in caller.scopes
        now_s = world_now().timestamp()
        if not self.rates.has_room(str(caller.key.key_id), _TOO_MANY, CALLS_A_MINUTE, now_s):
            message = f"{CALLS_A_MINUTE} calls a minute at most: wait a minute"
            raise ToolRefusedError(message)
        call = ToolCall(self.base(), caller)
        await self._record(call, called, given, is_allowed=is_allowed)
        if called is None or not is_allowed:
            message = "this key has no such tool"
            raise ToolRefusedError(message)
        if any(_NUL in value for value in given.values() if isinstance(value, str)):
            message = "a text holds a control character"
            raise ToolRefusedError(message)
        try:
            wanted = msgspec.convert(given, called.parameter_class)
            reply = await called.act(call, wanted)
        except msgspec.ValidationError as fault:
            raise ToolRefusedError(outside(fault).written_outside) from None
        except VerbProblemError as problem:
            raise ToolRefusedError(outside(problem).written_outside) from None
        except Refused as refused:
            raise ToolRefusedError(_words(refused.refusal)) from None
        except Exception:  # noqa: BLE001 (logged with its trace)
            # The library would send the text of the fault, which may hold a row of the database.
            _log.exception("assistant_call_failed", tool=name)
            message = "the gateway could not answer: its log says why"
            raise ToolRefusedError(message) from None
        return msgspec.to_builtins(reply)

    async def _record(
        self,
        call: ToolCall,
        called: AssistantTool[Any] | None,
        given: Mapping[str, Any],
        *,
        is_allowed: bool,
    ) -> None:
        """Write the entry of a call, in the trail of the key's place."""
        about = next((given[name] for name in _SUBJECTS if name in given), "")
        merchant = given.get("merchant_id", "")
        named = {"merchant": outside(merchant).written_outside} if merchant else {}
        await trail.record(
            self.db,
            call.caller.key.merchant_id,
            call.who,
            f"assistant.{called.name if called else 'unknown_tool'}",
            outside(about).written_outside,
            call.now,
            key_id=str(call.caller.key.key_id),
            allowed=is_allowed,
            **named,
        )


_SUBJECTS = tuple(
    name
    for name in dict.fromkeys(
        field_name
        for each in TOOLS.values()
        for field_name in each.parameter_class.__struct_fields__
    )
    if name.endswith(("_id", "transactionid", "reference", "settlement")) and name != "merchant_id"
)
"""Parameters that name what a call is about."""


def usable(caller: AssistantCaller) -> list[AssistantTool[Any]]:
    """Return the tools that a caller may use now."""
    return [each for each in TOOLS.values() if each.scope in caller.scopes]


def _words(refusal: Refusal) -> str:
    """Return the reason of a refusal, without what was received."""
    parts = [CODE_OF[refusal.code].words, refusal.field, refusal.allowed]
    return outside("; ".join(each for each in parts if each)).written_outside
