"""Risk rules: the facts of a try to pay, and which rule of the live rule sets decides; pure.

`document.py` reads a rule set from its document, `store.py` counts. docs/risk.md explains every
term.
"""

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from functools import cached_property, lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import NamedTuple

import msgspec

MINUTES_IN_HOUR = 60
BY_THE_MINUTE_MAX = 120
"""Minutes up to which a count is kept by the minute; longer ones are kept by the hour."""
WITHIN_MAX = 7 * 24 * MINUTES_IN_HOUR
"""Minutes of the longest count."""
WITHIN_OF_CARDS_MAX = 24 * MINUTES_IN_HOUR
"""Minutes of the longest count of cards: each card of a subject is a row of its own."""

OPERATOR = 0
"""The owner of the rules for all merchants."""


class Action(StrEnum):
    """What a rule does with a matching try, from the mildest to the severest."""

    ALLOW = "allow"
    """Go on, whatever the other rules of the same set say."""
    CHALLENGE = "challenge"
    """Go on only with the payer's bank confirming the payer: 3-D Secure for cards."""
    HOLD = "hold"
    """Take the money or authorise it, and hold the payment until an operator releases or rejects
    it.
    """
    BLOCK = "block"
    """Refuse the try; no acquirer is called."""


class Subject(StrEnum):
    """What tries are counted by."""

    __hash__ = str.__hash__  # an enum's own is slow, and each check looks up many counts

    CARD = "card"
    """The card number, known by its fingerprint."""
    UPI_ADDRESS = "upi_address"
    """The UPI address that the customer typed."""
    EMAIL = "email"
    """The e-mail address that the merchant sent."""
    PHONE = "phone"
    """The phone number that the merchant sent, its last ten digits."""
    IP_ADDRESS = "ip_address"
    """The address that the customer's browser comes from; of IPv6 its network of 64 bits."""
    DEVICE = "device"
    """The kind of browser together with the network it comes from."""
    ORDER = "order"
    """The order."""
    MERCHANT = "merchant"
    """The merchant: all its tries together."""


class Metric(StrEnum):
    """What is counted of the tries by one subject. The try at hand counts."""

    __hash__ = str.__hash__

    TRIES = "tries"
    """Tries to pay."""
    DECLINES = "declines"
    """Tries that the bank declined."""
    AMOUNT_PAISE = "amount_paise"
    """The amounts of the tries together."""
    CARDS = "cards"
    """Different cards."""
    DECLINED_CARDS = "declined_cards"
    """Different cards that the bank declined."""


OF_CARDS = frozenset({Metric.CARDS, Metric.DECLINED_CARDS})
"""Metrics that need each card of a subject counted separately."""


class Facts(msgspec.Struct, frozen=True):
    """The facts of a try before the acquirer is called. Texts are "" where nothing is known.

    device, card: keyed hashes. order: our payment id. hour: of the day in India, 0 to 23.
    """

    amount_paise: int
    currency: str = "INR"
    channel: str = ""
    method: str = ""
    kind: str = ""
    hour: int = 0
    email: str = ""
    phone: str = ""
    ip_address: str = ""
    device: str = ""
    card: str = ""
    card_bin: str = ""
    card_scheme: str = ""
    upi_address: str = ""
    bank: str = ""
    order: str = ""
    merchant: str = ""

    @property
    def email_domain(self) -> str:
        """Return the part after the @ of the e-mail address."""
        return self.email.rpartition("@")[2]

    @property
    def upi_handle(self) -> str:
        """Return the part after the @ of the UPI address."""
        return self.upi_address.rpartition("@")[2]


TEXT_FIELDS = frozenset(
    {
        "currency",
        "channel",
        "method",
        "kind",
        "email",
        "email_domain",
        "phone",
        "device",
        "card",
        "card_bin",
        "card_scheme",
        "upi_address",
        "upi_handle",
        "bank",
        "order",
        "merchant",
    }
)
NUMBER_FIELDS: Mapping[str, tuple[int, int]] = {"amount_paise": (1, 10**12), "hour": (0, 23)}
"""Number fields, with their least and largest values."""
ADDRESS_FIELDS = frozenset({"ip_address"})
FIELDS = TEXT_FIELDS | ADDRESS_FIELDS | frozenset(NUMBER_FIELDS)


class RiskCount(NamedTuple):
    """A count: one metric by one subject. within: minutes back from now."""

    metric: Metric
    by: Subject
    within: int

    @property
    def by_the_minute(self) -> bool:
        """Return whether it is kept by the minute."""
        return self.within <= BY_THE_MINUTE_MAX

    def since(self, now: datetime) -> datetime:
        """Return the start of the counted time."""
        return now - timedelta(minutes=self.within)


Counts = Mapping[RiskCount, int]
"""The counts of a try; a count whose subject the try lacks is absent."""


Network = IPv4Network | IPv6Network
NUMBER_OPERATORS: Mapping[str, Callable[[int, int], bool]] = {
    "is": operator.eq,
    "at_least": operator.ge,
    "at_most": operator.le,
    "above": operator.gt,
    "below": operator.lt,
}
_TEXT_OPERATORS: Mapping[str, Callable[[str, str], bool]] = {
    "is": operator.eq,
    "is_not": operator.ne,
    "starts_with": str.startswith,
    "ends_with": str.endswith,
}


@dataclass(frozen=True, slots=True)
class FieldCondition:
    """A condition on one fact.

    value: a number, a text or texts in lower case, or networks. words: for operators.
    """

    field: str
    operator: str
    value: int | str | frozenset[str] | tuple[Network, ...]
    words: str

    @property
    def test(self) -> Callable[[Facts], bool]:
        """Return the function that tests facts, made once for all tries."""
        get, value, operator_name = (
            operator.attrgetter(self.field),
            self.value,
            self.operator == "in",
        )
        if isinstance(value, int):
            compare = NUMBER_OPERATORS[self.operator]
            return lambda facts: compare(get(facts), value)
        if isinstance(value, str):
            agrees = _TEXT_OPERATORS[self.operator]
            return lambda facts: agrees(get(facts).lower(), value)
        if isinstance(value, frozenset):
            return lambda facts: (get(facts).lower() in value) is operator_name
        return lambda facts: _is_in(get(facts), value) is operator_name


def _is_in(text: str, networks: tuple[Network, ...]) -> bool:
    address = address_of(text)
    return address is not None and any(address in each for each in networks)


@dataclass(frozen=True, slots=True)
class CountCondition:
    """A condition on a count. A try without the subject never meets it."""

    count: RiskCount
    operator: str
    value: int
    words: str

    def holds(self, counts: Counts) -> bool:
        """Return whether the counts meet it."""
        number = counts.get(self.count)
        return number is not None and NUMBER_OPERATORS[self.operator](number, self.value)


@dataclass(frozen=True, slots=True)
class RiskRule:
    """One rule: all its conditions have to hold. note: for operators."""

    name: str
    action: Action
    on_facts: tuple[FieldCondition, ...]
    on_counts: tuple[CountCondition, ...] = ()
    note: str = ""


@dataclass(frozen=True)
class RuleSet:
    """The rules of one owner.

    owner: a merchant, or the operator. version: 0 was never published.
    """

    rules: tuple[RiskRule, ...]
    owner: int = OPERATOR
    version: int = 0

    @cached_property
    def tests(self) -> tuple[tuple[RiskRule, tuple[Callable[[Facts], bool], ...]], ...]:
        """Return each rule with the tests of its conditions on facts."""
        return tuple((rule, tuple(each.test for each in rule.on_facts)) for rule in self.rules)

    def matching(self, facts: Facts) -> list[RiskRule]:
        """Return the rules whose conditions on facts hold; their counts decide about the rest."""
        rules: list[RiskRule] = []
        for rule, tests in self.tests:
            for test in tests:
                if not test(facts):
                    break
            else:
                rules.append(rule)
        return rules

    @cached_property
    def counts(self) -> frozenset[RiskCount]:
        """Return all counts of its rules."""
        return frozenset(each.count for rule in self.rules for each in rule.on_counts)

    @cached_property
    def spans_by_metric(self) -> Mapping[Metric, frozenset[tuple[Subject, bool]]]:
        """Return by metric the subjects that any rule counts, and whether by the minute.

        Every payment needs it.
        """
        subjects: dict[Metric, set[tuple[Subject, bool]]] = {}
        for each in self.counts:
            subjects.setdefault(each.metric, set()).add((each.by, each.by_the_minute))
        return {metric: frozenset(spans) for metric, spans in subjects.items()}


class RiskVerdict(msgspec.Struct, frozen=True, omit_defaults=True):
    """The verdict of the rule sets on a try, as it is stored.

    because: the conditions that held, for operators.
    """

    action: Action = Action.ALLOW
    rule: str = ""
    owner: int = OPERATOR
    version: int = 0
    because: str = ""


NOTHING_SAID = RiskVerdict()


class Seen(msgspec.Struct, frozen=True, omit_defaults=True):
    """The payer's traces. device, card: keyed hashes. card_bin: the first six digits."""

    ip_address: str = ""
    device: str = ""
    card: str = ""
    card_bin: str = ""
    card_scheme: str = ""


NOTHING_SEEN = Seen()


class RiskRecord(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is stored with a try: the verdict, and the traces on which other rules can be tried."""

    seen: Seen = NOTHING_SEEN
    verdict: RiskVerdict = NOTHING_SAID


NOT_CHECKED = RiskRecord()
_SEVERITY = {action: place for place, action in enumerate(Action)}


def needed(rule_set: RuleSet, facts: Facts) -> frozenset[RiskCount]:
    """Return the counts that can still decide, once the conditions on facts are known."""
    return frozenset(
        condition.count for rule in rule_set.matching(facts) for condition in rule.on_counts
    )


def decide(rule_sets: Sequence[RuleSet], facts: Facts, counts: Counts) -> RiskVerdict:
    """Return the severest of the rule sets' verdicts on a try.

    So a merchant's `allow` ends its own other rules, and never one of the operator's.
    """
    verdicts = [_of_set(each, facts, counts) for each in rule_sets]
    return max(verdicts, key=lambda each: _SEVERITY[each.action], default=NOTHING_SAID)


def _of_set(rule_set: RuleSet, facts: Facts, counts: Counts) -> RiskVerdict:
    matched: RiskRule | None = None
    for rule in rule_set.matching(facts):
        # A rule milder than the one that matched changes nothing, unless it allows.
        if (
            matched is not None
            and rule.action is not Action.ALLOW
            and _SEVERITY[rule.action] <= _SEVERITY[matched.action]
        ):
            continue
        if all(each.holds(counts) for each in rule.on_counts):
            matched = rule
            if rule.action is Action.ALLOW:
                break
    if matched is None:
        return NOTHING_SAID
    reasons = [each.words for each in matched.on_facts]
    reasons += [f"{each.words} (it is {counts[each.count]})" for each in matched.on_counts]
    return RiskVerdict(
        matched.action, matched.name, rule_set.owner, rule_set.version, "; ".join(reasons)
    )


@lru_cache(maxsize=4096)
def address_of(text: str) -> IPv4Address | IPv6Address | None:
    """Return an address, None for other text."""
    try:
        address = ip_address(text)
    except ValueError:
        return None
    return address.ipv4_mapped or address if isinstance(address, IPv6Address) else address
