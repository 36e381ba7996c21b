"""Every address of the console names what it needs, in the one place that lets people through."""

import re

from litestar.routes import HTTPRoute

from hundi.app import build_with
from hundi.console.guard import Access
from hundi.console.routing import all_routes
from hundi.infra.settings import Settings
from hundi.staff.people.rules import PERMISSIONS, Permission, Role

BEFORE_SIGN_IN = {
    ("GET", "sign-in"),
    ("POST", "sign-in"),
    ("GET", "sign-in/code"),
    ("POST", "sign-in/code"),
    ("GET", "demo/{link:str}"),
    ("GET", "join/{link:str}"),
    ("POST", "join/{link:str}"),
    ("POST", "sign-in/passkey"),
}
OF_THE_PERSON = {
    ("GET", ""),
    ("GET", "choose"),
    ("POST", "sign-out"),
    ("GET", "you"),
    ("POST", "you/sessions/end"),
    ("POST", "you/password"),
    ("POST", "you/codes"),
    ("GET", "you/passkeys"),
    ("POST", "you/passkeys"),
    ("POST", "you/passkeys/remove"),
}
OF_EVERY_MEMBER = {("GET", "")}


def _named(needs: Access) -> set[tuple[str, str]]:
    return {(each.method, each.path) for each in all_routes() if each.needs is needs}


def test_only_these_addresses_need_no_permission() -> None:
    assert _named(Access.ANYBODY) == BEFORE_SIGN_IN
    assert _named(Access.SIGNED_IN) == OF_THE_PERSON
    assert _named(Access.MEMBER) == OF_EVERY_MEMBER
    assert all(isinstance(each.needs, Permission | Access) for each in all_routes())


def test_nothing_at_the_console_is_served_past_the_guard() -> None:
    """What the application serves there is exactly what the guard was given, and the static files."""
    app = build_with(Settings(base_url="http://a.example", payment_page_url="http://a.example"))
    there = {
        (method, route.path_format.rstrip("/"))
        for route in app._behind.routes  # noqa: SLF001
        if route.path.startswith("/console") and isinstance(route, HTTPRoute)
        for method in route.methods - {"HEAD", "OPTIONS"}
    }
    guarded = {(each.method, re.sub(r":(str|int)}", "}", each.address).rstrip("/")) for each in all_routes()}
    assert there == guarded | {("GET", "/console/static/{name}")}


def test_what_changes_something_is_a_form_and_who_only_looks_changes_nothing() -> None:
    readers = PERMISSIONS[Role.READER]
    for each in all_routes():
        if each.method == "POST" and isinstance(each.needs, Permission) and each.needs in readers:
            assert each.path.startswith("approvals/"), each  # its kind has a permission of its own


def test_every_role_has_permissions_and_every_permission_a_role() -> None:
    assert set(PERMISSIONS) == set(Role)
    assert set().union(*PERMISSIONS.values()) == set(Permission)
