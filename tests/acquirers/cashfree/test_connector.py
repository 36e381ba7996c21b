"""The connector of Cashfree against its stand-in.

Every way to pay, and what may go wrong on the way.
"""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from structlog.testing import capture_logs

from hundi.acquirers.port.answers import Approved, Declined, NothingThere, Redirect, Unknown
from hundi.acquirers.port.checkout import ChargesCards, UpiLink
from hundi.acquirers.port.customers import Customer
from hundi.acquirers.port.payments import CompletesAuthorisations
from hundi.kernel.money import Money
from hundi.kernel.records import replace
from tests.acquirers.cashfree.account import (
    AMOUNT,
    CARD,
    GARBAGE,
    RETURN_URL,
    Shop,
    account,
    at_checkout,
    linked,
    new_charge,
    new_reference,
    paid,
    press,
    refund_of,
    sent_to_bank,
)
from tests.acquirers.cashfree.standin import CLIENT_SECRET, Fault

# --- UPI ---


async def test_a_link_is_cashfrees_own_and_lives_as_long_as_it_says(shop: Shop) -> None:
    charge = new_charge(customer=Customer(phone="+919898989898"))
    link = await shop.connector.upi_link(charge, expires_in_s=300)
    assert isinstance(link, UpiLink)
    assert link.url.startswith("upi://pay?pa=cf.")
    assert timedelta(minutes=15) < link.expires_at - datetime.now(UTC) < timedelta(minutes=17)
    asked = shop.bank.bodies[0]
    assert asked["customer_details"]["customer_phone"] == "9898989898"
    assert asked["order_amount"] == Decimal("1499.50")
    waiting = await shop.connector.inquire(charge.reference)
    assert isinstance(waiting, Unknown)
    assert waiting.awaiting_customer
    shop.bank.world.pay(charge.reference)
    answer = await shop.connector.inquire(charge.reference)
    assert isinstance(answer, Approved)
    assert (answer.amount, bool(answer.rrn), answer.authorised_only) == (AMOUNT, True, False)


async def test_a_failed_try_closes_the_order_so_that_the_customer_may_try_again(shop: Shop) -> None:
    charge = await linked(shop)
    shop.bank.world.fail(charge.reference, "INSUFFICIENT_FUNDS")
    answer = await shop.connector.inquire(charge.reference)
    assert answer == Declined(
        "INSUFFICIENT_FUNDS", "issuer bank or payment service provider declined the transaction"
    )
    assert shop.bank.world.orders[charge.reference].status == "TERMINATED"


async def test_a_paid_try_after_a_failed_one_is_paid(shop: Shop) -> None:
    charge = await linked(shop)
    order = shop.bank.world.orders[charge.reference]
    shop.bank.world.fail(charge.reference)
    shop.bank.world.pay(charge.reference, payment=shop.bank.world.attempt(order, "upi", {}))
    assert isinstance(await shop.connector.inquire(charge.reference), Approved)


async def test_an_order_that_cashfree_has_not_closed_yet_declines_nothing(shop: Shop) -> None:
    charge = await linked(shop)
    shop.bank.world.fail(charge.reference)
    order = shop.bank.world.orders[charge.reference]
    shop.bank.faults.append((f"/orders/{charge.reference}", "500"))
    assert isinstance(await shop.connector.inquire(charge.reference), Unknown | Declined)
    order.status = "TERMINATION_REQUESTED"
    assert isinstance(await shop.connector.inquire(charge.reference), Unknown)


async def test_a_link_that_nobody_used_is_over_after_its_order_and_an_hour(shop: Shop) -> None:
    charge = await linked(shop)
    shop.bank.world.pass_time(timedelta(minutes=17))
    assert isinstance(await shop.connector.inquire(charge.reference), Unknown)
    order = shop.bank.world.orders[charge.reference]
    order.expires -= timedelta(hours=2)
    answer = await shop.connector.inquire(charge.reference)
    assert isinstance(answer, Declined)
    assert answer.left


async def test_money_that_came_late_and_went_back_is_not_declined(shop: Shop) -> None:
    charge = await linked(shop)
    shop.bank.world.fail(charge.reference)
    shop.bank.world.pay_late(charge.reference)
    assert isinstance(await shop.connector.inquire(charge.reference), Approved)
    assert isinstance(await shop.connector.inquire_refund(new_reference("R")), NothingThere)


@pytest.mark.parametrize(("amount", "currency"), [("1499.49", "INR"), ("1499.50", "USD")])
async def test_what_was_paid_is_what_cashfree_says(shop: Shop, amount: str, currency: str) -> None:
    charge = await linked(shop)
    shop.bank.world.pay(charge.reference, amount=Decimal(amount), currency=currency)
    answer = await shop.connector.inquire(charge.reference)
    assert isinstance(answer, Approved)
    assert answer.amount != AMOUNT


# --- faults ---


@pytest.mark.parametrize("fault", GARBAGE)
@pytest.mark.parametrize("path", ["/orders", "/orders/sessions"])
async def test_no_fault_on_the_way_to_a_link_declines_or_pays(
    shop: Shop, path: str, fault: Fault
) -> None:
    charge = new_charge()
    shop.bank.faults.extend([(path, fault), (path, fault)])
    answer = await shop.connector.upi_link(charge, expires_in_s=300)
    assert isinstance(answer, Unknown | UpiLink), answer
    shop.bank.faults.clear()
    assert isinstance(await shop.connector.inquire(charge.reference), Unknown | NothingThere)
    assert shop.bank.world.moved_paise == 0


@pytest.mark.parametrize("fault", GARBAGE)
async def test_no_fault_of_an_inquiry_is_an_answer(shop: Shop, fault: Fault) -> None:
    charge = await paid(shop)
    for path in (f"/orders/{charge.reference}", "/payments"):
        shop.bank.faults.extend([(path, fault), (path, fault)])
        assert isinstance(await shop.connector.inquire(charge.reference), Unknown | Approved)
        shop.bank.faults.clear()
    assert isinstance(await shop.connector.inquire(charge.reference), Approved)


async def test_wrong_credentials_decline_nothing_and_reach_no_log(shop: Shop) -> None:
    charge = await paid(shop)
    shop.bank.credentials_hold = False
    with capture_logs() as logs:
        answer = await shop.connector.upi_link(new_charge(), expires_in_s=300)
        assert isinstance(answer, Unknown)
        assert (answer.sent, answer.credentials_refused) == (False, True)
        assert not shop.connector.reachable()
        assert isinstance(await shop.connector.inquire(charge.reference), Unknown)
        refund = await shop.connector.refund(refund_of(charge))
        assert isinstance(refund, Unknown)
    assert CLIENT_SECRET not in str(logs)
    assert CLIENT_SECRET not in repr(vars(shop.connector))


async def test_a_session_is_no_proof_that_keys_are_wrong(shop: Shop) -> None:
    """Cashfree looks at no key of the account there."""
    shop.bank.faults.append(("/orders/sessions", "keys"))
    answer = await shop.connector.upi_link(new_charge(), expires_in_s=300)
    assert isinstance(answer, Unknown)
    assert not answer.credentials_refused
    assert shop.connector.reachable()


async def test_an_order_whose_answer_was_lost_is_found_and_used(shop: Shop) -> None:
    shop.bank.faults.append(("/orders", "lost"))
    shop.bank.faults.append(("/orders", "500"))
    charge = await linked(shop)
    assert len(shop.bank.world.orders) == 1
    assert "GET /pg/orders/" + charge.reference in shop.bank.calls


async def test_an_order_that_cashfree_once_made_and_does_not_know_is_a_doubt(shop: Shop) -> None:
    charge = await linked(shop)
    shop.bank.world.orders.clear()
    assert isinstance(await shop.connector.inquire(charge.reference), Unknown)
    assert isinstance(await shop.connector.inquire(new_reference()), NothingThere)


async def test_a_reference_belongs_to_one_amount_and_one_way(shop: Shop) -> None:
    charge = await linked(shop)
    other = replace(charge, amount=AMOUNT + Money(1))
    assert isinstance(await shop.connector.upi_link(other, expires_in_s=300), Unknown)
    moved = await shop.connector.start_redirect(
        charge, method="netbanking", bank_code="HDFC", return_url=RETURN_URL
    )
    assert isinstance(moved, Unknown)
    assert len(shop.bank.world.orders[charge.reference].payments) == 1


# --- banks and wallets ---


@pytest.mark.parametrize(
    ("method", "code"), [("netbanking", "HDFC"), ("netbanking", "SBIN_C"), ("wallet", "PHPE")]
)
async def test_a_customer_pays_at_a_banks_page(shop: Shop, method: str, code: str) -> None:
    charge, page = await sent_to_bank(shop, method, code)
    again = await shop.connector.start_redirect(
        charge, method=method, bank_code=code, return_url=RETURN_URL
    )
    assert again == page
    await press(page.url, "SUCCESS")
    assert isinstance(await shop.connector.inquire(charge.reference), Approved)


async def test_a_customer_who_leaves_the_bank_was_asked_for_nothing(shop: Shop) -> None:
    charge, page = await sent_to_bank(shop)
    await press(page.url, "USER_DROPPED")
    answer = await shop.connector.inquire(charge.reference)
    assert isinstance(answer, Declined)
    assert answer.left


async def test_nobody_is_sent_to_a_bank_that_cashfree_does_not_have(shop: Shop) -> None:
    answer = await shop.connector.start_redirect(
        new_charge(), method="netbanking", bank_code="NOBK", return_url=RETURN_URL
    )
    assert isinstance(answer, Declined)
    assert shop.bank.calls == []


async def test_nobody_is_sent_to_a_page_that_is_not_cashfrees() -> None:
    async with account(page_origins=("https://api.cashfree.com",)) as shop:
        charge = new_charge()
        answer = await shop.connector.start_redirect(
            charge, method="netbanking", bank_code="HDFC", return_url=RETURN_URL
        )
        assert isinstance(answer, Unknown)


async def test_a_page_survives_the_process_that_opened_it(shop: Shop) -> None:
    charge, page = await sent_to_bank(shop)
    other = shop.reopened()
    again = await other.start_redirect(
        charge, method="netbanking", bank_code="HDFC", return_url=RETURN_URL
    )
    assert again == page
    await other.close()


# --- Cashfree's own page ---


async def test_a_customer_fails_and_pays_on_cashfrees_page(shop: Shop) -> None:
    charge, page = await at_checkout(shop)
    await press(page.url, "FAILED")
    waiting = await shop.connector.inquire(charge.reference)
    assert isinstance(waiting, Unknown)
    assert waiting.awaiting_customer
    [failed] = shop.bank.links[charge.reference]["orders"]
    assert shop.bank.world.orders[failed].status == "ACTIVE", "its customer may still be paying it"
    await press(page.url, "SUCCESS")
    answer = await shop.connector.inquire(charge.reference)
    assert isinstance(answer, Approved)
    assert answer.card is not None
    assert (answer.amount, answer.card.last4) == (AMOUNT, "0153")


async def test_a_page_that_ended_unpaid_is_declined(shop: Shop) -> None:
    charge, page = await at_checkout(shop)
    await press(page.url, "FAILED")
    shop.bank.links[charge.reference]["asked"]["link_expiry_time"] = "2026-01-01T00:00:00+05:30"
    answer = await shop.connector.inquire(charge.reference)
    assert isinstance(answer, Declined)
    assert answer.code == "TRANSACTION_DECLINED"
    left, _ = await at_checkout(shop)
    shop.bank.links[left.reference]["asked"]["link_expiry_time"] = "2026-01-01T00:00:00+05:30"
    answer = await shop.connector.inquire(left.reference)
    assert isinstance(answer, Declined)
    assert answer.left


async def test_a_page_that_ended_while_a_bank_is_silent_declines_nothing(shop: Shop) -> None:
    charge, page = await at_checkout(shop)
    await press(page.url, "PENDING")
    shop.bank.links[charge.reference]["asked"]["link_expiry_time"] = "2026-01-01T00:00:00+05:30"
    assert isinstance(await shop.connector.inquire(charge.reference), Unknown)


async def test_cashfree_sends_no_messages_about_its_page(shop: Shop) -> None:
    await at_checkout(shop)
    asked = shop.bank.bodies[-1]
    assert asked["link_notify"] == {"send_sms": False, "send_email": False}
    assert asked["link_meta"]["payment_methods"] == "cc,dc,ccc,ppc"


@pytest.mark.parametrize("fault", GARBAGE)
async def test_no_fault_on_the_way_to_a_page_declines(shop: Shop, fault: Fault) -> None:
    charge = new_charge()
    shop.bank.faults.extend([("/links", fault), ("/links", fault)])
    answer = await shop.connector.start_checkout(
        charge, method="card", return_url=RETURN_URL, expires_in_s=900, capture=True
    )
    assert isinstance(answer, Unknown | Redirect), answer
    shop.bank.faults.clear()
    assert isinstance(await shop.connector.inquire(charge.reference), Unknown | NothingThere)


# --- typed cards ---


async def test_a_typed_card_is_challenged_and_paid(shop: Shop) -> None:
    charge = new_charge()
    answer = await shop.connector.charge_card(charge, CARD, return_url=RETURN_URL, capture=True)
    assert isinstance(answer, Redirect)
    await press(answer.url, "SUCCESS")
    found = await shop.connector.inquire(charge.reference)
    assert isinstance(found, Approved)
    assert found.card is not None
    assert found.card.last4 == "1486"


async def test_a_card_number_is_kept_and_logged_nowhere(shop: Shop) -> None:
    with capture_logs() as logs:
        for fault in GARBAGE:
            shop.bank.faults.append(("/orders/sessions", fault))
            await shop.connector.charge_card(
                new_charge(), CARD, return_url=RETURN_URL, capture=True
            )
    assert CARD.number not in str(logs)
    assert CARD.number not in str(vars(shop.memory))


async def test_an_account_without_certification_takes_no_typed_card_and_holds_nothing() -> None:
    async with account() as shop:
        assert not isinstance(shop.connector, ChargesCards | CompletesAuthorisations)
        answer = await shop.connector.start_checkout(
            new_charge(), method="card", return_url=RETURN_URL, expires_in_s=900, capture=False
        )
        assert isinstance(answer, Declined)
        assert shop.bank.calls == []
