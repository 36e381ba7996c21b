"""A rule set tried on past payments.

What it would have stopped, counted as it would have been then.
"""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from hundi.kernel.records import replace
from hundi.payments.risk.document import read
from hundi.payments.risk.replay.rules import PastRiskTry, replay
from hundi.payments.risk.rules import Facts, RuleSet

AT = datetime(2026, 11, 20, 8, 0, tzinfo=UTC)


def rules(*conditions: str, action: str = "block") -> RuleSet:
    found = read(
        f'rules = [{{name = "one", action = "{action}", when = [{", ".join(conditions)}]}}]'
    )
    assert isinstance(found, RuleSet)
    return found


def tried(
    minute: float, outcome: str = "failed", card: str = "c1", order: str = "o"
) -> PastRiskTry:
    """Return a try whose outcome was known ten seconds later."""
    at = AT + timedelta(minutes=minute)
    facts = Facts(100, channel="pg", card=card, ip_address="203.0.113.7", merchant="1")
    return PastRiskTry(facts, at, outcome, at + timedelta(seconds=10), order)


def test_a_rule_says_what_it_would_have_stopped() -> None:
    past = [tried(place, card=f"c{place}", order=f"o{place}") for place in range(5)]
    past += [tried(5, "paid", "c9", "o9"), tried(200, "paid", "c9", "o10")]
    found = replay(
        rules('{count = "declined_cards", by = "ip_address", within = "1h", at_least = 3}'),
        list(reversed(past)),
    )
    (one,) = found.rules
    assert (found.tries, found.by_action["block"], found.by_action["allow"]) == (7, 3, 4)
    assert (one.tries, one.declined, one.paid, one.orders) == (3, 2, 1, ["o3", "o4", "o9"])
    assert found.paid_lost == 1


def test_a_decline_counts_from_when_it_was_known() -> None:
    rule = rules('{count = "declines", by = "card", within = "1h", at_least = 1}')
    at_once = [tried(0), replace(tried(0.1), ended_at=None)]
    assert replay(rule, at_once).by_action["block"] == 0
    assert replay(rule, [tried(0), tried(0.2)]).by_action["block"] == 1


def test_an_amount_counts_until_it_is_declined() -> None:
    rule = rules(
        '{count = "amount_paise", by = "merchant", within = "1d", above = 200}', action="hold"
    )
    assert replay(rule, [tried(0, "paid"), tried(1), tried(2, "paid")]).by_action["hold"] == 0
    held = replay(rule, [tried(0, "paid"), tried(1, "paid"), tried(2, "paid")])
    assert (held.by_action["hold"], held.paid_lost) == (1, 0)


def test_blocked_tries_of_the_past_count_as_tries() -> None:
    rule = rules('{count = "tries", by = "ip_address", within = "1h", at_least = 3}')
    assert (
        replay(rule, [tried(0, "blocked"), tried(1, "blocked"), tried(2)]).by_action["block"] == 1
    )
    assert replay(rule, [tried(0), tried(1), tried(90)]).by_action["block"] == 0


@given(
    minutes=st.lists(st.integers(0, 300), max_size=30),
    within=st.integers(1, 120),
    least=st.integers(1, 5),
)
def test_tries_are_counted_as_by_hand(minutes, within, least) -> None:
    rule = rules(f'{{count = "tries", by = "card", within = "{within}m", at_least = {least}}}')
    in_time = sorted(minutes)
    expected = sum(
        sum(minute - within <= before for before in in_time[: place + 1]) >= least
        for place, minute in enumerate(in_time)
    )
    assert replay(rule, [tried(each) for each in minutes]).by_action["block"] == expected
