"""`hundi lead` as an operator uses it.

The way to a merchant who takes payments is in tests/system/test_leads.py.
"""

from datetime import UTC, datetime

import pytest

from hundi.infra.postgres.database import Database
from hundi.infra.secrets.vault import open_vault
from hundi.infra.settings import load_settings
from hundi.partners.directory.actions import PartnerDirectory
from hundi.partners.leads import actions as leads
from hundi.partners.leads.actions import LeadContext
from tests.cli.conftest import COLUMNS, Hundi, Operate

AT = datetime(2026, 11, 20, 8, 35, 7, tzinfo=UTC)
GSTIN, EMAIL = "27AAPFU0939F1ZV", "somebody.with.a.name@malgudi.example"
GROUPS = {
    "company_info": {
        "company_name": "Chandni",
        "merchant_legal_name": "Chandni Books and Stationery " * 4,
    },
    "business_info": {
        "business_pan": "AAPFU0939F",
        "business_gstin": GSTIN,
        "business_category": "5942",
    },
    "bank_info": {"bank_account_number": "123456789"},
    "signatory_info.1": {
        "signatory_permanent_address": "12, Market Road, " * 6,
        "signatory_email": EMAIL,
    },
}


@pytest.fixture
async def named(operate: Operate, db: Database) -> tuple[str, str]:
    """A partner and the lead it sent."""
    affiliate = (await operate("partner", "add", "Chandni Rewards"))["affiliate"]
    context = LeadContext(db, open_vault(load_settings()))
    partner = await PartnerDirectory(db, context.vault).get(affiliate)
    assert partner is not None
    taken = await leads.create(context, partner, GROUPS, AT)
    return affiliate, str(taken.lead_id)


async def test_a_lead_is_readable_at_80_columns(
    hundi: Hundi, operate: Operate, named: tuple[str, str]
) -> None:
    await operate("lead", "review", *named)
    await operate(
        "lead",
        "return",
        *named,
        "--why",
        "the address is not where the business is, says the map " * 3,
    )
    for command in (("show", *named), ("list",)):
        printed = (await hundi("lead", *command)).stdout
        assert max(map(len, printed.splitlines())) <= COLUMNS, printed
        assert all(each in printed for each in named)
    printed = (await hundi("lead", "show", *named)).stdout
    assert all(
        each in printed
        for each in (GSTIN, EMAIL, "signatory_info.1.signatory_permanent_address", "…6789")
    )


async def test_scripts_read_when_a_lead_was_sent(operate: Operate, named: tuple[str, str]) -> None:
    (listed,) = await operate("lead", "list", named[0])
    assert listed["since"] == "2026-11-20T08:35:07Z"


async def test_a_state_that_forbids_it_is_named(refused: Operate, named: tuple[str, str]) -> None:
    words = await refused("lead", "approve", *named)
    assert (
        words == "The lead's state does not allow this; state was 'lead'; allowed: rejected review"
    )


@pytest.mark.parametrize("verb", [("show",), ("review",), ("approve",), ("reject", "--why", "x")])
async def test_a_lead_that_is_none_is_named(
    refused: Operate, named: tuple[str, str], verb: tuple[str, ...]
) -> None:
    name, *options = verb
    assert await refused("lead", name, named[0], "1", *options) == f"{named[0]} has no lead 1"
    assert "lead_id" in await refused("lead", name, named[0], str(10**23), *options)
    assert await refused("lead", "list", "NOPE") == "there is no partner NOPE"
