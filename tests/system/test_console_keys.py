"""Keys in the console: named, replaced with an overlap, shown once, ended.

A form that is sent twice replaces once.
"""

import html
import re
from collections.abc import Iterator

import pytest

from tests.conftest import NewFolder
from tests.system.conftest import NewMerchant
from tests.system.console import Console
from tests.system.envelopes import Merchant, Sender
from tests.system.running import RunningGateway, until
from tests.system.shop import Shop
from tests.system.test_console_payments import session_of
from tests.system.test_console_requests import DEVELOPER, FINANCE

OPERATOR = "operator@demo.example"


@pytest.fixture(scope="module")
def operator(gateway: RunningGateway) -> Iterator[Console]:
    with session_of(gateway, OPERATOR, "198.51.100.61") as browser:
        yield browser


@pytest.fixture(scope="module")
def safe(new_folder: NewFolder) -> Iterator[RunningGateway]:
    """A gateway of its own: other tests compare the keys of the demo's merchants."""
    with RunningGateway(new_folder("console_keys")) as running:
        yield running


class Keys:
    """The page of one merchant's keys."""

    def __init__(self, console: Console, place: str) -> None:
        self.console, self.place = console, place

    def page(self) -> str:
        return self.console.get(f"{self.place}/keys").text

    def seen(self, what: str) -> str:
        found = re.search(
            rf'name="what" value="{what}"><input type="hidden" name="seen" value="(\w+)"',
            self.page(),
        )
        assert found
        return found[1]

    def rotate(self, what: str, **fields: str) -> str:
        """Make a new one and return it."""
        answer = self.console.post(
            f"{self.place}/keys/rotate", what=what, seen=self.seen(what), **fields
        )
        found = re.search(r"<pre[^>]*data-copy[^>]*>(.*?)</pre>", answer.text)
        assert found, answer.text
        return html.unescape(found[1])

    def end(self, what: str) -> None:
        assert (
            self.console.post(f"{self.place}/keys/end", what=what, seen=self.seen(what)).status_code
            == 303
        )


@pytest.fixture
def merchant(gateway: RunningGateway, new_merchant: NewMerchant) -> Merchant:
    """A merchant whose servers refund no more than one person may.

    Its keys are replaced by one person.
    """
    made = new_merchant("Keys House")
    gateway.operate("merchant", "set", made.merchant_id, "--refund-alone-on-api", "on")
    return made


def code(sender: Sender, merchant: Merchant, wanted: str) -> None:
    """Wait until verify answers with a code: processes learn of new keys in a moment."""
    until(lambda: sender.verify(merchant, {"orderid": "x"}).code == wanted, f"{wanted}")


def test_an_api_secret_is_replaced_with_an_overlap(
    operator: Console, merchant: Merchant, sender: Sender
) -> None:
    keys = Keys(operator, merchant.merchant_id)
    code(sender, merchant, "503")
    new = Merchant.of({**vars(merchant), "secret": keys.rotate("secret")})
    assert new.secret.startswith("api-")
    assert new.secret != merchant.secret
    code(sender, new, "503")
    code(sender, merchant, "503")
    assert "End the old API secret" in keys.page()
    assert new.secret not in keys.page()
    keys.end("secret")
    code(sender, merchant, "108")
    code(sender, new, "503")
    assert "End the old API secret" not in keys.page()
    acts = operator.get(f"{merchant.merchant_id}/trail").text
    assert "keys.rotate" in acts
    assert "keys.end" in acts
    assert new.secret not in acts


def test_a_leaked_one_ends_at_once(operator: Console, merchant: Merchant, sender: Sender) -> None:
    keys = Keys(operator, merchant.merchant_id)
    new = Merchant.of({**vars(merchant), "secret": keys.rotate("secret", leaked="1")})
    code(sender, merchant, "108")
    code(sender, new, "503")


def test_client_secrets_overlap_and_their_end_ends_the_tokens(
    operator: Console, merchant: Merchant, sender: Sender
) -> None:
    keys = Keys(operator, merchant.merchant_id)
    token = sender.token(merchant)
    new = Merchant.of({**vars(merchant), "client_secret": keys.rotate("client_secret")})
    assert sender.verify(merchant, {"orderid": "x"}, token=token).code == "503"
    until(
        lambda: sender.ask_token(new, new.token_request).code == "00", "a token for the new secret"
    )
    assert Sender(sender.base_url, sender.http).token(merchant)
    keys.end("client_secret")
    until(
        lambda: sender.verify(merchant, {"orderid": "x"}, token=token).code == "104",
        "tokens to end",
    )


def test_a_password_has_no_overlap_and_a_webhook_key_always(
    operator: Console, merchant: Merchant
) -> None:
    keys = Keys(operator, merchant.merchant_id)
    assert keys.rotate("password").startswith("pw-")
    assert "End the old Password" not in keys.page()
    assert keys.rotate("webhook_key").startswith("whsec_")
    until(lambda: "End the old Webhook key" in keys.page(), "the page to know of the new key")


def test_a_form_that_is_sent_twice_replaces_once(operator: Console, merchant: Merchant) -> None:
    keys = Keys(operator, merchant.merchant_id)
    seen = keys.seen("secret")
    path = f"{merchant.merchant_id}/keys/rotate"
    assert operator.post(path, what="secret", seen=seen).status_code == 200
    again = operator.post(path, what="secret", seen=seen)
    assert again.headers["location"].endswith("keys?said=key_replaced")
    assert operator.post(path, what="secret").headers["location"].endswith("keys?said=key_replaced")
    assert operator.post(path, what="username", seen=seen).status_code == 404


def test_only_who_may_and_with_a_fresh_factor(gateway: RunningGateway, shop: Shop) -> None:
    place = gateway.demo["merchants"][0]["merchant_id"]
    with session_of(gateway, DEVELOPER, "198.51.100.62") as developer:
        page = developer.get(f"{place}/keys").text
        for name in ("password", "secret", "client_secret", "webhook_key"):
            assert gateway.demo["merchants"][0][name] not in page
        assert developer.get(f"{shop.merchant.merchant_id}/keys").status_code == 404
        gateway.rows(
            "UPDATE staff_sessions SET factor_at = factor_at - interval '16 minutes' WHERE stage ="
            " 'complete' AND person_id = (SELECT person_id FROM people WHERE email = $1)",
            DEVELOPER,
        )
        asked = developer.post(f"{place}/keys/rotate", what="secret", seen="0")
        assert "Nothing was done yet" in asked.text
    with session_of(gateway, FINANCE, "198.51.100.63") as finance:
        assert finance.get(f"{place}/keys").status_code == 403
        assert finance.post(f"{place}/keys/rotate", what="secret", seen="0").status_code == 403


def shown_once(page: str) -> str:
    """Return the secret that a page shows, "" where it shows none."""
    found = re.search(r"<pre[^>]*data-copy[^>]*>(.*?)</pre>", page)
    return html.unescape(found[1]) if found else ""


def test_a_key_that_moves_money_needs_a_second_person(safe: RunningGateway) -> None:
    place = safe.demo["merchants"][0]["merchant_id"]
    with (
        session_of(safe, DEVELOPER, "198.51.100.64") as developer,
        session_of(safe, FINANCE, "198.51.100.65") as finance,
    ):
        seen = Keys(developer, place).seen("secret")
        asked = developer.post(
            f"{place}/keys/rotate", what="secret", seen=seen, reason="A new server", act_id="71"
        )
        approval = re.search(r"approvals/(\d+)", asked.headers["location"])
        assert approval, asked.text
        assert Keys(developer, place).seen("secret") == seen, "nothing is replaced yet"
        number, at = approval[1], f"{place}/approvals/{approval[1]}"
        assert developer.post(f"{place}/keys/make", approval_id=number).status_code == 409
        assert developer.post(f"{at}/decide", decision="approve").status_code == 403
        assert finance.post(f"{at}/decide", decision="approve").status_code == 303
        assert finance.post(f"{place}/keys/make", approval_id=number).status_code == 403
        assert "Make it and show it" in developer.get(at).text
        made = shown_once(developer.post(f"{place}/keys/make", approval_id=number).text)
        assert made.startswith(f"api-{place}-")
        assert developer.post(f"{place}/keys/make", approval_id=number).status_code == 409, "once"
        until(lambda: Keys(developer, place).seen("secret") != seen, "the new secret")
        told = finance.get(f"{place}/trail").text + developer.get(at).text
        assert "keys.rotate" in told
        assert made not in told


def test_a_developer_alone_makes_keys_that_move_no_money(gateway: RunningGateway) -> None:
    place = gateway.demo["merchants"][0]["merchant_id"]
    with session_of(gateway, DEVELOPER, "198.51.100.66") as developer:
        wanted = {"key_name": "till", "scope_read": "1", "scope_page": "1", "act_id": "72"}
        till = shown_once(developer.post(f"{place}/keys/add", **wanted).text)
        assert till.startswith("api-")
        for more in ({"scope_refund": "1", "amount": "1.00"}, {"scope_manage": "1"}):
            fields = {
                **wanted,
                "key_name": "desk",
                "reason": "Refunds",
                "act_id": f"73{len(more)}",
                **more,
            }
            assert (
                "/approvals/" in developer.post(f"{place}/keys/add", **fields).headers["location"]
            ), more
        assert [each["name"] for each in gateway.operate("merchant", "key", "list", place)] == [
            "till"
        ]
        assert "End till" in developer.get(f"{place}/keys").text
        told = developer.post(f"{place}/lab", act="which", key=till).text
        assert "the API secret till: for read, page" in told
        assert developer.post(f"{place}/keys/end-key", key_name="till").status_code == 303
        assert gateway.operate("merchant", "key", "list", place) == []


def test_a_leaked_secret_ends_by_one_person_and_nobody_sees_the_next(
    gateway: RunningGateway, new_merchant: NewMerchant, sender: Sender
) -> None:
    merchant = new_merchant("Leaks")
    code(sender, merchant, "503")
    with session_of(gateway, OPERATOR, "198.51.100.67") as operator:
        seen = Keys(operator, merchant.merchant_id).seen("secret")
        fields = {
            "what": "secret",
            "seen": seen,
            "leaked": "1",
            "reason": "It was in a log",
            "act_id": "74",
        }
        asked = operator.post(f"{merchant.merchant_id}/keys/rotate", **fields)
        assert "/approvals/" in asked.headers["location"]
        assert Keys(operator, merchant.merchant_id).seen("secret") != seen
    code(sender, merchant, "108")


def test_keys_by_command(gateway: RunningGateway, merchant: Merchant) -> None:
    number = merchant.merchant_id
    rotated = gateway.operate("merchant", "rotate", number, "secret", "--overlap")
    assert rotated["secret_before"] == merchant.secret
    assert gateway.operate("merchant", "retire", number, "secret")["retired"] == "secret"
    refused = gateway.invoke("merchant", "rotate", number, "password", "--overlap")
    assert refused.exit_code != 0
    assert "there is one" in refused.output


def test_a_bearer_key_is_shown_once_used_and_ended(
    gateway: RunningGateway, operator: Console, merchant: Merchant, sender: Sender
) -> None:
    place = merchant.merchant_id
    wanted = {"key_name": "server", "scope_read": "1", "scope_page": "1", "days": "30"}
    key = shown_once(operator.post(f"{place}/keys/add-bearer", **wanted).text)
    assert key.startswith(f"hundi_{place}_")
    address, proof = f"{gateway.base_url}/v1/orders", {"authorization": f"Bearer {key}"}
    assert sender.http.get(address, headers=proof).status_code == 200
    page = Keys(operator, place).page()
    assert (key in page, "Last used" in page, "expires" in page) == (False, True, True)
    twice = operator.post(f"{place}/keys/add-bearer", **wanted)
    assert "name" in twice.text
    assert not re.search(r"<pre[^>]*data-copy", twice.text)
    wrong = operator.post(f"{place}/keys/add-bearer", **wanted | {"key_name": "b", "days": "x"})
    assert "days" in wrong.text
    ended = operator.post(f"{place}/keys/end-bearer", key_name="server")
    assert ended.status_code == 303
    assert sender.http.get(address, headers=proof).status_code == 401
    acts = operator.get(f"{place}/trail").text
    assert ("bearer_keys.add" in acts, "bearer_keys.end" in acts, key in acts) == (
        True,
        True,
        False,
    )


def test_a_bearer_key_that_moves_money_needs_a_second_person(safe: RunningGateway) -> None:
    place = safe.demo["merchants"][0]["merchant_id"]
    with (
        session_of(safe, DEVELOPER, "198.51.100.71") as developer,
        session_of(safe, FINANCE, "198.51.100.72") as finance,
    ):
        wanted = {
            "key_name": "tills",
            "scope_refund": "1",
            "amount": "100",
            "days": "7",
            "reason": "the new tills",
        }
        asked = developer.post(f"{place}/keys/add-bearer", **wanted, act_id="4711")
        approval = re.search(r"approvals/(\d+)", asked.headers["location"])
        assert approval, asked.text
        number, at = approval[1], f"{place}/approvals/{approval[1]}"
        assert developer.post(f"{place}/keys/make", approval_id=number).status_code == 409
        assert finance.post(f"{at}/decide", decision="approve").status_code == 303
        assert finance.post(f"{place}/keys/make", approval_id=number).status_code == 403
        made = shown_once(developer.post(f"{place}/keys/make", approval_id=number).text)
        assert made.startswith(f"hundi_{place}_")
        assert developer.post(f"{place}/keys/make", approval_id=number).status_code == 409, "once"
        (stored,) = safe.operate("merchant", "bearer-key", "list", place)
        assert (stored["scopes"], stored["refund_paise"]) == (["refund"], 10_000)
        assert made not in finance.get(f"{place}/trail").text + developer.get(at).text
