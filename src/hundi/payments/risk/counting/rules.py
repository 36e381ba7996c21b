"""What a try adds to the counts, and its subjects; pure."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, ip_network

import msgspec

from hundi.payments.risk.rules import (
    Counts,
    Facts,
    Metric,
    RiskCount,
    RuleSet,
    Subject,
    address_of,
    needed,
)

_LINE_BITS = {4: 32, 6: 64}
"""Leading bits of an address that are counted as one.

One customer's line has a whole network of IPv6 addresses.
"""
_NEAR_BITS = {4: 24, 6: 48}
"""Leading bits of an address that identify a device.

A phone keeps these while its address changes.
"""


_PHONE_DIGITS = 10


class Tally(msgspec.Struct, frozen=True):
    """What one try adds to the counts, and which counts it needs.

    spans: subjects counted by the minute (True) or by the hour. cards: subjects whose cards are
    counted separately.
    """

    spans: tuple[tuple[Subject, bool], ...]
    cards: tuple[Subject, ...]
    rule_counts: tuple[RiskCount, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Return whether nothing is counted and no count is needed."""
        return not (self.spans or self.cards or self.rule_counts)


NOTHING_COUNTED = Tally((), ())
_OF_TRIES = (Metric.TRIES, Metric.AMOUNT_PAISE)
_OF_DECLINES = (Metric.DECLINES, Metric.AMOUNT_PAISE)


def tally_of_try(rule_sets: Sequence[RuleSet], facts: Facts) -> Tally:
    """Return what a try adds to the counts of these rule sets, and which counts can decide."""
    counts = frozenset[RiskCount]().union(*(needed(each, facts) for each in rule_sets))
    added = added_by_try(rule_sets, facts)
    if not counts and added.is_empty:
        return added
    subjects = subjects_of(facts)
    return Tally(
        added.spans, added.cards, tuple(sorted(each for each in counts if each.by in subjects))
    )


def added_by_try(rule_sets: Sequence[RuleSet], facts: Facts) -> Tally:
    """Return what a try adds to the counts of these rule sets; it needs no counts."""
    return _tally(rule_sets, facts, _OF_TRIES, Metric.CARDS)


def with_offer(counts: Counts, facts: Facts) -> Counts:
    """Return the counts as they would be after a payment of what is on offer."""
    added = {Metric.TRIES: 1, Metric.AMOUNT_PAISE: facts.amount_paise}
    return {count: number + added.get(count.metric, 0) for count, number in counts.items()}


def tally_of_decline(rule_sets: Sequence[RuleSet], facts: Facts) -> Tally:
    """Return what a decline adds to the counts of these rule sets."""
    return _tally(rule_sets, facts, _OF_DECLINES, Metric.DECLINED_CARDS)


def _tally(
    rule_sets: Sequence[RuleSet], facts: Facts, metrics: Sequence[Metric], of_cards: Metric
) -> Tally:
    counted = [each.spans_by_metric for each in rule_sets]
    spans = {span for each in counted for metric in metrics for span in each.get(metric, ())}
    cards = (
        {by for each in counted for by, _ in each.get(of_cards, ())}
        if facts.card
        else set[Subject]()
    )
    if not spans and not cards:
        return NOTHING_COUNTED
    subjects = subjects_of(facts)
    return Tally(
        tuple(sorted(each for each in spans if each[0] in subjects)),
        tuple(sorted(each for each in cards if each in subjects)),
    )


def subjects_of(facts: Facts) -> Mapping[Subject, str]:
    """Return a try's subjects, in a form that is equal for equal subjects."""
    address = address_of(facts.ip_address)
    subjects = {
        Subject.CARD: facts.card,
        Subject.UPI_ADDRESS: facts.upi_address.lower(),
        Subject.EMAIL: facts.email.lower(),
        Subject.PHONE: "".join(filter(str.isdigit, facts.phone))[-_PHONE_DIGITS:],
        Subject.IP_ADDRESS: _line(address) if address else "",
        Subject.DEVICE: facts.device,
        Subject.ORDER: facts.order,
        Subject.MERCHANT: facts.merchant,
    }
    return {subject: text for subject, text in subjects.items() if text}


@lru_cache(maxsize=4096)
def _line(address: IPv4Address | IPv6Address) -> str:
    return _network(address, _LINE_BITS)


def _network(address: IPv4Address | IPv6Address, bits: Mapping[int, int]) -> str:
    return str(
        ip_network(f"{str(address).partition('%')[0]}/{bits[address.version]}", strict=False)
    )


def device_of(ip_address: str, browser: Sequence[str]) -> str:
    """Return a device's identity: its browser's headers and its network.

    "" for no browser.
    """
    address = address_of(ip_address)
    if address is None or not any(browser):
        return ""
    return "\n".join((*browser, _network(address, _NEAR_BITS)))


def minute_of(now: datetime) -> datetime:
    """Return the start of a time's minute."""
    return now.replace(second=0, microsecond=0)


def hour_of(now: datetime) -> datetime:
    """Return the start of a time's hour."""
    return now.replace(minute=0, second=0, microsecond=0)
