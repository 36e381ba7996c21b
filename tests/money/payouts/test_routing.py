"""Which provider pays a payout out: rails, hours, plans, costs, and a decision's time."""

from datetime import UTC, datetime, time, timedelta
from time import perf_counter

import pytest

from hundi.acquirers.plans.document import RoutingFaultCode
from hundi.acquirers.port.payouts import RailTerms
from hundi.acquirers.registry import Registry
from hundi.infra.postgres.database import Database
from hundi.kernel.records import replace
from hundi.money.payouts.routing import actions
from hundi.money.payouts.routing.document import read
from hundi.money.payouts.routing.rules import (
    NO_PLAN,
    PayoutCase,
    PayoutPlan,
    PayoutProvider,
    decide,
    is_open,
    why_none,
)
from hundi.money.payouts.rules import PayoutWay
from tests.acquirer import ScriptedAcquirer
from tests.money.payouts.till import LATER, SOON, Till
from tests.recording import BY
from tests.shop import NOW

MONDAY = datetime(2026, 11, 23, 6, 30, tzinfo=UTC)
"""Noon in India."""
IMPS = RailTerms("imps", 1, 5_00_000_00)
NEFT = RailTerms("neft", opens=time(2), closes=time(18), working_days=True)
RTGS = RailTerms("rtgs", 2_00_000_00, opens=time(7), closes=time(17, 30), working_days=True)
X = PayoutProvider("razorpayx", (IMPS, RTGS, NEFT))
C = PayoutProvider("cashfree_payouts", (IMPS, NEFT))
CARRIED = {each.name: each.rails for each in (X, C)}
CASE = PayoutCase(7, 215_000_000_000_001, 10_00_000_00, MONDAY)
PLAN = """
[[rules]]
name = "large-by-neft"
use = [{ acquirer = "cashfree_payouts" }]
then = ["razorpayx"]
rails = ["neft"]
when = { above_paise = 20000000, hours = [9, 17], weekdays = ["mon", "tue"] }

[[rules]]
name = "cheapest"
use = [{ acquirer = "razorpayx" }, { acquirer = "cashfree_payouts" }]
prefer = "cost"

[[costs]]
acquirer = "razorpayx"
rail = "imps"
fixed_paise = 300

[[costs]]
acquirer = "cashfree_payouts"
basis_points = 1
"""


async def test_a_trial_says_which_ways_payouts_take(db: Database) -> None:
    providers = [X, C]
    by_cost = await actions.try_plan(db, providers, plan(), 1_00_000_00, 7, MONDAY)
    ((ways, number),) = by_cost.ways
    assert (by_cost.rule, number, by_cost.why) == ("cheapest", actions.TRIED, "")
    assert [each.connector for each in ways] == ["razorpayx", "cashfree_payouts"]
    shared = plan(PLAN.replace('prefer = "cost"', 'prefer = "weight"'))
    by_weight = await actions.try_plan(db, providers, shared, 1_00_000_00, 7, MONDAY)
    assert sum(number for _, number in by_weight.ways) == actions.TRIED
    assert {ways[0].connector for ways, _ in by_weight.ways} == {"razorpayx", "cashfree_payouts"}
    large = await actions.try_plan(db, providers, plan(), 3_00_000_00, 7, MONDAY)
    assert (large.rule, large.ways[0][0][0].rail) == ("large-by-neft", "neft")
    none = await actions.try_plan(db, [], plan(), 1_00_000_00, 7, MONDAY)
    assert (none.rule, none.ways, none.why) == ("", (), "no provider pays out")
    unread = await actions.try_plan(db, providers, PayoutPlan(fault="x"), 100, 7, MONDAY)
    assert (unread.ways, "cannot be read: x" in unread.why) == ((), True)


def plan(text: str = PLAN) -> PayoutPlan:
    """Return a plan of a document."""
    got = read(text, CARRIED)
    assert isinstance(got, PayoutPlan), got
    return got


@pytest.mark.parametrize(
    ("terms", "hour", "working_day", "is_open_then"),
    [
        (NEFT, 12, True, True),
        (NEFT, 12, False, False),
        (NEFT, 1, True, False),
        (NEFT, 18, True, False),
        (IMPS, 3, False, True),
        (RailTerms("neft", opens=time(22), closes=time(6)), 23, True, True),
        (RailTerms("neft", opens=time(22), closes=time(6)), 12, True, False),
        (RailTerms("neft", opens=time(8)), 23, True, True),
    ],
)
def test_a_rail_has_hours_and_days(
    terms: RailTerms, hour: int, *, working_day: bool, is_open_then: bool
) -> None:
    at = MONDAY + timedelta(hours=hour - 12)
    assert is_open(terms, at, working_day=working_day) is is_open_then


def test_without_a_plan_the_configured_order_and_an_open_rail_count() -> None:
    assert decide(NO_PLAN, CASE, (X, C)) == (
        PayoutWay("razorpayx", "rtgs"),
        PayoutWay("cashfree_payouts", "neft"),
    )
    small = replace(CASE, amount_paise=100)
    assert decide(NO_PLAN, small, (C, X))[0] == PayoutWay("cashfree_payouts", "imps")
    night = replace(CASE, at=MONDAY + timedelta(hours=12))
    assert decide(NO_PLAN, night, (X,)) == (PayoutWay("razorpayx", "rtgs"),), "the provider queues"
    away = replace(X, reachable=False)
    assert [each.connector for each in decide(NO_PLAN, small, (away, C))] == [
        "cashfree_payouts",
        "razorpayx",
    ]
    assert decide(NO_PLAN, CASE, (PayoutProvider("imps_only", (IMPS,)),)) == ()


def test_a_plan_orders_by_amount_hour_rail_and_cost() -> None:
    assert decide(plan(), CASE, (X, C)) == (
        PayoutWay("cashfree_payouts", "neft"),
        PayoutWay("razorpayx", "neft"),
    )
    sunday = replace(CASE, at=MONDAY - timedelta(days=1))
    assert decide(plan(), sunday, (X, C))[0].connector == "cashfree_payouts", (
        "the other has no cost"
    )
    small = replace(CASE, amount_paise=1_00_000)
    assert [each.connector for each in decide(plan(), small, (X, C))] == [
        "cashfree_payouts",
        "razorpayx",
    ]
    assert decide(
        plan(),
        replace(small, amount_paise=4_00_000_00, at=MONDAY + timedelta(hours=6)),
        (
            X,
            C,
        ),
    )[0] == PayoutWay("razorpayx", "imps"), "0.01% is more than Rs 3"


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (("razorpayx", "nobody"), RoutingFaultCode.UNKNOWN_VALUE),
        (('rails = ["neft"]', 'rails = ["upi"]'), RoutingFaultCode.UNKNOWN_VALUE),
        (('rails = ["neft"]', 'rails = ["neft", "neft"]'), RoutingFaultCode.DUPLICATE),
        (("hours = [9, 17]", "hours = [9, 9]"), RoutingFaultCode.OUT_OF_RANGE),
        (('name = "cheapest"', 'name = "large-by-neft"'), RoutingFaultCode.DUPLICATE),
        (("fixed_paise", "fixed_rupees"), RoutingFaultCode.WRONG_SHAPE),
        (("[[rules]]", "[rules"), RoutingFaultCode.UNREADABLE),
        (
            ("above_paise = 20000000", "above_paise = 2, up_to_paise = 1"),
            RoutingFaultCode.CONTRADICTION,
        ),
    ],
)
def test_a_fault_of_a_plan_is_named(change: tuple[str, str], code: RoutingFaultCode) -> None:
    got = read(PLAN.replace(*change), CARRIED)
    assert not isinstance(got, PayoutPlan)
    assert code in {each.code for each in got}, got


def test_a_decision_takes_less_than_a_fifth_of_a_millisecond() -> None:
    big = "".join(
        PLAN[: PLAN.index("[[costs]]")]
        .replace("large-by-neft", f"a{number}")
        .replace("cheapest", f"b{number}")
        .replace("weekdays = [", "merchants = [999], weekdays = [")
        for number in range(25)
    )
    rules = plan(big + PLAN[PLAN.index("[[costs]]") :])
    began = perf_counter()
    for number in range(1_000):
        decide(rules, replace(CASE, payout_id=number + 1), (X, C))
    assert (perf_counter() - began) / 1_000 < 0.000_2 * 5, "with room for a busy machine"


ONLY = """
[[rules]]
name = "own-account"
use = [{ acquirer = "cashfree_payouts" }]
only = true
when = { merchants = [7] }
"""


def test_a_rule_alone_opens_no_other_provider() -> None:
    document = plan(ONLY)
    assert [each.connector for each in decide(document, CASE, (X, C))] == ["cashfree_payouts"]
    assert decide(document, CASE, (X,)) == (), "its provider is disabled"
    assert why_none(document, CASE, (X,)) == (
        "rule own-account: none of its providers carries it: cashfree_payouts"
    )
    open_rule = plan(ONLY.replace("only = true\n", ""))
    assert [each.connector for each in decide(open_rule, CASE, (X,))] == ["razorpayx"]
    assert [each.connector for each in decide(document, replace(CASE, merchant_id=8), (X,))] == [
        "razorpayx"
    ]


def test_why_there_is_no_way_is_told() -> None:
    small = replace(CASE, amount_paise=1_00)
    by_rtgs = plan('[[rules]]\nname = "a"\nuse = [{ acquirer = "razorpayx" }]\nrails = ["rtgs"]')
    assert decide(by_rtgs, small, (X, C)) == ()
    assert why_none(by_rtgs, small, (X, C)) == "rule a: no provider carries the amount over rtgs"
    assert why_none(NO_PLAN, CASE, ()) == "no provider pays out"
    imps = PayoutProvider("imps_only", (IMPS,))
    assert why_none(NO_PLAN, CASE, (imps,)) == "no provider carries the amount"
    unread = PayoutPlan(version=3, fault="rules[0]: odd")
    assert decide(unread, CASE, (X, C)) == (), "no other order is taken instead"
    assert why_none(unread, CASE, (X, C)) == (
        "version 3 of the plan of payouts cannot be read: rules[0]: odd"
    )


def test_a_merchant_is_paid_by_its_own_account_first_and_nobody_else() -> None:
    own = replace(C, merchants=(7,))
    small = replace(CASE, amount_paise=1_00_000)
    names = [each.connector for each in decide(NO_PLAN, small, (X, own))]
    assert names == ["cashfree_payouts", "razorpayx"]
    other = replace(small, merchant_id=8)
    assert [each.connector for each in decide(NO_PLAN, other, (X, own))] == ["razorpayx"]
    assert why_none(NO_PLAN, other, (own,)) == "no provider pays out"


NEVER = """
[[rules]]
name = "never"
use = [{ acquirer = "razorpayx" }]
then = ["cashfree_payouts"]
rails = ["rtgs"]
when = { up_to_paise = 20000000 }
"""


@pytest.mark.parametrize(
    ("change", "field"),
    [
        (("up_to_paise = 20000000", "up_to_paise = 19999999"), "rails"),
        (('rails = ["rtgs"]\n', 'rails = ["imps"]\n'), ""),
        (("up_to_paise = 20000000", "above_paise = 50000000"), ""),
        (("", ""), ""),
        (("razorpayx", "upi_alone"), "rails"),
    ],
)
def test_a_rule_by_which_nothing_can_leave_is_refused(change: tuple[str, str], field: str) -> None:
    got = read(NEVER.replace(*change), {**CARRIED, "upi_alone": ()})
    faults = [] if isinstance(got, PayoutPlan) else got
    assert [(each.code, each.rule, each.field) for each in faults] == (
        [(RoutingFaultCode.CARRIES_NOTHING, "never", field)] if field else []
    )


async def test_a_plan_that_is_published_decides(till: Till) -> None:
    second = ScriptedAcquirer("second")
    till.context = replace(
        till.context,
        connectors=Registry([till.bank, second]),
        router=actions.PayoutRouter(),
    )
    document = '[[rules]]\nname = "all"\nuse = [{ acquirer = "second" }]\n'
    names = dict.fromkeys(("sandbox", "second"), second.payout_rails)
    assert await actions.publish(till.db, document, names, BY, NOW) == 1
    assert await actions.publish(till.db, document, names, BY, NOW, seen=1) == 2
    faults = await actions.publish(till.db, document, names, BY, NOW, seen=1)
    assert not isinstance(faults, int)
    assert [each.code for each in faults] == [RoutingFaultCode.PUBLISHED_MEANWHILE]
    payout = await till.approved()
    await till.work(SOON)
    assert (await till.again(payout)).sent_by == "second"
    assert till.bank.paid_out == []
    assert await till.broken(LATER) == set()


async def test_a_provider_that_takes_nothing_new_gets_none(till: Till) -> None:
    member = replace(Registry([till.bank]).members[0], takes_new=False)
    registry = Registry(())
    registry.take([member])
    assert actions.paying(registry) == ()
