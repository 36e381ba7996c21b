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
    ("POST", "you/letters"),
    ("POST", "you/letters/trial"),
    ("GET", "you/passkeys"),
    ("POST", "you/passkeys"),
    ("POST", "you/passkeys/remove"),
}
OF_EVERY_MEMBER = {
    ("GET", ""),
    ("GET", "verbs"),
    ("POST", "saved-filters"),
    ("POST", "saved-filters/remove"),
}
WITHOUT_A_FRESH_FACTOR = {
    "payments/{payment_id:int}/resend": "the merchant's server is told again what it was told",
    "payments/{payment_id:int}/note": "words for colleagues",
    "payments/{payment_id:int}/reveal": "a look, with its reason in the trail",
    "links": "asks customers for money, and moves none",
    "links/{link_id:int}/cancel": "a link less to pay",
    "links/{link_id:int}/reveal": "a look, with its reason in the trail",
    "links/{link_id:int}/reminders/{reminder_no:int}/sent": "a note that words were sent",
    "links/{link_id:int}/send": "a mail to the customer that the link names, and to nobody else",
    "letters/{letter_id:int}/resend": "the same letter, to the address that it was written to",
    "complaints/{complaint_id:int}/answer": "words to the payer who asked for them, once",
    **dict.fromkeys(("links/file", "links/file/make"), "as the links of the form"),
    "brand": "what customers see, and moves no money; no page carries a file to the code and back",
    "disputes/{dispute_id:int}/evidence": "a document, which goes nowhere before the answer",
    "disputes/{dispute_id:int}/evidence/{evidence_id:int}/remove": (
        "a document that went nowhere: it can be added again until the answer"
    ),
    "disputes/{dispute_id:int}/contest": "keeps the money where it is; accepting does not",
    "subscriptions/{subscription_id:int}/resume": (
        "what the customer approved goes on; nothing new is taken"
    ),
    "verbs/bank-account/papers-add": "a document; accepting the account by it asks again",
    "deliveries/replay": "as the payment's own",
    "deliveries/{payment_id:int}/{event_no:int}/resend": "as the payment's own",
    "deliveries/send-several": "as the payment's own",
    "leads/{affiliate:str}/{lead_id:int}/reveal": "a look, with its reason in the trail",
    "price-plan/form": "draws itself again, and keeps nothing; asking for the plan is fresh",
    "lab": "opens and seals what is typed in, and keeps nothing",
    **dict.fromkeys(
        (
            "integration/test",
            "integration/endpoints/test",
            "integration/endpoints/{endpoint_no:int}/test",
            "verbs/delivery/test",
        ),
        "sends a test notification",
    ),
    "integration/endpoints/{endpoint_no:int}/replay": "as the payment's own",
    "reports": "a file of what this person sees on the pages, masked",
    **dict.fromkeys(
        ("reports/schedules", "reports/schedules/{schedule:int}/end"), "the same, each month"
    ),
    "reconciliation/statements": "a file to look at; its import asks again",
    "customers": "a look, whose phone or e-mail may stand in no address",
}
"""Acts that need no recent second factor, each with the reason."""
LOOKS_BY_A_FORM = {"customers"}
"""Forms of who only looks: what they look for is personal, and no address may have it."""


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
            # The kind of a request has a permission of its own.
            assert each.path.startswith("approvals/") or each.path in LOOKS_BY_A_FORM, each


def test_every_act_asks_for_the_second_factor_again_but_these() -> None:
    acts = [
        each
        for each in all_routes()
        if each.method == "POST" and isinstance(each.needs, Permission)
    ]
    assert {each.path for each in acts if not each.fresh} == set(WITHOUT_A_FRESH_FACTOR)
    assert all(
        each.fresh
        for each in acts
        if each.at == "all" and not each.path.endswith(("/reveal", "/statements"))
    )


def test_every_role_has_permissions_and_every_permission_a_role() -> None:
    assert set(PERMISSIONS) == set(Role)
    assert set().union(*PERMISSIONS.values()) == set(Permission)
