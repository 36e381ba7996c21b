"""Partners through the running gateway: made, rotated and watched by the operator's commands."""

import base64
import io
import zipfile
from datetime import UTC, datetime, timedelta

import pytest
from signxml.verifier import XMLVerifier

from tests.system.conftest import NewPartner
from tests.system.identity import CONSENT, begin, finish, otp_of, verify
from tests.system.partners import Keys, PartnerSender
from tests.system.running import RunningGateway, until
from tests.system.test_cards import details
from tests.system.test_gst import SAMPLE
from tests.system.test_pos import PATH as POS


def test_the_demo_has_a_partner(gateway: RunningGateway, partner: PartnerSender) -> None:
    demo = PartnerSender(gateway, partner.http, Keys.of(gateway.demo["partner"]))
    samples = gateway.demo["partner"]["samples"]
    assert demo.ask("gst-calculator", SAMPLE)["status"] == 200
    assert demo.ask("gst-verification", {"gstin": samples["gstin"]})["data"]["sts"] == "Active"
    assert details(demo, samples["entity_id"])["data"]
    assert verify(demo, name=samples["name"], aadhaarNo=samples["aadhaar"])["status"] == 200
    asked = {name: samples[name] for name in ("mercid", "terminalid", "uniqueid")}
    assert partner.http.post(gateway.base_url + POS, data=asked).json()["status"] == 200


def test_a_secret_that_became_known_counts_no_more_at_once(
    gateway: RunningGateway, new_partner: NewPartner
) -> None:
    old = new_partner("Rotating")
    for what, code in (("api_key", "904"), ("processor_key", "904"), ("secret", "103")):
        now = old.rotated(what, "--at-once")
        assert now.ask("gst-calculator", SAMPLE)["status"] == 200
        assert old.ask("gst-calculator", SAMPLE)["error_code"] == code
        old = now
    assert gateway.invoke("partner", "rotate", old.keys.affiliate, "password").exit_code == 2


def test_every_call_is_written_down_without_what_it_was_about(
    gateway: RunningGateway, new_partner: NewPartner
) -> None:
    watched = new_partner("Watched")
    watched.ask("gst-calculator", SAMPLE)
    watched.ask("gst-calculator", SAMPLE | {"cost": "4711.471.1"})
    watched.ask("gst-verification", {"gstin": "27AAPFU0939F1ZV"})
    calls = until(
        lambda: (
            found
            if len(found := gateway.operate("partner", "calls", watched.keys.affiliate)) == 3
            else []
        ),
        "the calls to be written",
    )
    assert [(each["interface"], each["code"], each["detail"]) for each in reversed(calls)] == [
        ("gst-calculator", "00", ""),
        ("gst-calculator", "110", "cost"),
        ("gst-verification", "503", ""),
    ]
    assert not any("4711" in str(each) or "AAPFU" in str(each) for each in calls)
    told = [datetime.fromisoformat(each["at"]) for each in calls]
    assert told == sorted(told, reverse=True)
    assert all(each.utcoffset() == timedelta(0) for each in told)
    assert {type(each["ms"]) for each in calls} == {int}
    printed = gateway.invoke("partner", "calls", watched.keys.affiliate).stdout
    assert all(
        each["reference"] in printed and f"{ist_second(each['at'])} IST" in printed
        for each in calls
    )


def ist_second(at: str) -> str:
    return (datetime.fromisoformat(at) + timedelta(hours=5, minutes=30)).strftime("%H:%M:%S")


def test_consents_are_shown_in_the_holders_words(
    gateway: RunningGateway, new_partner: NewPartner
) -> None:
    asking, holder = (
        new_partner("Asking"),
        gateway.operate("register", "people", "--limit", "300")[-5],
    )
    assert gateway.operate("partner", "consents", asking.keys.affiliate) == []
    verify(asking, name=holder["name"], aadhaarNo=holder["number"])
    verify(asking, name="Nobody Else", aadhaarNo=holder["number"], consentText="हाँ, मैं सहमत हूँ")
    newest, first = gateway.operate("partner", "consents", asking.keys.affiliate)
    assert (newest["words"], first["words"]) == ("हाँ, मैं सहमत हूँ", CONSENT)
    assert newest["reference"] != first["reference"]
    assert {each["last4"] for each in (newest, first)} == {holder["number"][-4:]}
    assert datetime.fromisoformat(newest["at"]) <= datetime.now(UTC)
    assert gateway.operate("partner", "consents", asking.keys.affiliate, "--limit", "1") == [newest]
    assert (
        holder["number"] not in gateway.invoke("partner", "consents", asking.keys.affiliate).stdout
    )


def test_the_certificate_proves_a_document(
    gateway: RunningGateway, new_partner: NewPartner
) -> None:
    issuing = new_partner("Issuing")
    holder = next(
        each
        for each in gateway.operate("register", "people", "--limit", "300")[-9:]
        if each["mobile"]
    )
    reply = finish(issuing, begin(issuing, holder), otp_of(gateway, holder["mobile"]))["data"]
    archive = zipfile.ZipFile(io.BytesIO(base64.b64decode(reply["dataFromAadhaar"]["file"])))
    content = archive.read(archive.namelist()[0], pwd=reply["shareCode"].encode())
    pem = gateway.invoke("partner", "certificate").stdout
    assert pem.startswith("-----BEGIN CERTIFICATE-----\n")
    assert XMLVerifier().verify(content, x509_cert=pem).signed_xml is not None
    assert gateway.operate("partner", "certificate") == {"certificate": pem}


def test_a_holder_is_changed_by_place_or_by_number(gateway: RunningGateway) -> None:
    holder = gateway.operate("register", "people", "--limit", "300")[-11]
    number, place = holder["number"], str(holder["holder_no"])
    assert (
        gateway.operate("register", "change-person", number, "landmark=the well")["landmark"]
        == "the well"
    )
    assert gateway.operate("register", "change-person", place, "landmark=")["landmark"] == ""
    slipped = number[:-1] + str((int(number[-1]) + 1) % 10)
    for given, words in (
        (slipped, f"{slipped} is no number of the simulated register"),
        ("9999999", "there is no holder 9999999"),
        ("0", "neither a holder_no nor a number"),
        ("12345678901234567890", "neither a holder_no nor a number"),
        ("Lakshmi", "neither a holder_no nor a number"),
    ):
        ended = gateway.invoke("register", "change-person", given, "landmark=x")
        assert (ended.exit_code, words in ended.stderr) == (2, True), ended.output


def test_what_the_registers_do_not_know_is_named(
    gateway: RunningGateway, partner: PartnerSender
) -> None:
    ours = partner.keys.affiliate
    for arguments, words in (
        (
            ("register", "change-business", "NOPE", "status=Active"),
            "there is no business with the GSTIN NOPE",
        ),
        (
            ("card", "list", ours, "NOBODY"),
            f"there is no customer NOBODY with cards in the programme {ours}",
        ),
        (("card", "move", ours, "1", "lock"), f"there is no kit 1 in the programme {ours}"),
        (("card", "issue", "NOPE", "CUST1"), "'NOPE' is no partner's card programme; there are: "),
        (("card", "issue", ours, "a b"), "entity_id was 'a b'; allowed: 1 to 50 characters"),
        (("card", "issue", ours, ""), "entity_id was ''; allowed: 1 to 50 characters"),
    ):
        ended = gateway.invoke(*arguments)
        assert (ended.exit_code, words in ended.stderr) == (2, True), ended.output


def test_cards_are_issued_in_programmes_that_partners_see(
    gateway: RunningGateway, new_partner: NewPartner
) -> None:
    golden = new_partner("Golden", card_programme="GOLD")
    for programme in ("GOLD", golden.keys.affiliate, "DEMO"):
        assert gateway.operate("card", "issue", programme, "Golden.1")["status"] == "ALLOCATED"
    assert len(details(golden, "Golden.1")["data"]) == 1


@pytest.mark.parametrize(
    "command",
    [("people",), ("businesses",), ("change-business", "29JDOCB1001A1ZX", "status=Active")],
)
def test_the_registers_are_readable_at_80_columns(
    gateway: RunningGateway, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    printed = gateway.invoke("register", *command).stdout
    assert max(map(len, printed.splitlines())) <= 80, printed
    shown = gateway.operate("register", *command)
    for entry in shown if isinstance(shown, list) else [shown]:
        for name in {"number", "gstin", "mobile"} & set(entry):
            assert entry[name] in printed


def test_settings_out_of_bounds_are_refused(
    gateway: RunningGateway, partner: PartnerSender
) -> None:
    for option, value in (
        ("--interfaces", "gst"),
        ("--calls-a-minute", "0"),
        ("--offers-callback", "ftp://x"),
        ("--offers-coupons", "1000"),
        ("--gateway-key", "short"),
        ("--live", "perhaps"),
    ):
        ended = gateway.invoke("partner", "set", partner.keys.affiliate, option, value)
        assert (
            ended.exit_code,
            option.lstrip("-").replace("-", "_").split("_")[0] in ended.output,
        ) == (2, True)
    assert gateway.invoke("partner", "set", "AF0", "--calls-a-minute", "5").exit_code == 2
