"""What rule sets decide.

The severest action, an `allow` that ends its own set, and the same answer every time.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import fields

from hundi.kernel.records import replace
from hundi.payments.risk.counting.rules import device_of, subjects_of
from hundi.payments.risk.document import read
from hundi.payments.risk.rules import (
    NOTHING_SAID,
    Action,
    Facts,
    Metric,
    RiskCount,
    RiskVerdict,
    RuleSet,
    Subject,
    decide,
    needed,
)

CARD_TRY = Facts(
    amount_paise=149_950,
    channel="pg",
    method="card",
    card="f1",
    ip_address="203.0.113.7",
    order="900",
)
DECLINED_BY_IP = RiskCount(Metric.DECLINED_CARDS, Subject.IP_ADDRESS, 60)


def rule_set(*rules: str, owner: int = 0, version: int = 1) -> RuleSet:
    """Return a rule set of rules, each written as `action condition, condition`."""
    written = [f'[[rules]]\nname = "r{place}"\n{rule}' for place, rule in enumerate(rules)]
    found = read("\n".join(written) or "rules = []", owner=owner, version=version)
    assert isinstance(found, RuleSet), found
    return found


def rule(action: str, *conditions: str) -> str:
    return f'action = "{action}"\nwhen = [{", ".join(conditions)}]'


MANY_DECLINED = '{count = "declined_cards", by = "ip_address", within = "1h", at_least = 5}'
LARGE = '{field = "amount_paise", above = 100000}'
BY_CARD = '{field = "channel", is = "pg"}'


def test_without_rules_everything_is_allowed() -> None:
    assert decide((), CARD_TRY, {}) == NOTHING_SAID
    assert decide((rule_set(),), CARD_TRY, {}).action is Action.ALLOW


def test_the_severest_rule_decides_and_says_why() -> None:
    rules = rule_set(
        rule("hold", LARGE), rule("block", MANY_DECLINED), rule("challenge", BY_CARD), version=7
    )
    said = decide((rules,), CARD_TRY, {DECLINED_BY_IP: 6})
    words = "declined_cards by ip_address within 1h at least 5 (it is 6)"
    assert said == RiskVerdict(Action.BLOCK, "r1", 0, 7, words)
    assert decide((rules,), CARD_TRY, {DECLINED_BY_IP: 4}).rule == "r0"


def test_all_conditions_of_a_rule_have_to_hold() -> None:
    rules = rule_set(rule("block", LARGE, BY_CARD, MANY_DECLINED))
    counts = {DECLINED_BY_IP: 5}
    assert decide((rules,), CARD_TRY, counts).action is Action.BLOCK
    assert decide((rules,), replace(CARD_TRY, amount_paise=100_000), counts) == NOTHING_SAID
    assert decide((rules,), replace(CARD_TRY, channel="nb"), counts) == NOTHING_SAID


def test_an_allow_ends_its_own_set_and_not_the_operators() -> None:
    merchants = rule_set(
        rule("block", LARGE), rule("allow", '{field = "email_domain", is = "asha.in"}'), owner=12345
    )
    known = replace(CARD_TRY, email="Owner@ASHA.in")
    assert decide((merchants,), known, {}).action is Action.ALLOW
    assert decide((merchants,), CARD_TRY, {}).action is Action.BLOCK
    operators = rule_set(rule("hold", LARGE))
    assert decide((operators, merchants), known, {}) == RiskVerdict(
        Action.HOLD, "r0", 0, 1, "amount_paise above 100000"
    )


def test_a_count_of_a_subject_that_the_try_has_not_never_holds() -> None:
    rules = rule_set(
        rule("block", '{count = "declines", by = "email", within = "1h", at_most = 3}')
    )
    assert decide((rules,), CARD_TRY, {}) == NOTHING_SAID
    assert (
        decide((rules,), CARD_TRY, {RiskCount(Metric.DECLINES, Subject.EMAIL, 60): 0}).action
        is Action.BLOCK
    )


@pytest.mark.parametrize(
    ("condition", "matching", "other"),
    [
        (
            '{field = "ip_address", in = ["203.0.113.0/24", "2001:db8::/32"]}',
            "203.0.113.9",
            "203.0.114.9",
        ),
        (
            '{field = "ip_address", in = ["203.0.113.0/24", "2001:db8::/32"]}',
            "2001:db8::9",
            "2001:db9::9",
        ),
        ('{field = "ip_address", in = ["203.0.113.0/24"]}', "::ffff:203.0.113.9", "not an address"),
        ('{field = "ip_address", not_in = ["203.0.113.0/24"]}', "198.51.100.1", "203.0.113.9"),
        ('{field = "card_bin", starts_with = "4111"}', "411111", "400000"),
        ('{field = "upi_handle", in = ["badbank"]}', "x@BadBank", "x@goodbank"),
        ('{field = "upi_address", ends_with = "@hundi"}', "x@hundi", "hundi@x"),
        ('{field = "email", is_not = ""}', "a@b.in", ""),
        ('{field = "bank", not_in = ["HDFC"]}', "ICIC", "hdfc"),
    ],
)
def test_each_comparison(condition: str, matching: str, other: str) -> None:
    rules = rule_set(rule("block", condition))
    name = rules.rules[0].on_facts[0].field.replace("upi_handle", "upi_address")
    assert decide((rules,), replace(CARD_TRY, **{name: matching}), {}).action is Action.BLOCK
    assert decide((rules,), replace(CARD_TRY, **{name: other}), {}).action is Action.ALLOW


def test_only_counts_that_can_still_decide_are_needed() -> None:
    rules = rule_set(
        rule("block", BY_CARD, MANY_DECLINED),
        rule("block", '{field = "channel", is = "nb"}', MANY_DECLINED),
    )
    assert needed(rules, CARD_TRY) == {DECLINED_BY_IP}
    assert needed(rules, replace(CARD_TRY, channel="upi")) == frozenset()


def test_the_same_customer_is_one_subject_however_written() -> None:
    one = subjects_of(
        replace(CARD_TRY, email="A@B.in", phone="+91 98765-43210", ip_address="2001:db8:1:2::7")
    )
    two = subjects_of(
        replace(CARD_TRY, email="a@b.IN", phone="9876543210", ip_address="2001:db8:1:2:ffff::1")
    )
    assert one == two
    assert Subject.UPI_ADDRESS not in one
    assert subjects_of(replace(CARD_TRY, ip_address="::ffff:203.0.113.7")) == subjects_of(CARD_TRY)


def test_a_device_is_its_browser_and_the_network_around_it() -> None:
    firefox = ("Mozilla/5.0 Firefox/130.0", "en-IN")
    assert device_of("203.0.113.7", firefox) == device_of("203.0.113.99", firefox)
    assert device_of("203.0.113.7", firefox) != device_of("203.0.114.7", firefox)
    assert device_of("203.0.113.7", firefox) != device_of("203.0.113.7", ("curl", ""))
    assert device_of("203.0.113.7", ("", "")) == device_of("nowhere", firefox) == ""


# --- whatever is known of a try, every rule set gives one answer, and always the same ---

TEXTS = st.one_of(
    st.text(max_size=20),
    st.sampled_from(["pg", "a@b.in", "203.0.113.7", "::1", "411111", "%", "fe80::1%x"]),
)
FACTS = st.builds(
    Facts,
    amount_paise=st.integers(0, 10**12),
    hour=st.integers(0, 23),
    **{each.name: TEXTS for each in fields(Facts) if each.type is str},
)
ACTIONS = st.sampled_from(["allow", "challenge", "hold", "block"])
CONDITIONS = st.sampled_from(
    [
        MANY_DECLINED,
        LARGE,
        BY_CARD,
        '{field = "ip_address", not_in = ["203.0.113.0/24"]}',
        '{field = "email_domain", in = ["b.in"]}',
        '{field = "hour", at_most = 5}',
        '{count = "tries", by = "merchant", within = "10m", above = 3}',
        '{count = "amount_paise", by = "card", within = "1d", below = 5000000}',
    ]
)
RULES = st.lists(
    st.tuples(ACTIONS, st.lists(CONDITIONS, min_size=1, max_size=3, unique=True)),
    max_size=6,
    unique_by=lambda each: frozenset(each[1]),
)


@given(rules=RULES, facts=FACTS, counted=st.integers(0, 10))
def test_evaluation_is_total_and_deterministic(rules, facts, counted) -> None:
    found = rule_set(*(rule(action, *conditions) for action, conditions in rules))
    counts = {each: counted for each in found.counts if each.by in subjects_of(facts)}
    said = decide((found,), facts, counts)
    assert decide((found,), facts, dict(reversed(counts.items()))) == said
    assert needed(found, facts) <= found.counts
    # Only what is needed has any influence.
    assert (
        decide(
            (found,), facts, {each: counts[each] for each in counts if each in needed(found, facts)}
        )
        == said
    )
    if said.action is Action.BLOCK:
        allowing = [each for each in found.rules if each.action is Action.ALLOW]
        assert decide((RuleSet(tuple(allowing)),), facts, counts).rule == ""
