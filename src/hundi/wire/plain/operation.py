"""Operations of the plain interface: a method and an address for what is declared elsewhere."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Generic, Literal

from hundi.wire.operation import Asked, Operation, Scope, Told
from hundi.wire.parts import Declared

PREFIX = "/v1/"
DOCUMENT = PREFIX + "openapi.json"
Repeating = Literal["", "taken", "required"]


@dataclass(frozen=True, slots=True)
class Listing:
    """A page of a list. items: the field of the reply with its rows.

    cursor: the field of the request after which the page begins; callers call it `cursor`. "" for a
    list that is one page. place: a
    row's field that is the cursor of the next page, "" where the reply has it as `next`. most: rows
    of a page. is_open: the list goes on for ever, so each page has a next one.
    """

    items: str
    cursor: str = "before"
    place: str = ""
    most: int = 50
    is_open: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class PlainOperation(Generic[Asked, Told]):
    """One operation of the plain interface.

    identity: in the description, logs and metrics. path: below the prefix, with fields of the
    request in braces. scope: what a bearer key needs. section: of docs/spec, which says what it
    does. repeating: whether an idempotency key is taken, or required because money moves. status:
    of a success. live_only: sandbox merchants are refused, as verify refuses them.
    """

    identity: str
    title: str
    method: Literal["GET", "POST"]
    path: str
    request: type[Asked]
    reply: type[Told]
    scope: Scope
    section: str
    listing: Listing | None = None
    repeating: Repeating = ""
    status: int = 200
    live_only: bool = False

    @property
    def name(self) -> str:
        """Its name in logs, metrics and refusals."""
        return f"v1/{self.identity}"

    @property
    def address(self) -> str:
        """Its address, with the names of fields in braces."""
        return PREFIX + self.path

    @property
    def placed(self) -> tuple[str, ...]:
        """The fields of the request that stand in the address."""
        return tuple(each[1:-1] for each in self.path.split("/") if each.startswith("{"))

    def fields_at(self, path: str) -> Mapping[str, str] | None:
        """Return the fields in a path below the prefix, None where it is another operation's."""
        wanted, given = self.path.split("/"), path.rstrip("/").split("/")
        if len(wanted) != len(given):
            return None
        fields: dict[str, str] = {}
        for part, text in zip(wanted, given, strict=True):
            if part.startswith("{"):
                fields[part[1:-1]] = text
            elif part != text:
                return None
        return fields


def plain_of(
    operation: Operation[Asked, Told],
    method: Literal["GET", "POST"],
    path: str,
    listing: Listing | None = None,
    repeating: Repeating = "",
    status: int = 200,
) -> PlainOperation[Asked, Told]:
    """Return the plain form of an operation: messages, scope and title are its own."""
    return PlainOperation(
        operation.identity,
        operation.title,
        method,
        path,
        operation.request,
        operation.reply,
        operation.scope,
        operation.section,
        listing,
        repeating,
        status,
    )


def rows_of(listing: Listing, told: Declared) -> tuple[Any, ...]:
    """Return the rows of a page."""
    return getattr(told, listing.items)


def next_of(listing: Listing, told: Declared) -> str | None:
    """Return the cursor of the next page, None at the end."""
    if not listing.place:
        found: str = getattr(told, "next")  # noqa: B009 (a field that only such replies have)
        return found or None
    rows = rows_of(listing, told)
    return str(getattr(rows[-1], listing.place)) if len(rows) >= listing.most else None
