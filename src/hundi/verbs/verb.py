"""Verbs of operators and merchants' people, each declared once for command line and console."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, TypeVar, get_type_hints

import msgspec

from hundi.kernel.refusals import RefusalCode
from hundi.staff.people.rules import Permission
from hundi.verbs.context import VerbContext
from hundi.verbs.parameters import (
    ParametersToChange,
    VerbParameter,
    VerbParameters,
    parameters_of,
)

P = TypeVar("P", bound=VerbParameters)
Result = Mapping[str, Any] | Sequence[Mapping[str, Any]]
"""The result of a verb: one object or a list of them; amounts are whole paise."""
Act = Callable[[VerbContext, P], Awaitable[Any]]
Place = Literal["merchant", "all", "both"]


@dataclass(frozen=True, slots=True)
class RemarkedResult:
    """A result with a remark beside it, "" for none."""

    result: Result
    remark: str


@dataclass(frozen=True, slots=True, eq=False)
class OperatorVerb(Generic[P]):
    """One action or look-up of the command line and the console.

    noun, name: as on the command line; a name of two words stands in a group. words: its help; the
    first line is the summary. parameter_class: its parameters. act: the function that does it.
    needs: the permission at the console; anyone who may work on the machine may run a command. at:
    the places of the console that offer it. trail: the name of its entry; "" where it changes
    nothing. fresh: whether the console asks for the second factor again. title: above its result;
    may name parameters, and facts of the result, in braces. notice: the console's message after
    success, by its key in addresses; no words for a key of several screens. sure: the text of a box
    to tick in the console's form, "" for none. refusals: words for some refusals, which may name
    parameters in braces. parts: titles of parts of the result with a table of their own; tables:
    the same, where every part has one. drawn: makes the result readable for people; scripts get the
    result itself. screen: the path of a hand-written console screen; "" for a form made from the
    parameters. only_command: why the console does not offer it. second: what a second person is
    asked to approve, where the console needs two people. check: raises what the act would raise,
    before that person is asked. plain: the one text of the result that is printed unchanged. page:
    the title of its form, where name and noun do not say it; the verb comes first. primary: whether
    to read from the primary database. button: the form's button, where the name says too little.
    danger: whether that button warns. alone: its act without a gateway, where it needs none. sets:
    the settings of a merchant that it changes, where its parameters have other names.
    """

    noun: str
    name: str
    words: str
    parameter_class: type[P]
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
    check: Callable[[VerbContext, Any], Awaitable[object]] | None = None
    plain: str = ""
    page: str = ""
    primary: bool = False
    button: str = ""
    danger: bool = False
    alone: Callable[[P], Any] | None = None
    sets: tuple[str, ...] = ()

    @property
    def command(self) -> str:
        """Return its command, without `hundi`."""
        return f"{self.noun} {self.name}".strip()

    @property
    def reads(self) -> bool:
        """Return whether it changes nothing."""
        return not self.trail

    @property
    def is_linked(self) -> bool:
        """Return whether the address of its form has the values; no address has a document."""
        return self.reads and not any(each.hints.document for each in self.parameters)

    @property
    def path(self) -> str:
        """Return the path of its form at the console, "" where it has none."""
        has_form = not self.screen and not self.only_command
        return f"verbs/{self.noun}/{self.name.replace(' ', '-')}".rstrip("/") if has_form else ""

    @property
    def parameters(self) -> list[VerbParameter]:
        """Return its parameters, in their order."""
        return parameters_of(self.parameter_class)

    @property
    def keeps_omitted(self) -> bool:
        """Return whether it changes what is named, and all else stays as it is."""
        return issubclass(self.parameter_class, ParametersToChange)

    def titled(self, result: Any, parameters: P) -> str:  # noqa: ANN401 (a Result)
        """Return the title above its result."""
        if callable(self.title):
            return self.title(parameters)
        facts = result if isinstance(result, Mapping) else {}
        return self.title.format(**{**facts, **msgspec.structs.asdict(parameters)})

    def refusal_words(self, code: RefusalCode, parameters: P) -> str:
        """Return its own words for a refusal, "" for none."""
        return self.refusals.get(code, "").format(**msgspec.structs.asdict(parameters))

    def sections(self, result: Any, parameters: P) -> list[tuple[str, Any]]:  # noqa: ANN401 (a Result)
        """Return the parts of a result for people, each with its title."""
        drawn = self.drawn(result) if self.drawn else result
        if self.tables:
            return [(title, drawn[name]) for name, title in self.tables(result).items()]
        if not self.parts:
            return [(self.titled(result, parameters), drawn)]
        whole = {name: value for name, value in drawn.items() if name not in self.parts}
        parts = [(title, drawn[name]) for name, title in self.parts.items()]
        return [(self.titled(result, parameters), whole), *parts]


def verb(command: str, needs: Permission, **declared: Any) -> Callable[[Act[P]], OperatorVerb[P]]:  # noqa: ANN401 (fields of OperatorVerb)
    """Declare the function of a verb; its docstring is the verb's help.

    command: noun and name, as on the command line. declared: other fields of `OperatorVerb`.
    """
    noun, _, name = command.partition(" ")

    def made(act: Act[P]) -> OperatorVerb[P]:
        parameter_class: type[P] = [*get_type_hints(act).values()][1]
        return OperatorVerb(noun, name, act.__doc__ or "", parameter_class, act, needs, **declared)

    return made


def verb_alone(
    command: str,
    needs: Permission,
    **declared: Any,  # noqa: ANN401 (as of `verb`)
) -> Callable[[Callable[[P], Any]], OperatorVerb[P]]:
    """Declare a look-up that needs no gateway: a function of its parameters alone."""

    def made(look: Callable[[P], Any]) -> OperatorVerb[P]:
        parameter_class: type[P] = next(iter(get_type_hints(look).values()))
        noun, _, name = command.partition(" ")

        async def act(_: VerbContext, parameters: P) -> Any:  # noqa: ANN401 (a Result)
            return look(parameters)

        words = look.__doc__ or ""
        return OperatorVerb(noun, name, words, parameter_class, act, needs, alone=look, **declared)

    return made
