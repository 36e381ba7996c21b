"""The action of routing: choose the acquirers that an attempt is made at, in order."""

from collections.abc import Collection
from dataclasses import dataclass

from hundi.acquirers.registry import Registry, Way
from hundi.instruments.methods import Method
from hundi.payments.routing import rules
from hundi.payments.routing.rules import NO_NEEDS, Needs


@dataclass(frozen=True, slots=True)
class Asked:
    """What an attempt is made of, as far as it decides about its acquirer."""

    merchant_id: int
    needs: Needs = NO_NEEDS


def able(connectors: Registry, asked: Asked, among: Collection[Method]) -> tuple[Way, ...]:
    """Return every way that can take an attempt by any of some methods, in the configured order."""
    return rules.able(connectors.ways(among, asked.merchant_id), asked.needs)


async def route(connectors: Registry, asked: Asked, among: Collection[Method]) -> tuple[Way, ...]:
    """Return the ways to make an attempt by any of some methods, the best one first."""
    return able(connectors, asked, among)
