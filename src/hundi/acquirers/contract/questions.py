"""The contract about inquiries, and about lines that stay open."""

from hundi.acquirers.contract.steps import ConnectorCase, demand
from hundi.acquirers.port.answers import Accepted
from hundi.acquirers.port.lines import AnswersEcho
from hundi.acquirers.port.payments import FIRST_GAP_S_MIN, Connector


async def check_schedule(connector: Connector, case: ConnectorCase) -> None:  # noqa: ARG001 (one shape for every check)
    """Prove that the inquiry schedule is positive and begins no earlier than workers see it."""
    gaps = connector.inquiry_schedule.gaps_s
    demand(gaps and all(gap > 0 for gap in gaps), "the inquiry schedule has positive gaps")
    demand(
        gaps[0] >= FIRST_GAP_S_MIN,
        f"the first inquiry is {FIRST_GAP_S_MIN} seconds or more after the intention",
    )


async def check_echo(connector: Connector, case: ConnectorCase) -> None:  # noqa: ARG001 (one shape for every check)
    """Prove that a line that stays open answers an echo."""
    if isinstance(connector, AnswersEcho):
        demand(isinstance(await connector.echo(), Accepted), "a line answers an echo")
