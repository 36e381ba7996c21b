"""What the connector to another gateway asks, and what it makes of each answer."""

from typing import Any

import pytest

from hundi.acquirers.contract import suite
from hundi.acquirers.contract.steps import ConnectorCase, ContractBrokenError
from hundi.acquirers.gateway.seamless import SeamlessCardsGateway
from hundi.acquirers.kinds import AcquirerConfigurationError, open_registry
from hundi.acquirers.port.answers import (
    Approved,
    Declined,
    NothingThere,
    NotRegistered,
    Redirect,
    Unknown,
    Voided,
)
from hundi.acquirers.port.checkout import UpiLink
from hundi.acquirers.port.memory import ShortMemory
from hundi.acquirers.port.payments import Charge
from hundi.instruments.card import CardNumber
from hundi.kernel.money import Money
from hundi.kernel.records import replace
from tests.acquirers.gateway import standin
from tests.acquirers.gateway.played import (
    AMOUNT,
    BANK,
    CALLBACK,
    CALLS,
    CARD,
    CHARGE,
    LINK,
    REFUND,
    begun,
    paid,
)
from tests.acquirers.gateway.standin import ACCOUNT, Standin, answer
from tests.acquirers.gateway.there import notification, settings


async def test_the_amount_is_what_the_other_gateway_collected(
    asking: SeamlessCardsGateway, other: Standin
) -> None:
    await begun(asking)
    paid(other, amount="1.00", captured_amount="1.00")
    said = await asking.inquire("10001-1")
    assert isinstance(said, Approved)
    assert said.amount == Money(100)


@pytest.mark.parametrize(
    ("status", "word", "expected"),
    [
        (211, "INCOMPLETE", Unknown(awaiting_customer=True)),
        (211, "INPROCESS", Unknown(awaiting_customer=True)),
        (403, "INPROCESS", Unknown(awaiting_customer=True)),
        (211, "RISK", Unknown(awaiting_customer=True)),
        (400, "FAIL", Declined("400")),
        (401, "FAIL", Declined("401", not_registered=True)),
        (402, "INCOMPLETE", Declined("402", left=True)),
        (405, "FAIL", Declined("405", left=True)),
        (400, "VOIDED", Voided("632512345678", "400")),
    ],
)
async def test_each_state_has_one_meaning(
    asking: SeamlessCardsGateway, other: Standin, status: int, word: str, expected: object
) -> None:
    paid(other, transaction_status=status, transaction_payment_status=word)
    said = await asking.inquire("10001-1")
    assert (replace(said, rrn="") if isinstance(said, Declined) else said) == expected


async def test_a_bank_that_has_not_decided_is_no_customer_who_has_not(
    asking: SeamlessCardsGateway, other: Standin
) -> None:
    paid(
        other,
        transaction_status=211,
        transaction_payment_status="INPROCESS",
        bank_response_code="U30",
    )
    assert await asking.inquire("10001-1") == Unknown("U30")


async def test_a_page_nobody_has_opened_may_still_be_opened(asking: SeamlessCardsGateway) -> None:
    await begun(asking)
    assert await asking.inquire("10001-1") == Unknown(awaiting_customer=True)
    assert await asking.inquire("10001-9") == NothingThere()


async def test_one_reference_is_for_one_amount_and_one_way(
    asking: SeamlessCardsGateway, other: Standin
) -> None:
    await begun(asking)
    calls = len(other.calls)
    others = [CALLS["link"], CALLS["bank"], CALLS["card"]]
    others += [
        lambda one: one.start_checkout(
            replace(CHARGE, amount=Money(1)),
            method="card",
            return_url="",
            expires_in_s=9,
            capture=True,
        )
    ]
    others += [
        lambda one: one.start_checkout(
            CHARGE, method="card", return_url="", expires_in_s=9, capture=False
        )
    ]
    for call in others:
        assert isinstance(await call(asking), Unknown)
    assert len(other.calls) == calls


@pytest.mark.parametrize(
    "text",
    [LINK.replace("1499.50", "1499.51"), LINK + "&am=1.00", "https://pay", "upi://pay?"],
)
async def test_a_link_of_another_amount_is_shown_to_nobody(
    asking: SeamlessCardsGateway, other: Standin, text: str
) -> None:
    qr = {"qr_string": LINK, "qr_image": "AAAA", "ap_transactionid": "1", "orderid": "10001-1"}
    other.said["generateorder"] = answer(qr)
    assert isinstance(await CALLS["link"](asking), UpiLink)
    for changes in ({"qr_string": text}, {"orderid": "10001-2"}):
        other.said["generateorder"] = answer(qr | changes)
        assert isinstance(await CALLS["link"](asking), Unknown)


@pytest.mark.parametrize(
    ("changes", "kind"),
    [
        ({}, Redirect),
        ({"redirect_url": "https://elsewhere.example.in/pay"}, Unknown),
        ({"payable_amount": "1504.50", "surcharge_amount": "5.00"}, Declined),
        ({"next_action": "none", "transaction_payment_status": "INCOMPLETE"}, Declined),
        (
            {
                "next_action": "none",
                "transaction_payment_status": "FAIL",
                "transaction_status": 400,
            },
            Declined,
        ),
        # Whoever has nothing more to do may have paid already, or is asked about.
        (
            {
                "next_action": "none",
                "transaction_payment_status": "SUCCESS",
                "transaction_status": 200,
            },
            Unknown,
        ),
        ({"next_action": "none", "transaction_payment_status": "RISK"}, Unknown),
        ({"next_action": "none"}, Unknown),
        ({"next_action": "wait"}, Unknown),
        ({"next_action": "form", "redirect_fields": {"a": "b"}}, Redirect),
        ({"orderid": "10001-2"}, Unknown),
    ],
)
async def test_customers_go_to_the_banks_that_the_operator_named_and_pay_our_amount(
    asking: SeamlessCardsGateway, other: Standin, changes: dict[str, Any], kind: type
) -> None:
    step = {
        "next_action": "redirect",
        "redirect_url": f"{BANK}/pay",
        "ap_transactionid": "1",
        "orderid": "10001-1",
    }
    step |= {
        "payable_amount": "1499.50",
        "transaction_status": 211,
        "transaction_payment_status": "INPROCESS",
    }
    other.said["seamless"] = answer(step | changes)
    said = await CALLS["bank"](asking)
    assert type(said) is kind
    assert await CALLS["bank"](asking) == said
    assert other.calls.count("seamless") == (1 if kind is Redirect else 2), (
        "a page is asked for once"
    )


@pytest.mark.parametrize("lost", ["capture", "void"])
async def test_the_end_of_a_hold_is_what_stands_after_it(
    asking: SeamlessCardsGateway, other: Standin, lost: str
) -> None:
    await begun(asking, capture=False)
    paid(other, transaction_payment_status="AUTHORIZE", captured_amount="0.00")
    other.faults[lost] = standin.hang_up
    said = await (
        asking.capture("10001-1", AMOUNT) if lost == "capture" else asking.void("10001-1")
    )
    assert isinstance(said, Unknown), "it may have ended"
    ended = {"capture": ("CAPTURE", 200), "void": ("VOIDED", 400)}[lost]
    paid(other, transaction_payment_status=ended[0], transaction_status=ended[1])
    said = await (
        asking.capture("10001-1", AMOUNT) if lost == "capture" else asking.void("10001-1")
    )
    assert isinstance(said, Approved if lost == "capture" else Voided)
    assert other.calls.count(lost) == 1


async def test_what_was_never_held_is_not_ended(
    asking: SeamlessCardsGateway, other: Standin
) -> None:
    await begun(asking)
    paid(other)
    calls = len(other.calls)
    assert isinstance(await asking.capture("10001-1", AMOUNT), Declined)
    assert isinstance(await asking.void("10001-1"), Declined)
    assert len(other.calls) == calls


async def test_money_of_another_currency_is_asked_for_by_nobody(
    asking: SeamlessCardsGateway, other: Standin
) -> None:
    dollars = replace(CHARGE, amount=Money(100, "USD"))
    answers = [
        await asking.start_checkout(
            dollars, method="card", return_url="", expires_in_s=9, capture=True
        ),
        await asking.upi_link(dollars, expires_in_s=9),
        await asking.start_redirect(dollars, method="netbanking", bank_code="HDFC", return_url=""),
        await asking.charge_card(dollars, CARD, return_url="", capture=True),
        await asking.refund(replace(REFUND, amount=Money(1, "USD"))),
        await asking.start_checkout(
            CHARGE, method="upi", return_url="", expires_in_s=9, capture=True
        ),
    ]
    assert all(isinstance(each, Declined) for each in answers)
    assert other.calls == []


def given_cards(other: Standin) -> ConnectorCase:
    """Return what the check of test instruments needs."""
    given = ConnectorCase(*[None] * 12, calls_made=lambda: len(other.calls))  # type: ignore[arg-type]
    return replace(given, new_reference=lambda: "10001-77", good_card=CARD)


async def test_test_instruments_never_reach_a_gateway_that_takes_real_money(
    asking: SeamlessCardsGateway, other: Standin
) -> None:
    await suite.check_test_instruments(asking, given_cards(other))
    assert isinstance(await asking.check_address("success@hundi"), NotRegistered)
    assert other.calls == []


class HandsOverAll(SeamlessCardsGateway):
    """Looks at no card."""

    async def charge_card(self, charge: Charge, card: CardNumber, **how: Any) -> Any:
        return await super().charge_card(charge, replace(card, number=CARD.number), **how)


async def test_a_connector_that_hands_test_cards_over_is_noticed(
    asking: SeamlessCardsGateway, other: Standin
) -> None:
    careless = HandsOverAll(asking.name, asking.account, asking.terms, asking.memory)
    with pytest.raises(ContractBrokenError, match="a test card is declined"):
        await suite.check_test_instruments(careless, given_cards(other))


def test_a_notification_is_believed_by_its_signature_alone(asking: SeamlessCardsGateway) -> None:
    headers, body = notification(ACCOUNT, orderid="10001-1")
    at = int(headers["webhook-timestamp"])
    read = asking.read_trigger(headers, body, now_s=at)
    assert read is not None
    assert (read.references, read.event_id) == (("10001-1",), "ipn_1")
    refund = notification(ACCOUNT, orderid="10001-1", refund_id="7", refund_request_id="10001-R1")
    read = asking.read_trigger(*refund, now_s=at)
    assert read is not None
    assert read.references == ("10001-R1",)
    for spoilt in (
        ({**headers, "webhook-id": "ipn_2"}, body),
        ({**headers, "webhook-signature": "v1,AAAA"}, body),
        ({}, body),
        (headers, body + b" "),
        notification(ACCOUNT, key="whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", orderid="10001-1"),
    ):
        assert asking.read_trigger(*spoilt, now_s=at) is None
    assert asking.read_trigger(headers, body, now_s=at + 301) is None


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"base_url": "http://gateway.example.in"}, "base_url"),
        ({"base_url": "https://gateway.example.in/?a=b"}, "base_url"),
        ({"webhook_key": "secret"}, "webhook_key"),
        ({"merchant_id": "forty"}, "merchant_id"),
        ({"contact_phone": "call me"}, "contact_phone"),
        ({"seamless": "everything"}, "seamless"),
        ({"bank_origins": ["https://bank.example.in/path"]}, "bank_origins"),
        ({"password": ""}, "password"),
    ],
)
def test_settings_that_cannot_work_stop_the_start(change: dict[str, Any], words: str) -> None:
    fields = settings("https://gateway.example.in", ACCOUNT, **change)
    with pytest.raises(AcquirerConfigurationError, match=words):
        open_registry({"other": fields}, lambda _name: CALLBACK, ShortMemory())


async def test_the_list_of_banks_is_not_asked_for_by_each_customer(
    asking: SeamlessCardsGateway, other: Standin
) -> None:
    other.faults["banks"] = standin.hang_up
    assert {type(await asking.banks()) for _ in range(3)} == {Unknown}
    silent = other.calls.count("banks")
    assert silent <= 2, "a question that was lost is repeated once"
    del other.faults["banks"]
    asking._silent.clear()  # noqa: SLF001 (five seconds later)
    listed = [await asking.banks() for _ in range(3)]
    assert other.calls.count("banks") == silent + 1
    assert listed[0] == listed[2] != ()
