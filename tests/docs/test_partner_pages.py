"""What the pages of partners' interfaces list stands in the code, all of it and nothing else."""

import re
from pathlib import Path

import httpx
import pytest

from hundi.partners.leads.rules import SPECIFIED_LENGTHS
from hundi.sdk.partner_calls import PartnerCalls
from hundi.wire.partner.leads import GROUPS, SIGNATORY, TURNOVERS, FieldRule
from hundi.wire.partner.prepaid_cards import KIND_LETTERS, STATUS_LETTERS
from hundi.wire.plain.operation import PREFIX
from tests.docs.examples import PAGES, ROOT
from tests.system.running import RunningGateway

_ADDRESS = re.compile(r"`POST ([^`]+)`")
_OF_ACQUIRERS = {
    "razorpay.md",
    "razorpayx.md",
    "cashfree-payouts.md",
    "setu.md",
    "cashfree.md",
    "phonepe.md",
    "payu.md",
    "paytm.md",
    "billdesk.md",
    "ccavenue.md",
    "easebuzz.md",
    "pinelabs.md",
    "juspay.md",
    "juspay-upi.md",
}
"""Pages that print the addresses of others."""
WITH_ADDRESSES = [
    page
    for page in PAGES
    if _ADDRESS.search(page.read_text("utf-8")) and page.name not in _OF_ACQUIRERS
]


def _rows(page: str) -> list[list[str]]:
    """Return the cells of every line of every table."""
    text = (ROOT / "docs" / page).read_text("utf-8")
    return [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in text.splitlines()
        if line[:1] == "|"
    ]


def specified(rule: FieldRule) -> int:
    """Return the specification's length of a field."""
    return SPECIFIED_LENGTHS.get(rule.name, rule.length_max)


def test_the_fields_of_a_lead_are_the_ones_that_are_read() -> None:
    told: dict[str, list[tuple[str, bool, int, int]]] = {}
    for group, field, required, length, accepted, _ in (
        row for row in _rows("createlead.md") if row[2:3] in (["yes"], ["no"])
    ):
        name = group.strip("`") or next(reversed(told))
        told.setdefault(name, []).append(
            (field.strip("`"), required == "yes", int(length), int(accepted))
        )
    read = {
        name: [(each.name, each.required, specified(each), each.length_max) for each in rules]
        for name, rules in {**GROUPS, "signatory_info": SIGNATORY}.items()
    }
    assert told == read


def test_the_values_of_a_lead_are_the_ones_that_are_allowed() -> None:
    rows = _rows("createlead.md")
    form = {row[1].strip("`"): row[5] for row in rows if row[2:3] in (["yes"], ["no"])}
    assert tuple(re.findall(r"`([^`]+)`", form["company_annual_turnover"])) == TURNOVERS
    allowed = {
        each.name: each.allowed
        for rules in (*GROUPS.values(), SIGNATORY)
        for each in rules
        if each.allowed
    }
    short = {name: words for name, words in allowed.items() if len(words) < len(TURNOVERS)}
    assert {name: tuple(re.findall(r"`([^`]+)`", form[name])) for name in short} == short
    for column, name in ((0, "business_type"), (2, "signatory_address_proof")):
        listed = [
            row[column].strip("`")
            for row in rows
            if len(row) == 4 and re.fullmatch("(`[0-9]`)?", row[column])
        ]
        assert tuple(filter(None, listed)) == allowed[name]


def test_the_letters_of_cards_are_the_ones_that_are_sent() -> None:
    rows = [row for row in _rows("card-details.md") if len(row) == 4]
    for column, letters in ((0, STATUS_LETTERS), (2, KIND_LETTERS)):
        listed = [row[column].strip("`") for row in rows if re.fullmatch("`[A-Z]`", row[column])]
        assert sorted(listed) == sorted(letters.values())


def test_every_call_of_the_sdk_is_listed() -> None:
    listed = {
        row[0].strip("`").partition("(")[0] for row in _rows("partners.md") if row[0].endswith(")`")
    }
    assert listed == {name for name in vars(PartnerCalls) if not name.startswith("_")} - {"opened"}


@pytest.mark.parametrize("page", WITH_ADDRESSES, ids=lambda page: str(Path(page).name))
def test_addresses_are_served_as_they_are_printed(page: Path, gateway: RunningGateway) -> None:
    for printed in _ADDRESS.findall(page.read_text("utf-8")):
        if printed.startswith(PREFIX):
            # Without a key, an address that is there says so.
            answer = httpx.post(gateway.base_url + printed)
            assert answer.status_code == 401, f"{page.name}: {printed}"
            continue
        if printed.startswith("/"):
            # A control of the simulated bank, which has its own words for an empty call.
            assert gateway.bank.post(printed).status_code != 404, f"{page.name}: {printed}"
            continue
        address = re.sub(r"\{(\w+)\}", lambda name: gateway.demo[name[1]], printed)
        assert httpx.post(address).status_code == 200, f"{page.name}: {printed}"
