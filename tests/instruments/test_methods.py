"""The table of payment methods agrees with the protocol, the page and the port."""

from pathlib import Path

import pytest

from hundi import page
from hundi.acquirers.port.capabilities import CAPABILITIES
from hundi.acquirers.registry import CAPABILITY
from hundi.instruments.methods import (
    BHARAT_QR,
    CARDS,
    CHANNEL_OF_METHOD,
    CHANNELS,
    CODE_OF_SPELLING,
    METHODS,
    SCANNED,
    UPI,
    WALLETS,
    Flow,
    card_types_named,
    channels_named,
    codes_for,
    methods_of,
)
from hundi.kernel.states import PaymentKind
from hundi.wire import fields
from hundi.wire.fields import FieldError
from hundi.wire.merchant.qr_orders import GenerateOrderRequest
from hundi.wire.message import read_request

TEMPLATES = Path(page.__file__).parent / "templates"
ORDER = {"orderid": "A-1", "amount": "1.00"}


def test_the_protocol_knows_every_code_and_spelling():
    assert set(CODE_OF_SPELLING) <= fields.CHANNELS
    assert all(CODE_OF_SPELLING[code] == code for code in CHANNELS)
    assert CODE_OF_SPELLING["pgcc"] == CODE_OF_SPELLING["pgdc"] == CARDS.code
    assert channels_named(("pgcc", "pgdc", "pp", "ppc")) == (CARDS.code, WALLETS.code)


@pytest.mark.parametrize(
    ("codes", "types"),
    [
        ((), ()),
        (("pg",), ()),
        (("pgcc",), ("credit",)),
        (("pgdc", "upi"), ("debit",)),
        (("pgcc", "pgdc"), ("credit", "debit")),
        (("pgcc", "pg"), ()),
    ],
)
def test_codes_restrict_the_types_of_cards(codes: tuple[str, ...], types: tuple[str, ...]) -> None:
    assert card_types_named(codes) == types


@pytest.mark.parametrize("code", CHANNELS)
def test_the_protocol_makes_a_qr_for_the_channels_that_are_scanned(code: str):
    asked = ORDER | {"chmod": code}
    if code in SCANNED:
        assert read_request(GenerateOrderRequest, asked).order_id == "A-1"
    else:
        with pytest.raises(FieldError, match="a QR is paid by UPI"):
            read_request(GenerateOrderRequest, asked)


@pytest.mark.parametrize("code", CHANNELS)
def test_the_page_has_a_template_for_every_channel(code: str):
    assert (TEMPLATES / f"_{code}.html").exists()


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
def test_the_port_has_every_capability(method):
    assert CAPABILITY[method.name] is CAPABILITIES[method.capability]


def test_an_attempt_is_reported_by_one_code():
    reported = {name: channel.code for name, channel in CHANNEL_OF_METHOD.items()}
    assert reported == {
        "upi_qr": "upi",
        "upi_link": "upi",
        "upi_collect": "upi",
        "upi_autopay": "upi",
        "card": "pg",
        "card_page": "pg",
        "card_direct": "pg",
        "card_moto": "pg",
        "card_mandate": "pg",
        "card_emi": "emi",
        "emi_page": "emi",
        "emi_direct": "emi",
        "netbanking": "nb",
        "wallet": "ppc",
        "pay_later": "payltr",
        "virtual_account": "va",
        "rtgs_account": "rtgs",
        "remittance": "remit",
        "cash_voucher": "cash",
        "enach": "enach",
        "enach_debit": "enach",
    }


def test_only_cards_hold_an_amount_or_pay_without_their_holder():
    assert codes_for(PaymentKind.SALE) == set(CHANNELS) - {"enach"}
    assert codes_for(PaymentKind.SUBSCRIPTION) == {"upi", "pg", "enach"}
    assert codes_for(PaymentKind.AUTHORISE) == codes_for(PaymentKind.MOTO) == {"pg"}


def test_flows():
    assert {UPI.code, BHARAT_QR.code} == SCANNED
    assert methods_of(Flow.CHALLENGED) == {"card", "card_emi"}
    at_banks, at_acquirers = (
        {"netbanking", "wallet", "pay_later", "enach"},
        {"card_page", "card_direct"},
    )
    assert methods_of(Flow.REDIRECTED) == at_banks | at_acquirers | {"emi_page", "emi_direct"}
    assert methods_of(Flow.SCANNED) == {"upi_qr", "upi_link"}
