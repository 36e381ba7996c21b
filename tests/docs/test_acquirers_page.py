"""The overview of acquirers says what the page of each says."""

import re
from typing import Any

import pytest

from hundi.acquirers.kinds import AcquirerContext, kind_of, open_member
from hundi.acquirers.port.capabilities import CAPABILITIES as CAPABILITIES_OF_THE_PORT
from hundi.acquirers.port.capabilities import abilities
from hundi.acquirers.port.checkout import SendsTriggers
from hundi.acquirers.port.memory import ShortMemory
from tests.acquirers.juspay_upi.opened import fields as juspay_upi_fields
from tests.docs.examples import ROOT

DOCS = ROOT / "docs"
PROOFS = {"example", "vector", "stand-in"}


def rows(page: str) -> list[list[str]]:
    text = (DOCS / page).read_text("utf-8")
    return [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in text.splitlines()
        if line[:1] == "|"
    ]


_FOUND = rows("acquirers.md")
_CUT = next(place for place, row in enumerate(_FOUND) if row[0] == "Besides")
_END = next(place for place, row in enumerate(_FOUND) if row[0] == "Acquirer" and place > _CUT)
_OUT, _KEYS = (place for place, row in enumerate(_FOUND) if row[0] == "Provider")
HEADER, TABLE, ENDS = _FOUND[0], _FOUND[2:_CUT], _FOUND[_END + 2 : _OUT]
CAPABILITIES = [cell.strip("`") for cell in HEADER[1:]]
LINK = re.compile(r"\[.*\]\((.*)\.md\)")
OF_PAYOUTS = [cell.strip("`") for cell in _FOUND[_OUT][1:]]
PROVIDERS = {
    LINK.sub(r"\1", row[0]): {
        name: proof for name, proof in zip(OF_PAYOUTS, row[1:], strict=True) if proof
    }
    for row in _FOUND[_OUT + 2 : _KEYS]
}
NAMES = [LINK.sub(r"\1", row[0]) for row in TABLE]
BESIDES = [
    (LINK.sub(r"\1", page), name.strip("`"), proof) for page, name, proof in _FOUND[_CUT + 2 : _END]
]
FOLDERS = {
    "another-gateway": "gateway",
    "cashfree-payouts": "cashfree_payouts",
    "juspay-upi": "juspay_upi",
}
"""The package of a connector whose page is called otherwise."""
BY_REQUEST = {"TakesMandates", "TakesCardMandates", "TakesBankMandates", "SplitsSettlement"}
"""Capabilities that no account has unless its acquirer enables them."""
_UNREAD = re.compile(r"by a hand that has not read (the|a) connector")
LONG = "a-secret-of-32-letters-and-more."
ACCOUNTS: dict[str, dict[str, Any]] = {
    "razorpay": {
        "address_checks": True,
        "key_id": "rzp_test_one",
        "key_secret": LONG,
        "mode": "test",
        "certified": True,
        "mandates": True,
        "enach": "netbanking",
    },
    "cashfree": {
        "environment": "sandbox",
        "client_id": "one",
        "client_secret": LONG,
        "phone_when_unknown": "9000090000",
        "cards_certified": True,
        "holds_cards": True,
        "instalments_from_rupees": 2_500,
        "mandates": True,
    },
    "phonepe": {
        "address_checks": True,
        "environment": "sandbox",
        "client_id": "one",
        "client_secret": LONG,
        "client_version": 1,
        "mandates": True,
        "settlements": True,
    },
    "payu": {
        "address_checks": True,
        "environment": "test",
        "key": "one",
        "salt": LONG,
        "contact_email": "pay@shop.example",
        "contact_phone": "9000090000",
        "instalments_from_rupees": 2_500,
        "mandates": True,
        "dispute_token": LONG,
    },
    "paytm": {
        "environment": "staging",
        "merchant_id": "one",
        "merchant_key": LONG,
        "website": "WEBSTAGING",
        "settlements": True,
        "dispute_path": "/disputes/status",
    },
    "billdesk": {
        "environment": "uat",
        "merchant_id": "one",
        "client_id": "one",
        "signing_key": LONG,
        "settlements": True,
    },
    "ccavenue": {
        "environment": "test",
        "merchant_id": "1",
        "access_code": "one",
        "working_key": LONG,
        "holds": True,
        "upi": True,
    },
    "easebuzz": {
        "environment": "test",
        "key": "one",
        "salt": LONG,
        "contact_email": "pay@shop.example",
        "contact_phone": "9000090000",
        "upi": True,
    },
    "pinelabs": {
        "environment": "uat",
        "client_id": "one",
        "client_secret": LONG,
        "holds": True,
    },
    "juspay": {
        "address_checks": True,
        "environment": "sandbox",
        "merchant_id": "one",
        "api_key": LONG,
        "client_id": "one",
        "contact_email": "pay@shop.example",
        "contact_phone": "9000090000",
    },
    "juspay-upi": juspay_upi_fields(),
    "another-gateway": {
        "environment": "test",
        "base_url": "https://other.example",
        "merchant_id": "34390929",
        "username": "one",
        "password": LONG,
        "api_secret": LONG,
        "client_id": "one",
        "client_secret": LONG,
        "webhook_key": "whsec_YS1zZWNyZXQtb2YtMzItbGV0dGVycy1hbmQtbW9yZS4=",
        "contact_email": "pay@shop.example",
        "contact_phone": "9000090000",
        "seamless": "cards",
    },
    "iso8583": {
        "host": "127.0.0.1",
        "port": 8583,
        "mode": "test",
        "acquirer_id": "408999",
        "terminal_id": "HUNDI001",
        "acceptor_id": "HUNDI0000000001",
        "acceptor_name": "ASHA HANDLOOMS",
        "category": "5651",
    },
    "razorpayx": {
        "key_id": "rzp_test_one",
        "key_secret": LONG,
        "mode": "test",
        "account_number": "7878780080316316",
        "validations": "optimized",
        "check_cost_paise": 236,
    },
    "setu": {
        "environment": "sandbox",
        "client_id": "one",
        "client_secret": LONG,
        "product_instance_id": "two",
        "check_cost_paise": 300,
    },
    "cashfree-payouts": {
        "address_checks": True,
        "environment": "sandbox",
        "client_id": "one",
        "client_secret": LONG,
        "check_client_id": "two",
        "check_client_secret": LONG,
        "check_cost_paise": 236,
    },
}
"""Accounts for which everything was enabled."""


def told(row: list[str]) -> dict[str, str]:
    """Return every capability that the page tells of an acquirer, with its proof."""
    name = NAMES[TABLE.index(row)]
    cells = dict(zip(CAPABILITIES, row[1:], strict=True))
    found = {capability: proof for capability, proof in cells.items() if proof}
    return found | {capability: proof for page, capability, proof in BESIDES if page == name}


async def opened(name: str) -> Any:
    """Return an acquirer's connector, closed again."""
    fields = {"kind": FOLDERS.get(name, name), **ACCOUNTS[name]}
    member = open_member(
        "one", fields, AcquirerContext("https://pay.example/callbacks/one", ShortMemory())
    )
    await member.connector.close()
    return member.connector


@pytest.mark.parametrize("name", NAMES)
async def test_refunds_are_asked_about_as_told(name: str) -> None:
    connector = await opened(name)
    row = next(each for each in ENDS if LINK.sub(r"\1", each[0]) == name)
    assert f"{connector.refund_schedule.gaps_s[0]} s" == row[2]
    assert isinstance(connector, SendsTriggers) or not row[1].startswith("asks")


@pytest.mark.parametrize("row", TABLE, ids=NAMES)
async def test_a_row_has_what_the_connector_can_do(row: list[str]) -> None:
    connector = await opened(NAMES[TABLE.index(row)])
    assert set(told(row)) == {"Inquires", *abilities(connector)}


@pytest.mark.parametrize("row", TABLE, ids=NAMES)
def test_what_an_acquirer_enables_by_request_is_in_its_list(row: list[str]) -> None:
    name = NAMES[TABLE.index(row)]
    kind = FOLDERS.get(name, name)
    data = kind_of(kind, {"kind": kind}).sandbox
    wanted = BY_REQUEST & set(told(row)) if data.switch_on else set()
    assert set(data.enabled_for) == wanted


@pytest.mark.parametrize("row", TABLE, ids=NAMES)
def test_a_row_has_what_the_acquirers_own_page_has(row: list[str]) -> None:
    page = rows(f"{NAMES[TABLE.index(row)]}.md")
    own = {name for cells in page for name in re.findall(r"^`(\w+)`", cells[0])}
    assert set(told(row)) == own & set(CAPABILITIES_OF_THE_PORT)
    assert all(set(proof.split(", ")) <= PROOFS for proof in told(row).values())


@pytest.mark.parametrize("name", PROVIDERS)
async def test_a_provider_of_payouts_can_do_what_both_pages_tell(name: str) -> None:
    assert set(PROVIDERS[name]) == set(abilities(await opened(name)))
    own = {word for cells in rows(f"{name}.md") for word in re.findall(r"^`(\w+)`", cells[0])}
    assert set(PROVIDERS[name]) == own & set(CAPABILITIES_OF_THE_PORT)
    assert all(set(proof.split(", ")) <= PROOFS for proof in PROVIDERS[name].values())


def by_other_hands(files: str) -> set[str]:
    """Return the kinds whose files say that their hand has not read the connector."""
    return {
        file.parent.name
        for file in (ROOT / "tests" / "acquirers").glob(f"*/{files}")
        if _UNREAD.search(" ".join(file.read_text("utf-8").split()))
    }


def test_stand_ins_by_other_hands_are_those_whose_files_say_so() -> None:
    text = (DOCS / "acquirers.md").read_text("utf-8")
    whole, part = by_other_hands("standin.py"), by_other_hands("standin_*.py")
    for beginning, kinds in (
        ("Whole stand-ins by", whole),
        ("Parts of stand-ins by", part - whole),
    ):
        (paragraph,) = [each for each in text.split("\n\n") if each.startswith(beginning)]
        pages = re.findall(r"\]\(([\w-]+)\.md\)", paragraph)
        assert {FOLDERS.get(page, page) for page in pages} == kinds
