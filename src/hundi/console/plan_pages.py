"""The pages that every kind of plan has: its versions, what each changed, and publishing another.

A kind of plan is a `PlanKind`; `routing_plans.py` has that of payments, `payout_plans.py` that of
payouts.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import msgspec
from asyncpg import Record
from litestar import Response

from hundi.acquirers.plans.document import RoutingFault, RoutingFaultCode, words_of
from hundi.console.guard import ConsoleRoute
from hundi.console.lists import id_of
from hundi.console.plan_words import PlanTexts, compared, costs_of, rules_of, told
from hundi.console.queries.across import names_of
from hundi.console.verb_forms import do
from hundi.console.visits import ConsoleVisit
from hundi.infra.postgres.database import Database
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.kernel.typed_toml import write_toml
from hundi.money.payouts.routing.document import PayoutPlanWords
from hundi.payments.routing.document import PlanWords
from hundi.staff.people.rules import Permission
from hundi.verbs.context import DocumentFaultsError
from hundi.verbs.parameters import BYTES_A_CHARACTER_MAX
from hundi.verbs.verb import OperatorVerb

VERSIONS_SHOWN = 100
VERSION_MAX = 2**31 - 1
DOCUMENT_MAX = 64 * 1024
"""Characters of a plan in a form; a longer one is set by command."""
FORM_BYTES_MAX = BYTES_A_CHARACTER_MAX * DOCUMENT_MAX
"""Bytes of a form with such a plan."""
_FIRST = """\
note = "what it is for"

[[rules]]
name = "everything"
use = [{{ acquirer = "{name}" }}]
"""


class PlanVersions(Protocol):
    """The store of a kind of plan."""

    async def select_live(self, db: Database, /) -> Record | None:
        """Return the newest plan, None where there is none."""
        ...

    async def select_version(self, db: Database, version: int, /) -> Record | None:
        """Return one version of the plan."""
        ...

    async def select_heads(self, db: Database, limit: int, /) -> list[Record]:
        """Return the plan's versions, newest first."""
        ...


@dataclass(frozen=True, slots=True)
class PlanKind:
    """One kind of plan, and its pages.

    path: of its page, the other pages are below it. another: the title of the form. read: returns
    the plan of a document, or its faults. document: the shape of one. warned: what a plan says that
    may be meant otherwise. names: of the acquirers that it may name. trial: what its form shows of
    a trial, by what was typed.
    """

    path: str
    title: str
    another: str
    template: str
    texts: PlanTexts
    store: PlanVersions
    set_plan: OperatorVerb[Any]
    read: Callable[[str], Any]
    document: type[PlanWords] | type[PayoutPlanWords]
    warned: Callable[[ConsoleVisit, Any], Awaitable[list[str]]]
    names: Callable[[ConsoleVisit], Sequence[str]]
    trial: Callable[[ConsoleVisit], dict[str, Any]]

    async def page(self, visit: ConsoleVisit, **more: Any) -> Response[Any]:  # noqa: ANN401 (values of its template)
        """Return the page of the plan in force and of every version."""
        row = await self.store.select_live(visit.db)
        return visit.page(
            self.template,
            self.title,
            plan=await self.told(visit, row) if row else None,
            names=self.names(visit),
            versions=await self.store.select_heads(visit.db, VERSIONS_SHOWN),
            may_change=visit.may(Permission.ACQUIRERS_CHANGE),
            may_trail=visit.may(Permission.TRAIL_SEE),
            **self.frame,
            **more,
        )

    async def told(self, visit: ConsoleVisit, row: Record) -> dict[str, Any]:
        """Return a version for people.

        `unreadable` says why a version of an older release cannot be read.
        """
        document = row["document"]
        plan, plan_text = self.read(document), words_of(document, self.document)
        row_facts = {
            name: row[name] for name in ("version", "document", "published_by", "published_at")
        }
        if isinstance(plan, tuple) or isinstance(plan_text, RoutingFault):
            faults = plan if isinstance(plan, tuple) else ()
            empty = {"rules": [], "costs": [], "note": "", "warnings": []}
            return {**row_facts, **empty, "unreadable": [told(each) for each in faults]}
        merchants = {each for rule in plan_text.rules for each in rule.when.merchants}
        return {
            **row_facts,
            "unreadable": [],
            "note": plan_text.note,
            "rules": rules_of(plan_text, await names_of(visit.db, merchants)),
            "costs": costs_of(plan_text),
            "warnings": await self.warned(visit, plan),
        }

    async def show_version(self, visit: ConsoleVisit) -> Response[Any]:
        """Show one version, and its changes from another one, by default from the one before."""
        row = await self.version(visit, int(visit.params["version"]))
        against = id_of(visit.query.get("against", ""))
        other = (
            await self.version(visit, against)
            if against
            else await self.store.select_version(visit.db, row["version"] - 1)
        )
        heads = await self.store.select_heads(visit.db, VERSIONS_SHOWN)
        return visit.page(
            "routing_version.html",
            f"{self.title}, version {row['version']}",
            plan=await self.told(visit, row),
            other=other,
            lines=compared(other["document"], row["document"]) if other else [],
            versions=[each["version"] for each in heads],
            may_change=visit.may(Permission.ACQUIRERS_CHANGE),
            **self.frame,
        )

    async def version(self, visit: ConsoleVisit, version: int) -> Record:
        """Return a version. Raises Refused (NO_RECORDS)."""
        known = 0 < version <= VERSION_MAX
        row = await self.store.select_version(visit.db, version) if known else None
        if row is None:
            raise refuse(RefusalCode.NO_RECORDS, field="version", received=str(version))
        return row

    async def show_form(self, visit: ConsoleVisit) -> Response[Any]:
        """Show the form of a new plan, filled in with the plan in force or a chosen version."""
        version, live = (
            id_of(visit.query.get("version", "")),
            await self.store.select_live(visit.db),
        )
        row = await self.version(visit, version) if version else live
        first = next(iter(self.names(visit)), "")
        return await self.form(
            visit,
            row["document"] if row else _FIRST.format(name=first),
            live["version"] if live else 0,
        )

    async def form(
        self,
        visit: ConsoleVisit,
        document: str,
        seen: int,
        *,
        faults: Sequence[str] = (),
        meanwhile: int | None = None,
        tried: dict[str, Any] | None = None,
        past: dict[str, Any] | None = None,
    ) -> Response[Any]:
        """Return the form of a new plan, with what it changes of the one in force.

        tried: what a trial answered. past: what it would have done with the past.
        """
        live = None if faults else await self.store.select_live(visit.db)
        return visit.page(
            "routing_new.html",
            self.another,
            409 if faults else 200,
            document=document,
            seen=seen,
            faults=faults,
            meanwhile=meanwhile,
            tried=tried,
            past=past,
            compared_with=live["version"] if live else 0,
            lines=compared(self._as_written(live["document"]), self._as_written(document))
            if live
            else [],
            longest=DOCUMENT_MAX,
            names=self.names(visit),
            **self.frame,
            **self.trial(visit),
        )

    def _as_written(self, document: str) -> str:
        """Return a plan as forms write it, so that a comparison shows no other layout."""
        words = words_of(document, self.document)
        return (
            document if isinstance(words, RoutingFault) else write_toml(msgspec.to_builtins(words))
        )

    def written(self, visit: ConsoleVisit) -> tuple[str, int]:
        """Return the plan of a form, and the version that its author saw. Raises Refused."""
        document, seen = (
            visit.form.get("document", "").replace("\r\n", "\n"),
            id_of(visit.form.get("seen", "")),
        )
        if seen is None or len(document) > DOCUMENT_MAX:
            command = self.set_plan.command
            longest = f"{DOCUMENT_MAX} characters at most; hundi {command} takes a longer plan"
            field, allowed = (
                ("seen", "the version that the form shows")
                if seen is None
                else ("document", longest)
            )
            raise refuse(RefusalCode.FIELD_INVALID, field=field, received="", allowed=allowed)
        return document, seen

    async def publish(self, visit: ConsoleVisit) -> Response[Any]:
        """Put a plan into force, unless another was published after the form was shown."""
        document, seen = self.written(visit)
        try:
            await do(visit, self.set_plan, {"file": document, "seen": str(seen)})
        except DocumentFaultsError as problem:
            faults = [f"{each.place}: {each.words}".removeprefix(": ") for each in problem.faults]
            if problem.faults[0].code != RoutingFaultCode.PUBLISHED_MEANWHILE:
                return await self.form(visit, document, seen, faults=faults)
            live = await self.store.select_live(visit.db)
            assert live is not None, "it was published meanwhile"
            return await self.form(visit, document, live["version"], faults=faults, meanwhile=seen)
        return visit.see(self.path, self.set_plan.notice[0])

    @property
    def frame(self) -> dict[str, Any]:
        """Return what each of its pages says of the kind."""
        noun = self.set_plan.command.rpartition(" ")[0]
        return {
            "plan_path": self.path,
            "plan_command": noun,
            "plan_act": self.set_plan.trail,
            "plan_template": self.template,
            "texts": self.texts,
        }

    def routes(
        self,
        show: Callable[[ConsoleVisit], Awaitable[Response[Any]]],
        try_plan: Callable[[ConsoleVisit], Awaitable[Response[Any]]],
    ) -> tuple[ConsoleRoute, ...]:
        """Return the routes of its pages. show: its page. try_plan: tries what a form has."""
        see, change, path = Permission.CHANNELS_SEE, Permission.ACQUIRERS_CHANGE, self.path
        form = partial(
            ConsoleRoute, "POST", needs=change, fresh=True, at="all", body_bytes_max=FORM_BYTES_MAX
        )
        return (
            ConsoleRoute("GET", path, show, see, at="all"),
            ConsoleRoute("GET", f"{path}/{{version:int}}", self.show_version, see, at="all"),
            ConsoleRoute("GET", f"{path}/new", self.show_form, change, at="all"),
            form(path=f"{path}/try", handler=try_plan),
            form(path=path, handler=self.publish),
        )
