"""The states of components, how each follows from what is measured, and when it changes; pure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from hundi.payments.routing.health.rules import Health, Outcomes, health


class ComponentState(StrEnum):
    """The state of a component, in the words that status pages share, the best first."""

    UNKNOWN = "unknown"
    """Nobody looked yet; this is never written."""
    OPERATIONAL = "operational"
    """It works."""
    MAINTENANCE = "under_maintenance"
    """Its operator works on it, as announced."""
    DEGRADED = "degraded_performance"
    """It works slowly, or fails for some."""
    PARTIAL = "partial_outage"
    """A part of it does not work."""
    OUTAGE = "major_outage"
    """It does not work for most."""


SEVERITY: Mapping[ComponentState, int] = {
    state: place for place, state in enumerate(ComponentState)
}


class ComponentGroup(StrEnum):
    """Whose trouble a component's trouble is."""

    GATEWAY = "gateway"
    """Ours."""
    METHOD = "method"
    """A way to pay, by all acquirers that take it."""
    ACQUIRER = "acquirer"
    """A bank's or an acquirer's."""


@dataclass(frozen=True, slots=True)
class StatusComponent:
    """One line of the status page.

    key: as it is stored; it may have an account's own name, so nobody sees it. public_id: in the
    JSON.
    """

    key: str
    public_id: str
    name: str
    meaning: str
    group: ComponentGroup


PAYMENTS = StatusComponent(
    "payments",
    "payments",
    "Payments",
    "The payment page, the interfaces, refunds, and asking banks about open payments",
    ComponentGroup.GATEWAY,
)
NOTIFICATIONS = StatusComponent(
    "notifications",
    "notifications",
    "Notifications",
    "Calls to merchants' servers; those to a server that keeps failing do not count",
    ComponentGroup.GATEWAY,
)
SETTLEMENTS = StatusComponent(
    "settlements",
    "settlements",
    "Settlements and books",
    "Settling days, payouts, and sealing the books",
    ComponentGroup.GATEWAY,
)
OWN = (PAYMENTS, NOTIFICATIONS, SETTLEMENTS)
"""The gateway's own components."""
BY_WORKER = (NOTIFICATIONS, SETTLEMENTS)
"""Those that stand still while no worker works."""
OWN_NAMES = tuple(each.key for each in OWN)


def key_of(group: ComponentGroup, name: str) -> str:
    """Return the stored key of a method (by its channel's code) or of an acquirer."""
    return f"{group}:{name}"


WATCH = timedelta(seconds=15)
"""Between two looks of a worker at all components."""
GAP = timedelta(minutes=2)
"""Without a look for longer than this, nobody looked."""
SHORTEST = timedelta(seconds=30)
"""A component is in a state for this long before a better one is written, so that none flickers."""
KEPT = timedelta(days=91)
"""How long spells and announcements that ended are stored: a day longer than they are shown."""

OVERDUE_S = 300.0
"""Work that has been due for longer is late; the alarms of `deploy/monitoring` say the same."""
STANDING_STILL_S = 1_800.0
"""Notifications that have been due for longer: as good as none are sent."""
SCHEDULE_LATE_S = 900.0
"""A schedule that has been due for longer is late; the alarm about unsealed books says the same."""
OF_PAYMENTS = frozenset(
    {
        "inquiries",
        "refunds",
        "completions",
        "subscriptions",
        "subscription_debits",
        "payment_links",
    }
)
OF_NOTIFICATIONS = frozenset({"deliveries"})
OF_SETTLEMENTS = frozenset({"payouts", "bank account checks"})
"""Kinds of work, as `infra.monitoring` names them, by the component that they belong to."""
SETTLING = frozenset({"settle_merchants", "prepare_payouts", "seal_books"})
"""The schedules of settlements and books."""


def own_states(
    overdue_s: Mapping[str, float], late_s: Mapping[str, float]
) -> dict[str, ComponentState]:
    """Return the states of the gateway's own components.

    overdue_s: for how long the oldest item of each kind of work has been due. late_s: the same of
    schedules.
    """

    def oldest(kinds: Iterable[str], seconds: Mapping[str, float]) -> float:
        return max((seconds.get(kind, 0.0) for kind in kinds), default=0.0)

    delivery_s = oldest(OF_NOTIFICATIONS, overdue_s)
    is_unsettled = (
        oldest(OF_SETTLEMENTS, overdue_s) > OVERDUE_S or oldest(SETTLING, late_s) > SCHEDULE_LATE_S
    )
    return {
        PAYMENTS.key: _late(oldest(OF_PAYMENTS, overdue_s)),
        NOTIFICATIONS.key: ComponentState.OUTAGE
        if delivery_s > STANDING_STILL_S
        else _late(delivery_s),
        SETTLEMENTS.key: ComponentState.DEGRADED if is_unsettled else ComponentState.OPERATIONAL,
    }


def _late(seconds: float) -> ComponentState:
    return ComponentState.DEGRADED if seconds > OVERDUE_S else ComponentState.OPERATIONAL


_NOTHING = Outcomes(0, 0)


def state_of(parts: Sequence[Outcomes], silent: int = 0) -> ComponentState:
    """Return the state of an acquirer or a method, by the health of its latest attempts.

    parts: by method or by acquirer. silent: how many of the parts do not answer us at all.
    """
    if parts and silent == len(parts):
        return ComponentState.OUTAGE
    total = Outcomes(sum(each.ended for each in parts), sum(each.troubled for each in parts))
    healths = {health(each) for each in (total, *parts)}
    if health(total) is Health.DOWN:
        return ComponentState.OUTAGE
    if silent or Health.DOWN in healths:
        return ComponentState.PARTIAL
    return ComponentState.DEGRADED if Health.DEGRADED in healths else ComponentState.OPERATIONAL


@dataclass(frozen=True, slots=True)
class ComponentSpell:
    """A component's time in one state. ended_at: None while it goes on (UTC)."""

    component: str
    began_at: datetime
    state: ComponentState
    ended_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class SpellChanges:
    """What a look changes: spells that end, and when, and spells that are written."""

    ended: Mapping[str, datetime]
    written: Sequence[ComponentSpell]


def changes(
    going_on: Mapping[str, ComponentSpell],
    looked_at: datetime | None,
    states: Mapping[str, ComponentState],
    now: datetime,
    *,
    was_lost: bool,
) -> SpellChanges:
    """Return what a look at all components changes.

    going_on: the spells without an end. looked_at: the look before; None for the first. was_lost:
    meanwhile the worker that looks could not reach the database.
    """
    ended: dict[str, datetime] = {}
    written: list[ComponentSpell] = []
    is_gap = looked_at is not None and now - looked_at > (2 * WATCH if was_lost else GAP)
    if is_gap and looked_at is not None:
        ended = dict.fromkeys(going_on, looked_at)
        # Nobody worked meanwhile. Whether payments were taken is known only where a worker was
        # there, and the database was not.
        stood_still = OWN if was_lost else BY_WORKER
        written = [
            ComponentSpell(each.key, looked_at, ComponentState.OUTAGE, now)
            for each in stood_still
            if each.key in going_on
        ]
    for key, spell in going_on.items():
        if not is_gap and _ends(spell, states.get(key), now):
            ended[key] = now
    written += [
        ComponentSpell(key, now, state)
        for key, state in states.items()
        if key not in going_on or key in ended
    ]
    return SpellChanges(ended, written)


def _ends(spell: ComponentSpell, state: ComponentState | None, now: datetime) -> bool:
    """Return whether a spell ends. state: the component's now; None: it is not there any more."""
    if state is None or SEVERITY[state] > SEVERITY[spell.state]:
        return True
    return state is not spell.state and now - spell.began_at >= SHORTEST
