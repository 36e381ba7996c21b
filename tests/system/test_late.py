"""What comes too late: ended sessions and codes, late successes, two codes, silent banks.

One gateway of its own, whose clock is moved on to the ends of its orders.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import httpx
import pytest

from tests.bent import moved
from tests.conftest import NewFolder
from tests.system.browser import Browser, Screen, read_screen
from tests.system.conftest import open_shop
from tests.system.endpoint import MerchantServer
from tests.system.envelopes import PAGE, Sender, form, order
from tests.system.running import RunningGateway, until
from tests.system.shop import (
    AMOUNT_PAISE,
    PAID_POSTING,
    VISA,
    Shop,
    enter_card,
    enter_otp,
    new_order_id,
    pay_card,
    scan,
)
from tests.system.test_subscription_year import DAY_S, advance

QR_S, SESSION_S, CHALLENGE_S = 600, 3_600, 1_200
TOKEN_S = 4
"""Tokens live by the world's clock, so their end is waited for."""
EXCESS = ("overpaid", "receivable:sandbox", "owed_back", AMOUNT_PAISE)


@pytest.fixture(scope="module")
def hasty(new_folder: NewFolder) -> Iterator[RunningGateway]:
    """A gateway whose clock nobody else needs."""
    lives = {
        "HUNDI_QR_SECONDS": QR_S,
        "HUNDI_SESSION_SECONDS": SESSION_S,
        "HUNDI_TOKEN_SECONDS": TOKEN_S,
    }
    lives |= {"HUNDI_SIMBANK_CHALLENGE_SECONDS": CHALLENGE_S}
    with RunningGateway(
        new_folder("hasty"), **{name: str(value) for name, value in lives.items()}
    ) as running:
        yield running
        running.audit()


@pytest.fixture(scope="module")
def keeper(hasty: RunningGateway, server: MerchantServer) -> Iterator[Shop]:
    """A merchant that keeps late payments."""
    yield from open_shop(hasty, server, "keeper", late_success="keep")


@pytest.fixture(scope="module")
def refunder(hasty: RunningGateway, server: MerchantServer) -> Iterator[Shop]:
    """A merchant that gives late payments back."""
    yield from open_shop(hasty, server, "refunder", late_success="refund")


@dataclass(frozen=True)
class Begun:
    """An order whose page was opened, and its first code."""

    shop: Shop
    order_id: str
    screen: Screen

    @property
    def first_link(self) -> str:
        """Return the link of the first QR."""
        return self.screen.upi_link


@pytest.fixture(scope="module", autouse=True)
def begun(keeper: Shop, refunder: Shop) -> Mapping[str, Begun]:
    """Orders that are opened before the first test and left alone, by the test they are for."""
    wanted = dict.fromkeys(("look", "keep", "app", "reopen", "twice", "renew"), keeper) | {
        "refund": refunder
    }
    found: dict[str, Begun] = {}
    with Browser() as browser:
        for name, shop in wanted.items():
            order_id = new_order_id()
            found[name] = Begun(shop, order_id, shop.open_page(browser, order_id))
    return found


@pytest.fixture(scope="module")
def over(begun: Mapping[str, Begun], keeper: Shop) -> Mapping[str, Begun]:
    """The same orders once their sessions have ended."""
    advance(keeper.gateway, SESSION_S)
    for each in begun.values():
        each.shop.becomes(each.order_id, 402)
    return begun


def test_a_code_that_ended_is_renewed_on_the_page(
    begun: Mapping[str, Begun], browser: Browser
) -> None:
    one = begun["renew"]
    assert browser.get(one.screen.url).upi_link == one.first_link
    advance(one.shop.gateway, QR_S)
    ended = browser.get(one.screen.url)
    assert not ended.offers("upi://")
    renewed = browser.submit(ended.form("/qr"))
    assert renewed.upi_link != one.first_link
    assert len(one.shop.attempts(one.order_id)) == 2


def test_an_expired_token_is_105_and_the_sdk_gets_a_new_one(
    hasty: RunningGateway, keeper: Shop
) -> None:
    with httpx.Client(trust_env=False) as http:
        sender = Sender(hasty.base_url, http)

        def used() -> str | None:
            fresh = sender.token(keeper.merchant)
            return (
                fresh
                if sender.verify(keeper.merchant, {"orderid": "x"}, token=fresh).code == "503"
                else None
            )

        token = until(used, "a token to be used while it lives")
        refused = until(
            lambda: (
                (reply := sender.verify(keeper.merchant, {"orderid": "x"}, token=token)).code
                != "503"
                and reply
            ),
            "the token to expire",
        )
        assert (refused.code, refused.message, refused.status) == (
            "105",
            "The access token has expired",
            200,
        )
        page = sender.raw(PAGE, form(keeper.merchant.envelope(order("EXPIRED"))), token=token)
        assert read_screen(page).codes[0] == "105"
    assert hasty.value("SELECT count(*) FROM payments WHERE order_id = 'EXPIRED'") == 0


def test_a_challenge_nobody_confirms_ends_without_a_charge(keeper: Shop, browser: Browser) -> None:
    order_id = new_order_id()
    challenge = enter_card(browser, keeper.open_page(browser, order_id))
    assert challenge.path.startswith("/3ds/")
    for ends_s in (CHALLENGE_S, SESSION_S):
        advance(keeper.gateway, ends_s)
    until(lambda: keeper.verify(order_id).status_code != 211, "the challenge to end")
    told = keeper.verify(order_id)
    assert (told.status_code, told.payment_status) in {(400, "FAIL"), (405, "FAIL")}
    assert keeper.hears_event(order_id, "failed").transaction == told
    # The one-time password that comes after all buys nothing.
    enter_otp(browser, challenge)
    assert (keeper.postings(order_id), keeper.bank_debits(order_id)) == ([], [])


def test_a_bank_that_never_answers_is_403_and_not_a_failure_and_may_still_pay(
    hasty: RunningGateway, keeper: Shop, browser: Browser
) -> None:
    """The three days are skipped by an older row; everything else is as it happens."""
    order_id = new_order_id()
    screen = keeper.open_page(browser, order_id)
    hasty.inject_faults(lose_request=1.0, late_success_s=DAY_S)
    with hasty.unsealed():
        try:
            scan(hasty, screen.upi_link, "pending@hundi")
            until(lambda: browser.get(screen.url).at == "waiting", "the bank's first word")
            asked = f"""UPDATE attempts SET inquiries = 13, inquire_at = now(),
                created_at = {moved("created_at", "-72 hours")}
                WHERE merchant_id = $1 AND attempt_id = $2 RETURNING state"""
            assert (
                hasty.value(
                    asked, keeper.merchant.number, keeper.attempts(order_id)[0]["attempt_id"]
                )
                == "pending"
            )
            advance(hasty, SESSION_S)
            told = keeper.becomes(order_id, 403)
            assert (told.payment_status, told.is_failed, told.is_paid, told.is_pending) == (
                "INPROCESS",
                False,
                False,
                True,
            )
            waiting = browser.get(screen.url)
            assert not waiting.offers("/card")
            assert keeper.endpoint.about(keeper.merchant, order_id) == []
            # Then the bank's word comes after all.
            hasty.make_late_successes_due()
            heard = keeper.hears_event(order_id, "late_success")
        finally:
            hasty.inject_faults()
        hasty.rows(
            (
                f"UPDATE attempts SET created_at = {moved('created_at', '72 hours')} WHERE"
                " attempt_id = $1"
            ),
            keeper.attempts(order_id)[0]["attempt_id"],
        )
    assert heard.transaction.is_paid
    assert keeper.postings(order_id) == PAID_POSTING
    assert browser.get(screen.url).at == "result"


def test_a_decline_that_turns_into_a_success_is_a_late_success(
    hasty: RunningGateway, keeper: Shop, browser: Browser
) -> None:
    """The page was paid by card meanwhile, and the late success becomes an excess."""
    first, second = new_order_id(), new_order_id()
    hasty.inject_faults(late_success_s=DAY_S)
    try:
        pages = {each: keeper.open_page(browser, each) for each in (first, second)}
        for each in (first, second):
            assert scan(hasty, pages[each].upi_link, "decline@hundi")["code"] == "ZA"
            # The app knows before we do, and whoever goes back then is told of no decline.
            keeper.declined(each, "ZA")
        keeper.goes_back(browser, pages[first], first)
        paid = pay_card(browser, browser.get(pages[second].url))
        assert paid.at == "result", paid.text
        hasty.make_late_successes_due()
        assert keeper.hears_event(first, "late_success").transaction.is_paid
        assert keeper.hears_event(second, "excess_payment").transaction.channel == "upi"
        # A later test moves the clock on, and what is owed for an hour and not given back is a
        # fault.
        until(lambda: keeper.bank_refunds(second), "the excess payment to be given back")
    finally:
        hasty.inject_faults()
    assert keeper.postings(first) == PAID_POSTING
    assert sorted(keeper.postings(second)) == sorted([*PAID_POSTING, EXCESS])


def test_a_session_that_ended_says_so_everywhere(
    over: Mapping[str, Begun], browser: Browser
) -> None:
    one = over["look"]
    told = one.shop.verify(one.order_id)
    assert (told.status_code, told.payment_status, told.channel, told.is_paid) == (
        402,
        "INCOMPLETE",
        "",
        False,
    )
    screen = browser.get(one.screen.url)
    assert screen.at == "over"
    assert not screen.offers("/card")
    assert one.shop.come_back(screen, one.order_id).transaction == told
    assert screen.forms[0].action.endswith("/keeper/unpaid")
    # Posting to it all the same begins nothing.
    for tail in ("/qr", "/card", "/vpa"):
        typed = {"number": VISA, "expiry": "12/40", "cvv": "123", "vpa": "success@hundi"}
        assert browser.post(one.screen.url + tail, typed).at == "over"
    assert (
        one.shop.events(one.order_id)[-1] == "expired"
        or "expired" in one.shop.payment(one.order_id)["state"]
    )
    assert [each["state"] for each in one.shop.attempts(one.order_id)] == ["expired"]
    assert one.shop.endpoint.about(one.shop.merchant, one.order_id) == []
    assert one.shop.postings(one.order_id) == []


def test_an_app_refuses_an_expired_code_by_itself(
    over: Mapping[str, Begun], hasty: RunningGateway
) -> None:
    one = over["app"]
    answer = scan(hasty, one.first_link)
    assert (answer["status"], answer["code"]) == ("declined", "U69")
    assert one.shop.bank_debits(one.order_id) == []
    assert one.shop.verify(one.order_id).status_code == 402


def test_a_late_success_is_recorded_posted_told_and_kept(
    over: Mapping[str, Begun], hasty: RunningGateway, browser: Browser
) -> None:
    """The customer scanned in time and approved late: the money moved, so it counts."""
    one = over["keep"]
    assert scan(hasty, one.first_link, ignore_expiry=True)["status"] == "success"
    heard = one.shop.hears_event(one.order_id, "late_success")
    told = one.shop.verify(one.order_id)
    assert (told.status_code, told.payment_status, told.is_paid) == (200, "SUCCESS", True)
    assert heard.transaction == told
    assert one.shop.postings(one.order_id) == PAID_POSTING
    screen = browser.get(one.screen.url)
    assert screen.at == "result"
    assert one.shop.come_back(screen, one.order_id).transaction == told
    assert one.shop.bank_debits(one.order_id) == [(AMOUNT_PAISE, "done")]


def test_a_late_success_is_owed_back_where_that_is_the_policy(
    over: Mapping[str, Begun], hasty: RunningGateway
) -> None:
    one = over["refund"]

    def nothing_owed() -> bool:
        return hasty.audit()["figures"]["owed_back_paise"] == 0

    until(nothing_owed, "what other tests left to be given back")
    scan(hasty, one.first_link, ignore_expiry=True)
    one.shop.hears_event(one.order_id, "late_success")
    assert sorted(one.shop.postings(one.order_id)) == sorted(
        [*PAID_POSTING, ("late_refund_due", "payable", "owed_back", AMOUNT_PAISE)]
    )
    # And it goes back by itself, once.
    until(lambda: one.shop.bank_refunds(one.order_id), "the late payment to be given back")
    one.shop.hears_event(one.order_id, "refund_done")
    assert one.shop.bank_refunds(one.order_id) == [(AMOUNT_PAISE, "done")]
    report = hasty.audit()
    assert report["figures"]["owed_back_paise"] == 0
    assert report["notes"]["owed_back"] >= 1
    # Said once, however often the bank repeats itself.
    assert [each.event for each in one.shop.endpoint.about(one.shop.merchant, one.order_id)] == [
        "late_success",
        "refund_done",
    ]


def test_the_same_order_sent_again_after_expiry_opens_the_same_payment_again(
    over: Mapping[str, Begun], hasty: RunningGateway, browser: Browser
) -> None:
    one = over["reopen"]
    again = one.shop.open_page(browser, one.order_id)
    assert again.url == one.screen.url
    assert again.at == "choose"
    assert again.upi_link != one.first_link
    scan(hasty, again.upi_link)
    told = one.shop.becomes(one.order_id, 200)
    assert told.transaction_id == str(one.shop.payment(one.order_id)["payment_id"])
    assert one.shop.hears_event(one.order_id, "paid").transaction == told


def test_two_codes_of_one_order_both_paid_is_one_success_and_one_excess(
    over: Mapping[str, Begun], hasty: RunningGateway, browser: Browser
) -> None:
    one = over["twice"]
    again = one.shop.open_page(browser, one.order_id)
    scan(hasty, again.upi_link)
    one.shop.hears_event(one.order_id, "paid")
    before = hasty.audit()["figures"]["owed_back_paise"]
    assert scan(hasty, one.first_link, "other@hundi", ignore_expiry=True)["status"] == "success"
    heard = one.shop.hears_event(one.order_id, "excess_payment")
    # The order is paid once, by the first; what came on top is the customer's.
    told = one.shop.verify(one.order_id)
    assert (told.status_code, told.customer_vpa) == (200, "success@hundi")
    excess = heard.transaction
    assert (excess.status_code, excess.detailed_status, excess.is_paid) == (211, "EXCESS", False)
    assert (excess.customer_vpa, excess.rrn == told.rrn) == ("other@hundi", False)
    assert sorted(one.shop.postings(one.order_id)) == sorted([*PAID_POSTING, EXCESS])
    assert one.shop.bank_debits(one.order_id) == [(AMOUNT_PAISE, "done")] * 2
    # And it goes back by itself, once.
    until(lambda: one.shop.bank_refunds(one.order_id), "the excess to be given back")
    one.shop.hears_event(one.order_id, "excess_refunded")
    assert one.shop.bank_refunds(one.order_id) == [(AMOUNT_PAISE, "done")]
    report = hasty.audit()
    assert report["figures"]["owed_back_paise"] == before
    assert report["notes"]["owed_back"] >= 1
    screen = browser.get(one.screen.url)
    assert "A second payment of ₹1,499.50 arrived" in screen.text
    shown = hasty.operate("payment", "show", one.shop.merchant.merchant_id, one.order_id)
    assert sorted(each["why"] for each in shown["postings"]) == [
        "overpaid",
        "payment",
        "refund_begun",
        "refund_done",
    ]
