"""The fields of a kind's settings for forms: meaning, allowed values, default, and typed text."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from inspect import cleandoc
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import msgspec

from hundi.acquirers.kinds import (
    LINES,
    MACHINE_FILE,
    AcquirerKind,
    address_fields,
    fixed_fields,
    secret_fields,
)

FieldShape = Literal["text", "lines", "list", "table", "choice", "tick"]
"""How a field is typed: a line, several lines of one text, a list with an entry a line, a JSON
object, one of some values, yes or no."""
TEXT_MAX = 4_000
"""Characters of a field without a bound of its own."""
METHODS_FIELD = "methods"
ONE_LINE = "one line of printable characters"
NO_CONTROLS = "lines of printable characters"
_SEVERAL_LINES: Mapping[FieldShape, str] = {
    "lines": "\r\n",
    "list": "\r\n",
    "table": "\r\n\t",
}
"""The shapes that are typed in several lines, and the characters that make them."""
_NAMES = r"[a-z][a-z0-9_]*(?:, [a-z][a-z0-9_]*)*"
_MEANING = re.compile(rf"(?:^|(?<=\s))({_NAMES}): ")


@dataclass(frozen=True, slots=True)
class KindField:
    """One field of a kind's settings.

    meaning: a phrase, "" where its kind says nothing. allowed: the values, in words. default: as it
    would be stored; UNSET for a field that is needed. longest: characters of one
    text. is_machine_file: a path, which no form takes. is_address: secrets go there.
    """

    name: str
    type: Any
    meaning: str
    allowed: str
    default: object
    shape: FieldShape
    choices: tuple[str, ...]
    longest: int
    is_secret: bool
    is_fixed: bool
    is_machine_file: bool
    is_address: bool

    @property
    def is_needed(self) -> bool:
        """Return whether an account cannot be without it."""
        return self.default is msgspec.UNSET

    @property
    def is_host(self) -> bool:
        """Return whether it names a host that secrets go to; a port is an address, and no host."""
        return self.is_address and _bare(self.type)[0] is str

    def read(self, text: str) -> Any:  # noqa: ANN401 (of the field's type)
        """Return the value of a typed text, as it is stored. Raises ValueError."""
        if self._has_controls(text):
            raise ValueError(NO_CONTROLS if self.shape in _SEVERAL_LINES else ONE_LINE)
        try:
            value = msgspec.convert(self._parsed(text), self.type, strict=False)
        except (msgspec.MsgspecError, RecursionError):
            # The error's text may quote a secret.
            raise ValueError(self.allowed) from None
        return msgspec.json.decode(msgspec.json.encode(value))

    def _has_controls(self, text: str) -> bool:
        """Return whether a text has characters that a reader does not see, or takes for a line."""
        kept = text.strip()
        for each in _SEVERAL_LINES.get(self.shape, ""):
            kept = kept.replace(each, "")
        return not kept.isprintable()

    def _parsed(self, text: str) -> object:
        if self.shape == "tick":
            return text == "1"
        if self.shape == "list":
            return [line.strip() for line in text.splitlines() if line.strip()]
        if self.shape == "table":
            return msgspec.json.decode(text)
        return text.replace("\r\n", "\n").strip()

    def text_of(self, value: object) -> str:
        """Return the text of a value, as a form has it."""
        if self.shape == "tick":
            return "1" if value is True or value in ("true", "1") else ""
        if self.shape == "list" and isinstance(value, str):
            value = value.split(",")
        if isinstance(value, list):
            return "\n".join(str(part).strip() for part in value)
        if isinstance(value, str):
            return value
        return "" if value in (None, {}, msgspec.UNSET) else msgspec.json.encode(value).decode()

    def words_of(self, value: object) -> str:
        """Return the text of a value for people, "" for none."""
        text = self.text_of(value)
        if self.shape == "tick":
            return "on" if text else "off"
        return ", ".join(text.splitlines()) if self.shape == "list" else text

    def normal(self, value: object) -> object:
        """Return a stored value as `read` gives it; the value itself where it does not fit."""
        try:
            return self.read(self.text_of(value))
        except ValueError:
            return value


@dataclass(frozen=True, slots=True)
class FieldProblem:
    """A field with a wrong value. received: "" for a typed secret and for nothing."""

    name: str
    received: str
    allowed: str


def fields_of_kind(kind: AcquirerKind[Any]) -> tuple[KindField, ...]:
    """Return the fields of a kind in their order, then `methods`, which every kind has."""
    meanings = meanings_of(kind.settings)
    secret, fixed, addresses = secret_fields(kind), fixed_fields(kind), address_fields(kind)
    own = tuple(
        KindField(
            name=each.name,
            type=each.type,
            meaning=meanings.get(each.name, ""),
            default=_default(each),
            is_secret=each.name in secret,
            is_fixed=each.name in fixed,
            is_address=each.name in addresses,
            **_form_of(each.type),
        )
        for each in msgspec.structs.fields(kind.settings)
    )
    return (*own, _METHODS)


def meanings_of(settings: type[msgspec.Struct]) -> dict[str, str]:
    """Return the meanings that the docstring of a kind's settings gives, by field.

    It has them as `name: meaning.` or `name, other: meaning.` after its first line.
    """
    names = {each.name for each in msgspec.structs.fields(settings)}
    text = " ".join(cleandoc(settings.__doc__ or "").split())
    marks = [each for each in _MEANING.finditer(text) if names.issuperset(each[1].split(", "))]
    ends = [*(each.start() for each in marks[1:]), len(text)]
    return {
        name: text[mark.end() : end].strip().removesuffix(".")
        for mark, end in zip(marks, ends, strict=False)
        for name in mark[1].split(", ")
    }


def problems_of(
    fields: Sequence[KindField], typed: Mapping[str, str]
) -> tuple[dict[str, Any], tuple[FieldProblem, ...]]:
    """Return the values of typed texts by field, and what is wrong with the others.

    typed: by name. A value that is the default is left out: it is not stored.
    """
    values: dict[str, Any] = {}
    problems: list[FieldProblem] = []
    for field in fields:
        text = typed.get(field.name, "").strip()
        if not text and not field.is_needed and field.shape != "tick":
            continue
        try:
            value = field.read(text)
            if value != field.default:
                values[field.name] = value
        except ValueError as error:
            received = "" if field.is_secret else text[:TEXT_MAX]
            problems.append(FieldProblem(field.name, received, str(error)))
    return values, tuple(problems)


def _default(info: msgspec.structs.FieldInfo) -> object:
    """Return the default of a field as it would be stored, UNSET where there is none."""
    if info.required:
        return msgspec.UNSET
    default: object = info.default
    if default is msgspec.NODEFAULT:
        default = info.default_factory()  # type: ignore[operator] (a field without default has one)
    return msgspec.json.decode(msgspec.json.encode(default))


def _form_of(kind: Any) -> dict[str, Any]:  # noqa: ANN401 (a type)
    """Return shape, choices, allowed values and longest text of a field's type."""
    bare, metas = _bare(kind)
    choices = tuple(str(each) for each in get_args(bare)) if get_origin(bare) is Literal else ()
    shape = _shape(bare, metas)
    longest = max((each.max_length for each in metas if each.max_length), default=TEXT_MAX)
    allowed = next((each.description for each in reversed(metas) if each.description), "")
    return {
        "shape": shape,
        "choices": choices,
        "longest": longest,
        "is_machine_file": MACHINE_FILE in metas,
        "allowed": allowed or _allowed(bare, metas, shape),
    }


def _bare(kind: Any) -> tuple[Any, tuple[msgspec.Meta, ...]]:  # noqa: ANN401 (a type)
    """Return a type without its annotations, `None` and other alternatives; and the annotations."""
    if get_origin(kind) is Annotated:
        bare, metas = _bare(kind.__origin__)
        return bare, (*metas, *(each for each in kind.__metadata__ if _is_meta(each)))
    if get_origin(kind) in {Union, UnionType}:
        return _bare(get_args(kind)[0])
    return kind, ()


def _is_meta(annotation: object) -> bool:
    return isinstance(annotation, msgspec.Meta)


def _shape(bare: Any, metas: Sequence[msgspec.Meta]) -> FieldShape:  # noqa: ANN401 (a type)
    if bare is bool:
        return "tick"
    if get_origin(bare) is Literal:
        return "choice"
    if get_origin(bare) is dict:
        return "table"
    if get_origin(bare) in {tuple, list}:
        return "list"
    return "lines" if LINES in metas else "text"


def _allowed(bare: Any, metas: Sequence[msgspec.Meta], shape: FieldShape) -> str:  # noqa: ANN401 (a type)
    """Return in words which values a type without a description of its own allows."""
    if shape == "choice":
        return " or ".join(str(each) for each in get_args(bare))
    if shape == "tick":
        return "on or off"
    if shape == "table":
        return "a JSON object"
    if shape == "list":
        inner = _form_of(get_args(bare)[0])["allowed"]
        return "one to a line" if inner == _ANY else f"one to a line: {inner}"
    low, high = _bounds(metas, ("min_length", "max_length") if bare is str else ("ge", "le"))
    if bare is str:
        limits = [f"at least {low}" if low and low > 1 else "", f"at most {high}" if high else ""]
        words = ", ".join(each for each in limits if each)
        return f"{words} characters" if words else _ANY
    number = "a whole number" if bare is int else "a number"
    return f"{number} from {low or 0} to {high}" if high is not None else number


def _bounds(
    metas: Sequence[msgspec.Meta], names: tuple[str, str]
) -> tuple[float | None, float | None]:
    low, high = ([getattr(each, name) for each in metas] for name in names)
    return (
        next((each for each in low if each is not None), None),
        next((each for each in high if each is not None), None),
    )


_ANY = "any text"
_METHODS = KindField(
    name=METHODS_FIELD,
    type=tuple[str, ...],
    meaning="only these methods; without them, all that it can",
    allowed="names of methods, one to a line",
    default=[],
    shape="list",
    choices=(),
    longest=TEXT_MAX,
    is_secret=False,
    is_fixed=False,
    is_machine_file=False,
    is_address=False,
)
