"""Secrets and cards that went through the gateway, looked for wherever they must never be.

Logs, databases, pages, messages.
"""

import base64
import json
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest

from hundi.wire import cipher
from tests.system.browser import Browser
from tests.system.canary_flights import (
    ACCOUNT,
    AMEX,
    APPROVED,
    CVV,
    DECLINED,
    HOLDER,
    KEPT,
    MISTYPED,
    from_the_server,
    kept_and_lent,
    refusals,
)
from tests.system.conftest import open_shop
from tests.system.endpoint import MerchantServer
from tests.system.envelopes import Sender
from tests.system.identity import begin, finish, otp_of
from tests.system.partners import PartnerSender
from tests.system.running import RunningGateway, until
from tests.system.shop import Shop, enter_card, enter_otp, new_order_id, pay_card, scan, settled

pytestmark = pytest.mark.usefixtures("books_hold")


@dataclass
class Seen:
    """Every answer that came out of the gateway while the canaries went in."""

    answers: list[httpx.Response] = field(default_factory=list)

    def hear(self, answer: httpx.Response) -> None:
        """Keep an answer."""
        answer.read()
        self.answers.append(answer)

    @property
    def text(self) -> str:
        """Return heads and bodies of them all."""
        return "\n".join(f"{each.headers}\n{each.text}" for each in self.answers)


@pytest.fixture(scope="module")
def canary_shop(gateway: RunningGateway, server: MerchantServer) -> Iterator[Shop]:
    """A merchant of its own, so that everything it was told can be looked through."""
    for shop in open_shop(gateway, server, "aviary", channels="upi_pg_emi", saved_cards="on"):
        gateway.operate("merchant", "seamless", shop.merchant.merchant_id, "on", "--cards", "on")
        fields = {"mode": "test", "key_id": "rzp_test_aviary", "methods": ["upi_link"], **ACCOUNT}
        gateway.operate("acquirer", "add", "aviary", "razorpay", text=json.dumps(fields))
        gateway.operate("acquirer", "disable", "aviary")
        gateway.operate(
            "acquirer", "rotate", "aviary", text=json.dumps({"email": "aviary@example.in"})
        )
        yield shop


@pytest.fixture(scope="module")
def seen(gateway: RunningGateway, canary_shop: Shop) -> Seen:
    """Use every canary: paid, declined, mistyped, typed into another field, refused."""
    shop, found = canary_shop, Seen()
    with Browser() as browser:
        browser.http.event_hooks["response"].append(found.hear)
        paid = pay_card(
            browser, shop.open_page(browser, new_order_id()), APPROVED, holder=HOLDER, cvv="739"
        )
        assert paid.at == "result"
        back = pay_card(
            browser, shop.open_page(browser, new_order_id()), DECLINED, holder=HOLDER, cvv="739"
        )
        assert back.at == "choose"
        amex = enter_card(
            browser, shop.open_page(browser, new_order_id()), AMEX, holder=HOLDER, cvv=CVV
        )
        settled(browser, enter_otp(browser, amex, "000000"))
        for typed in (
            {"number": MISTYPED, "cvv": CVV},
            {
                "number": f"{MISTYPED[:4]} {MISTYPED[4:8]} {MISTYPED[8:12]} {MISTYPED[12:]}",
                "cvv": CVV,
            },
            {"number": "", "cvv": APPROVED},
            {"number": APPROVED * 3, "expiry": APPROVED, "cvv": CVV},
        ):
            assert (
                enter_card(browser, shop.open_page(browser, new_order_id()), **typed).at == "choose"
            )
        # The bank breaks off in the middle of it, and the address is nonsense.
        gateway.inject_faults(lose_reply=1.0)
        enter_card(
            browser, shop.open_page(browser, new_order_id()), APPROVED, cvv="739", holder=HOLDER
        )
        gateway.inject_faults()
        screen = shop.open_page(browser, new_order_id())
        browser.http.get(f"{screen.url}/nowhere?number={APPROVED}&token={shop.merchant.secret}")
        browser.http.post(
            f"{screen.url}/card?number={APPROVED}&cvv={CVV}", content=b"\xff" + APPROVED.encode()
        )
        browser.http.post(
            f"{gateway.base_url}/callbacks/sandbox",
            content=json.dumps({"reference": APPROVED, "pan": APPROVED}),
        )
        scan(gateway, shop.open_page(browser, new_order_id()).upi_link)
        kept_and_lent(shop, browser)
    with httpx.Client(trust_env=False, timeout=30, event_hooks={"response": [found.hear]}) as http:
        refusals(Sender(gateway.base_url, http), shop)
        from_the_server(gateway, Sender(gateway.base_url, http), shop)
    return found


def secrets_of(shop: Shop, gateway: RunningGateway) -> dict[str, str]:
    ours = shop.merchant
    return {
        "API secret": ours.secret,
        "password": ours.password,
        "OAuth client secret": ours.client_secret,
        "webhook key": ours.webhook_key.removeprefix("whsec_"),
        "webhook key, decoded": base64.b64decode(ours.webhook_key.removeprefix("whsec_")).hex(),
        "encryption key": ours.key.decode(),
        "privatekey": ours.privatekey,
        "acquirer key": gateway.acquirer_key,
        "acquirer account's key": ACCOUNT["key_secret"],
        "acquirer account's webhook key": ACCOUNT["webhook_secret"],
        "key-encryption key": (gateway.data_dir / "kek").read_text().strip().rpartition(":")[2],
    }


@pytest.fixture(scope="module")
def identity(gateway: RunningGateway, partner: PartnerSender) -> dict[str, str]:
    """Check an Aadhaar number, fetch its document, and mistype both.

    Return what must be nowhere.
    """
    (holder,) = [
        each for each in gateway.operate("register", "people", "--limit", "300") if each["mobile"]
    ][-1:]
    begun = begin(partner, holder)
    password = otp_of(gateway, holder["mobile"])
    assert finish(partner, begun, password)["message"] == "success"
    consent = f"I, of {holder['number']}, agree."
    asked = {"aadhaarNo": holder["number"], "name": holder["name"], "consent": consent}
    partner.ask("aadhaar-verification", asked)
    return {"Aadhaar number": holder["number"]}


CARDS = {
    f"{number[:6]}…{number[-4:]}": number for number in (APPROVED, DECLINED, MISTYPED, AMEX, KEPT)
}


def assert_free(text: str, canaries: dict[str, str], where: str) -> None:
    """Assert that none is there, in any grouping of digits, in hex or in base64."""
    squeezed = re.sub(r"(?<=\d)[ \-](?=\d)", "", text)
    for name, canary in canaries.items():
        spelled = (
            canary,
            canary.encode().hex(),
            base64.b64encode(canary.encode()).decode().rstrip("=")[:-1],
        )
        for each in spelled:
            assert each not in text, f"{name} is in {where}"
            assert each not in squeezed, f"{name} is in {where}"


def dumped(gateway: RunningGateway, database: str) -> str:
    """Return every row of every table of a database as text."""
    tables = gateway.rows(
        "SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname NOT"
        " LIKE 'pg_%'"
        " AND schemaname <> 'information_schema'",
        database=database,
    )
    assert tables
    texts: list[str] = []
    for table in tables:
        texts += [
            row["row"]
            for row in gateway.rows(
                f"SELECT t::text AS row FROM {table['name']} AS t", database=database
            )
        ]
    return "\n".join(texts)


def test_the_databases_hold_no_card_and_no_open_secret(
    gateway: RunningGateway, canary_shop: Shop, seen: Seen
) -> None:
    secrets = secrets_of(canary_shop, gateway)
    books = dumped(gateway, "hundi")
    assert len(books) > 10_000
    assert_free(books, CARDS | secrets | {"holder": HOLDER}, "the gateway's database")
    # Of a card, the last four digits; of a token, a hash.
    assert APPROVED[-4:] in books
    for answer in seen.answers:
        for token in re.findall(r'"access_token":"([0-9a-f]{40})"', answer.text):
            assert token not in books
    # The bank is somebody else, and keeps no number either.
    assert_free(dumped(gateway, "simbank"), CARDS | {"holder": HOLDER}, "the bank's database")


def test_the_logs_hold_no_card_no_secret_and_no_token(
    gateway: RunningGateway, canary_shop: Shop, seen: Seen, sender: Sender
) -> None:
    logged = gateway.logged()
    assert re.search(
        r'"address":"127\.0\.0\.1".*"event":"request_refused"|"event":"request_refused".*"address":"127',
        logged,
    )
    assert_free(
        logged,
        CARDS | secrets_of(canary_shop, gateway) | {"holder": HOLDER, "mistyped": MISTYPED[-10:]},
        "the logs",
    )
    assert_free(logged, {"a token": sender.token(canary_shop.merchant)}, "the logs")
    assert "token=" not in logged
    assert not re.search(r'"(cvv|number|encdata|privatekey|pan)":"(?!\[)', logged)
    for shown in gateway.demo["merchants"]:
        names = ("password", "secret", "client_secret", "webhook_key")
        assert_free(logged, {name: shown[name] for name in names}, "the logs")


def test_pages_and_replies_hold_no_card_and_no_secret(
    gateway: RunningGateway, canary_shop: Shop, seen: Seen
) -> None:
    ours = [each for each in seen.answers if str(each.url).startswith(gateway.base_url)]
    assert len(ours) > 40
    text = "\n".join(f"{each.status_code} {dict(each.headers)}\n{each.text}" for each in ours)
    assert_free(text, CARDS | secrets_of(canary_shop, gateway), "a page or a reply")
    opened = [
        cipher.open_(canary_shop.merchant.key, sealed).decode()
        for each in ours
        for sealed in re.findall(r'(?:"response":"|name="response" value=")([^"]+)"', each.text)
    ]
    assert opened
    assert_free("\n".join(opened), CARDS | secrets_of(canary_shop, gateway), "a sealed reply")
    # A refused card form comes back without number and code, and what comes back travels sealed.
    locations = [each.headers["location"] for each in ours if each.status_code == 303]
    assert any("?f=" in each for each in locations)
    assert_free("\n".join(locations), CARDS | {"holder": HOLDER}, "an address")


def test_notifications_hold_no_card_and_no_secret(
    gateway: RunningGateway, canary_shop: Shop, seen: Seen
) -> None:
    until(lambda: len(canary_shop.endpoint.read(canary_shop.merchant)) >= 2, "the notifications")
    told: list[str] = []
    for each in canary_shop.endpoint.heard:
        sealed = json.loads(each.body)["response"]
        told.append(f"{each.headers} {cipher.open_(canary_shop.merchant.key, sealed).decode()}")
    assert_free(
        "\n".join(told),
        CARDS | secrets_of(canary_shop, gateway) | {"holder": HOLDER},
        "a notification",
    )


def test_what_operators_are_shown_holds_no_secret(
    gateway: RunningGateway, canary_shop: Shop, seen: Seen
) -> None:
    ours = canary_shop.merchant
    shown: list[Any] = [
        gateway.operate("refusal", "list", ours.merchant_id),
        gateway.operate("delivery", "list", ours.merchant_id),
        gateway.operate("merchant", "list"),
        gateway.operate("settings"),
        *(gateway.operate("acquirer", verb, "aviary") for verb in ("show", "history")),
        gateway.audit(),
    ]
    orders = gateway.rows("SELECT order_id FROM payments WHERE merchant_id = $1", ours.number)
    shown += [
        gateway.operate("payment", "show", ours.merchant_id, each["order_id"])
        for each in orders[:4]
    ]
    text = json.dumps(shown)
    assert_free(text, CARDS | {"holder": HOLDER}, "a command's output")
    for name, secret in secrets_of(canary_shop, gateway).items():
        assert secret not in text, name


@pytest.mark.not_on_citus("it looks into the files of the embedded server")
def test_no_file_holds_a_card_or_a_secret(
    gateway: RunningGateway, canary_shop: Shop, seen: Seen, identity: dict[str, str]
) -> None:
    """Whatever the gateway and its databases wrote.

    Tables and their older rows, indexes, the write-ahead log, logs.
    """
    names = ("kek", "acquirer_key", "demo.json", "demo_shop.json")
    looked_for = CARDS | secrets_of(canary_shop, gateway) | {"holder": HOLDER} | identity
    spelled = {name: value.encode() for name, value in looked_for.items()}
    files = [
        each for each in gateway.data_dir.rglob("*") if each.is_file() and each.name not in names
    ]
    order_id = gateway.value(
        "SELECT min(order_id) FROM payments WHERE merchant_id = $1", canary_shop.merchant.number
    )
    known, seen_at = order_id.encode(), list[Path]()
    read = 0
    for path in files:
        with suppress(FileNotFoundError), path.open("rb") as file:
            content = file.read()
            read += len(content)
            seen_at += [path] * (known in content)
            assert [name for name, each in spelled.items() if each in content] == [], path
    assert len(files) > 500
    assert read > 50_000_000
    # What may be written is found, so the rest would have been.
    assert seen_at


def test_a_crash_leaves_no_memory_on_disk(gateway: RunningGateway) -> None:
    processes = gateway.processes()
    assert len(processes) > 5
    for each in processes:
        with suppress(FileNotFoundError, ProcessLookupError):  # sessions of PostgreSQL come and go
            limits = Path(f"/proc/{each.pid}/limits").read_text()
            assert re.search(r"Max core file size +0 +0 ", limits), each


def test_files_with_secrets_are_their_owners_alone(gateway: RunningGateway, seen: Seen) -> None:
    for name in ("demo.json", "demo_shop.json", "acquirer_key", "kek"):
        assert (gateway.data_dir / name).stat().st_mode & 0o777 == 0o600, name
    # No argument of a process, which everybody on the machine may read, carries one.
    arguments = json.dumps([each.cmdline() for each in gateway.processes()])
    assert gateway.acquirer_key not in arguments
    assert "postgresql://" not in arguments
    assert not list(Path(gateway.data_dir).glob("*.new"))
