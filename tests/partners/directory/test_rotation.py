"""After a new key-encryption key.

What was sealed, hashed and sent before counts on, sealed anew or not.
"""

import re
from datetime import UTC, datetime, timedelta

import pytest

from hundi.infra.postgres.database import Database
from hundi.infra.secrets.vault import Vault
from hundi.kernel.refusals import RefusalCode, Refused
from hundi.partners.directory import actions as partners
from hundi.partners.directory.actions import PartnerDirectory
from hundi.partners.directory.rules import Partner, PartnerSettings
from hundi.partners.identity import actions as identity
from hundi.partners.identity.actions import Check, IssuedDocument
from hundi.partners.identity.consents import actions as consents
from hundi.partners.identity.keys import actions as keys
from hundi.partners.identity.keys.actions import Signers
from hundi.partners.leads import actions as leads
from hundi.partners.leads.rules import Groups
from hundi.partners.offers import actions as offers
from hundi.partners.offers.actions import Granted, Openings
from hundi.partners.registers.port import Holder
from hundi.partners.registers.routing import Registers
from hundi.staff.trail.actions import at_command_line

NOW = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)
OLD = Vault({"k1": b"1" * 32})
BOTH = Vault({"k2": b"2" * 32, "k1": b"1" * 32})
NEW = Vault({"k2": b"2" * 32})
NUMBER = "999900000016"
LEAD: Groups = {"business_info": {"business_pan": "AAPCU0939F"}, "basic_info": {"fname": "Asha"}}
EMPTY = dict.fromkeys(
    (
        "careof", "house", "street", "landmark", "location", "vtc", "subdistrict", "district",
        "post_office", "state", "country", "pincode", "email", "vid_last4", "photo",
    ),
    "",
)  # fmt: skip


class Register:
    """A register of one holder, and the phone of its holder."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def reference(self, number: str) -> bytes:
        return number.encode().ljust(32)

    async def holder(self, _reference: bytes) -> Holder:
        return Holder(name="Asha Rao", dob="01-01-1990", gender="F", mobile="9876543210", **EMPTY)

    async def send_text(self, _reference: bytes, words: str) -> None:
        self.texts.append(words)

    @property
    def otp(self) -> str:
        found = re.match("[0-9]{6}", self.texts[-1])
        assert found is not None
        return found[0]


@pytest.fixture
async def partner(db: Database) -> Partner:
    affiliate, _ = await partners.add(
        db, at_command_line("test", OLD), name="Malgudi", settings=PartnerSettings(), now=NOW
    )
    found = await PartnerDirectory(db, OLD).get(affiliate)
    assert found is not None
    return found


def context(db: Database, vault: Vault, register: Register) -> identity.IdentityContext:
    return identity.IdentityContext(db, vault, Registers([("double", register)], []), Signers())


async def test_a_password_and_a_consent_outlive_their_key(db: Database, partner: Partner) -> None:
    register = Register()
    sent = await identity.send_otp(context(db, OLD, register), partner, NUMBER, live=False, now=NOW)
    asked = Check(
        "Asha Rao", NUMBER, f"Yes, check {NUMBER[:4]} {NUMBER[4:8]} {NUMBER[8:]} and 1234 5678 9012"
    )
    await identity.check(context(db, OLD, register), partner, asked, "req_1", NOW)

    with pytest.raises(Refused) as refused:
        await identity.send_otp(context(db, BOTH, register), partner, NUMBER, live=False, now=NOW)
    assert refused.value.refusal.code is RefusalCode.TOO_MANY_REQUESTS, (
        "the wait before another one goes on"
    )
    named = sent.request_id, sent.gateway_txn_id
    issued = await identity.issue(context(db, BOTH, register), partner, *named, register.otp, NOW)
    assert isinstance(issued, IssuedDocument)

    assert await keys.reseal(db, BOTH) == 1, (
        "the consent; the key that signs was made after the new one"
    )
    assert await keys.reseal(db, BOTH) == 0
    (consent,) = await consents.newest(db, NEW, partner.affiliate, 10)
    assert consent.words == "Yes, check XXXXXXXX0016 and 1234 5678 9012"


async def test_documents_are_signed_with_the_same_key_after_it_was_sealed_anew(
    db: Database, partner: Partner
) -> None:
    register = Register()
    for moment, vault in ((NOW, OLD), (NOW + timedelta(hours=2), NEW)):
        sent = await identity.send_otp(
            context(db, vault, register), partner, NUMBER, live=False, now=moment
        )
        named = sent.request_id, sent.gateway_txn_id
        assert await identity.issue(
            context(db, vault, register), partner, *named, register.otp, moment
        )
        await keys.reseal(db, BOTH)
    assert await db.fetchval("SELECT count(*) FROM signing_keys") == 1


async def test_a_lead_is_known_by_an_older_keys_hash(db: Database, partner: Partner) -> None:
    first = await leads.create(leads.LeadContext(db, OLD), partner, LEAD, NOW)
    again = await leads.create(leads.LeadContext(db, BOTH), partner, LEAD, NOW)
    assert (again.lead_id, again.created) == (first.lead_id, False)
    other = {"business_info": {"business_pan": "AAPCU0940F"}}
    taken = await leads.create(leads.LeadContext(db, BOTH), partner, other, NOW)
    with pytest.raises(Refused) as refused:
        await leads.change(leads.LeadContext(db, BOTH), partner, taken.lead_id, lambda _: LEAD, NOW)
    assert refused.value.refusal.code is RefusalCode.LEAD_EXISTS
    assert await leads.reseal(leads.LeadContext(db, BOTH)) == 1
    assert (
        await leads.create(leads.LeadContext(db, NEW), partner, LEAD, NOW)
    ).lead_id == first.lead_id


async def test_an_opened_offer_is_shown_with_the_new_key_alone(
    db: Database, partner: Partner
) -> None:
    async def grant(_partner: Partner, _unique_id: str) -> Granted:
        return Granted("Asha", 2_500_00, NOW, None)

    first = await Openings(db, OLD, grant).open(partner, "4711", "203.0.113.1", NOW)
    assert await offers.reseal(db, BOTH) == 1
    assert await offers.reseal(db, BOTH) == 0
    assert await Openings(db, NEW, grant).open(partner, "4711", "203.0.113.1", NOW) == first


async def test_a_consent_cannot_be_changed_otherwise(db: Database, partner: Partner) -> None:
    asked = Check("Asha Rao", NUMBER, "Yes")
    await identity.check(context(db, OLD, Register()), partner, asked, "req_1", NOW)
    for statement in ("UPDATE identity_consents SET at = now()", "DELETE FROM identity_consents"):
        with pytest.raises(Exception, match="identity_consents"):
            await db.execute(statement)
