"""Operations, declared once: names, addresses, whose keys, what is sent and what comes back."""

from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

from hundi.wire.message import Declared

Asked = TypeVar("Asked", bound=Declared)
Told = TypeVar("Told", bound=Declared)


Scope = Literal["read", "page", "refund", "manage"]
"""What an API secret may be for; merchants.directory says what each opens."""


@dataclass(frozen=True, slots=True, eq=False)
class Operation(Generic[Asked, Told]):
    """One interface of merchants, whose business fields travel encrypted in `encdata`.

    name: as logs, metrics and refusals have it, and `hundi call`. identity: in the description. method: of the SDK.
    title: what it does, in a few words. section: of docs/spec, which specifies it.
    paths: behind the interface's address, the specified spelling first.
    request, reply: what `encdata` holds, and `data` of what is answered. scope: what an API secret must be for.
    words: what the SDK's method says beyond the title. whole: what its argument is called where it takes the request
    itself; otherwise it takes the request's fields, so many of them by place (takes), the others by name.
    gives: the one field of the reply that it returns; "" for the whole reply.
    echoes: names on the wire of what the reply repeats; the SDK refuses an answer about something else.
    body: how the SDK sends it. repeats: whether it may be sent again when no usable answer came: it moves no money, or
    carries an id that keeps it from moving money twice.
    """

    name: str
    identity: str
    method: str
    title: str
    section: str
    paths: tuple[str, ...]
    request: type[Asked]
    reply: type[Told]
    scope: Scope
    words: str = ""
    whole: str = ""
    takes: int = 1
    gives: str = ""
    echoes: tuple[str, ...] = ()
    body: Literal["form", "json"] = "form"
    repeats: bool = True
