"""`hundi acquirer`: what is configured, and whether an account answers correctly."""

import asyncio
import json
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from importlib.metadata import entry_points
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from hundi.cli import application
from tests.acquirers.razorpay.standin import KEY_ID, KEY_SECRET, WEBHOOK_SECRET, Standin

Hundi = Callable[..., Awaitable[Result]]


@pytest.fixture
async def bank() -> AsyncIterator[Standin]:
    async with Standin.running() as standin:
        yield standin


@pytest.fixture
def hundi(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, bank: Standin) -> Hundi:
    """Runs `hundi acquirer` with one account configured, and without a database."""
    fields = {
        "KIND": "razorpay",
        "KEY_ID": KEY_ID,
        "KEY_SECRET": KEY_SECRET,
        "WEBHOOK_SECRET": WEBHOOK_SECRET,
        "MODE": "test",
        "URL": bank.url,
    }
    monkeypatch.setenv("HUNDI_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("HUNDI_BASE_URL", "https://pay.example.in")
    for field, value in fields.items():
        monkeypatch.setenv(f"HUNDI_ACQUIRERS__RZP__{field}", value)

    async def run(*arguments: str) -> Result:
        every = ("acquirer", *arguments)
        return await asyncio.to_thread(CliRunner().invoke, application("acquirer"), every)

    return run


async def test_every_installed_kind_is_listed_with_what_it_wants(hundi: Hundi) -> None:
    ended = await hundi("kinds", "--json")
    told = {each["kind"]: each for each in json.loads(ended.stdout)}
    assert set(told) == {each.name for each in entry_points(group="hundi.acquirers")}
    assert told["razorpay"]["fields"]["key_secret"] == ["needed", "secret"]
    assert told["razorpay"]["package"] == "hundi"
    drawn = await hundi("kinds")
    assert "key_secret: needed, secret" in drawn.stdout


async def test_what_is_configured_is_listed_with_the_methods_it_serves(hundi: Hundi) -> None:
    ended = await hundi("list", "--json")
    assert ended.exit_code == 0, ended.output
    can = {
        "can": "upi_link, card_page, netbanking, wallet, pay_later",
        "first_for": "upi, pg, nb, ppc, payltr",
    }
    of_settings = {"merchant": "every one", "state": "active", "kept_in": "settings"}
    told = {"acquirer": "rzp", "kind": "razorpay", "money": "simulated", **of_settings, **can}
    told |= {"last_error": "", "last_error_at": None}
    assert json.loads(ended.stdout) == [told]


async def test_who_comes_second_is_listed_with_what_a_plan_may_send_there(
    hundi: Hundi, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HUNDI_ACQUIRERS__RZP__METHODS", "card_page")
    fields = {
        "KIND": "razorpay",
        "KEY_ID": KEY_ID,
        "KEY_SECRET": KEY_SECRET,
        "METHODS": "card_page,upi_link",
    }
    for field, value in {**fields, "MODE": "test"}.items():
        monkeypatch.setenv(f"HUNDI_ACQUIRERS__SOUTH__{field}", value)
    ended = await hundi("list", "--json")
    assert ended.exit_code == 0, ended.output
    listed = {
        each["acquirer"]: (each["can"], each["first_for"]) for each in json.loads(ended.stdout)
    }
    assert listed == {"rzp": ("card_page", "pg"), "south": ("upi_link, card_page", "upi")}


async def test_an_account_that_only_pays_out_says_so(
    hundi: Hundi, monkeypatch: pytest.MonkeyPatch
) -> None:
    fields = {
        "KIND": "razorpayx",
        "KEY_ID": KEY_ID,
        "KEY_SECRET": KEY_SECRET,
        "MODE": "test",
        "ACCOUNT_NUMBER": "2323230000000001",
        "VALIDATIONS": "pennydrop",
        "CHECK_COST_PAISE": "236",
    }
    for field, value in fields.items():
        monkeypatch.setenv(f"HUNDI_ACQUIRERS__OUT__{field}", value)
    ended = await hundi("list", "--json")
    assert ended.exit_code == 0, ended.output
    (listed,) = (each for each in json.loads(ended.stdout) if each["acquirer"] == "out")
    assert (listed["can"], listed["first_for"]) == ("payouts, checks of accounts", "nothing")


async def test_an_acquirer_is_shown_without_its_secrets(
    hundi: Hundi, bank: Standin, tmp_path: Path
) -> None:
    ended = await hundi("show", "rzp", "--json")
    assert ended.exit_code == 0, ended.output
    shown = json.loads(ended.stdout)
    assert shown["webhooks_to"] == "https://pay.example.in/callbacks/rzp"
    assert shown["customers_to"] == bank.url.removesuffix("/v1")
    assert {"MakesUpiLinks", "HostsCheckout", "Refunds"} <= set(shown["capabilities"].split(", "))
    assert {"key_secret=********", "webhook_secret=********", f"key_id={KEY_ID}"} <= set(
        shown["fields"].split(", ")
    )
    assert KEY_SECRET not in ended.output
    assert WEBHOOK_SECRET not in ended.output
    assert not bank.seen
    assert not await asyncio.to_thread(os.listdir, tmp_path)


async def test_an_account_that_answers_passes_and_the_rest_is_listed(
    hundi: Hundi, bank: Standin
) -> None:
    ended = await hundi("check", "rzp", "--json")
    assert ended.exit_code == 0, ended.output
    rows = {each["check"]: each for each in json.loads(ended.stdout)}
    assert [rows[name]["outcome"] for name in ("inquiry", "banks", "unsigned-webhook")] == [
        "passed"
    ] * 3
    assert rows["banks"]["said"] == "4 netbanking, 2 wallet"
    assert rows["upi-paid"]["outcome"] == "by hand, with a payment"
    assert rows["refund-too-much"]["outcome"] == "by hand"
    assert {each.method for each in bank.seen} == {"GET"}


async def test_a_wrong_secret_fails_the_check(
    hundi: Hundi, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HUNDI_ACQUIRERS__RZP__KEY_SECRET", "of somebody else")
    ended = await hundi("check", "rzp", "--json")
    assert ended.exit_code == 1, ended.output
    rows = {each["check"]: each for each in json.loads(ended.stdout)}
    assert rows["inquiry"]["outcome"] == "FAILED"
    assert "does not accept our credentials" in rows["inquiry"]["said"]


@pytest.mark.parametrize("verb", ["show", "check"])
async def test_an_acquirer_that_is_not_configured(hundi: Hundi, verb: str) -> None:
    ended = await hundi(verb, "nobody")
    assert ended.exit_code == 2
    assert "no acquirer nobody is configured: rzp" in ended.stderr


async def test_a_line_to_a_bank_has_no_address_for_webhooks(
    hundi: Hundi, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = {
        "KIND": "iso8583",
        "HOST": "127.0.0.1",
        "PORT": "9",
        "MODE": "test",
        "ACQUIRER_ID": "408999",
    }
    names = {
        "TERMINAL_ID": "HUNDI001",
        "ACCEPTOR_ID": "HUNDI0000000001",
        "ACCEPTOR_NAME": "ASHA",
        "CATEGORY": "5651",
    }
    for field, value in (line | names).items():
        monkeypatch.setenv(f"HUNDI_ACQUIRERS__LINE__{field}", value)
    ended = await hundi("show", "line", "--json")
    assert ended.exit_code == 0, ended.output
    assert json.loads(ended.stdout)["webhooks_to"] == "nowhere: it sends none"
