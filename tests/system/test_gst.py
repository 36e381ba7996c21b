"""GST through the running gateway.

Who is registered under a number, what tax comes to, and every refusal.
"""

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.system.partners import BAAS, PartnerSender
from tests.system.running import RunningGateway

SAMPLE = {"cost": "10000", "profit": "500", "gst": "100.50", "same_state": "Y"}
REFUSED = {"status": 400, "message": "Failed", "data": ""}


def test_the_published_sample_comes_out_to_the_paisa(partner: PartnerSender) -> None:
    assert partner.ask("gst-calculator", SAMPLE) == {
        "status": 200,
        "message": "success",
        "data": {
            "cost": {
                "amount": "10000.00",
                "gst": {"sgst": "5025.00", "cgst": "5025.00", "igst": ""},
            },
            "profit": {
                "amount": "50000.00",
                "gst": {"sgst": "25125.00", "cgst": "25125.00", "igst": ""},
            },
            "total_gst": "60300.00",
            "total_amount": "120300.00",
        },
    }


def test_between_states_the_whole_rate_is_one_levy(partner: PartnerSender) -> None:
    data = partner.ask(
        "gst-calculator", SAMPLE | {"same_state": "N", "cost": "33.33", "profit": "0", "gst": "5"}
    )["data"]
    assert data["cost"] == {"amount": "33.33", "gst": {"sgst": "", "cgst": "", "igst": "1.67"}}
    assert (data["total_gst"], data["total_amount"]) == ("1.67", "35.00")


def test_halves_are_rounded_each_on_its_own(partner: PartnerSender) -> None:
    data = partner.ask("gst-calculator", SAMPLE | {"cost": "33.33", "profit": "0", "gst": "5"})[
        "data"
    ]
    assert data["cost"]["gst"] == {"sgst": "0.83", "cgst": "0.83", "igst": ""}
    assert data["total_gst"] == "1.66"


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"cost": value}, "cost")
        for value in ("", "0", "-1", "1e3", "1,000", " 10", "10.005", "१०", "12345678901")
    ]
    + [({"profit": value}, "profit") for value in ("", "-1", "x", "123456", "1.00001")]
    + [({"gst": value}, "gst") for value in ("", "-5", "5%", "100000000")]
    + [({"same_state": value}, "same_state") for value in ("", "y", "Yes", "1")],
)
def test_a_bad_parameter_is_named(
    partner: PartnerSender, changes: dict[str, str], field: str
) -> None:
    reply = partner.ask("gst-calculator", SAMPLE | changes)
    assert {name: reply[name] for name in REFUSED} == REFUSED
    assert (reply["error_code"], field in reply["error"]) == ("110", True)


@pytest.mark.parametrize(
    "body",
    [
        lambda values: {"data": values},
        lambda values: {"json": values},
        lambda values: {"files": {name: (None, value) for name, value in values.items()}},
        lambda values: {
            "content": json.dumps({**values, "cost": 10000, "profit": 500}),
            "headers": {},
        },
    ],
    ids=["form", "json", "multipart", "numbers"],
)
def test_every_kind_of_body_is_read(
    partner: PartnerSender, body: Callable[[dict[str, str]], Any]
) -> None:
    sent = body(SAMPLE)
    headers = partner.headers(list(SAMPLE.values())) | sent.pop("headers", {})
    answer = partner.http.post(
        partner.gateway.base_url + BAAS + "gst-calculator", headers=headers, **sent
    )
    assert answer.json()["data"]["total_amount"] == "120300.00"


MIXED = ["gst", "same_state", "cost", "profit"]


@pytest.mark.parametrize(
    ("sent", "signed"),
    [(MIXED, list(SAMPLE)), (MIXED, MIXED), (MIXED, sorted(SAMPLE))],
    ids=["documented", "received", "key"],
)
def test_every_order_of_a_checksum_counts(
    partner: PartnerSender, sent: list[str], signed: list[str]
) -> None:
    asked = {name: SAMPLE[name] for name in sent}
    given = partner.checksum([SAMPLE[name] for name in signed])
    assert partner.ask("gst-calculator", asked, checksum=given)["status"] == 200
    assert partner.ask("gst-calculator", asked, checksum=given.upper())["status"] == 200
    other = partner.checksum([SAMPLE[name] for name in ("same_state", "gst", "profit", "cost")])
    assert partner.ask("gst-calculator", asked, checksum=other)["error_code"] == "103"


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"affiliate": None}, "904"),
        ({"affiliate": "AF000000"}, "904"),
        ({"api_key": None}, "904"),
        ({"api_key": "pak-wrong"}, "904"),
        ({"processor_key": None}, "904"),
        ({"processor_key": "ppk-wrong"}, "904"),
        ({"checksum": None}, "103"),
        ({"checksum": "0" * 64}, "103"),
        ({"checksum": "é"}, "103"),
    ],
)
def test_wrong_and_missing_headers_are_refused(
    partner: PartnerSender, changes: dict[str, str | None], code: str
) -> None:
    headers = {
        name: value.encode()
        for name, value in partner.headers(list(SAMPLE.values()), **changes).items()
    }
    answer = partner.http.post(
        partner.gateway.base_url + BAAS + "gst-calculator", data=SAMPLE, headers=headers
    )
    assert (answer.status_code, answer.json()["error_code"]) == (200, code)
    assert {name: answer.json()[name] for name in REFUSED} == REFUSED


def test_another_partners_keys_prove_nothing(
    partner: PartnerSender, rival_partner: PartnerSender
) -> None:
    for name in ("api_key", "processor_key"):
        mixed = {name: getattr(rival_partner.keys, name)}
        assert partner.ask("gst-calculator", SAMPLE, **mixed)["error_code"] == "904"
    stolen = rival_partner.checksum(list(SAMPLE.values()))
    assert partner.ask("gst-calculator", SAMPLE, checksum=stolen)["error_code"] == "103"


def test_a_get_is_no_call(partner: PartnerSender) -> None:
    assert partner.http.get(partner.gateway.base_url + BAAS + "gst-calculator").status_code == 405


@pytest.mark.parametrize("prefix", ["/gateway", "/airpay"])
@pytest.mark.parametrize("slash", ["", "/"])
def test_it_is_mounted_under_every_prefix(partner: PartnerSender, prefix: str, slash: str) -> None:
    url = f"{partner.gateway.base_url}{prefix}/ms/baas/api/gst-calculator{slash}"
    answer = partner.http.post(url, data=SAMPLE, headers=partner.headers(list(SAMPLE.values())))
    assert answer.json()["status"] == 200


# --- who is registered ---


@pytest.fixture(scope="module")
def listed(gateway: RunningGateway) -> list[dict[str, Any]]:
    """Businesses of the simulated register."""
    return gateway.operate("register", "businesses", "--limit", "300")


def test_hundreds_are_registered(listed: list[dict[str, Any]]) -> None:
    assert len(listed) == 300
    assert len({each["gstin"] for each in listed}) == 300


def test_a_registration_is_told_whole(partner: PartnerSender, listed: list[dict[str, Any]]) -> None:
    for each in listed[::30]:
        reply = partner.ask("gst-verification", {"gstin": each["gstin"].lower()})
        assert (reply["status"], reply["message"]) == (200, "success")
        data = reply["data"]
        assert list(data) == [
            "stjCd", "stj", "lgnm", "tradeNam", "dty", "ctb", "sts", "gstin", "rgdt", "lstupdt",
            "cxdt", "ctjCd", "ctj", "nba", "pradr", "adadr", "mbr", "canFlag", "cmpRt", "ppr",
            "contacted",
        ]  # fmt: skip
        assert (data["gstin"], data["lgnm"], data["sts"]) == (
            each["gstin"],
            each["legal_name"],
            each["status"],
        )
        assert list(data["pradr"]) == ["addr", "ntr", "adr", "em", "lastUpdatedDate", "mb"]
        assert list(data["contacted"]) == ["email", "mobNum", "name"]
        assert (data["cxdt"] != "") == (data["sts"] == "Cancelled")


def test_a_changed_entry_is_told_changed(
    gateway: RunningGateway, partner: PartnerSender, listed: list[dict[str, Any]]
) -> None:
    gstin = listed[7]["gstin"]
    gateway.operate(
        "register", "change-business", gstin, "trade_name=Neem & Sons <1>", "status=Suspended"
    )
    data = partner.ask("gst-verification", {"gstin": gstin})["data"]
    assert (data["tradeNam"], data["sts"]) == ("Neem & Sons <1>", "Suspended")


@pytest.mark.parametrize(
    "gstin",
    [
        "",
        "27AAPFU0939F1ZW",
        "00AAPFU0939F1ZV",
        "27AAPFU0939F1Z",
        "27AAPFU0939F1ZVX",
        "27aapfu0939f1zé",
        "x" * 1000,
    ],
)
def test_what_is_no_gstin_is_refused_before_anybody_is_asked(
    partner: PartnerSender, gstin: str
) -> None:
    reply = partner.ask("gst-verification", {"gstin": gstin})
    assert (reply["error_code"], "gstin" in reply["error"]) == ("110", True)


@pytest.mark.parametrize("gstin", ["27AAPFU0939F1ZV", "29AAGCB7383J1Z4"])
def test_a_number_that_nobody_has_is_503(partner: PartnerSender, gstin: str) -> None:
    reply = partner.ask("gst-verification", {"gstin": gstin})
    assert {name: reply[name] for name in REFUSED} == REFUSED
    assert reply["error_code"] == "503"


def test_a_silent_register_is_said_to_be_silent(
    gateway: RunningGateway, partner: PartnerSender
) -> None:
    gateway.inject_faults(lose_request=1.0)
    try:
        reply = partner.ask("gst-verification", {"gstin": "27AAPFU0939F1ZV"[:2] + "AAGCB7383J1Z8"})
    finally:
        gateway.inject_faults()
    assert reply["error_code"] == "991"


def test_so_many_questions_are_no_way_to_gather_the_register(
    new_partner: Callable[..., PartnerSender],
) -> None:
    greedy = new_partner("Greedy", lookups_a_minute=3)
    codes = [
        greedy.ask("gst-verification", {"gstin": "27AAPFU0939F1ZV"})["error_code"] for _ in range(8)
    ]
    assert codes.count("429") >= 2, "a minute may end in between, once"
    assert set(codes) == {"503", "429"}


def test_calls_are_limited_suspended_and_restricted(
    gateway: RunningGateway, new_partner: Callable[..., PartnerSender]
) -> None:
    narrow = new_partner("Narrow", interfaces="gst-calculator", calls_a_minute=5)
    assert narrow.ask("gst-verification", {"gstin": "27AAPFU0939F1ZV"})["error_code"] == "114"
    codes = [narrow.ask("gst-calculator", SAMPLE).get("error_code") for _ in range(11)]
    assert "429" in codes
    gateway.operate("partner", "suspend", narrow.keys.affiliate)
    assert narrow.ask("gst-calculator", SAMPLE)["error_code"] == "132"
    gateway.operate("partner", "resume", narrow.keys.affiliate)
    gateway.operate("partner", "set", narrow.keys.affiliate, "--calls-a-minute", "1000")
    assert narrow.ask("gst-calculator", SAMPLE)["status"] == 200
