"""Runs one step of a certification, and says how it ended."""

from collections.abc import Collection
from dataclasses import dataclass

import structlog

from hundi.acquirers.calls.exchanges import Exchange, ExchangeNotes, noting
from hundi.acquirers.certification.steps import (
    CertificationStep,
    MovedAmount,
    StepFailedError,
    StepOpenError,
    StepRun,
    StepUnavailableError,
    StepVerdict,
)

WORDS_MAX = 500
_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class StepResult:
    """How a step ended. words: why, or what came back. exchanges: its calls, masked."""

    verdict: StepVerdict
    words: str
    moved: MovedAmount | None
    exchanges: tuple[Exchange, ...]


async def run_step(step: CertificationStep, run: StepRun, secrets: Collection[str]) -> StepResult:
    """Run a step. secrets: values that its evidence must not have."""
    notes = ExchangeNotes(secrets)
    moved = None
    with noting(notes):
        try:
            outcome = await step.call(run)
        except StepFailedError as error:
            verdict, words = StepVerdict.FAILED, str(error)
        except StepOpenError as error:
            verdict, words = StepVerdict.OPEN, str(error)
        except StepUnavailableError as error:
            verdict, words = StepVerdict.UNAVAILABLE, str(error)
        except Exception as error:  # noqa: BLE001 (a connector's fault is a finding; the run goes on)
            _log.exception("certification_step_broke", step=step.name)
            verdict, words = StepVerdict.FAILED, f"the connector broke: {type(error).__name__}"
        else:
            verdict, words, moved = StepVerdict.PASSED, outcome.words, outcome.moved
    return StepResult(verdict, notes.words(words)[:WORDS_MAX], moved, notes.noted)
