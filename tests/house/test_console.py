"""Every address of the console declares its permission, and the guard checks it."""

import re

from litestar.routes import HTTPRoute

from hundi.console.routing import all_routes
from hundi.console.visits import Access
from hundi.gateway.app import build_with
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
OF_EVERY_MEMBER = {("GET", ""), ("GET", "verbs")}
WITHOUT_A_FRESH_FACTOR = {
    "payments/{payment_id:int}/resend": "the merchant's server is told again what it was told",
    "payments/{payment_id:int}/note": "words for colleagues",
    "payments/{payment_id:int}/reveal": "a look, with its reason in the trail",
    "links": "asks customers for money, and moves none",
    "links/{link_id:int}/cancel": "a link less to pay",
    "disputes/{dispute_id:int}/evidence": "a document, which goes nowhere before the answer",
    "disputes/{dispute_id:int}/contest": "keeps the money where it is; accepting does not",
    "subscriptions/{subscription_id:int}/resume": (
        "what the customer approved goes on; nothing new is taken"
    ),
    "verbs/bank-account/papers-add": "a document; accepting the account by it asks again",
    "deliveries/replay": "as the payment's own",
    "deliveries/{payment_id:int}/{event_no:int}/resend": "as the payment's own",
    "leads/{affiliate:str}/{lead_id:int}/reveal": "a look, with its reason in the trail",
    "lab": "opens and seals what is typed in, and keeps nothing",
    **dict.fromkeys(("integration/test", "verbs/delivery/test"), "sends a test notification"),
}
"""Acts that need no recent second factor, each with the reason."""


def _named(needs: Access) -> set[tuple[str, str]]:
    return {(each.method, each.path) for each in all_routes() if each.needs is needs}


def test_only_these_addresses_need_no_permission() -> None:
    assert _named(Access.ANYBODY) == BEFORE_SIGN_IN
    assert _named(Access.SIGNED_IN) == OF_THE_PERSON
    assert _named(Access.MEMBER) == OF_EVERY_MEMBER
    assert all(isinstance(each.needs, Permission | Access) for each in all_routes())


def test_nothing_at_the_console_is_served_past_the_guard() -> None:
    """The application serves exactly the guard's routes and the static files."""
    app = build_with(Settings(base_url="http://a.example", payment_page_url="http://a.example"))
    there = {
        (method, route.path_format.rstrip("/"))
        for route in app._behind.routes  # noqa: SLF001
        if route.path.startswith("/console") and isinstance(route, HTTPRoute)
        for method in route.methods - {"HEAD", "OPTIONS"}
    }
    guarded = {
        (each.method, re.sub(r":(str|int)}", "}", each.address).rstrip("/"))
        for each in all_routes()
    }
    assert there == guarded | {("GET", "/console/static/{name}")}


def test_what_changes_something_is_a_form_and_who_only_looks_changes_nothing() -> None:
    readers = PERMISSIONS[Role.READER]
    for each in all_routes():
        if each.method == "POST" and isinstance(each.needs, Permission) and each.needs in readers:
            assert each.path.startswith("approvals/"), each  # its kind has a permission of its own


def test_every_act_asks_for_the_second_factor_again_but_these() -> None:
    acts = [
        each
        for each in all_routes()
        if each.method == "POST" and isinstance(each.needs, Permission)
    ]
    assert {each.path for each in acts if not each.fresh} == set(WITHOUT_A_FRESH_FACTOR)
    assert all(
        each.fresh for each in acts if each.at == "all" and not each.path.endswith("/reveal")
    )


def test_every_role_has_permissions_and_every_permission_a_role() -> None:
    assert set(PERMISSIONS) == set(Role)
    assert set().union(*PERMISSIONS.values()) == set(Permission)
