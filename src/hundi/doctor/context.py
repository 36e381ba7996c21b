"""What the doctor looks at, and the declaration of a probe."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from hundi.acquirers.port.payments import Connector
from hundi.doctor.rules import DoctorFinding, FindingKind, ProbedPart
from hundi.infra.postgres.database import Database
from hundi.infra.settings import Settings


class Looker(StrEnum):
    """Who looks: it decides what can be seen."""

    COMMAND = "command"
    CONSOLE = "console"


@dataclass(frozen=True, slots=True)
class DoctorContext:
    """An installation as far as it could be opened.

    settings: None where they cannot be used; faults: why not. addresses: of the database, by the
    setting that has each. db: None where no address can be used. connectors: the acquirers;
    connectors_fault: why they cannot be opened.
    """

    looker: Looker
    settings: Settings | None = None
    faults: Sequence[str] = ()
    addresses: Mapping[str, str] = field(default_factory=dict)
    db: Database | None = None
    connectors: Sequence[Connector] = ()
    connectors_fault: str = ""


@dataclass(slots=True)
class DoctorLooks:
    """What a process that serves keeps of its looks at servers of others.

    parts: found at `looked_at`. turn: of who looks next.
    """

    parts: Sequence[ProbedPart] = ()
    looked_at: datetime | None = None
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)


@dataclass(frozen=True, slots=True)
class DoctorProbe:
    """One thing that the doctor looks at.

    title: the part of the installation. question: what the probe asks. kinds: all that it can find
    besides what any probe may. look: finds. needs_database: it is not asked without one.
    asks_others: it calls servers of others, which nobody may make us do at will.
    """

    name: str
    title: str
    question: str
    kinds: tuple[FindingKind, ...]
    look: "Look"
    needs_settings: bool = True
    needs_database: bool = False
    asks_others: bool = False


Look = Callable[[DoctorContext], Awaitable[Sequence[DoctorFinding]]]
"""Looks at an installation and changes nothing."""
