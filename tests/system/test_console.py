"""The console of a running gateway.

Signing in, the wall between merchants, roles, forms of strangers, headers.
"""

import re
from collections.abc import Iterator

import httpx
import pytest

from hundi.console.routing import all_routes
from hundi.console.visits import Access
from hundi.staff.people.rules import PERMISSIONS, Permission, Role
from tests.conftest import NewFolder
from tests.system.console import Console
from tests.system.running import RunningGateway

OWNER, READER, OTHER, OPERATOR = (
    *("asha@demo.example", "reader@demo.example", "bharat@demo.example", "operator@demo.example"),
)


@pytest.fixture(scope="module")
def owner(gateway: RunningGateway) -> Iterator[Console]:
    with Console.signed_in(gateway, OWNER) as browser:
        yield browser


@pytest.fixture(scope="module")
def reader(gateway: RunningGateway) -> Iterator[Console]:
    with Console.signed_in(gateway, READER) as browser:
        yield browser


@pytest.fixture(scope="module")
def operator(gateway: RunningGateway) -> Iterator[Console]:
    with Console.signed_in(gateway, OPERATOR) as browser:
        yield browser


@pytest.fixture(scope="module")
def first(gateway: RunningGateway) -> str:
    return gateway.demo["merchants"][0]["merchant_id"]


@pytest.fixture(scope="module")
def second(gateway: RunningGateway) -> str:
    return gateway.demo["merchants"][1]["merchant_id"]


def _addresses(place: str) -> list[tuple[str, str, object]]:
    """Return every address below a place, as (method, path, need), with ids filled in."""
    found = []
    for each in all_routes():
        of_another_place = each.at == "all" and place not in {"all", "0"}
        if each.needs in {Access.ANYBODY, Access.SIGNED_IN} or of_another_place:
            continue
        path = each.path
        for hole in ("person_id", "approval_id"):
            path = path.replace(f"{{{hole}:int}}", "214000000000001")
        while "{" in path:
            before, _, rest = path.partition("{")
            path = (
                before + ("1" if ":int" in rest.partition("}")[0] else "x") + rest.partition("}")[2]
            )
        found.append((each.method, f"{place}/{path}", each.needs))
    return found


def test_who_is_not_signed_in_is_sent_to_sign_in(gateway: RunningGateway, first: str) -> None:
    with Console(gateway) as stranger:
        for method, path, _ in _addresses(first):
            answer = stranger.http.request(method, f"/console/{path}")
            assert answer.status_code == 303, path
            assert answer.headers["location"].startswith("/console/sign-in"), path


def test_nobody_crosses_the_wall_between_merchants(owner: Console, first: str, second: str) -> None:
    """Over every address of the console.

    Another merchant's is as unknown as one that is nobody's.
    """
    token = owner.token("you")
    for place in (second, "999999", "0", "all", "-1", "1e3", "२"):
        for method, path, _ in _addresses(place):
            answer = owner.http.request(
                method, f"/console/{path}", data={"form_token": token} if method == "POST" else None
            )
            assert answer.status_code == 404, (method, path, answer.status_code)
    assert owner.get(f"{first}/people").status_code == 200


def test_each_role_reaches_what_its_permissions_say_and_nothing_else(
    reader: Console, first: str
) -> None:
    token = reader.token("you")
    for method, path, needs in _addresses(first):
        answer = reader.http.request(
            method, f"/console/{path}", data={"form_token": token} if method == "POST" else None
        )
        if isinstance(needs, Permission) and needs not in PERMISSIONS[Role.READER]:
            assert answer.status_code == 403, (method, path)
            assert "Your role here" in answer.text
        else:
            assert answer.status_code in {200, 303, 404, 409}, (method, path, answer.status_code)


def test_the_operator_sees_every_merchant(operator: Console, first: str, second: str) -> None:
    assert operator.get("").headers["location"] == "/console/all/"
    for merchant in (first, second):
        # Other tests add merchants, more than one page of them; the list is in the order of their
        # numbers.
        assert f"/{merchant}" in operator.get("all/merchants", after=str(int(merchant) - 1)).text
    assert operator.get(f"{second}/people").status_code == 200


def test_a_form_without_its_token_or_from_another_site_changes_nothing(
    owner: Console, first: str
) -> None:
    path, fields = (
        f"/console/{first}/people",
        {"email": "x@demo.example", "name": "X", "role": "reader"},
    )
    assert owner.http.post(path, data=fields).status_code == 403
    assert owner.http.post(path, data={**fields, "form_token": "a" * 43}).status_code == 403
    good = {**fields, "form_token": owner.token("you")}
    for header in (
        {"origin": "https://evil.example"},
        {"sec-fetch-site": "cross-site"},
        {"origin": "null"},
    ):
        answer = owner.http.post(path, data=good, headers=header)
        assert answer.status_code == 403
        assert "another site" in answer.text
    assert "x@demo.example" not in owner.get(f"{first}/people").text


def test_every_page_is_kept_by_nobody_and_framed_by_nobody(owner: Console, first: str) -> None:
    for path in ("sign-in", "you", f"{first}/people", f"{first}/nothing-here"):
        headers = owner.get(path).headers
        assert headers["cache-control"] == "no-store"
        assert headers["x-frame-options"] == "DENY"
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy


def test_a_session_begins_anew_with_each_step_and_ends_for_good(gateway: RunningGateway) -> None:
    with Console(gateway) as browser:
        email = "developer@demo.example"
        browser.http.cookies.set("hundi-console", "chosen-by-a-stranger", domain="127.0.0.1")
        answer = browser.http.post(
            "/console/sign-in", data={"email": email, "password": browser.users[email]["password"]}
        )
        half = _cookie(answer)
        assert half != "chosen-by-a-stranger"
        assert browser.get("you").headers["location"].startswith("/console/sign-in"), (
            "the password alone is not enough"
        )
        browser.http.cookies.clear()
        browser.http.cookies.set("hundi-console", half, domain="127.0.0.1")
        whole = _cookie(browser.show_code(email))
        assert whole != half
        browser.http.cookies.clear()
        browser.http.cookies.set("hundi-console", half, domain="127.0.0.1")
        assert browser.get("you").status_code == 303, "the half session is over"
        browser.http.cookies.clear()
        browser.http.cookies.set("hundi-console", whole, domain="127.0.0.1")
        assert browser.get("you").status_code == 200
        again = Console(gateway)
        with again:
            again.http.post(
                "/console/sign-in",
                data={"email": email, "password": again.users[email]["password"]},
            )
            assert again.show_code(email).status_code == 403, "a code is good once"
        assert browser.post("sign-out").status_code == 303
        browser.http.cookies.clear()
        browser.http.cookies.set("hundi-console", whole, domain="127.0.0.1")
        assert browser.get("you").status_code == 303


def _cookie(answer: httpx.Response) -> str:
    header = next(
        each for each in answer.headers.get_list("set-cookie") if each.startswith("hundi-console=")
    )
    assert "HttpOnly" in header
    assert "SameSite=strict" in header
    return header.split(";")[0].partition("=")[2]


def test_guessing_waits_but_locks_the_person_out_of_no_browser_of_theirs(
    gateway: RunningGateway,
) -> None:
    email = "finance@demo.example"
    with Console(gateway, "198.51.100.20") as known:
        assert known.sign_in(email).headers["location"] == "/console/"
        with Console(gateway, "198.51.100.21") as stranger:
            wrong = {"email": email, "password": "a wrong password"}
            unknown = {"email": "nobody@demo.example", "password": "a wrong password"}
            first = [stranger.http.post("/console/sign-in", data=wrong) for _ in range(10)]
            assert {each.status_code for each in first} == {403}
            right = {"email": email, "password": stranger.users[email]["password"]}
            assert stranger.http.post("/console/sign-in", data=right).status_code == 429
            told = stranger.http.post("/console/sign-in", data=unknown)
            assert told.status_code == 403
            assert "address or password is wrong" in told.text
            assert "address or password is wrong" in first[0].text
        right = {"email": email, "password": known.users[email]["password"]}
        assert known.http.post("/console/sign-in", data=right).status_code == 303
    # Strangers are kept out for a quarter of an hour, other tests' browsers among them.
    gateway.rows("DELETE FROM sign_in_failures")


def test_a_flood_of_sign_ins_is_refused_before_it_costs_a_hash(gateway: RunningGateway) -> None:
    with Console(gateway, "198.51.100.30") as stranger:
        answers = [
            stranger.http.post(
                "/console/sign-in", data={"email": f"n{each}@demo.example", "password": "x" * 12}
            )
            for each in range(62)
        ]
    # A minute may turn in between, and then the count begins again.
    assert 429 in {each.status_code for each in answers[-2:]}


def test_the_demos_link_signs_in_once(new_folder: NewFolder) -> None:
    # Of a gateway that began just now: it lives ten minutes.
    with RunningGateway(new_folder("console_link")) as gateway, Console(gateway) as browser:
        link = gateway.demo["console"]["signed_in_url"]
        answer = browser.http.get(link)
        assert answer.headers.get("location") == "/console/"
        assert browser.get("you").status_code == 200
        with Console(gateway) as other:
            assert other.http.get(link).status_code == 404


def test_the_last_owner_stays(owner: Console, first: str) -> None:
    me = owner.gateway.value("SELECT person_id FROM people WHERE email = $1", OWNER)
    answer = owner.post(f"{first}/people/{me}/remove")
    assert answer.status_code == 409
    assert "has to be left" in answer.text
    assert owner.post(f"{first}/people/{me}/role", role="reader").status_code == 409
    assert owner.get(f"{first}/people").status_code == 200


def test_an_old_second_factor_is_asked_for_again_in_place(owner: Console, first: str) -> None:
    owner.gateway.rows(
        "UPDATE staff_sessions SET factor_at = factor_at - interval '16 minutes' WHERE stage ="
        " 'complete'"
    )
    fields = {"email": "tara@demo.example", "name": "Tara Bose", "role": "reader"}
    asked = owner.post(f"{first}/people", **fields)
    assert asked.status_code == 200
    assert "Nothing was done yet" in asked.text
    assert "tara@demo.example" in asked.text
    assert owner.post(f"{first}/people", **fields, again_code="000000").status_code == 200
    assert "Tara Bose" not in owner.get(f"{first}/people").text
    # The code of the next half minute: this one's was shown at sign-in.
    invited = owner.post(f"{first}/people", **fields, again_code=owner.code(OWNER, back=-1))
    assert "/console/join/" in invited.text
    assert "Tara Bose" in owner.get(f"{first}/people").text


def test_a_person_sees_and_ends_sessions(gateway: RunningGateway) -> None:
    """One of the same person's ends another; a stranger's it cannot."""
    with Console(gateway) as one, Console(gateway) as other, Console(gateway) as stranger:
        # A code is good once, and other tests sign in as the same people.
        gateway.rows("UPDATE people SET totp_step = 0 WHERE email = 'bharat@demo.example'")
        gateway.rows(
            (
                "DELETE FROM staff_sessions s USING people p WHERE p.person_id = s.person_id AND"
                " email = $1"
            ),
            "operator.finance@demo.example",
        )
        stranger.sign_in("bharat@demo.example")
        user, at_operator = "operator.finance@demo.example", "/console/all/"
        assert one.sign_in(user).headers["location"] == "/console/"
        other.http.post(
            "/console/sign-in", data={"email": user, "password": other.users[user]["password"]}
        )
        assert other.show_code(user, back=-1).headers["location"] == "/console/"
        page = one.get("you").text
        named = re.findall(r'name="session" value="([0-9a-f]{64})"', page)
        assert len(named) == 1, "one other; this one is ended by signing out"
        assert "Chrome on Linux" in page
        strangers = gateway.value(
            "SELECT encode(session_hash, 'hex') FROM staff_sessions s JOIN people USING (person_id)"
            " WHERE email <> $1 AND stage = 'complete' LIMIT 1",
            user,
        )
        assert one.post("you/sessions/end", session=strangers).status_code == 303
        assert (
            gateway.value(
                "SELECT count(*) FROM staff_sessions WHERE session_hash = decode($1, 'hex')",
                strangers,
            )
            == 1
        )
        assert one.post("you/sessions/end", session=named[0]).status_code == 303
        assert other.get("you").status_code == 303
        assert one.http.get(at_operator).status_code == 200


def test_a_password_is_changed_with_the_present_one_and_ends_other_sessions(
    gateway: RunningGateway,
) -> None:
    email = "support@demo.example"
    with Console(gateway) as one, Console(gateway) as other:
        one.sign_in(email)
        other.http.post(
            "/console/sign-in", data={"email": email, "password": other.users[email]["password"]}
        )
        other.show_code(email, back=-1)
        new = {"password": "a quiet river at dawn", "password_again": "a quiet river at dawn"}
        assert one.post("you/password", current="another password", **new).status_code == 403
        present = one.users[email]["password"]
        assert (
            one.post(
                "you/password", current=present, password="short", password_again="short"
            ).status_code
            == 409
        )
        assert one.post("you/password", current=present, **new).status_code == 303
        assert other.get("you").status_code == 303
        assert one.get("you").status_code == 200
        back = {"password": present, "password_again": present}
        assert one.post("you/password", current=new["password"], **back).status_code == 303


def test_what_no_text_can_hold_is_refused(owner: Console, first: str) -> None:
    assert owner.get(f"{first}/trail", about="a\0b").status_code == 400
    assert owner.http.get(f"/console/{first}%00/trail").status_code in {400, 404}
    assert owner.post("you/sessions/end", session="a\0").status_code == 400
    for path in (
        "trail?before=x&person=-1&since=2026-99-99",
        "approvals?before=99999999999999999999",
        "approvals/0",
    ):
        assert owner.http.get(f"/console/{first}/{path}").status_code in {200, 404}


def test_staff_by_command(gateway: RunningGateway) -> None:
    made = gateway.operate(
        "staff", "invite", "kiran@ops.example", "--name", "Kiran", "--role", "operator_reader"
    )
    assert made["link"].startswith(f"{gateway.base_url}/console/join/")
    assert "kiran@ops.example" in {each["email"] for each in gateway.operate("staff", "list")}
    gateway.operate("staff", "role", "kiran@ops.example", "operator_finance")
    assert gateway.operate("staff", "reset", "kiran@ops.example")["link"] != made["link"]
    assert gateway.operate("staff", "sessions", "kiran@ops.example", "--end") == []
    gateway.operate("staff", "remove", "kiran@ops.example")
    assert "kiran@ops.example" not in {each["email"] for each in gateway.operate("staff", "list")}
    gateway.operate(
        "staff", "invite", "leela@ops.example", "--name", "Leela", "--role", "operator_reader"
    )
    assert gateway.operate("staff", "end", "leela@ops.example") == {
        "email": "leela@ops.example",
        "state": "ended",
    }
    assert "leela@ops.example" not in {each["email"] for each in gateway.operate("staff", "list")}
    invite = (
        "staff",
        "invite",
        "leela@ops.example",
        "--name",
        "Leela",
        "--role",
        "operator_reader",
    )
    assert "nobody who left" in gateway.invoke(*invite).output
    for command in ("end", "remove"):
        last = gateway.invoke("staff", command, "operator@demo.example")
        assert (last.exit_code, "nobody would be left" in last.output) == (2, True)
    last = gateway.invoke("staff", "remove", "operator@demo.example")
    assert last.exit_code == 2
    assert "nobody would be left" in last.output
