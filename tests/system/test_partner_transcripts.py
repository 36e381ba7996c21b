"""Golden transcripts of the partners' interfaces.

Every documented case, its reply field by field.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from tests.bent import moved
from tests.system.conftest import NewMerchant, NewPartner
from tests.system.envelopes import Merchant, Sender
from tests.system.identity import XML, begin, finish, otp_of, verify, wrong
from tests.system.lead_messages import lead, put, send
from tests.system.partners import PartnerSender
from tests.system.running import RunningGateway
from tests.system.test_cards import details
from tests.system.test_gst import SAMPLE
from tests.system.test_pos import listing
from tests.system.test_transcripts import GOLDEN, golden

PARTNERS = GOLDEN / "partners"

NOBODY = "234123412346"


@dataclass
class Stage:
    """What the cases act on."""

    gateway: RunningGateway
    sender: Sender
    partner: PartnerSender
    rival: PartnerSender
    cafe: Merchant
    holder: dict[str, Any]
    new_partner: NewPartner

    def ask(self, name: str, parameters: dict[str, Any], **headers: str | None) -> dict[str, Any]:
        return self.partner.ask(name, parameters, **headers)

    def begun(self) -> tuple[dict[str, Any], str]:
        """Return the reply to a request for a password, and the password.

        The request before it is aged.
        """
        aged = moved("sent_at", "-1 hour")
        self.gateway.rows(f"UPDATE identity_requests SET sent_at = {aged}, expires_at = sent_at")
        reply = begin(self.partner, self.holder)
        return reply, otp_of(self.gateway, self.holder["mobile"])

    def document(self, change: Callable[[str], str] = str) -> dict[str, Any]:
        reply, otp = self.begun()
        return finish(self.partner, reply, change(otp))

    def twice(self) -> dict[str, Any]:
        reply, otp = self.begun()
        finish(self.partner, reply, otp)
        return finish(self.partner, reply, otp)

    def guessed(self) -> dict[str, Any]:
        reply, otp = self.begun()
        for _ in range(3):
            finish(self.partner, reply, wrong(otp))
        return finish(self.partner, reply, otp)

    def checked(self, name: str = "", number: str = "", **changes: Any) -> dict[str, Any]:
        return verify(
            self.partner,
            name=name or self.holder["name"],
            aadhaarNo=number or self.holder["number"],
            **changes,
        )

    def registered(self) -> str:
        """Return the GSTIN of a business that no test changes."""
        return self.gateway.operate("register", "businesses", "--limit", "300")[-1]["gstin"]


def _file(stage: Stage, otp: str) -> dict[str, Any]:
    """Ask for a document that nobody began."""
    return stage.ask(
        XML, {"type": "file", "requestId": "idr_" + "0" * 20, "otp": otp, "gateway_txn_id": "1"}
    )


def _leads_twice(stage: Stage, **changes: Any) -> dict[str, Any]:
    message = lead()
    send(stage.partner, message)
    return send(
        stage.partner, put(message, "basic_info.fname", changes["fname"]) if changes else message
    )


def _lead_updated(stage: Stage, by: PartnerSender | None = None) -> dict[str, Any]:
    lead_id = send(stage.partner, lead())["data"]["lead_id"]
    return send(
        by or stage.partner,
        {"lead_id": lead_id, "signatory_info": {"1": {"signatory_gender": "T"}}},
    )


def _lead_approved(stage: Stage) -> dict[str, Any]:
    lead_id = send(stage.partner, lead())["data"]["lead_id"]
    for verb in ("review", "approve"):
        stage.gateway.operate("lead", verb, stage.partner.keys.affiliate, str(lead_id))
    return send(stage.partner, {"lead_id": lead_id, "basic_info": {"fname": "Usha"}})


def _many_wrong(stage: Stage) -> dict[str, Any]:
    """Answer a lead with something wrong in every group, and a fifth signatory."""
    message = lead()
    for path, value in (
        ("basic_info.phone", "98765"),
        ("company_info.company_cin", "none"),
        ("business_info.business_gstin", "27AAPFU0939F1ZW"),
        ("bank_info.bank_account_type", "X"),
        ("signatory_info.1.signatory_dob", "30-02-1980"),
        ("signatory_info.5", dict(message["signatory_info"]["1"])),
    ):
        message = put(message, path, value)
    return send(stage.partner, message)


def _suspended(stage: Stage) -> dict[str, Any]:
    paused = stage.new_partner("Paused for good")
    stage.gateway.operate("partner", "suspend", paused.keys.affiliate)
    return paused.ask("gst-calculator", SAMPLE)


def _narrow(stage: Stage) -> dict[str, Any]:
    return stage.new_partner("Calculates only", interfaces="gst-calculator").ask(
        "gst-verification", {"gstin": "x"}
    )


def _too_often(stage: Stage) -> dict[str, Any]:
    greedy = stage.new_partner("Calculates too often", calls_a_minute=1)
    replies = (greedy.ask("gst-calculator", SAMPLE) for _ in range(10))
    return next(reply for reply in replies if reply.get("error_code") == "429")


def _silent(stage: Stage) -> dict[str, Any]:
    stage.gateway.inject_faults(lose_request=1.0)
    try:
        return stage.ask("gst-verification", {"gstin": "27AAGCB7383J1Z8"})
    finally:
        stage.gateway.inject_faults()


def _sold(stage: Stage) -> dict[str, Any]:
    named = stage.cafe.merchant_id, "GOLD"
    stage.gateway.operate("pos", "register", *named, "Counter")
    stage.gateway.operate("pos", "sell", *named, "149.50", "--table", "7", "--mobile", "9876543210")
    return listing(stage.sender, stage.cafe, "GOLD")


CASES: dict[str, Callable[[Stage], dict[str, Any]]] = {
    "aadhaar-xml-otp": lambda stage: stage.begun()[0],
    "aadhaar-xml-otp-too-soon": lambda stage: stage.begun() and begin(stage.partner, stage.holder),
    "aadhaar-xml-otp-bad-number":
        lambda stage: stage.ask(XML, {"type": "otp", "aadhaarNo": "999900000017"}),
    "aadhaar-xml-otp-nobody": lambda stage: stage.ask(XML, {"type": "otp", "aadhaarNo": NOBODY}),
    "aadhaar-xml-otp-live":
        lambda stage: stage.ask(XML, {"type": "otp", "aadhaarNo": NOBODY}, live="Y"),
    "aadhaar-xml-bad-type": lambda stage: stage.ask(XML, {"type": "zip"}),
    "aadhaar-xml-file": lambda stage: stage.document(),
    "aadhaar-xml-file-wrong-otp": lambda stage: stage.document(wrong),
    "aadhaar-xml-file-otp-used": Stage.twice,
    "aadhaar-xml-file-otp-guessed": Stage.guessed,
    "aadhaar-xml-file-unknown": lambda stage: _file(stage, otp="123456"),
    "aadhaar-xml-file-bad-otp": lambda stage: _file(stage, otp="12345"),
    "aadhaar-verification-success": lambda stage: stage.checked(),
    "aadhaar-verification-another-name": lambda stage: stage.checked("Somebody Else"),
    "aadhaar-verification-nobody": lambda stage: stage.checked(number=NOBODY),
    "aadhaar-verification-no-consent": lambda stage: stage.checked(consentText=""),
    "gst-verification-success":
        lambda stage: stage.ask("gst-verification", {"gstin": stage.registered()}),
    "gst-verification-nobody":
        lambda stage: stage.ask("gst-verification", {"gstin": "27AAPFU0939F1ZV"}),
    "gst-verification-bad-check":
        lambda stage: stage.ask("gst-verification", {"gstin": "27AAPFU0939F1ZW"}),
    "gst-verification-silent": _silent,
    "gst-calculator-success": lambda stage: stage.ask("gst-calculator", SAMPLE),
    "gst-calculator-bad-tax-rate":
        lambda stage: stage.ask("gst-calculator", SAMPLE | {"gst": "5%"}),
    "gst-calculator-field-missing": lambda stage: stage.ask("gst-calculator", {"cost": "1"}),
    "partner-unknown": lambda stage: stage.ask("gst-calculator", SAMPLE, affiliate="AF000000"),
    "partner-wrong-api-key": lambda stage: stage.ask("gst-calculator", SAMPLE, api_key="wrong"),
    "partner-wrong-checksum": lambda stage: stage.ask("gst-calculator", SAMPLE, checksum="0" * 64),
    "partner-suspended": _suspended,
    "partner-not-allowed": _narrow,
    "partner-too-often": _too_often,
    "card-details-success": lambda stage: details(
        stage.new_partner("Sees all", card_programme="DEMO"), "CUST0001"
    ),
    "card-details-nobody": lambda stage: details(stage.partner, "NOBODY"),
    "card-details-wrong-token": lambda stage: details(stage.partner, "NOBODY", token="0123456789"),
    "card-details-wrong-checksum":
        lambda stage: details(stage.partner, "NOBODY", checksum="0" * 64),
    "card-details-bad-entity": lambda stage: details(stage.partner, "a b"),
    "createlead-success": lambda stage: send(stage.partner, lead()),
    "createlead-again": _leads_twice,
    "createlead-duplicate": lambda stage: _leads_twice(stage, fname="Other"),
    "createlead-updated": _lead_updated,
    "createlead-foreign": lambda stage: _lead_updated(stage, stage.rival),
    "createlead-approved": _lead_approved,
    "createlead-many-wrong": _many_wrong,
    "createlead-notes":
        lambda stage: send(stage.partner, put(lead(), "business_info.business_type", "3")),
    "createlead-unreadable":
        lambda stage: send(stage.partner, lead(), query="0123456789abcdefAAAA"),
    "createlead-wrong-checksum": lambda stage: send(stage.partner, lead(), checksum="0" * 64),
    "pos-success": _sold,
    "pos-unknown-terminal": lambda stage: listing(stage.sender, stage.cafe, "NONE"),
    "pos-bad-terminal": lambda stage: listing(stage.sender, stage.cafe, "T-1"),
    "pos-not-listed": lambda stage: listing(stage.sender, stage.cafe, mercid="999999999"),
}  # fmt: skip


@pytest.fixture(scope="module")
def stage(
    gateway: RunningGateway,
    sender: Sender,
    new_partner: NewPartner,
    rival_partner: PartnerSender,
    new_merchant: NewMerchant,
) -> Stage:
    holder = next(
        each
        for each in reversed(gateway.operate("register", "people", "--limit", "300"))
        if each["mobile"]
    )
    limits = {"lookups_a_minute": 1000, "lookups_a_day": 1000}
    cafe = new_merchant("Golden café", pos_address="127.0.0.1")
    return Stage(
        gateway, sender, new_partner("Golden", **limits), rival_partner, cafe, holder, new_partner
    )


@pytest.mark.parametrize("case", CASES)
def test_the_reply_is_the_golden_one_field_by_field(case: str, stage: Stage) -> None:
    reply = CASES[case](stage)
    golden(PARTNERS / f"{case}.json", reply)
