"""Operations of partners: what each adds to the declaration of an interface."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar, cast

from hundi.wire.codes import Code
from hundi.wire.fields import FieldError
from hundi.wire.message import read_reply, write_reply
from hundi.wire.operation import Asked, Interface
from hundi.wire.partner.envelope import STANDARD, Shape
from hundi.wire.parts import Declared, parts
from hundi.wire.strict_json import JsonValue

Told = TypeVar("Told", bound=Declared)
Value = TypeVar("Value")
Proof = Literal["keys", "card token", "processor key", "signature", "address"]
"""A caller's proof (docs/spec/partner-interfaces.md#credentials)."""
KIB_MAX = 64


@dataclass(frozen=True, slots=True, eq=False)
class PartnerOperation(Interface[Asked, Told]):
    """One interface of partners, whose parameters travel as they are.

    name: also its spelling in a partner's settings. request: the parameters, in documented order,
    as checksums take them. proof: of the caller. codes: its refusals beyond those of the proof.
    shape: of its replies. body: how the SDK sends it. kib_max: size of a body. live: the header
    `live` selects the live provider. copies: further names of fields in the reply, after the names
    that they copy. ours: names of the reply that only a Hundi sends: the SDK accepts a reply
    without them.
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

        The kind of a missing parameter refuses it, and says in its own words what is allowed. An
        unknown parameter is left out, and so is one of the payment page: nobody makes partners'
        calls in a customer's browser.
        """
        return read_reply(self.request, cast("JsonValue", parameters))

    def answer(self, told: Told) -> dict[str, JsonValue]:
        """Return the reply of a success."""
        return self.shape.success(self.twice(cast("dict[str, JsonValue]", write_reply(told))))

    def twice(self, named: Mapping[str, Value]) -> Mapping[str, Value]:
        """Return the reply's fields with their copies."""
        if not self.copies:
            return named
        spellings = {name: (name, self.copies.get(name, name)) for name in named}
        return {each: named[name] for name, both in spellings.items() for each in both}

    def told(self, reply: Mapping[str, Any]) -> Told:
        """Return the contents of a reply.

        Raises FieldError for a wrong field, KeyError for a missing one.
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
