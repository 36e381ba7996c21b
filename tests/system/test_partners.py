"""Partners through the running gateway: made, rotated and watched by the operator's commands."""

from tests.system.conftest import NewPartner
from tests.system.partners import Keys, PartnerSender
from tests.system.running import RunningGateway, until
from tests.system.test_cards import details
from tests.system.test_gst import SAMPLE
from tests.system.test_identity import verify
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


def test_a_rotated_secret_counts_at_once_and_the_old_one_no_more(
    gateway: RunningGateway, new_partner: NewPartner
) -> None:
    old = new_partner("Rotating")
    for what, code in (("api_key", "904"), ("processor_key", "904"), ("secret", "103")):
        fresh = Keys.of(gateway.operate("partner", "rotate", old.keys.affiliate, what))
        now = PartnerSender(gateway, old.http, fresh)
        assert now.ask("gst-calculator", SAMPLE)["status"] == 200
        assert old.ask("gst-calculator", SAMPLE)["error_code"] == code
        old = now
    assert gateway.invoke("partner", "rotate", old.keys.affiliate, "password").exit_code == 2


def test_every_call_is_written_down_without_what_it_was_about(gateway: RunningGateway, new_partner: NewPartner) -> None:
    watched = new_partner("Watched")
    watched.ask("gst-calculator", SAMPLE)
    watched.ask("gst-calculator", SAMPLE | {"cost": "4711.471.1"})
    watched.ask("gst-verification", {"gstin": "27AAPFU0939F1ZV"})
    calls = until(
        lambda: found if len(found := gateway.operate("partner", "calls", watched.keys.affiliate)) == 3 else [],
        "the calls to be written",
    )
    assert [(each["interface"], each["code"], each["detail"]) for each in reversed(calls)] == [
        ("gst-calculator", "00", ""),
        ("gst-calculator", "110", "cost"),
        ("gst-verification", "503", ""),
    ]
    assert not any("4711" in str(each) or "AAPFU" in str(each) for each in calls)


def test_settings_out_of_bounds_are_refused(gateway: RunningGateway, partner: PartnerSender) -> None:
    for option, value in (
        ("--interfaces", "gst"),
        ("--calls-a-minute", "0"),
        ("--offers-callback", "ftp://x"),
        ("--offers-coupons", "1000"),
        ("--gateway-key", "short"),
        ("--live", "perhaps"),
    ):
        ended = gateway.invoke("partner", "set", partner.keys.affiliate, option, value)
        assert (ended.exit_code, option.lstrip("-").replace("-", "_").split("_")[0] in ended.output) == (2, True)
    assert gateway.invoke("partner", "set", "AF0", "--calls-a-minute", "5").exit_code == 2
