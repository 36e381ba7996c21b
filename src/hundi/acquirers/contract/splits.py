"""The contract of connectors whose acquirer settles shares of payments itself."""

from hundi.acquirers.contract.steps import (
    AMOUNT,
    HALF,
    ConnectorCase,
    ContractBrokenError,
    demand,
    demand_moved,
    take_payment,
)
from hundi.acquirers.port.answers import Approved, Declined, NothingThere, Unknown
from hundi.acquirers.port.payments import Connector, RefundOrder
from hundi.acquirers.port.splits import (
    PartyStanding,
    PartyState,
    RefundsShares,
    ReversalOrder,
    ReversesShares,
    ShareMade,
    ShareOrder,
    SplitsSettlement,
)
from hundi.kernel.money import Money
from hundi.kernel.records import replace

QUARTER = Money(HALF.paise // 2)


async def check_shares(connector: Connector, case: ConnectorCase) -> None:
    """Prove that a share is found by its reference, and that no more is given than was paid."""
    if not isinstance(connector, SplitsSettlement):
        return
    for gaps in (connector.share_gaps_s, connector.settled_gaps_s):
        demand(gaps and all(gap > 0 for gap in gaps), "the schedules of shares have positive gaps")
    demand(connector.share_grace_s > 0, "a share may appear after its call")
    demand(
        isinstance(connector, ReversesShares) is not isinstance(connector, RefundsShares),
        "parts are taken back by calls of their own, or with refunds",
    )
    order = await _order(connector, case)
    demand(
        isinstance(await connector.inquire_share(order), NothingThere),
        "an unused share is not there",
    )
    found = await _given(connector, case, order)
    demand(await connector.inquire_share(order) == found, "a share asked about again is the same")
    more = replace(order, reference=_reference(case), amount=AMOUNT)
    answer = await connector.give_share(more)
    demand(not isinstance(answer, ShareMade), f"no more is given than was paid: {answer}")
    await _settled(case, more.reference)
    demand(not isinstance(await connector.inquire_share(more), ShareMade), "nothing was given")
    demand(await connector.inquire_share(order) == found, "another share changes nothing")


async def check_parties(connector: Connector, case: ConnectorCase) -> None:
    """Prove that a party that is open gets shares, and that nobody is not one."""
    if not isinstance(connector, SplitsSettlement):
        return
    standing = await connector.inquire_party(await _party(case))
    demand(
        isinstance(standing, PartyStanding) and standing.state is PartyState.ACTIVE,
        f"an open party gets shares, not {standing}",
    )
    nobody = await connector.inquire_party("nobody_of_this_name")
    demand(isinstance(nobody, NothingThere | Unknown), f"nobody is no party, not {nobody}")


async def check_reversals(connector: Connector, case: ConnectorCase) -> None:
    """Prove that a part of a share is taken back once for a reference, and no more than it was."""
    if not isinstance(connector, SplitsSettlement) or not isinstance(connector, ReversesShares):
        return
    share = await _order(connector, case)
    made = await _given(connector, case, share)
    order = ReversalOrder(_reference(case), share, made.name, QUARTER)
    demand(
        isinstance(await connector.inquire_reversal(order), NothingThere),
        "an unused reversal is not there",
    )
    answer = await connector.reverse_share(order)
    demand(not isinstance(answer, Declined), f"a party that has the money pays, not {answer}")
    await _settled(case, order.reference)
    demand_moved(await connector.inquire_reversal(order), QUARTER, "a reversal is found by inquiry")
    more = replace(order, reference=_reference(case), amount=HALF)
    demand(
        not isinstance(await connector.reverse_share(more), Approved),
        "no more is taken back than was given",
    )
    await _settled(case, more.reference)
    demand(not isinstance(await connector.inquire_reversal(more), Approved), "nothing more came")
    after = await connector.inquire_share(share)
    demand(
        isinstance(after, ShareMade) and after.amount == HALF,
        f"a share's amount is what was given, without reversals: {after}",
    )


async def check_refunds_of_shares(connector: Connector, case: ConnectorCase) -> None:
    """Prove that a refund takes a part of a share with it, once for a reference."""
    if not isinstance(connector, SplitsSettlement) or not isinstance(connector, RefundsShares):
        return
    share = await _order(connector, case)
    made = await _given(connector, case, share)
    for taken in (QUARTER, Money(1)):
        order = RefundOrder(case.new_reference(), share.original, QUARTER)
        reversal = ReversalOrder(_reference(case), share, made.name, taken, order.reference)
        demand(
            isinstance(await connector.inquire_reversal(reversal), NothingThere),
            "an unused refund took nothing",
        )
        for _ in range(2):
            answer = await connector.refund_with_shares(order, (reversal,))
            demand(not isinstance(answer, Declined), f"a refund is not declined: {answer}")
        await case.refund_settled(order.reference)
        demand_moved(
            await connector.inquire_refund(order.reference), QUARTER, "a refund is found by inquiry"
        )
        demand_moved(
            await connector.inquire_reversal(reversal), taken, "a refund says what it took"
        )
    demand(await connector.inquire_share(share) == made, "a share is what was given")


async def _order(connector: Connector, case: ConnectorCase) -> ShareOrder:
    paid = await take_payment(connector, case)
    return ShareOrder(_reference(case), paid.reference, await _party(case), HALF)


async def _given(connector: SplitsSettlement, case: ConnectorCase, order: ShareOrder) -> ShareMade:
    """Give a share, and return it as an inquiry finds it."""
    answer = await connector.give_share(order)
    demand(not isinstance(answer, Declined), f"a share of a payment is given, not {answer}")
    await _settled(case, order.reference)
    found = await connector.inquire_share(order)
    if not isinstance(found, ShareMade) or found.amount != order.amount:
        promise = f"a share is found by inquiry, not {found}"
        raise ContractBrokenError(promise)
    return found


async def _party(case: ConnectorCase) -> str:
    demand(case.open_party is not None, "the tests open a party")
    return await case.open_party() if case.open_party else ""


def _reference(case: ConnectorCase) -> str:
    return (case.share_reference or case.new_reference)()


async def _settled(case: ConnectorCase, reference: str) -> None:
    if case.share_settled is not None:
        await case.share_settled(reference)
