"""The shapes of the model that every language's writer reads."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FieldModel:
    """One field of a message.

    name: in snake case. wire: its name on the wire. kind: text, paise, whole, flag, day, moment,
    texts, bytes, pairs, message or messages. check: the method of the writer or reader. bounds: the
    further arguments of that method. of: the message inside. nullable: it may be absent, which
    means something else than zero or an empty text.
    """

    name: str
    wire: str
    kind: str
    check: str
    bounds: tuple[object, ...] = ()
    of: str = ""
    nullable: bool = False
    required: bool = False
    hidden: bool = False
    meaning: str = ""

    @property
    def is_attribute(self) -> bool:
        """Whether callers see it: constants and the shop's origin are filled in."""
        return self.check not in {"constant", "shop"}


@dataclass(frozen=True, slots=True)
class MessageModel:
    """One message. sent: it is written, otherwise read. at_least_one: one of these is required."""

    name: str
    meaning: str
    fields: tuple[FieldModel, ...]
    sent: bool = False
    at_least_one: tuple[str, ...] = ()

    @property
    def attributes(self) -> tuple[FieldModel, ...]:
        """The fields that callers see."""
        return tuple(each for each in self.fields if each.is_attribute)


@dataclass(frozen=True, slots=True)
class OperationModel:
    """One operation.

    gives: the one field of the reply that callers get. gives_wire: its name on the wire, "" where
    the reply is that list itself. item: the message of its entries. echoes: names on the wire that
    the reply repeats, whether leading zeros count for nothing, and whether they are secret.
    """

    name: str
    method: str
    title: str
    section: str
    words: str
    address: str
    request: str
    reply: str
    gives: str
    gives_wire: str
    item: str
    echoes: tuple[tuple[str, bool, bool], ...]
    as_json: bool
    with_token: bool
    repeats: bool
    by_hand: bool


def camel(name: str) -> str:
    """Return a snake-case name in camel case."""
    first, *others = name.split("_")
    return first + "".join(map(str.capitalize, others))


def pascal(name: str) -> str:
    """Return a snake-case name with a capital at every word."""
    return "".join(map(str.capitalize, name.split("_")))
