"""`hundi simulate`: hours of faults by a seed, judged by an independent auditor."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from hundi.cli.output import Json, show
from hundi.cli.progress import bar
from hundi_testbed.simulation.run import RunOutcome, SimulationPlan, own_server
from hundi_testbed.simulation.run import simulate as run
from hundi_testbed.simulation.trace import ExpectedTrace

_FOUND = 1
SEED_MAX = 2**31
HOURS_MAX = 24 * 366
RATE_MAX = 3600
STORIES_MAX = 5


def simulate(
    *,
    seed: Annotated[
        int,
        typer.Option(
            min=0, max=SEED_MAX, help="Decides everything: the same seed is the same run."
        ),
    ],
    hours: Annotated[float, typer.Option(min=0.1, max=HOURS_MAX, help="Simulated hours.")] = 1.0,
    seeds: Annotated[
        int, typer.Option(min=1, max=100_000, help="So many runs, each with the next seed.")
    ] = 1,
    orders_an_hour: Annotated[
        float, typer.Option(min=1, max=RATE_MAX, help="New orders in a simulated hour.")
    ] = 20.0,
    trace: Annotated[
        Path | None, typer.Option(dir_okay=False, help="Write every step to this file.")
    ] = None,
    expect: Annotated[
        Path | None,
        typer.Option(
            exists=True,
            dir_okay=False,
            help="Compare every step with such a file, and say where they part.",
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Live through hours of faults by a seed, and audit the money independently.

    It runs a gateway, its bank and its merchants, and audits them by their own books. It uses a
    database server of its own, which is gone afterwards. The exit status is 1 when anything was
    found, or a step is not the expected one.
    """
    if seeds > 1 and (trace or expect):
        message = "a file holds the steps of one seed"
        raise typer.BadParameter(message, param_hint="--seeds")
    has_findings, differs = False, ""
    with own_server() as database:
        for number in range(seed, seed + seeds):
            name = f"seed {number}"
            with bar(name, quiet=json) as move, _listening(trace, expect) as (heard, difference):
                plan = SimulationPlan(number, hours, orders_an_hour, heard=heard)
                outcome = run(
                    plan,
                    database(f"seed_{number}"),
                    lambda part, name=name, move=move: move(name, part, 1.0),
                )
                differs = difference()
            has_findings = has_findings or bool(outcome.findings)
            show(document(outcome), json=True) if json else _print(outcome)
    if differs:
        typer.echo(f"This run is not the expected one. {differs}", err=True)
    if has_findings or differs:
        raise typer.Exit(_FOUND)


@contextmanager
def _listening(
    trace: Path | None, expect: Path | None
) -> Iterator[tuple[Callable[[str], None], Callable[[], str]]]:
    """Yield a listener for each step of a run, which reports the first unexpected one."""
    with ExitStack() as files:
        written = files.enter_context(trace.open("w", encoding="utf-8")) if trace else None
        expected = (
            ExpectedTrace(files.enter_context(expect.open(encoding="utf-8"))) if expect else None
        )

        def heard(line: str) -> None:
            if written:
                written.write(f"{line}\n")
            if expected:
                expected.hear(line)

        yield heard, lambda: expected.difference() if expected else ""


def document(outcome: RunOutcome) -> dict[str, Any]:
    """Return the result of a run, for scripts."""
    return {
        "seed": outcome.seed,
        "hours": outcome.hours,
        "trace": outcome.trace,
        "steps": outcome.steps,
        "orders": outcome.orders,
        "operations": dict(sorted(outcome.done.items())),
        "faults": {str(fault): count for fault, count in outcome.faults.items() if count},
        "notifications": dict(sorted(outcome.told.items())),
        "logged": dict(sorted(outcome.logged.items())),
        "findings": [{"about": each.about, "found": each.words} for each in outcome.findings],
        "stories": outcome.stories,
        "real_s": round(outcome.real_s, 1),
    }


def _print(outcome: RunOutcome) -> None:
    facts: Mapping[str, object] = {
        "simulated hours": outcome.hours,
        "orders": outcome.orders,
        "steps": outcome.steps,
        "trace": outcome.trace[:16],
        "real seconds": round(outcome.real_s, 1),
    }
    show(facts, json=False, title=f"Seed {outcome.seed}")
    result = document(outcome)
    for title in ("operations", "faults", "notifications"):
        show(result[title], json=False, title=title.capitalize())
    for each in outcome.findings:
        typer.echo(f"FOUND {each.about} {each.words}")
    for about, story in list(outcome.stories.items())[:STORIES_MAX]:
        typer.echo("\n".join([f"\nThe story of {about}:", *story]))
    again = f"hundi simulate --seed {outcome.seed} --hours {outcome.hours:g}"
    typer.echo(
        f"{len(outcome.findings)} findings. The same run again: {again}"
        if outcome.findings
        else "No findings."
    )
