"""`hundi partner` as an operator uses it; what needs calls is in tests/system/test_partners.py."""

from datetime import datetime

from cryptography import x509

from hundi.infra.postgres.database import Database
from hundi.infra.secrets.vault import open_vault
from hundi.infra.settings import load_settings
from hundi.partners.directory.actions import PartnerDirectory
from hundi.partners.directory.rules import INTERFACES
from tests.cli.conftest import Hundi, Operate


async def test_a_partner_is_shown_without_its_secrets(hundi: Hundi, operate: Operate) -> None:
    added = await operate("partner", "add", "Chandni Rewards")
    affiliate = added["affiliate"]
    await operate(
        "partner",
        "set",
        affiliate,
        "--card-programme",
        "GOLD",
        "--live",
        "on",
        "--gateway-key",
        "canary-key",
    )
    await operate("partner", "suspend", affiliate)
    shown = await operate("partner", "show", affiliate)
    wanted = {
        "name": "Chandni Rewards",
        "state": "suspended",
        "card_programme": "GOLD",
        "live": True,
    }
    assert {name: shown[name] for name in wanted} == wanted
    assert shown["interfaces"] == list(INTERFACES)
    printed = (await hundi("partner", "show", affiliate)).stdout + str(shown)
    secrets = [value for name, value in added.items() if value and name != "affiliate"]
    assert not any(each in printed for each in [*secrets, "canary-key"])


async def test_lists_have_moments_for_scripts(operate: Operate) -> None:
    await operate("partner", "add", "Chandni Rewards")
    (listed,) = await operate("partner", "list")
    assert datetime.fromisoformat(listed["since"]).utcoffset() is not None
    assert listed["since"].endswith("Z")


async def test_nobody_is_named(refused: Operate) -> None:
    for affiliate in ("NOPE", "AF000000", "no such code"):
        for verb, *options in (
            ("show",),
            ("calls",),
            ("consents",),
            ("suspend",),
            ("resume",),
            ("rotate", "secret"),
            ("retire", "secret"),
            ("history",),
            ("set", "--live", "on"),
        ):
            assert (
                await refused("partner", verb, affiliate, *options)
                == f"there is no partner {affiliate}"
            )


async def test_settings_change_together_with_the_gateway_key_or_not_at_all(
    refused: Operate, operate: Operate, db: Database
) -> None:
    affiliate = (await operate("partner", "add", "Chandni Rewards"))["affiliate"]
    words = await refused(
        "partner", "set", affiliate, "--gateway-key", "a-fine-key", "--calls-a-minute", "0"
    )
    assert words == "A field is missing or invalid; calls_a_minute was '0'; allowed: 1 to 10000000"
    assert "gateway_key" in await refused(
        "partner", "set", affiliate, "--gateway-key", "bad", "--live", "on"
    )
    known = await PartnerDirectory(db, open_vault(load_settings())).get(affiliate)
    assert known is not None
    assert (known.keys.gateway_key, known.settings.live) == ("", False)


async def test_a_key_is_rotated_retired_and_the_history_says_so(
    operate: Operate, refused: Operate
) -> None:
    affiliate = (await operate("partner", "add", "Chandni Rewards"))["affiliate"]
    assert (
        await refused("partner", "retire", affiliate, "secret")
        == f"{affiliate} has no older secret"
    )
    rotated = await operate("partner", "rotate", affiliate, "secret")
    assert [*rotated] == ["affiliate", "secret"]  # who rotates one learns no other
    assert (await operate("partner", "show", affiliate))["older_keys"] == "secret"
    words = await refused("partner", "rotate", affiliate, "secret")
    assert words == f"an older secret still counts; hundi partner retire {affiliate} secret first"
    await operate("partner", "retire", affiliate, "secret")
    assert (await operate("partner", "show", affiliate))["older_keys"] == ""
    told = [each["kind"] for each in await operate("partner", "history", affiliate)]
    assert told == ["retired", "rotated", "added"]


async def test_a_gateway_key_is_made_by_rotating_it(operate: Operate) -> None:
    affiliate = (await operate("partner", "add", "Chandni Rewards"))["affiliate"]
    first = await operate("partner", "rotate", affiliate, "gateway_key")
    second = await operate("partner", "rotate", affiliate, "gateway_key")
    assert first["gateway_key"].startswith("pgk-")
    assert first["gateway_key"] != second["gateway_key"]
    assert [*second] == ["affiliate", "gateway_key"]


async def test_refusals_name_what_came_and_what_is_allowed(
    refused: Operate, operate: Operate
) -> None:
    affiliate = (await operate("partner", "add", "Chandni Rewards"))["affiliate"]
    words = await refused("partner", "set", affiliate, "--interfaces", "foo")
    assert "interfaces was 'foo'; allowed: " in words
    assert (await refused("partner", "add", "")).startswith(
        "A field is missing or invalid; name; allowed: 1 to 100 "
    )


async def test_help_names_every_interface_and_says_what_each_option_is(hundi: Hundi) -> None:
    printed = (await hundi("partner", "set", "--help")).stdout
    assert all(each in printed for each in INTERFACES)
    assert "midnight" in printed


async def test_the_certificate_is_made_once_and_readable(hundi: Hundi) -> None:
    first, again = [(await hundi("partner", "certificate")).stdout for _ in range(2)]
    assert first == again
    assert x509.load_pem_x509_certificate(first.encode()).subject
