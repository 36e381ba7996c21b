"""The auditor's books of debts to merchants, from the bank's movements and the agreements.

Fees and taxes are calculated here again, from the agreement, without the gateway's code.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from hundi.sdk.callback import Notification
from hundi_testbed.bank.disputes.rules import ENDED, Phase
from hundi_testbed.bank.statements.rules import StatementMovement
from hundi_testbed.simulation.agreements import CARD, UPI, Agreement
from hundi_testbed.simulation.auditor import AuditFinding, OrderEvidence, goes_back, named_refunds
from hundi_testbed.simulation.bank import SimulatedBank
from hundi_testbed.simulation.bank_books import Charged
from hundi_testbed.simulation.books import OrderKind

WHOLE = 10_000
TAX_PER_CENT = 18
SMALL_CARD_PAISE = 2_000_00
"""Up to this amount fees of card payments have no tax, where a payment aggregator settles."""
OPEN_ACCOUNTS = (
    "owed_back",
    "refunds_in_flight",
    "held_for_review",
    "disputed",
    "payouts_in_flight",
    "settlement_due",
)
"""Accounts of unfinished work: all are zero at the end of the quiet time."""
OWED_ACCOUNTS = ("payable", "payable_linked", "reserve", *OPEN_ACCOUNTS)
"""Accounts of the gateway's debts, to the merchant or on the way to its customers."""
DISPUTE_ENDS = frozenset({"dispute_won", "dispute_lost", "dispute_partly_lost", "dispute_closed"})


@dataclass(frozen=True, slots=True)
class Expected:
    """The right books of one merchant, in paise."""

    paid: int
    refunded: int
    charged_back: int
    fees: int
    taxes: int
    received: int
    linked: int
    linked_least: int
    linked_most: int
    sold: int
    receivable: int
    handed_over: int

    @property
    def owed(self) -> int:
        """Return the debt to the merchant."""
        return (
            self.paid
            - self.refunded
            - self.charged_back
            - self.fees
            - self.taxes
            - self.received
            - self.linked
        )

    @property
    def escrow(self) -> int:
        """Return the merchant's part of the gateway's bank account."""
        return self.handed_over - self.received - self.linked


def fee_of(agreement: Agreement, way: str, paise: int) -> tuple[int, int]:
    """Return fee and tax of a payment, each rounded half up to the paisa."""
    if way == UPI:
        return 0, 0
    price = agreement.prices[way]
    part = (paise * price.basis_points * 2 + WHOLE) // (WHOLE * 2)
    fee = max(part + price.fixed_paise, price.minimum_paise)
    exempt = agreement.by_aggregator and way == CARD and paise <= SMALL_CARD_PAISE
    return fee, 0 if exempt else tax_on(fee)


def tax_on(fee: int) -> int:
    """Return the tax on a fee, half up."""
    return (fee * TAX_PER_CENT * 2 + 100) // 200


def kept(case: OrderEvidence) -> Charged | None:
    """Return the kept charge of an order: the one not returned without the merchant's request."""
    if case.order.asked is not OrderKind.HOLD and goes_back(case):
        return None
    by_id = named_refunds(case)
    unasked = {each.original for name, each in case.refunds if name.partition("-R")[2] not in by_id}
    return next(
        (each for each in case.moved if each.taken_paise and each.reference not in unasked), None
    )


def expected(
    number: int, agreement: Agreement, evidence_of: Mapping[str, OrderEvidence], bank: SimulatedBank
) -> Expected:
    """Return the right books of a merchant."""
    statements = bank.statements
    movements = [each for each in statements.movements if _is_of(number, each.reference)]
    handed = [
        each for each in statements.movements[: statements.handed] if _is_of(number, each.reference)
    ]
    kept_here = [charge for each in evidence_of.values() if (charge := kept(each)) is not None]
    fees = [fee_of(agreement, each.payment.method, each.taken_paise) for each in kept_here]
    shared = [shared_of(each) for each in evidence_of.values() if each.order.split]
    paying = {
        each.case_no
        for each in bank.disputes.phases.values()
        if _is_of(number, each.original) and each.phase is not Phase.RETRIEVAL
    }
    fees += [(agreement.dispute_fee_paise, tax_on(agreement.dispute_fee_paise))] * len(paying)
    return Expected(
        paid=sum(each.gross_paise for each in movements if each.is_credit),
        refunded=_sum(movements, "REFUND"),
        charged_back=_sum(movements, "CHARGEBACK"),
        fees=sum(fee for fee, _ in fees),
        taxes=sum(tax for _, tax in fees),
        received=bank.payouts.received_paise(number, linked=False),
        linked=bank.payouts.received_paise(number, linked=True),
        linked_least=sum(least for least, _ in shared),
        linked_most=sum(most for _, most in shared),
        sold=sum(sold_paise(each) for each in evidence_of.values()) + debited(number, bank),
        receivable=sum(each.signed_paise for each in movements)
        - sum(each.signed_paise for each in handed),
        handed_over=sum(each.net_paise for each in handed),
    )


def shared_of(case: OrderEvidence) -> tuple[int, int]:
    """Return the least and the most for an order's linked account.

    Refunds reduce it until the payment is settled.
    """
    split, charge = case.order.split, kept(case)
    if split is None or charge is None:
        return 0, 0
    left = charge.taken_paise - case.back_paise
    least = left * split.basis_points // WHOLE - 1 if split.acknowledged else 0
    return max(least, 0), charge.taken_paise * split.basis_points // WHOLE


def sold_paise(case: OrderEvidence) -> int:
    """Return the sales of an order, of which a part is withheld, also of one paid too late."""
    return max((each.taken_paise for each in case.moved), default=0)


def debited(number: int, bank: SimulatedBank) -> int:
    """Return the debits by mandates of a merchant's customers."""
    tried = (reference for mandate in bank.mandates.known.values() for reference in mandate.tried)
    return sum(bank.charges[each].taken_paise for each in tried if _is_of(number, each))


def _sum(movements: Sequence[StatementMovement], kind: str) -> int:
    return sum(each.gross_paise for each in movements if each.kind == kind)


def _is_of(number: int, reference: str) -> bool:
    return reference.partition("-")[0] == str(number)


def judge_merchant(
    number: int, agreement: Agreement, books: Expected, says: Mapping[str, int], days: int
) -> Iterator[AuditFinding]:
    """Yield the differences of the gateway's balances from a merchant's books.

    days: the number of simulated days.
    """
    owed = sum(says.get(each, 0) for each in OWED_ACCOUNTS)
    if owed != books.owed:
        yield AuditFinding(
            f"merchant {number} is owed {books.owed} paise, and the gateway says {owed}: {books}"
        )
    for name, paise in (
        ("fee_income", books.fees),
        ("tax_payable", books.taxes),
        ("receivable", books.receivable),
        ("escrow", books.escrow),
        *((each, 0) for each in OPEN_ACCOUNTS),
    ):
        if says.get(name, 0) != paise:
            yield AuditFinding(
                f"merchant {number}: {name} is {says.get(name, 0)} paise, and has to be {paise}"
            )
    if says.get("payable", 0) >= agreement.minimum_paise:
        yield AuditFinding(
            f"merchant {number}: {says['payable']} paise were not paid out, and could be"
        )
    # Debts come before a linked account's part, and less than the minimum is carried. Where the
    # merchant got nothing itself and is owed nothing, its linked account got everything.
    all_there_was = books.received == books.owed == 0
    carries = all_there_was or not 0 <= says.get("payable", 0) < agreement.minimum_paise
    least = 0 if carries else books.linked_least - agreement.minimum_paise
    if not least <= books.linked <= books.linked_most:
        words = f"from {books.linked_least} to {books.linked_most} paise were shared"
        yield AuditFinding(f"merchant {number}: {words}, and its linked account got {books.linked}")
    yield from _of_reserve(number, agreement, books, says.get("reserve", 0), days)


def _of_reserve(
    number: int, agreement: Agreement, books: Expected, reserve: int, days: int
) -> Iterator[AuditFinding]:
    """Yield the faults in the withheld money: each day's part is rounded by itself."""
    lasts = agreement.reserve_days > days
    held = books.sold * agreement.reserve_bps // WHOLE if lasts else 0
    if abs(reserve - held) > (days if lasts else 0):
        yield AuditFinding(
            f"merchant {number}: {reserve} paise are withheld, and {held} have to be"
        )


def judge_payouts(bank: SimulatedBank) -> Iterator[AuditFinding]:
    """Yield payouts to a wrong account, and repeated ones."""
    counts = Counter(
        each.instruction.reference for each in bank.payouts.made.values() if each.is_done
    )
    yield from (
        AuditFinding(f"payout {name} was made {times} times")
        for name, times in counts.items()
        if times > 1
    )
    for reference, payout in bank.payouts.made.items():
        holder = bank.payouts.accounts.get(payout.instruction.account)
        owner = str(holder.owner) if holder else "nobody"
        if owner != reference.partition("-")[0]:
            yield AuditFinding(f"payout {reference} went to the account of {owner}")


def judge_disputes(
    bank: SimulatedBank, cases: Mapping[str, OrderEvidence], notifications: Sequence[Notification]
) -> Iterator[AuditFinding]:
    """Yield the faults in disputes: each is decided, its opening and its end told once."""
    orders = {charge.reference: key for key, each in cases.items() for charge in each.charges}
    counts: Counter[tuple[str, str]] = Counter()
    for each in notifications:
        kind = "end" if each.event in DISPUTE_ENDS else str(each.event)
        counts[f"{each.transaction.order_id}", kind] += 1
    raised: Counter[str] = Counter()
    for each in bank.disputes.phases.values():
        key = orders.get(each.original)
        if key is None:
            continue
        raised[key] += 1
        if each.standing not in ENDED:
            yield AuditFinding(f"the bank never decided {each.case_no} {each.phase}", key)
        charge = bank.charges[each.original]
        back = bank.refunds.back_paise(charge.reference)
        if back + bank.disputes.taken_paise(each.original) > charge.taken_paise:
            yield AuditFinding("more went back and was charged back than the customer paid", key)
    for key, phases in raised.items():
        order_id = key.partition("/")[2]
        for kind in ("dispute_opened", "end"):
            if counts[order_id, kind] != phases:
                yield AuditFinding(
                    (
                        f"{phases} phases of disputes, and {kind} was told"
                        f" {counts[order_id, kind]} times"
                    ),
                    key,
                )
