"""A visit to the console: its request, person and place, and its permissions."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum
from typing import Any

from litestar import Request, Response

from hundi.api.context import GatewayContext
from hundi.console import navigation, render
from hundi.console.assets import PREFIX
from hundi.console.navigation import SEARCH, SEARCH_ACROSS
from hundi.console.notices import NOTICES
from hundi.infra.postgres.database import Database
from hundi.infra.postgres.looks import left_out_here
from hundi.merchants.directory.rules import Merchant
from hundi.staff.people.rules import OPERATOR, OPERATORS, Permission, Person, Role, may
from hundi.staff.sign_in.actions import Caller, form_token
from hundi.staff.sign_in.rules import Session
from hundi.staff.trail import actions as trail
from hundi.staff.trail.actions import Who

BODY_BYTES_MAX = 64 * 1024

ALL = "all"
"""The place of the operator's look across merchants."""

ITEM_ROWS = 6
"""Rows for items in the form of a payment link."""
WORDS = {
    *("description", "document", "holder", "name", "note", "reason", "support", "title"),
    *(f"item_{number}" for number in range(1, ITEM_ROWS + 1)),
}
"""Fields of free text: numbers of cards and Aadhaar in them are masked."""

WRITE_ONLY = "secret_"
"""The beginning of the names of fields for secrets: no page carries them back."""

NUL = "\0"
"""The one character that no text of the database can hold."""

AnyRequest = Request[Any, Any, Any]


class Access(Enum):
    """What a route needs other than a permission at a place."""

    ANYBODY = "anybody"
    """Before signing in."""
    SIGNED_IN = "signed in"
    """A signed-in person without a place: their sessions, their choice of a place."""
    MEMBER = "member"
    """Any role at the place."""


@dataclass(frozen=True, slots=True)
class Place:
    """The place of a visit: one merchant, or all of them. role: the person's role there.

    twin_id: the merchant's sandbox, or the sandbox's live merchant, where the person has a role
    there, too; else None.
    has_others: whether the person can go to another place.
    """

    merchant: Merchant | None
    role: Role
    twin_id: int | None = None
    has_others: bool = False

    @property
    def name(self) -> str:
        """Return its name in addresses."""
        return str(self.merchant.merchant_id) if self.merchant else ALL


@dataclass(frozen=True, slots=True)
class ConsoleVisit:
    """One admitted request of the console, with the values for its page."""

    gateway: GatewayContext
    request: AnyRequest
    caller: Caller
    now: datetime
    signed: tuple[Person, Session] | None = None
    place: Place | None = None
    token: str = ""
    form: Mapping[str, str] = field(default_factory=dict)

    @property
    def db(self) -> Database:
        """Return the database."""
        return self.gateway.db

    @property
    def person(self) -> Person:
        """Return who is signed in."""
        assert self.signed is not None
        return self.signed[0]

    @property
    def session(self) -> Session:
        """Return the session of this browser."""
        assert self.signed is not None
        return self.signed[1]

    @property
    def merchant_id(self) -> int:
        """Return the merchant of the place; 0 (the operator) at the place `all`."""
        return self.place.merchant.merchant_id if self.place and self.place.merchant else OPERATOR

    @property
    def is_operator(self) -> bool:
        """Return whether the person is the operator's, and not a merchant's."""
        return self.place is not None and self.place.role in OPERATORS

    @property
    def query(self) -> Mapping[str, str]:
        """Return the parameters of the address."""
        return dict(self.request.query_params)

    @property
    def params(self) -> Mapping[str, Any]:
        """Return the parameters of the path."""
        return self.request.path_params

    @property
    def host(self) -> str:
        """Return the browser's name for this host."""
        return self.request.url.hostname or ""

    @property
    def who(self) -> Who:
        """Return who acts, for the trail and for approvals."""
        return Who(self.person.person_id, self.person.name, self.gateway.vault, self.caller.network)

    def may(self, permission: Permission) -> bool:
        """Return whether the person has a permission at this place."""
        return self.place is not None and may(self.place.role, permission)

    def href(self, path: str = "") -> str:
        """Return the address of a page of this place."""
        return f"{PREFIX}{self.place.name}/{path}" if self.place else PREFIX + path

    def see(self, path: str, said: str = "") -> Response[Any]:
        """Return the redirect after a form to a page of this place.

        said: a key of `NOTICES`.
        """
        joined = "&" if "?" in path else "?"
        return render.see(self.href(path) + (f"{joined}said={said}" if said else ""))

    async def record(self, act: str, about: object, **detail: object) -> None:
        """Write the person's act at this place into the trail."""
        await trail.record(self.db, self.merchant_id, self.who, act, about, self.now, **detail)

    def page(
        self, template: str, title: str, status_code: int = 200, **values: object
    ) -> Response[Any]:
        """Return a page with the navigation around it."""
        return render.page(template, {**self._frame(title), **values}, status_code)

    def _frame(self, title: str) -> dict[str, Any]:
        path = self.request.url.path
        return {
            "title": title,
            "person": self.signed[0] if self.signed else None,
            "place": self.place,
            "place_name": self._place_name(),
            "modes": self._modes(),
            "can_change_place": self.place is not None and self.place.has_others,
            "nouns": self._nouns(),
            "search": self.href(SEARCH if self.merchant_id else SEARCH_ACROSS)
            if SEARCH and self.place
            else "",
            "searched": self.request.query_params.get("q", ""),
            "form_token": form_token(self.token) if self.token else "",
            "here": path,
            "demo": self.gateway.settings.demo,
            "base": self.href(),
            "left_out": left_out_here(),
            "notice": NOTICES.get(self.request.query_params.get("said", ""), ""),
        }

    def _nouns(self) -> list[tuple[str, list[dict[str, object]]]]:
        if self.place is None:
            return []
        groups = navigation.shown("merchant" if self.merchant_id else "all", self.may)
        return [
            (
                heading,
                [
                    {
                        "label": each.label,
                        "href": self.href(each.path),
                        "icon": each.icon,
                        "here": self._is_here(each),
                    }
                    for each in nouns
                ],
            )
            for heading, nouns in groups.items()
        ]

    def _modes(self) -> list[dict[str, object]]:
        """Return live and test as the header shows them.

        Each is this place, the other merchant of its pair, or not there. None for a live merchant
        without a sandbox, and across merchants.
        """
        place = self.place
        if place is None or place.merchant is None:
            return []
        is_live = place.merchant.mode == "live"
        if is_live and place.twin_id is None:
            return []
        other = f"{PREFIX}{place.twin_id}/{self._noun()}" if place.twin_id else ""
        return [
            {"label": "Live", "here": is_live, "href": "" if is_live else other},
            {"label": "Test", "here": not is_live, "href": other if is_live else ""},
        ]

    def _noun(self) -> str:
        """Return the path of the noun that the page belongs to, "" for home."""
        nouns = [each for group in navigation.GROUPS.values() for each in group]
        here = [each.path for each in nouns if each.path and self._is_here(each)]
        return max(here, key=len, default="")

    def _place_name(self) -> str:
        if self.place is None:
            return ""
        return self.place.merchant.name if self.place.merchant else "All merchants"

    def _is_here(self, noun: navigation.Noun) -> bool:
        at = self.request.url.path
        return (
            at.startswith(self.href(noun.path))
            if noun.path
            else at.rstrip("/") == self.href().rstrip("/")
        )
