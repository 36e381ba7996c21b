"""The actions of payouts' routing: choose providers."""

from datetime import datetime

from hundi.acquirers.port.payouts import PaysOut
from hundi.acquirers.registry import Registry
from hundi.infra.postgres.database import Database
from hundi.kernel.clock import business_day
from hundi.money.calendar.store import calendar_of
from hundi.money.payouts.routing import rules
from hundi.money.payouts.routing.rules import PayoutProvider
from hundi.money.payouts.rules import PayoutTry, PayoutWay


class PayoutRouter:
    """Choose providers by what their rails carry now."""

    async def ways(
        self, db: Database, connectors: Registry, payout: PayoutTry, now: datetime
    ) -> tuple[PayoutWay, ...]:
        """Return the ways of a payout, in the order of trying."""
        providers = providers_of(connectors)
        needs_days = any(each.working_days for one in providers for each in one.rails)
        working_day = not needs_days or (await calendar_of(db)).is_working(business_day(now))
        return rules.default_ways(providers, payout.amount_paise, now, working_day=working_day)


def providers_of(connectors: Registry) -> tuple[PayoutProvider, ...]:
    """Return the connectors that take new payouts, in the configured order."""
    return tuple(
        PayoutProvider(each.connector.name, each.connector.payout_rails, each.connector.reachable())
        for each in connectors.members
        if each.takes_new and not each.merchants and isinstance(each.connector, PaysOut)
    )
