"""What somebody with a role, a stolen password or an open browser cannot do."""

import re
from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from pyotp.totp import TOTP

from tests.system.browser import Browser
from tests.system.conftest import open_shop
from tests.system.console import Console
from tests.system.endpoint import MerchantServer
from tests.system.running import RunningGateway
from tests.system.shop import Shop
from tests.system.test_console_payments import FORGET, demo_shop, pay, place, session_of

__all__ = ["demo_shop", "place"]
ALONE = "alone@x.example"
"""The only owner of a merchant."""
OWNER, SUPPORT, READER = "asha@demo.example", "support@demo.example", "reader@demo.example"
PASSWORD = "correct horse battery staple 77"


@pytest.fixture(scope="module")
def owner(gateway: RunningGateway) -> Iterator[Console]:
    with session_of(gateway, OWNER, "198.51.100.31") as browser:
        yield browser


def _asked(gateway: RunningGateway, shop: Shop, browser: Browser, by: Console, place: str) -> str:
    """Ask for a large refund; return the request's address."""
    _, number, _ = pay(gateway, shop, browser, 2_500_000)
    answer = by.post(
        f"{place}/payments/{number}/refund",
        amount="20000",
        reason="late parcel",
        act_id=str(number),
    )
    return answer.headers["location"].removeprefix("/console/").partition("?")[0]


def _join(gateway: RunningGateway, email: str, page: str, **fields: str) -> Console:
    """Use the link that a page shows, in the place of whoever it is for."""
    link = re.search(r"/console/join/([\w-]+)", page)
    assert link
    with ExitStack() as closing:
        browser = closing.enter_context(Console(gateway, "198.51.100.32"))
        _choose(browser, email, link[1], fields)
        gateway.rows(FORGET, email)
        assert browser.sign_in(email).headers["location"] == "/console/"
        closing.pop_all()
    return browser


def _choose(browser: Console, email: str, link: str, fields: dict[str, str]) -> None:
    """Choose a password and a second factor with a link."""
    shown = browser.get(f"join/{link}").text
    secret = re.search(r"([A-Z2-7]{4}(?: [A-Z2-7]{4})+)", shown)
    offered = re.search(r'name="offered" value="([0-9a-f]+)"', shown)
    assert secret
    assert offered
    plain = secret[1].replace(" ", "")
    chosen = {"password": PASSWORD, "password_again": PASSWORD, "code": TOTP(plain).now()}
    answer = browser.http.post(
        f"/console/join/{link}", data={"offered": offered[1], **chosen, **fields}
    )
    assert answer.status_code == 200
    browser.users[email] = {"email": email, "password": PASSWORD, "totp_secret": plain}


def test_an_owner_is_no_second_person_by_a_link_of_their_own(
    gateway: RunningGateway, demo_shop: Shop, browser: Browser, owner: Console, place: str
) -> None:
    request, email = _asked(gateway, demo_shop, browser, owner, place), "second.asha@x.example"
    refused = owner.post(f"{place}/people", email=email, name="FARHAN  shaikh", role="finance")
    assert refused.status_code == 409, "a colleague has that name"
    invited = owner.post(f"{place}/people", email=email, name="Second Asha", role="finance").text
    with _join(gateway, email, invited, name="Farhan Shaikh") as second:
        assert gateway.value("SELECT name FROM people WHERE email = $1", email) == "Second Asha"
        assert "made by who asked" in second.get(request).text
        assert OWNER in second.get(request).text
        assert second.post(f"{request}/decide", decision="approve").status_code == 409
        assert email in owner.get(f"{place}/trail").text
    assert (
        gateway.value("SELECT state FROM approvals WHERE approval_id = $1", int(request[-15:]))
        == "waiting"
    )


def test_support_asks_for_a_large_refund_and_decides_about_none(
    gateway: RunningGateway, demo_shop: Shop, browser: Browser, owner: Console, place: str
) -> None:
    request = _asked(gateway, demo_shop, browser, owner, place)
    with session_of(gateway, SUPPORT, "198.51.100.33") as support:
        assert support.post(f"{request}/decide", decision="approve").status_code == 403


def test_the_last_owner_of_a_merchant_cannot_leave(
    gateway: RunningGateway, server: MerchantServer
) -> None:
    invite = "staff", "invite", ALONE, "--name", "Uma Das", "--role", "owner", "--merchant"
    for shop in open_shop(gateway, server, "alone"):
        own = shop.merchant.merchant_id
        invited = gateway.operate(*invite, own)
        with Console(gateway, "198.51.100.36") as alone:
            alone.join(invited["link"].removeprefix(gateway.base_url), ALONE)
            me = gateway.value("SELECT person_id FROM people WHERE email = $1", ALONE)
            last = alone.post(f"{own}/people/{me}/end")
            assert (last.status_code, "has to be left" in last.text) == (409, True)


def test_who_left_for_good_is_ended_and_signed_out_at_once(
    gateway: RunningGateway, owner: Console, place: str
) -> None:
    """An owner ends who works there alone; who has a role elsewhere is the operator's to end."""
    email = "leaver@x.example"
    invited = owner.post(f"{place}/people", email=email, name="Lina Varma", role="developer").text
    person = gateway.value("SELECT person_id FROM people WHERE email = $1", email)
    end = f"{place}/people/{person}/end"
    with _join(gateway, email, invited) as leaver:
        gateway.rows("INSERT INTO memberships VALUES (77, $1, 'reader', now())", person)
        elsewhere = owner.post(end)
        assert (elsewhere.status_code, "the operator ends them" in elsewhere.text) == (409, True)
        gateway.rows("DELETE FROM memberships WHERE merchant_id = 77 AND person_id = $1", person)
        assert leaver.get(f"{place}/deliveries").status_code == 200
        assert "End Lina Varma for good" in owner.get(f"{place}/people").text
        assert owner.post(end).headers["location"] == f"/console/{place}/people?said=person_ended"
        assert (
            leaver.get(f"{place}/deliveries").headers["location"].startswith("/console/sign-in")
        ), "at once"
        again = leaver.http.post("/console/sign-in", data={"email": email, "password": PASSWORD})
        assert "address or password is wrong" in again.text
    assert "Lina Varma" not in owner.get(f"{place}/people").text
    assert "person.end" in owner.get(f"{place}/trail").text
    invited = owner.post(f"{place}/people", email=email, name="Lina Again", role="developer")
    assert (invited.status_code, "nobody who left" in invited.text) == (409, True)
    assert owner.post(end).status_code == 409
    gateway.audit()


def test_no_page_carries_a_typed_password_back(gateway: RunningGateway) -> None:
    with session_of(gateway, READER, "198.51.100.34") as browser:
        gateway.rows(
            "UPDATE staff_sessions SET factor_at = factor_at - interval '16 minutes' WHERE stage ="
            " 'complete'"
        )
        typed = {
            "current": "OLD-secret-123",
            "password": "NEW-secret-1234",
            "password_again": "NEW-secret-1234",
        }
        asked = browser.post("you/password", **typed)
        assert "Nothing was done yet" in asked.text
        assert "secret-123" not in asked.text
        for name in typed:
            assert re.search(rf'name="{name}" type="password"', asked.text), "it is asked for anew"


@pytest.mark.parametrize(
    ("origin", "taken"),
    [("own", True), ("https://evil.example", False), ("http://127.0.0.1.evil.example", False)],
)
def test_a_form_through_a_proxy_with_another_host_is_taken(
    gateway: RunningGateway,
    origin: str,
    taken: bool,  # noqa: FBT001 (a case of the table)
) -> None:
    """A proxy in front sends its own Host, as nginx does unless it is told.

    The address that is told decides.
    """
    with Console(gateway, "198.51.100.33") as browser:
        headers = {
            "host": "backend:8080",
            "origin": gateway.base_url if origin == "own" else origin,
        }
        answer = browser.http.post(
            "/console/sign-in", data={"email": OWNER, "password": "wrong"}, headers=headers
        )
        assert ("another site" in answer.text) is not taken


_WRITTEN_SESSION = """
INSERT INTO staff_sessions
    (session_hash, person_id, stage, began_at, seen_at, ends_at, factor_at, network, browser)
SELECT sha256(convert_to($2, 'UTF8')), person_id, 'complete', now(), now(),
    now() + interval '8 hours', now(), '', ''
FROM people WHERE email = $1
"""
_COPIED_SESSION = """
UPDATE staff_sessions SET person_id = (SELECT person_id FROM people WHERE email = $1)
WHERE session_hash = (SELECT session_hash FROM staff_sessions JOIN people USING (person_id)
    WHERE email = $2
    AND stage = 'complete' ORDER BY began_at DESC LIMIT 1)
RETURNING session_hash
"""
_WRITTEN_LINK = """
INSERT INTO one_time_links (link_hash, person_id, purpose, made_at, ends_at, made_by)
SELECT sha256(convert_to($2, 'UTF8')), person_id, $3, now(), now() + interval '1 hour', 0
    FROM people WHERE email = $1
"""


def test_a_session_that_was_written_by_sql_signs_nobody_in(gateway: RunningGateway) -> None:
    gateway.rows(_WRITTEN_SESSION, "operator@demo.example", "a-token-of-mine")
    with Console(gateway, "198.51.100.33") as browser:
        browser.http.cookies.set("hundi-console", "a-token-of-mine")
        assert browser.get("you").headers.get("location", "").startswith("/console/sign-in")


def test_a_session_that_is_given_to_somebody_else_is_over(gateway: RunningGateway) -> None:
    with session_of(gateway, READER, "198.51.100.34") as browser:
        assert browser.get("you").status_code == 200
        assert gateway.rows(_COPIED_SESSION, "operator@demo.example", READER)
        assert browser.get("you").headers.get("location", "").startswith("/console/sign-in")


def test_a_second_factor_that_was_written_by_sql_was_not_shown(
    gateway: RunningGateway, place: str
) -> None:
    with session_of(gateway, OWNER, "198.51.100.35") as browser:
        fields = {"email": "late@demo.example", "name": "Late Person", "role": "reader"}
        gateway.rows(
            "UPDATE staff_sessions SET factor_at = now() + interval '1 minute' WHERE stage ="
            " 'complete'"
        )
        assert "Nothing was done yet" in browser.post(f"{place}/people", **fields).text


@pytest.mark.parametrize("purpose", ["reset", "demo"])
def test_a_link_that_was_written_by_sql_opens_nothing(
    gateway: RunningGateway, purpose: str
) -> None:
    gateway.rows(_WRITTEN_LINK, "operator@demo.example", f"a-{purpose}-of-mine", purpose)
    with Console(gateway, "198.51.100.36") as browser:
        path = "join" if purpose == "reset" else "demo"
        assert browser.get(f"{path}/a-{purpose}-of-mine").status_code == 404
