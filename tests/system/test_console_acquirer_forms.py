"""Accounts at acquirers by forms of the console: two people, and secrets that only go in.

A secret is searched for in every page, in the log and in the whole database.
"""

import json
import re
from collections.abc import Iterator
from urllib.parse import urlsplit

import httpx
import pytest

from tests.conftest import NewFolder
from tests.system.console import Console
from tests.system.operating import did, untold
from tests.system.running import RunningGateway, until
from tests.system.test_canaries import assert_free, dumped
from tests.system.test_console_payments import FORGET, OPERATOR, SECOND, session_of

NOWHERE, ELSEWHERE = "https://api.south.example/v1", "https://api.elsewhere.example/v1"
SECRETS = {
    "key_secret": "canary of a key 8801 in a form",
    "webhook_secret": "canary of webhooks 8802 in a form",
}
NEXT_SECRET, WRONG_SECRET = "canary of the next key 8803", "short"
CARD = "5555341244441115"
NAME, FORM = "south", "all/acquirer-kinds/razorpay"
FIELDS = {
    "name": NAME,
    "field_mode": "test",
    "field_key_id": "rzp_test_console",
    "field_url": NOWHERE,
    "field_methods": "upi_link",
    "reason": f"a second way for UPI, not by {CARD}",
    **{f"secret_{name}": text for name, text in SECRETS.items()},
}
STALE = "UPDATE sessions SET factor_at = factor_at - interval '1 hour'"
"""The second factor of every session is too old to act by."""
FACTORS = "SELECT table_name FROM information_schema.columns WHERE column_name = 'factor_at'"


@pytest.fixture(scope="module")
def formed(new_folder: NewFolder) -> Iterator[RunningGateway]:
    """A gateway with the simulated bank alone."""
    with RunningGateway(new_folder("acquirer_forms")) as gateway:
        yield gateway


@pytest.fixture(scope="module")
def operator(formed: RunningGateway) -> Iterator[Console]:
    with session_of(formed, OPERATOR, "198.51.100.71") as browser:
        yield browser


@pytest.fixture(scope="module")
def second(formed: RunningGateway) -> Iterator[Console]:
    with session_of(formed, SECOND, "198.51.100.72") as browser:
        yield browser


@pytest.fixture(scope="module")
def answers() -> list[str]:
    """Every page that a form was answered with: none may have a secret."""
    return []


def send(console: Console, path: str, answers: list[str], **fields: str) -> httpx.Response:
    answer = console.post(path, seen_at=FORM, **fields)
    answers.append(answer.text)
    return answer


def page_of(answer: httpx.Response) -> str:
    """Return the page that a form led to."""
    assert answer.status_code == 303, answer.text
    return urlsplit(answer.headers["location"]).path.removeprefix("/console/")


def test_a_form_says_of_each_setting_what_it_means(operator: Console) -> None:
    kinds = operator.get("all/acquirer-kinds").text
    assert "/console/all/acquirer-kinds/razorpayx" in kinds
    form = operator.get(FORM).text
    for told in ("Names the keys.", "rzp_live_ or rzp_test_", "at least 8 characters", "Needed."):
        assert told in form
    assert 'name="secret_key_secret" type="password" autocomplete="off"' in form
    assert '<option value="live" selected>' in form, "the default"
    assert "10 to 13 seconds" in form
    switch = operator.get("all/acquirer-kinds/iso8583").text
    assert "certificate_key_file" not in switch, "no form names a file of the machine"
    for unknown in ("nobody", "a" * 60, "razorpay'--"):
        assert operator.get(f"all/acquirer-kinds/{unknown}").status_code == 404


def test_a_wrong_setting_is_refused_with_what_is_allowed(
    formed: RunningGateway, operator: Console, answers: list[str]
) -> None:
    wrong = {
        "field_key_id": "live_rzp",
        "field_mode": "lively",
        "secret_key_secret": WRONG_SECRET,
        "name": "",
    }
    refused = send(operator, FORM, answers, act_id="811", **(FIELDS | wrong))
    assert refused.status_code == 409
    for told in (
        "Received live_rzp. Allowed: rzp_live_ or rzp_test_",
        "Received lively. Allowed: live or test",
        "What was typed is not allowed, and is not shown. Allowed: at least 8 characters",
        'value="live_rzp"',
        "Received nothing",
    ):
        assert told in refused.text, told
    assert WRONG_SECRET not in refused.text
    for name, text, told in (
        ("name", "South", "small letters"),
        ("name", "sandbox", "both in the settings"),
        ("field_key_id", "rzp_test_1\nmode = live", "one line of printable characters"),
        ("field_url", "http://127.0.0.1:5432/x", "https and a public host"),
        ("field_url", "https://169.254.169.254/latest", "https and a public host"),
        ("field_methods", "card_direct", "it cannot do card_direct"),
        ("field_mode", "live", "rzp_test_"),
        ("merchant_id", "999", "Allowed: the number of a merchant"),
        ("merchant_id", formed.demo["merchants"][0]["merchant_id"], "tick the box below"),
        ("reason", " ", "1 to 500 characters"),
    ):
        refused = send(operator, FORM, answers, act_id="812", **(FIELDS | {name: text}))
        assert (refused.status_code, told in refused.text) == (409, True), (name, text)
    assert send(operator, FORM, answers, **FIELDS).status_code == 409, "a form has a number"
    assert formed.rows("SELECT FROM approvals") == []


def test_without_a_fresh_factor_the_secrets_are_typed_again(
    formed: RunningGateway, operator: Console, answers: list[str]
) -> None:
    ((table,),) = (tuple(row.values()) for row in formed.rows(FACTORS))
    formed.rows(f"UPDATE {table} SET factor_at = factor_at - interval '1 hour'")
    asked = send(operator, FORM, answers, act_id="813", **FIELDS)
    assert "Confirm that it is you" in asked.text
    assert 'name="field_key_id" value="rzp_test_console"' in asked.text
    assert re.search(r'name="secret_key_secret" type="password"[^>]*required', asked.text)
    assert "No page carries a secret" in asked.text
    assert 'name="again_code"' in operator.get(FORM).text, "the form asks for the code, too"
    assert formed.rows("SELECT FROM approvals") == []
    formed.rows(FORGET, OPERATOR)
    sent = FIELDS | {"again_code": operator.code(OPERATOR)}
    assert send(operator, FORM, answers, act_id="814", **sent).status_code == 303
    assert 'name="again_code"' not in operator.get(FORM).text
    rejected = send(operator, "all/approvals/1/decide", answers, decision="approve")
    assert rejected.status_code == 404
    (request,) = formed.rows("SELECT approval_id FROM approvals")
    page = f"all/approvals/{request['approval_id']}"
    formed.rows(FORGET, SECOND)
    with session_of(formed, SECOND, "198.51.100.73") as finance:
        assert finance.post(f"{page}/decide", seen_at=page, decision="reject").status_code == 303
    assert formed.rows("SELECT FROM acquirer_accounts") == []


def test_an_account_is_added_by_two_people_and_takes_payments(
    formed: RunningGateway, operator: Console, second: Console, answers: list[str]
) -> None:
    asked = send(operator, FORM, answers, act_id="821", **FIELDS)
    page = page_of(asked)
    assert page_of(send(operator, FORM, answers, act_id="821", **FIELDS)) == page, "sent twice"
    other = FIELDS | {"secret_key_secret": NEXT_SECRET}
    assert send(operator, FORM, answers, act_id="821", **other).status_code == 409
    shown = second.get(page).text
    answers.append(shown)
    for told in (
        "key_id = rzp_test_console",
        "<code>key_secret</code>, <code>webhook_secret</code>",
        "of every merchant",
    ):
        assert told in shown, told
    assert "Account sealed" not in shown
    assert "not by [card]" in shown
    assert operator.post(f"{page}/decide", decision="approve").status_code == 409
    with untold(formed, "acquirer.add", 0, "approval.approve"):
        assert second.post(f"{page}/decide", seen_at=page, decision="approve").status_code == 500
    assert formed.rows("SELECT FROM acquirer_accounts") == []
    done = second.post(f"{page}/repeat", seen_at=page)
    assert "said=approved" in done.headers["location"], done.text
    assert "It serves in 10 to 13 seconds" in second.get(page).text
    assert did(formed, 0)[-1] == "acquirer.add"
    own = f"all/acquirers/{NAME}"
    until(lambda: "Takes payments" in operator.get(own).text, "the account", every_s=0.5)
    told = operator.get(own).text
    answers.append(told)
    assert re.search(r"set on [^<]* by Omkar Desai", told)
    assert "Makes UPI links" in told
    fields = formed.operate("acquirer", "show", NAME)["fields"]
    assert "key_id=rzp_test_console" in fields
    assert send(operator, FORM, answers, act_id="822", **FIELDS).status_code == 409, "once"


def test_settings_are_changed_by_two_people_and_a_secret_that_is_not_typed_stays(
    formed: RunningGateway, operator: Console, second: Console, answers: list[str]
) -> None:
    form = f"all/acquirers/{NAME}/change"
    shown = operator.get(form).text
    answers.append(shown)
    assert 'value="rzp_test_console"' in shown
    assert "leave it empty to keep it" in shown
    kept = {name: text for name, text in FIELDS.items() if name.startswith("field_")}
    kept |= {"reason": "a new key"}
    same = send(operator, form, answers, act_id="831", **kept)
    assert (same.status_code, "Nothing differs" in same.text) == (409, True)
    change = kept | {"secret_key_secret": NEXT_SECRET, "field_email": "us@ops.example"}
    short = send(operator, form, answers, act_id="832", **(change | {"secret_key_secret": "short"}))
    assert (short.status_code, "is not shown" in short.text) == (409, True)
    page = page_of(send(operator, form, answers, act_id="833", **change))
    request = second.get(page).text
    answers.append(request)
    assert "email = us@ops.example" in request
    assert "key_secret" in request
    assert NEXT_SECRET not in request
    decided = second.post(f"{page}/decide", seen_at=page, decision="approve")
    assert "said=approved" in decided.headers["location"]
    (row,) = formed.rows("SELECT fields, revision FROM acquirer_accounts")
    assert (json.loads(row["fields"])["email"], row["revision"]) == ("us@ops.example", 2)
    (entry,) = formed.rows("SELECT detail FROM trail_entries WHERE act = 'acquirer.rotate'")
    assert json.loads(entry["detail"])["fields"] == ["email", "key_secret"]
    stale = page_of(
        send(operator, form, answers, act_id="834", **(kept | {"field_email": "they@ops.example"}))
    )
    formed.operate("acquirer", "rotate", NAME, text=json.dumps({"phone": "9999999999"}))
    second.post(f"{stale}/decide", seen_at=stale, decision="approve")
    assert "as it was when this was asked for" in second.get(stale).text
    gone = {"remove_webhook_secret": "1", "remove_key_secret": "1"}
    taken = kept | gone | {"field_phone": "9999999999", "field_email": "us@ops.example"}
    page = page_of(send(operator, form, answers, act_id="835", **taken))
    assert "<code>webhook_secret</code> (taken away)" in second.get(page).text, "a needed one stays"
    second.post(f"{page}/decide", seen_at=page, decision="approve")
    assert ">not set</span>" in operator.get(f"all/acquirers/{NAME}").text


def test_no_stored_secret_goes_to_another_address(
    formed: RunningGateway, operator: Console, second: Console, answers: list[str]
) -> None:
    form = f"all/acquirers/{NAME}/change"
    kept = {name: text for name, text in FIELDS.items() if name.startswith("field_")}
    kept |= {"field_phone": "9999999999", "field_email": "us@ops.example", "reason": "they moved"}
    moved = kept | {"field_url": ELSEWHERE}
    refused = send(operator, form, answers, act_id="841", **moved)
    assert (refused.status_code, "typed again" in refused.text) == (409, True)
    inner = moved | {"field_url": "https://10.0.0.7/v1", "secret_key_secret": NEXT_SECRET}
    refused = send(operator, form, answers, act_id="842", **inner)
    assert (refused.status_code, "a public host" in refused.text) == (409, True)
    typed = moved | {"secret_key_secret": NEXT_SECRET}
    page = page_of(send(operator, form, answers, act_id="843", **typed))
    told = f"url: secrets are sent to {ELSEWHERE}, until now to {NOWHERE}"
    assert told in second.get(page).text
    assert second.post(f"{page}/decide", seen_at=page, decision="reject").status_code == 303
    (row,) = formed.rows("SELECT fields FROM acquirer_accounts")
    assert json.loads(row["fields"])["url"] == NOWHERE


def test_who_may_not_ask_cannot(formed: RunningGateway, second: Console) -> None:
    """Finance decides about accounts and asks for none; who owns a merchant sees nothing."""
    paths = ("acquirer-kinds", "acquirer-kinds/razorpay", f"acquirers/{NAME}/change")
    assert [second.get(f"all/{path}").status_code for path in paths] == [403] * 3
    assert second.post("all/acquirer-kinds/razorpay", **FIELDS).status_code == 403
    assert "acquirer-kinds" not in second.get("all/acquirers").text
    assert f"{NAME}/change" not in second.get(f"all/acquirers/{NAME}").text
    with session_of(formed, "asha@demo.example", "198.51.100.74") as owner:
        assert [owner.get(f"all/{path}").status_code for path in paths] == [404] * 3


def test_no_page_no_log_and_no_table_has_a_secret(
    formed: RunningGateway, operator: Console, answers: list[str]
) -> None:
    looked_at = ("acquirers", f"acquirers/{NAME}", "approvals", "trail", f"acquirers/{NAME}/change")
    answers += [operator.get(f"all/{path}").text for path in looked_at]
    secrets = {**SECRETS, "next": NEXT_SECRET, "card": CARD}
    assert_free("\n".join(answers), secrets, "a page")
    assert_free(formed.log.read_text("utf-8"), secrets, "the log")
    assert_free(dumped(formed, "hundi"), secrets, "the database")
    formed.audit()
