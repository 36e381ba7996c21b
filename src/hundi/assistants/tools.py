"""The parts of a tool: its scope, parameters, reply, and the call that it answers."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Generic, TypeVar, get_type_hints

import msgspec
from msgspec import Meta, Struct

from hundi.assistants.replies import ToolReply
from hundi.kernel.records import replace
from hundi.kernel.states import Actor
from hundi.staff.assistant_keys.actions import AssistantCaller
from hundi.staff.assistant_keys.rules import AssistantScope
from hundi.staff.people.rules import OPERATOR
from hundi.staff.trail.actions import Who
from hundi.verbs.context import VerbContext, VerbProblemError
from hundi.verbs.parameters import ID_MAX
from hundi.verbs.verb import RemarkedResult

PAGE_MAX = 50
"""Rows of one reply."""
P = TypeVar("P", bound="ToolParameters")
Most = Annotated[int, Meta(ge=1, le=PAGE_MAX, description="How many at most.")]
Reference = Annotated[str, Meta(min_length=1, max_length=64)]


class ToolParameters(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base of parameters of tools."""

    merchant_id: (
        Annotated[
            int,
            Meta(
                ge=1,
                le=ID_MAX,
                description="Whose books; only a key of the operator's people chooses.",
            ),
        ]
        | None
    ) = None


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call of a tool by an assistant with a good key.

    base: the context of verbs, as of a command.
    """

    base: VerbContext
    caller: AssistantCaller

    @property
    def now(self) -> datetime:
        """Return the moment of the call (UTC)."""
        return self.base.now

    @property
    def who(self) -> Who:
        """Return who acts: the key's person, by an assistant."""
        return Who(self.caller.person.person_id, self.caller.name, self.base.vault)

    @property
    def context(self) -> VerbContext:
        """Return the context of a verb that reads."""
        is_operator = self.caller.key.merchant_id == OPERATOR
        return replace(
            self.base,
            who=self.who,
            across=is_operator,
            name=self.caller.person.email,
            told_as=self.caller.name,
            actor=Actor.OPERATOR if is_operator else Actor.MERCHANT,
        )

    def merchant_of(self, parameters: ToolParameters) -> int:
        """Return whose books the call is about. Raises VerbProblemError for those of others."""
        own = self.caller.key.merchant_id
        if own != OPERATOR:
            if parameters.merchant_id not in {None, own}:
                message = f"this key is of merchant {own} alone"
                raise VerbProblemError(message)
            return own
        if parameters.merchant_id is None:
            message = "merchant_id is missing: this key is of the operator's people"
            raise VerbProblemError(message)
        return parameters.merchant_id


@dataclass(frozen=True, slots=True, eq=False)
class AssistantTool(Generic[P]):
    """A tool. words: what the assistant's model reads about it. act: answers a call."""

    name: str
    scope: AssistantScope
    words: str
    parameter_class: type[P]
    reply_class: type[ToolReply]
    act: Callable[[ToolCall, P], Awaitable[ToolReply]]

    @property
    def proposes(self) -> bool:
        """Return whether a call leaves a proposal."""
        return self.scope.endswith(".propose")


def tool(
    scope: AssistantScope,
) -> Callable[[Callable[[ToolCall, P], Awaitable[ToolReply]]], AssistantTool[P]]:
    """Declare the function of a tool: its name, docstring and types are the tool's."""

    def made(act: Callable[[ToolCall, P], Awaitable[ToolReply]]) -> AssistantTool[P]:
        hints = [*get_type_hints(act).values()]
        parameter_class, reply_class = hints[1], hints[2]
        words = " ".join((act.__doc__ or "").split())
        return AssistantTool(act.__name__, scope, words, parameter_class, reply_class, act)

    return made


def schema_of(kind: type[Struct]) -> dict[str, Any]:
    """Return the JSON schema of parameters or of a reply, with an object at its root."""
    schema = msgspec.json.schema(kind)
    parts = schema["$defs"]
    root = parts[schema["$ref"].rpartition("/")[2]]
    return {**root, "$defs": parts}


def rows_in(result: Any) -> Sequence[Any]:  # noqa: ANN401 (a verb's result)
    """Return the rows of a verb's result."""
    rows: Any = result.result if isinstance(result, RemarkedResult) else result
    return rows
