"""Operations of partners: what each adds to what every interface says of itself."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar, cast

from hundi.wire.codes import Code
from hundi.wire.fields import FieldError
from hundi.wire.message import read_reply, write_reply
from hundi.wire.operation import Interface
from hundi.wire.partner.envelope import STANDARD, Shape
from hundi.wire.parts import Declared, parts
from hundi.wire.strict_json import JsonValue

Asked = TypeVar("Asked", bound=Declared)
Told = TypeVar("Told", bound=Declared)
Value = TypeVar("Value")
Proof = Literal["keys", "card token", "processor key", "signature", "address"]
"""What a caller proves itself by (docs/spec/partner-interfaces.md#credentials)."""
KIB_MAX = 64


@dataclass(frozen=True, slots=True, eq=False)
class PartnerOperation(Interface[Asked, Told]):
    """One interface of partners, whose parameters travel as they are.

    name: as a partner's settings spell it, too. request: the parameters, in documented order, as
    checksums take them. proof: of the caller. codes: why it may refuse, beyond what the proof
    brings. shape: of its replies. body: how the SDK sends it. kib_max: size of a body. live:
    whether the header `live` asks the live provider. copies: names under which the reply says
    something once more, behind the names that they copy. ours: names of the reply that only a Hundi
    tells: the SDK reads one without them.
    """

    proof: Proof
    codes: tuple[Code, ...] = ()
    shape: Shape = STANDARD
    body: Literal["form", "json"] = "form"
    kib_max: int = KIB_MAX
    live: bool = False
    copies: Mapping[str, str] = field(default_factory=dict[str, str])
    ours: tuple[str, ...] = ()

    def asked(self, parameters: Mapping[str, JsonValue]) -> Asked:
        """Return the request of parameters. Raises FieldError.

        What is missing is refused by its kind, which says in its own words what is allowed. A
        parameter that is not known is left out, and one of the payment page as well: nobody makes
        partners' calls in a customer's browser.
        """
        return read_reply(self.request, cast("JsonValue", parameters))

    def answer(self, told: Told) -> dict[str, JsonValue]:
        """Return the reply of what was done."""
        return self.shape.success(self.twice(cast("dict[str, JsonValue]", write_reply(told))))

    def twice(self, named: Mapping[str, Value]) -> Mapping[str, Value]:
        """Return what is named as the reply's fields are, with what stands there once more."""
        if not self.copies:
            return named
        spellings = {name: (name, self.copies.get(name, name)) for name in named}
        return {each: named[name] for name, both in spellings.items() for each in both}

    def told(self, reply: Mapping[str, Any]) -> Told:
        """Return what a reply tells.

        Raises FieldError for a field that is wrong, KeyError for one that is missing.
        """
        fields = reply[self.shape.within] if self.shape.within else reply
        _demand(self.reply, fields, self.ours)
        return read_reply(self.reply, cast("JsonValue", fields))


def _demand(declared: type[Declared], values: Any, but: tuple[str, ...] = ()) -> None:  # noqa: ANN401 (any JSON value)
    """Raise KeyError for a missing field, which must never become an empty value."""
    if not isinstance(values, Mapping):
        raise FieldError(declared.__name__, type(values).__name__, "an object")
    fields = cast("Mapping[str, Any]", values)
    for part in parts(declared):
        if part.name in but:
            continue
        value, inside = fields[part.name], part.kind.inside
        if inside is not None and part.kind.shape in {"object", "objects"}:
            for each in cast("list[Any]", value) if isinstance(value, list) else (value,):
                _demand(inside, each)
