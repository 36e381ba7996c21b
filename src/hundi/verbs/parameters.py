"""Parameters of verbs: type, bounds and meaning, and how the command line and forms read them."""

import shlex
import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import msgspec
from msgspec import UNSET, Meta, Struct

from hundi.kernel.masking import masked
from hundi.kernel.money import paise_typed, rupees
from hundi.kernel.refusals import RefusalCode, refuse

ID_MAX = 10**15
"""The largest number of anything; every column holds it."""
BYTES_A_CHARACTER_MAX = 9
"""Bytes of a character in a form: browsers write one letter of an Indian script so."""
_RECEIVED_MAX = 64


class VerbParameters(Struct, frozen=True, kw_only=True):
    """Base of the parameters of a verb: a field's type, and in `Meta` its bounds and meaning."""


class ParametersToChange(VerbParameters, frozen=True, kw_only=True):
    """Parameters of a verb that changes what is named; omitted ones stay as they are."""


class NoParameters(VerbParameters, frozen=True, kw_only=True):
    """Parameters of a verb that takes none."""


class UploadedFile(Struct, frozen=True):
    """A file that a form or a command brings. name: without its folder."""

    name: str
    content: bytes


@dataclass(frozen=True, slots=True)
class ParameterHints:
    """How the command line and forms read a parameter, beyond its type.

    by: on the command line; by default, by place without a default value and by name with one.
    option: its name there. metavar: its name in the help. masked: free text; numbers of cards and
    persons in it are masked. signs: names who acts; at the console that is the signed-in person.
    in_forms: forms require it. only_command: forms leave it out. label: its name in forms. known:
    the values of a text that forms offer, with their words for people. listed: the help names these
    values. switch: the words for on and off. document: a text of many lines; the command line takes
    the path of its file. file_bytes_max: the most bytes of a file, 0 for no file; the command line
    takes its path. rupees: paise, written as rupees. prompt: asks for a missing value on the
    terminal, unseen; prompt_if: whether to ask, by the other values.
    """

    by: Literal["", "place", "name"] = ""
    option: str = ""
    masked: bool = False
    signs: bool = False
    in_forms: bool = False
    label: str = ""
    known: Mapping[str, str] = field(default_factory=dict[str, str], hash=False)
    listed: bool = False
    switch: bool = False
    document: bool = False
    file_bytes_max: int = 0
    rupees: bool = False
    only_command: bool = False
    metavar: str = ""
    prompt: str = ""
    prompt_if: Callable[[Mapping[str, Any]], bool] | None = None


@dataclass(frozen=True, slots=True)
class VerbParameter:
    """One parameter of a verb.

    kind: without None. default: `UNSET` for none.
    """

    name: str
    kind: Any
    is_optional: bool
    default: Any
    bounds: Meta
    hints: ParameterHints

    @property
    def words(self) -> str:
        """Return its meaning."""
        return self.bounds.description or ""

    @property
    def is_required(self) -> bool:
        """Return whether the command line requires it."""
        return self.default is UNSET

    @property
    def is_named(self) -> bool:
        """Return whether the command line takes it by name."""
        return self.hints.by == "name" or (not self.hints.by and not self.is_required)

    @property
    def is_list(self) -> bool:
        """Return whether it takes several values."""
        return get_origin(self.kind) in {list, tuple}

    @property
    def is_switch(self) -> bool:
        """Return whether a form asks for on, off or neither: a tick cannot say neither."""
        return self.hints.switch or (self.kind is bool and self.is_optional)

    @property
    def is_amount(self) -> bool:
        """Return whether it is an amount in paise, which forms ask for in rupees."""
        return self.hints.rupees or (self.kind is int and self.name.endswith("paise"))

    @property
    def is_file(self) -> bool:
        """Return whether it is a file, or several."""
        return bool(self.hints.file_bytes_max)

    @property
    def body_bytes_max(self) -> int:
        """Return the most bytes that a form has for its file or document, 0 for another one."""
        documents = BYTES_A_CHARACTER_MAX * (self.bounds.max_length or 0)
        return self.hints.file_bytes_max or (documents if self.hints.document else 0)

    @property
    def choices(self) -> Sequence[str]:
        """Return its allowed choices, empty for free text."""
        one = get_args(self.kind)[0] if self.is_list else self.kind
        if self.is_switch:
            return ("on", "off")
        if self.hints.known:
            return [*self.hints.known]
        if get_origin(one) is Literal:
            return [str(each) for each in get_args(one)]
        return [str(each) for each in one] if _is_enum(one) else ()

    @property
    def input_type(self) -> str:
        """Return the type of its field in a form."""
        if self.kind is bool and not self.is_switch:
            return "checkbox"
        if self.is_file:
            return "file"
        if self.hints.document:
            return "textarea"
        if self.is_amount:
            return "text"
        return {int: "number", date: "date"}.get(self.kind, "text")

    @property
    def allowed(self) -> str:
        """Return in words which values are allowed."""
        if self.is_file:
            return self.words.removesuffix(".")
        if self.is_amount or self.kind is int:
            return self._allowed_numbers()
        if self.kind is date:
            return "a day such as 2026-11-23"
        if self.choices or self.is_list:
            return " ".join(self.choices) or "words with spaces between, or in 'quotes'"
        return (
            f"{max(self.bounds.min_length or 0, 1)} to {self.bounds.max_length or 500} characters"
        )

    def _allowed_numbers(self) -> str:
        low, high = self.bounds.ge, self.bounds.le
        if not self.is_amount:
            return f"{low} to {high}" if high is not None else f"{low or 0} or more"
        if high is None:
            return "rupees, such as 1499.50"
        return f"{rupees(int(low or 0))} to {rupees(int(high))}"

    def read(self, text: str) -> Any:  # noqa: ANN401 (of the parameter's kind)
        """Return the value of a form's text. Raises Refused (FIELD_INVALID).

        An amount is in rupees. A list is written as on a command line: '' is an empty text.
        """
        text = text.replace("\r\n", "\n")
        text = text if self.hints.document else text.strip()
        if self.kind is str or self.is_list:
            # No field of a form may keep the number of a card or a person.
            text = masked(text)
        if self.kind is bool and not self.is_switch:
            return text == "1"
        if not text and (self.hints.in_forms or self.is_required):
            raise refuse(
                RefusalCode.FIELD_INVALID, field=self.name, received="", allowed=self.allowed
            )
        if not text:
            return None if self.is_optional else self.default
        try:
            return self._converted(self._parsed(text))
        except ValueError:
            received = text[:_RECEIVED_MAX]
            raise refuse(
                RefusalCode.FIELD_INVALID,
                field=self.name,
                received=received,
                allowed=self.allowed,
            ) from None

    def _parsed(self, text: str) -> object:
        """Return a form's text as `_converted` takes it. Raises ValueError."""
        if not self.is_amount:
            return shlex.split(text) if self.is_list else text
        paise = paise_typed(text)
        if paise is None:
            raise ValueError(text)
        return paise

    def holds(self, value: object) -> bool:
        """Return whether a value is allowed."""
        try:
            self._converted(value)
        except msgspec.ValidationError:
            return False
        return True

    def _converted(self, value: object) -> Any:  # noqa: ANN401 (of the parameter's kind)
        if self.is_switch and value in {"on", "off"}:
            return value == "on"
        return msgspec.convert(value, Annotated[self.kind, self.bounds], strict=False)


def _is_enum(kind: object) -> bool:
    return isinstance(kind, type) and issubclass(kind, StrEnum)


def parameters_of(parameter_class: type[VerbParameters]) -> list[VerbParameter]:
    """Return the parameters of a verb, in their order."""
    hinted = get_type_hints(parameter_class, include_extras=True)
    parameters: list[VerbParameter] = []
    for entry in msgspec.structs.fields(parameter_class):
        kind, extras = _parted(hinted[entry.encode_name])
        bare = [each for each in get_args(kind) if each is not type(None)]
        is_optional = get_origin(kind) in {Union, types.UnionType} and len(bare) == 1
        if is_optional:
            kind, more = _parted(bare[0])
            extras = [*extras, *more]
        parameters.append(
            VerbParameter(
                entry.name,
                kind,
                is_optional,
                UNSET if entry.required else entry.default,
                next((each for each in extras if isinstance(each, Meta)), Meta()),
                next((each for each in extras if isinstance(each, ParameterHints)), _NOTHING),
            )
        )
    return parameters


def _parted(kind: Any) -> tuple[Any, Sequence[Any]]:  # noqa: ANN401 (a type)
    """Return a type and its annotations."""
    return (kind.__origin__, kind.__metadata__) if get_origin(kind) is Annotated else (kind, ())


_NOTHING = ParameterHints()

MerchantId = Annotated[int, Meta(ge=1, le=ID_MAX, description="The merchant's id.")]
"""The merchant's id; the console fills it in from its place. It is always called `merchant_id`."""
