"""The rows beside UPI and cards: banks, wallets, lenders, instalments, accounts, cash; pure."""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from hundi.acquirers.port.payments import BankEntry
from hundi.acquirers.port.transfers import VirtualAccount
from hundi.instruments.bank_names import CORPORATE
from hundi.instruments.methods import (
    CHANNEL_OF_METHOD,
    CHANNELS,
    NET_BANKING,
    REMITTANCE,
    UPI_COLLECT,
)
from hundi.kernel.money import in_figures, rupees
from hundi.kernel.states import AttemptState as A
from hundi.kernel.states import PaymentState as P
from hundi.merchants.directory.rules import Merchant
from hundi.page.method_rows import (
    BankChoices,
    CardRow,
    EmiRow,
    Groups,
    Option,
    PlanRow,
    PlansOfBank,
    SurchargeLine,
    TransferRow,
    VoucherRow,
)
from hundi.page.texts import Say
from hundi.payments.availability.rules import EmiChoice, EmiPlan
from hundi.payments.orders.rules import Attempt, Payment, PaymentView, channel_of
from hundi.payments.routing.health.rules import Health

Grouped = list[tuple[str, tuple[Option, ...]]]
Troubles = Mapping[tuple[str, str], Health]
"""Banks at which attempts currently fail, by method and code."""
POPULAR = ("SBIN", "HDFC", "ICIC", "UTIB", "KKBK", "PUNB")
"""The most used banks of net banking (docs/spec/domain.md#banks-popular), listed first."""
SEARCHED_FROM = 9
"""A list with this many banks has a search."""
TROUBLE = {Health.DEGRADED: "bank_degraded", Health.DOWN: "bank_down"}
_MARK_LETTERS = 2
REFUSED = frozenset({A.FAILED, A.NOT_REGISTERED, A.EXPIRED})
"""The states of an attempt that failed."""
_BASIS_POINTS_A_PER_CENT = 100
VOUCHER = "v"
"""The prefix of a voucher's picture name."""
VOUCHER_GROUP = 4
"""Digits of a voucher's number in one group, for reading out and typing."""


def banks(
    code: str,
    entries: Iterable[BankEntry],
    picked: str,
    say: Say,
    troubles: Troubles,
    *,
    missing: bool,
) -> BankChoices:
    """Return the row of a channel whose customers go to another site.

    missing: the form came without a choice.
    """

    def option(each: BankEntry) -> Option:
        health = troubles.get((each.method, each.code))
        note = say(TROUBLE[health]) if health is not None and health in TROUBLE else ""
        return Option(each.code, each.name, each.code == picked, mark_of(each.name), note)

    options = [option(each) for each in entries]
    groups = _of_banks(options, say) if code == NET_BANKING.code else [(say(code), tuple(options))]
    error = say(f"{code}_missing") if missing else ""
    return BankChoices(_filled(groups), error, len(options) >= SEARCHED_FROM)


def _of_banks(options: Sequence[Option], say: Say) -> Grouped:
    """Return the popular banks, the other ones, then those of companies."""
    first = {option.value: option for option in options if option.value in POPULAR}
    by_name = sorted(options, key=lambda option: option.label)
    people = tuple(
        each for each in by_name if not each.value.endswith(CORPORATE) and each.value not in first
    )
    companies = tuple(each for each in by_name if each.value.endswith(CORPORATE))
    popular = tuple(first[code] for code in POPULAR if code in first)
    return [
        (say("nb_popular"), popular),
        (say("nb_personal"), people),
        (say("nb_company"), companies),
    ]


@lru_cache(maxsize=1024)
def mark_of(name: str) -> str:
    """Return the initials beside a bank's name."""
    words = [word for word in name.split() if word[0].isalpha()]
    capitals = [letter for letter in name if letter.isupper()]
    initials = [word[0] for word in words] if len(words) > 1 or not capitals else capitals
    return "".join((initials if len(initials) > 1 else name)[:_MARK_LETTERS]).upper()


def emi(choice: EmiChoice, picked: str, card: CardRow, say: Say, *, missing: bool) -> EmiRow:
    """Return the row of instalments by bank: the cost of each month, and the total."""
    by_bank: dict[str, list[EmiPlan]] = {}
    for each in choice.plans:
        by_bank.setdefault(each.bank_name, []).append(each)
    groups = tuple(
        _of_bank(name, plans, picked, say, only=len(by_bank) == 1)
        for name, plans in by_bank.items()
    )
    return EmiRow(groups, card, say("emi_missing") if missing else "", choice.elsewhere)


def _of_bank(
    bank: str, plans: Sequence[EmiPlan], picked: str, say: Say, *, only: bool
) -> PlansOfBank:
    lowest = min(each.instalments.monthly_paise for each in plans)
    rows = tuple(_plan(each, picked, say) for each in plans)
    opened = only or any(row.picked for row in rows)
    return PlansOfBank(bank, mark_of(bank), say("emi_from", monthly=rupees(lowest)), rows, opened)


def _plan(each: EmiPlan, picked: str, say: Say) -> PlanRow:
    terms = each.instalments
    total = rupees(terms.total_paise)
    if each.plan.no_cost:
        cost = say("emi_no_cost", total=total)
    else:
        rate = f"{each.plan.annual_rate_bps / _BASIS_POINTS_A_PER_CENT:g}"
        cost = say("emi_cost", interest=rupees(terms.interest_paise), rate=rate, total=total)
    if each.plan.has_fee:
        cost = f"{cost}. {say('emi_fee')}"
    instalments = say("emi_plan", months=terms.months, monthly=rupees(terms.monthly_paise))
    return PlanRow(each.key, instalments, cost, each.key == picked)


def fees(payment: Payment, merchant: Merchant, say: Say) -> dict[str, SurchargeLine]:
    """Return the sentences about a payment's surcharges, by channel."""
    return {
        code: _fee(payment, code, merchant, say)
        for code in payment.channels
        if payment.surcharge_by(code).paise
    }


def _fee(payment: Payment, code: str, merchant: Merchant, say: Say) -> SurchargeLine:
    fee = payment.surcharge_by(code)
    total = rupees((payment.amount + fee).paise)
    return SurchargeLine(
        total, say("fee", merchant=merchant.name, fee=rupees(fee.paise), total=total)
    )


def _filled(groups: Grouped) -> Groups:
    return tuple(group for group in groups if group[1])


def failed_row(view: PaymentView) -> str:
    """Return the row of the method that failed last, which opens again; "" for none."""
    last = refused_last(view)
    if last is None:
        return ""
    channel = CHANNELS[channel_of(view.payment, last.method)]
    return "vpa" if last.method == UPI_COLLECT.name else channel.form or channel.code


def refused_last(view: PaymentView) -> Attempt | None:
    """Return the last failed attempt, or None.

    A payment without a method has not been tried since its order came.
    """
    last = view.latest if view.payment.state is P.OPEN and view.payment.method else None
    return last if last is not None and last.state in REFUSED else None


def waiting_row(view: PaymentView) -> str:
    """Return the row of the newest account or voucher that waits for money, "" for none."""
    newest = next((each for each in reversed(view.attempts) if each.awaits_money), None)
    return CHANNEL_OF_METHOD[newest.method].code if newest else ""


def account(attempt: Attempt, virtual_account: VirtualAccount, say: Say) -> TransferRow:
    """Return the row of an account number."""
    ends = attempt.expires_at
    until = (
        say("remit_until", until=ends)
        if attempt.method == REMITTANCE.name
        else say("va_until", until=ends)
    )
    return TransferRow(
        rupees(attempt.amount.paise),
        in_figures(attempt.amount.paise),
        virtual_account.number,
        virtual_account.ifsc,
        virtual_account.holder,
        until,
        virtual_account.app_link,
    )


def voucher(attempt: Attempt, path: str, app: str, say: Say) -> VoucherRow:
    """Return the row of a voucher, issued or not. path: the session's address."""
    number = attempt.voucher
    return VoucherRow(
        amount=rupees(attempt.amount.paise),
        number=" ".join(
            number[at : at + VOUCHER_GROUP] for at in range(0, len(number), VOUCHER_GROUP)
        ),
        digits=number,
        src=f"{path}/qr/{VOUCHER}{attempt.attempt_id}.svg",
        until=say("cash_until", until=attempt.expires_at),
        app=app,
    )
