"""`hundi scrub` opens sealed leads and consents, and masks the numbers in them."""

import base64
import json
from hashlib import sha256

import pytest

from hundi.infra.postgres.database import Database
from hundi.partners.directory import actions as partners
from hundi.partners.directory.rules import Partner, PartnerSettings
from hundi.partners.identity import store as consents
from hundi.partners.identity.consents import actions as agreed
from hundi.partners.leads import actions as leads
from hundi.partners.leads import store
from hundi.partners.leads.actions import LeadContext
from hundi.partners.leads.rules import Groups
from hundi.staff.trail.actions import at_command_line
from hundi.wire.partner.leads import without_numbers
from tests.cli.conftest import Hundi, Operate
from tests.command_output import read_json
from tests.money.audit.books import AT, VAULT

CARD, GROUPED, AADHAAR = "4532987610345214", "4532 9876 1034 5214", "983214065774"
BEFORE: Groups = {
    "company_info": {
        "company_name": f"Asha {CARD}",
        "company_website": f"https://asha.example/{CARD}",
    },
    "business_info": {"business_pan": "AAACA1234B", "business_city": f"Pune {AADHAAR}"},
    "bank_info": {"bank_account_number": CARD[:14], "bank_account_holder_name": "Asha"},
    "signatory_info.1": {
        "signatory_name": f"Asha, card {GROUPED}",
        "signatory_phone": "919876543210",
    },
}
CLEAN: Groups = {
    "company_info": {"company_name": "Ravi"},
    "business_info": {"business_pan": "AAACR1234B"},
}
FOUND = [
    {"table": "identity_consents", "column": "sealed_words", "rows": 1, "kept": ""},
    {"table": "leads", "column": "sealed_content", "rows": 1, "kept": ""},
]


@pytest.fixture
async def partner(db: Database, monkeypatch: pytest.MonkeyPatch) -> Partner:
    """A partner with a lead and a consent that hold numbers, and one of each without."""
    monkeypatch.setenv("HUNDI_KEYS", f"k1:{base64.b64encode(bytes(32)).decode()}")
    affiliate, keys = await partners.add(
        db, at_command_line("test", VAULT), name="Asha", settings=PartnerSettings(), now=AT
    )
    known = Partner(affiliate, "active", "Asha", PartnerSettings(), keys, AT)
    for groups in (BEFORE, CLEAN):
        await leads.create(LeadContext(db, VAULT), known, groups, AT)
    for number, words in enumerate((f"I, of {GROUPED} and {AADHAAR}, agree.", "I agree.")):
        sealed = VAULT.seal(words.encode(), "identity-consent", affiliate, f"req_{number}")
        digest = sha256(b"somebody").digest()
        await consents.insert_consent(db, affiliate, f"req_{number}", AT, digest, "5774", sealed)
    return known


async def opened(db: Database, partner: Partner) -> str:
    """Return all that is sealed of a partner's, as its operator is shown it."""
    contents = [
        each.content.groups for each in await store.newest(db, VAULT, partner.affiliate, "", 10)
    ]
    words = [each.words for each in await agreed.newest(db, VAULT, partner.affiliate, 10)]
    return json.dumps([contents, words])


async def test_what_is_sealed_is_found_and_nothing_is_changed(
    db: Database, partner: Partner, operate: Operate
) -> None:
    before = await opened(db, partner)
    assert CARD in before
    report = await operate("scrub")
    assert (report["found"], report["applied"]) == (FOUND, False)
    assert await opened(db, partner) == before


async def test_what_is_sealed_is_masked_once_and_told(
    db: Database, partner: Partner, operate: Operate
) -> None:
    report = await operate("scrub", "--apply")
    assert (report["found"], report["masked"]) == (FOUND, 2)
    after = await opened(db, partner)
    assert [each for each in (CARD, GROUPED, AADHAAR) if each in after] == []
    assert "https://asha.example/[card]" in after
    assert "I, of [card] and XXXXXXXX5774, agree." in after
    # What identifies somebody, or where money goes, is as it was.
    assert all(exact in after for exact in (CARD[:14], "919876543210", "AAACA1234B"))
    told = await db.fetch(
        "SELECT about, detail FROM trail_entries WHERE act = 'scrub.mask' ORDER BY about"
    )
    assert {row["about"]: json.loads(row["detail"]) for row in told} == {
        "identity_consents": {"sealed_words": 1},
        "leads": {"sealed_content": 1},
    }
    assert (await operate("scrub", "--apply"))["found"] == []


async def test_what_does_not_open_is_named_and_the_others_are_masked_and_told(
    db: Database, partner: Partner, hundi: Hundi
) -> None:
    """A lead, and a consent between two others, have a seal of another row."""
    affiliate, words = partner.affiliate, f"I, of {GROUPED}, agree."
    sealed = VAULT.seal(words.encode(), "identity-consent", affiliate, "req_5")
    await consents.insert_consent(
        db, affiliate, "req_00", AT, sha256(b"somebody").digest(), "5774", sealed
    )
    kept = await store.newest(db, VAULT, affiliate, "", 10)
    (lead_id,) = [each.lead_id for each in kept if each.content.groups == CLEAN]
    await db.execute("UPDATE leads SET sealed_content = $1 WHERE lead_id = $2", sealed, lead_id)
    ended = await hundi("scrub", "--apply", "--json")
    report = read_json(ended.stdout)
    assert (ended.exit_code, report["found"]) == (1, FOUND)
    assert report["unopened"] == [
        f"leads {affiliate}/{lead_id}",
        f"identity_consents {affiliate}/req_00",
    ]
    told = await db.fetch("SELECT about FROM trail_entries WHERE act = 'scrub.mask' ORDER BY about")
    assert [row["about"] for row in told] == ["identity_consents", "leads"]
    for ended in (await hundi("scrub"), await hundi("scrub", "--apply")):
        assert (ended.exit_code, ended.stderr.count("Not opened: ")) == (1, 2)


async def test_a_consent_that_somebody_else_sealed_meanwhile_is_not_overwritten(
    db: Database, partner: Partner
) -> None:
    read = (await consents.consents_after(db, partner.affiliate, ""))[0]
    assert await consents.reseal_consent(db, read, b"second")
    assert not await consents.reseal_consent(db, read, b"third")
    assert (await consents.consents_after(db, partner.affiliate, ""))[0].sealed_words == b"second"


async def test_a_lead_that_was_masked_is_found_by_what_is_sent_again(
    db: Database, partner: Partner, operate: Operate
) -> None:
    """What a partner sends is masked before it is compared, so the same lead is still the same."""
    context = LeadContext(db, VAULT)
    await operate("scrub", "--apply")
    again = await leads.create(context, partner, without_numbers(BEFORE), AT)
    assert not again.created


async def test_every_sealed_column_is_swept_or_holds_no_words(db: Database) -> None:
    numbers, secrets = "the number of a bank account", "keys and codes"
    exact = {
        "account_papers.sealed_content": "a picture or a document",
        "acquirer_accounts.sealed_before": secrets,
        "acquirer_accounts.sealed_secrets": secrets,
        "bank_accounts.sealed_number": numbers,
        "dispute_evidence.sealed_content": "a picture or a document",
        "linked_accounts.sealed_number": numbers,
        "merchants.sealed_keys": secrets,
        "offers.sealed_grant": "deleted when the offer is over",
        "partners.sealed_keys": secrets,
        "people.sealed_totp": secrets,
        "signing_keys.sealed_key": secrets,
        "statement_uploads.sealed_content": "a file of a bank, forgotten after a day",
        "webhook_endpoints.sealed_target": "an address, and its keys",
    }
    columns = await db.fetch(
        "SELECT table_name || '.' || column_name FROM information_schema.columns"
        " WHERE table_schema = 'public' AND data_type = 'bytea' AND column_name LIKE 'sealed%'"
    )
    assert {row[0] for row in columns} == {
        f"{each['table']}.{each['column']}" for each in FOUND
    } | exact.keys()
