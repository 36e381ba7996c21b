"""Verbs: what an operator, or somebody of a merchant, can do; declared once for both doors."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, TypeVar, get_type_hints

import msgspec

from hundi.kernel.refusals import RefusalCode
from hundi.staff.people.rules import Permission
from hundi.verbs.context import VerbContext
from hundi.verbs.parameters import VerbParameter, VerbParameters, parameters_of

P = TypeVar("P", bound=VerbParameters)
Result = Mapping[str, Any] | Sequence[Mapping[str, Any]]
"""What a verb gives back: one thing, or several of a kind; amounts are whole paise."""
Act = Callable[[VerbContext, P], Awaitable[Any]]
Place = Literal["merchant", "all", "both"]


@dataclass(frozen=True, slots=True)
class RemarkedResult:
    """A result with something to say beside it. remark: "" for nothing."""

    result: Result
    remark: str


@dataclass(frozen=True, slots=True, eq=False)
class OperatorVerb(Generic[P]):
    """One thing that can be done, or looked at.

    noun, name: as the command line has them; a name of two words stands in a group. words: what it
    does, the first line in short. given: its parameters. act: does it. needs: the permission of who
    does it at the console; a command is run by whoever may work on the machine. at: the places of
    the console where it is offered. trail: what the entry of the act is called; "" where nothing is
    changed. fresh: whether the console asks for the second factor again. title: over its result;
    may name parameters, and facts of the result, in braces. notice: what the console says once it
    is done, by its key in addresses. sure: what the console's form has to be ticked for, "" for
    nothing. refusals: words for some refusals, which may name parameters in braces. parts: parts of
    the result that have a table of their own, by their titles; tables: the same, where all have
    one. drawn: makes of the result what people read; scripts get the result itself. screen: the
    path of the console's screen that does it; "" for a form that is made of the parameters.
    only_command: why the console does not have it. second: what a second person is asked to agree
    to, where one person alone may not do it at the console. plain: the one text of the result that
    is printed as it is. primary: whether it must be read where it is written. button: of the made
    form, where the name says too little. danger: whether that button warns.
    """

    noun: str
    name: str
    words: str
    given: type[P]
    act: Act[P]
    needs: Permission
    at: Place = "merchant"
    trail: str = ""
    fresh: bool = True
    title: str | Callable[[Any], str] = ""
    notice: tuple[str, str] = ("", "")
    sure: str = ""
    refusals: Mapping[RefusalCode, str] = field(default_factory=dict[RefusalCode, str])
    parts: Mapping[str, str] = field(default_factory=dict[str, str])
    drawn: Callable[[Any], Any] | None = None
    screen: str = ""
    only_command: str = ""
    tables: Callable[[Any], Mapping[str, str]] | None = None
    second: str = ""
    plain: str = ""
    primary: bool = False
    button: str = ""
    danger: bool = False

    @property
    def command(self) -> str:
        """Return its command, without `hundi`."""
        return f"{self.noun} {self.name}".strip()

    @property
    def reads(self) -> bool:
        """Return whether it changes nothing."""
        return not self.trail

    @property
    def path(self) -> str:
        """Return the path of its made form at the console, "" where it has none."""
        made = not self.screen and not self.only_command
        return f"verbs/{self.noun}/{self.name.replace(' ', '-')}".rstrip("/") if made else ""

    @property
    def parameters(self) -> list[VerbParameter]:
        """Return its parameters, in their order."""
        return parameters_of(self.given)

    def titled(self, result: Any, given: P) -> str:  # noqa: ANN401 (a Result)
        """Return what stands over its result."""
        if callable(self.title):
            return self.title(given)
        facts = result if isinstance(result, Mapping) else {}
        return self.title.format(**{**facts, **msgspec.structs.asdict(given)})

    def refusal_words(self, code: RefusalCode, given: P) -> str:
        """Return its own words for a refusal, "" where it has none."""
        return self.refusals.get(code, "").format(**msgspec.structs.asdict(given))

    def sections(self, result: Any, given: P) -> list[tuple[str, Any]]:  # noqa: ANN401 (a Result)
        """Return what people read of a result, each part with its title."""
        drawn = self.drawn(result) if self.drawn else result
        if self.tables:
            return [(title, drawn[name]) for name, title in self.tables(result).items()]
        if not self.parts:
            return [(self.titled(result, given), drawn)]
        whole = {name: value for name, value in drawn.items() if name not in self.parts}
        parts = [(title, drawn[name]) for name, title in self.parts.items()]
        return [(self.titled(result, given), whole), *parts]


def verb(command: str, needs: Permission, **declared: Any) -> Callable[[Act[P]], OperatorVerb[P]]:  # noqa: ANN401 (fields of OperatorVerb)
    """Declare that a function does a verb; its docstring is the verb's words.

    command: noun and name, as the command line has them. declared: other fields of `OperatorVerb`.
    """
    noun, _, name = command.partition(" ")

    def made(act: Act[P]) -> OperatorVerb[P]:
        given: type[P] = [*get_type_hints(act).values()][1]
        return OperatorVerb(noun, name, act.__doc__ or "", given, act, needs, **declared)

    return made
