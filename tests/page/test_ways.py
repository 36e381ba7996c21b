"""Order, open row, fold and absence of the ways to pay."""

import pytest

from hundi.instruments.surcharge import Surcharge
from hundi.kernel.money import Money
from hundi.kernel.states import AttemptState as A
from hundi.kernel.states import PaymentState as P
from hundi.page import rules
from hundi.page.facts import Lists, Typed
from hundi.payments.availability.rules import EmiChoice
from hundi.payments.saved_cards.rules import StoredCard
from tests.page import views

TEN = ("upi", "pg", "nb", "ppc", "payltr", "emi", "btqr", "va", "remit", "cash")
USES = {"upi": 700, "pg": 200, "nb": 60, "ppc": 30, "va": 10}
WITH_PLANS = EmiChoice(elsewhere=True)
SAVED = (StoredCard(7, "card_1", "c-1", views.NOW, views.paid_by_card().attempts[-1]),)


def choose(*attempts, lists=None, page=None, merchant=None, state=P.OPEN, **changes):
    view = views.view(state, *attempts, **({"channels": ("upi", "pg")} | changes))
    return rules.choose(
        view, merchant or views.merchant(), page or views.page(), lists=lists or Lists()
    )


def test_the_merchants_order_stands_and_its_first_row_is_open():
    screen = choose(channels=("pg", "upi"))
    assert (screen.order, screen.opened) == (("pg", "upi"), "card")


def test_a_saved_card_comes_first_and_is_open():
    screen = choose(lists=Lists(saved=SAVED))
    assert (screen.order, screen.opened) == (("pg", "upi"), "card")
    assert [each.label for each in screen.card.saved] == ["Visa card ending 1111, Bank"]


def test_a_saved_card_gives_way_to_what_the_customer_began():
    lists = Lists(saved=SAVED)
    refused = views.attempt("upi_collect", A.FAILED)
    assert choose(refused, lists=lists, method="upi").opened == "vpa"
    typed = Typed("vpa", vpa="asha")
    assert choose(lists=lists, page=views.page(typed=typed)).opened == "vpa"
    voucher = views.attempt("cash_voucher", A.OFFERED)
    assert choose(voucher, lists=lists, channels=("upi", "pg", "cash")).opened == "cash"


def test_cards_that_the_order_does_not_take_open_nothing():
    screen = choose(lists=Lists(saved=SAVED), channels=("upi", "nb"))
    assert (screen.order, screen.opened) == (("upi", "nb"), "upi")


def test_rare_ways_are_folded_at_the_end():
    screen = choose(lists=Lists(uses=USES, emi=WITH_PLANS), channels=TEN)
    assert screen.rare == ("payltr", "emi", "btqr", "va", "remit", "cash")
    assert screen.order == TEN
    reordered = choose(lists=Lists(uses={**USES, "cash": 400}, emi=WITH_PLANS), channels=TEN)
    assert reordered.order[:4] == ("upi", "pg", "nb", "cash")
    assert "ppc" in reordered.rare


@pytest.mark.parametrize(
    ("uses", "channels"),
    [
        ({}, TEN),
        ({"upi": 49}, TEN),
        (USES, ("upi", "pg", "nb", "ppc", "va")),
        (USES, ("cash",)),
        (dict.fromkeys(TEN, 100), TEN),
    ],
    ids=["nobody paid yet", "too few to know", "one rare way", "the only way", "none is rare"],
)
def test_nothing_is_folded(uses: dict[str, int], channels: tuple[str, ...]):
    screen = choose(lists=Lists(uses=uses, emi=WITH_PLANS), channels=channels)
    assert (screen.rare, screen.order) == ((), channels)


def test_what_the_customer_began_is_never_folded():
    lists = Lists(uses=USES, emi=WITH_PLANS)
    voucher = views.attempt("cash_voucher", A.OFFERED)
    screen = choose(voucher, lists=lists, channels=TEN)
    assert screen.opened == "cash"
    assert "cash" not in screen.rare
    failed = views.attempt("pay_later", A.FAILED, bank="LAZY")
    assert "payltr" not in choose(failed, lists=lists, channels=TEN, method="payltr").rare


@pytest.mark.parametrize(
    ("paise", "offered", "channels", "absent"),
    [
        (149_950, ("upi", "pg"), ("upi", "pg"), ()),
        (
            1_00_000_01,
            ("upi", "btqr", "pg"),
            ("pg",),
            ("UPI takes at most ₹1,00,000.00 in one payment, so it is not offered here.",),
        ),
        (
            50_000_01,
            ("upi", "cash"),
            ("upi",),
            ("Cash at a shop takes at most ₹50,000.00 in one payment, so it is not offered here.",),
        ),
        (
            149_950,
            ("upi", "rtgs"),
            ("upi",),
            ("RTGS takes ₹2,00,000.00 or more, so it is not offered here.",),
        ),
        (
            149_950,
            ("upi", "emi"),
            ("upi", "emi"),
            ("Card EMI: no bank offers instalments for this amount.",),
        ),
        (149_950, ("upi", "nb"), ("upi",), ()),
    ],
)  # fmt: skip
def test_an_absent_way_has_a_reason_if_it_is_the_amount(
    paise: int, offered: tuple[str, ...], channels: tuple[str, ...], absent: tuple[str, ...]
):
    merchant = views.merchant(channels=offered)
    screen = choose(merchant=merchant, channels=channels, amount=Money(paise))
    assert screen.absent == absent


def test_a_fee_counts_towards_the_limit():
    fees = {"cash": Surcharge(flat_paise=2_00)}
    merchant = views.merchant(channels=("upi", "cash"), surcharges=fees)
    assert len(choose(merchant=merchant, channels=("upi",), amount=Money(49_999_00)).absent) == 1


def test_another_currency_is_for_cards_and_says_nothing_of_limits():
    merchant = views.merchant(channels=("upi", "pg", "rtgs"))
    amount = Money(9_99_999_00, "USD")
    assert choose(merchant=merchant, channels=("pg",), amount=amount).absent == ()


def test_the_day_of_a_deadline_is_named_unless_it_is_today():
    soon = choose().summary.until
    later = choose(expires_at=views.NOW.replace(day=28)).summary.until
    assert (soon, later) == ("14:20 IST", "28 Nov 2026, 14:05 IST")
    # Within a day, and yet tomorrow in India.
    tonight = views.page(now=views.NOW.replace(hour=18, minute=20))
    ends = views.NOW.replace(hour=18, minute=35)
    assert choose(page=tonight, expires_at=ends).summary.until == "21 Nov 2026, 00:05 IST"
