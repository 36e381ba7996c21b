"""Operations, declared once: names, addresses, whose keys, request and reply."""

from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

from hundi.wire import kinds
from hundi.wire.message import Record
from hundi.wire.parts import Declared, Part, parts

Asked = TypeVar("Asked", bound=Declared)
Told = TypeVar("Told", bound=Declared | Record)


PREFIX, PAGE, API = "/gateway", "/pay/v4/", "/pay/v4/api/"
Scope = Literal["read", "page", "refund", "manage"]
"""The purpose of an API secret; merchants.directory says what each opens."""
Proof = Literal["token", "privatekey", "checksum"]


@dataclass(frozen=True, slots=True)
class Tag:
    """Interfaces about one matter. page: the documentation's page about it."""

    name: str
    description: str
    page: str


@dataclass(frozen=True, slots=True, eq=False)
class Interface(Generic[Asked, Told]):
    """The declaration of any interface, whoever calls it.

    name: in logs, metrics, refusals and `hundi call`. identity: in the description. method: of the
    SDK. title: its purpose, in a few words. section: of docs/spec, which specifies it. paths: below
    the interface's address, the specified spelling first. request, reply: the messages.
    """

    name: str
    identity: str
    method: str
    title: str
    section: str
    paths: tuple[str, ...]
    request: type[Asked]
    reply: type[Told]

    @property
    def below(self) -> tuple[str, ...]:
        """Its addresses below a prefix."""
        return self.paths


@dataclass(frozen=True, slots=True, eq=False)
class Operation(Interface[Asked, Told]):
    """One interface of merchants, whose business fields travel encrypted in `encdata`.

    root: of the addresses; nearly all share one. request, reply: the contents of `encdata`, and of
    `data` in the answer: a message, or a Record where writing it has to be quick. scope: the
    purpose that an API secret needs. proofs: required beside `encdata`. words: the SDK method's
    text beyond the title. whole: the name of its argument where it takes the request itself;
    otherwise it takes the request's fields, the first `takes` of them by position, the others by
    name. gives: the one field of the reply that it returns; "" for the whole reply. echoes: names
    on the wire of what the reply repeats; the SDK refuses an answer about something else. by_hand:
    the SDK's method is written by hand: it takes or returns something else than the messages. body:
    how the SDK sends it. plain: another form of the request, whose fields are in the body
    unencrypted. repeats: it may be sent again when no usable answer came: it moves no money, or
    carries an id that keeps it from moving money twice.
    """

    scope: Scope
    root: str = API
    proofs: tuple[Proof, ...] = ("token", "privatekey")
    words: str = ""
    whole: str = ""
    takes: int = 1
    gives: str = ""
    echoes: tuple[str, ...] = ()
    by_hand: bool = False
    body: Literal["form", "json"] = "form"
    plain: type[Asked] | None = None
    repeats: bool = True

    @property
    def below(self) -> tuple[str, ...]:
        """Its addresses below a prefix."""
        return tuple(self.root + path for path in self.paths)

    @property
    def address(self) -> str:
        """The address that it is sent to."""
        return PREFIX + self.below[0]

    @property
    def taken(self) -> list[Part]:
        """The fields that callers give, required ones first.

        The SDK fills in the shop's origin itself.
        """
        given = [
            part for part in parts(self.request) if not part.unused and part.kind is not kinds.SHOP
        ]
        return sorted(given, key=lambda part: not part.is_required)
