"""`hundi acquirer certify`: walks an operator through a live sandbox, and says what is ready."""

import asyncio
import sys
from collections.abc import AsyncIterator, Collection, Mapping
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from hundi.acquirers.certification.catalogue import steps_of
from hundi.acquirers.certification.steps import StepWaiting
from hundi.acquirers.kinds import (
    AcquirerConfigurationError,
    AcquirerKind,
    kind_of,
    secret_fields,
)
from hundi.acquirers.registry import Member
from hundi.cli.certify_person import TerminalPerson
from hundi.cli.certify_report import CertificationReport, markdown, step_row
from hundi.cli.context import by_command, payment_page_url, run, with_demo
from hundi.cli.output import DataDir, Json, fail, show
from hundi.gateway.bootstrap import OperatorContext, open_every_connector
from hundi.kernel.clock import utc_now
from hundi.kernel.masking import masked
from hundi.kernel.money import PAISE_PER_RUPEE
from hundi.payments.acquirer_accounts import store as accounts
from hundi.payments.acquirer_accounts.actions import fields_of
from hundi.payments.acquirer_words.actions import KeptWords
from hundi.payments.certifications import actions
from hundi.payments.certifications.actions import (
    CertificationContext,
    StepRefusedError,
    WantedSteps,
)

RUPEES_MAX = 10
"""The most that a step may move with real money."""
WAIT_S, WAIT_S_MAX = 600, 7_200
_SECRET_MIN = 4
"""A secret shorter than this would hide every other word."""


@dataclass(frozen=True, slots=True)
class _OpenedAccount:
    """An account and its connector. fields: all of them, its secrets and its kind among them."""

    member: Member
    kind: AcquirerKind[Any]
    fields: Mapping[str, Any]

    @property
    def secrets(self) -> Collection[str]:
        """Return the values that no evidence has."""
        values = (self.fields.get(name) for name in secret_fields(self.kind))
        return [each for each in values if isinstance(each, str) and len(each) >= _SECRET_MIN]


def certify(
    name: Annotated[str, typer.Argument(help="The acquirer's name.")],
    *,
    step: Annotated[
        list[str] | None, typer.Option("--step", help="Only this step; may be repeated.")
    ] = None,
    skip: Annotated[
        list[str] | None,
        typer.Option("--skip", help="STEP=REASON: leave a step out; the report has the reason."),
    ] = None,
    again: Annotated[
        bool, typer.Option("--again", help="Also the steps that have passed already.")
    ] = False,
    look: Annotated[
        bool, typer.Option("--look", help="Run nothing: show how the account stands.")
    ] = False,
    live: Annotated[
        int | None,
        typer.Option(
            "--live",
            min=1,
            max=RUPEES_MAX,
            help="Real money: the most that a step may move, in rupees.",
        ),
    ] = None,
    wait: Annotated[
        int,
        typer.Option(
            "--wait", min=0, max=WAIT_S_MAX, help="Seconds in which a step has to be decided."
        ),
    ] = WAIT_S,
    gap: Annotated[
        float, typer.Option("--gap", min=0.1, max=60, help="Seconds between two questions.")
    ] = 5.0,
    report: Annotated[
        Path | None, typer.Option("--report", help="Write the report to this Markdown file.")
    ] = None,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Try an account step by step, keep what comes back as evidence, and say what is ready.

    A step that was interrupted goes on; one that has passed is not repeated. Nothing of it is in
    the books. The status is 1 while something is not ready.
    """
    wanted = WantedSteps(only=step or (), skips=_reasons(skip or ()), again=again)

    async def act(context: OperatorContext) -> CertificationReport:
        async with _opened(context, name) as account:
            if not look:
                _refuse_money(account.member, live)
                waiting = StepWaiting(sleep=asyncio.sleep, wait_s=wait, gap_s=gap)
                with closing(TerminalPerson(wait_s=wait)) as person:
                    certification = _certification(context, account, waiting, person, live)
                    async for result in actions.certify(certification, wanted):
                        sys.stderr.write(f"{result.step}: {result.verdict}. {result.words}\n")
            found = await actions.certification_of(
                context.db, context.vault, account.member, account.fields
            )
            return CertificationReport(found, utc_now())

    try:
        made: CertificationReport = run(data_dir, act)
    except (StepRefusedError, AcquirerConfigurationError) as error:
        raise fail(str(error)) from None
    _tell(made, report, json=json)
    if not made.found.is_ready:
        raise typer.Exit(1)


def _tell(made: CertificationReport, report: Path | None, *, json: bool) -> None:
    if report is not None:
        report.write_text(markdown(made), "utf-8")
    if json:
        show(made.as_json(), json=True)
        return
    found = made.found
    show([step_row(each) for each in found.steps], json=False, title="Steps")
    for each in found.unproven:
        sys.stderr.write(f"{each} says that the account is certified, without evidence\n")
    show(made.capability_rows(), json=False, title=f"{found.account.name}: {made.words}")


def _reasons(skips: Collection[str]) -> dict[str, str]:
    reasons: dict[str, str] = {}
    for each in skips:
        name, _, reason = each.partition("=")
        if not reason.strip():
            raise fail(f"--skip {name}=REASON: say why; the report has the reason")
        reasons[name.strip()] = masked(reason.strip())[:200]
    return reasons


def _refuse_money(member: Member, live: int | None) -> None:
    """Exit unless it is said that real money moves, where it does."""
    if member.connector.simulated:
        if live is not None:
            raise fail("no real money moves at this account: leave --live out")
    elif live is None:
        raise fail(
            "real money moves at this account: certify its sandbox first, then say with --live"
            f" RUPEES how much a step may move, at most {RUPEES_MAX}"
        )


def _certification(
    context: OperatorContext,
    account: _OpenedAccount,
    waiting: StepWaiting,
    person: TerminalPerson,
    live: int | None,
) -> CertificationContext:
    member, sandbox = account.member, account.kind.sandbox
    return CertificationContext(
        db=context.db,
        account=actions.account_of(member, account.fields, context.vault),
        connector=member.connector,
        steps=steps_of(member.connector, member.can),
        sandbox=sandbox if live is None else sandbox.for_real_money(),
        person=person,
        waiting=waiting,
        secrets=account.secrets,
        most_paise=None if live is None else live * PAISE_PER_RUPEE,
        return_url=payment_page_url(context.settings),
        who=by_command(context),
        now=utc_now,
    )


@asynccontextmanager
async def _opened(context: OperatorContext, name: str) -> AsyncIterator[_OpenedAccount]:
    settings = with_demo(context.settings)
    words = KeptWords(context.db)
    async with open_every_connector(settings, context.db, context.vault, words) as registry:
        members = {each.connector.name: each for each in registry.members}
        if name not in members:
            raise fail(f"no acquirer {name} is configured: {', '.join(members) or 'none is'}")
        stored = {each.name: each for each in await accounts.select_all(context.db)}
        account = stored.get(name)
        fields = (
            {**fields_of(context.vault, account), "kind": account.kind}
            if account
            else dict(settings.acquirers[name])
        )
        yield _OpenedAccount(members[name], kind_of(name, fields), fields)
