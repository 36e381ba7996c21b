"""The rows beside UPI and cards: banks, wallets, lenders, instalments, accounts, cash; pure."""

from collections.abc import Iterable, Sequence

from hundi.acquirers.port import BankEntry
from hundi.acquirers.transfers import VirtualAccount
from hundi.instruments.bank_names import CORPORATE
from hundi.instruments.methods import CHANNEL_OF_METHOD, NET_BANKING, REMITTANCE
from hundi.kernel.clock import for_people
from hundi.kernel.money import rupees
from hundi.merchants.directory.rules import Merchant
from hundi.page.screens import Account, BankChoices, Card, Emi, Fee, Groups, Option, Voucher
from hundi.page.texts import Say
from hundi.payments.availability.rules import EmiPlan
from hundi.payments.orders.rules import Attempt, Payment, PaymentView

Grouped = list[tuple[str, tuple[Option, ...]]]
_BASIS_POINTS_A_PER_CENT = 100
VOUCHER = "v"
"""What the name of a voucher's picture begins with."""
VOUCHER_GROUP = 4
"""Digits of a voucher's number that are shown together: it is read out and typed."""


def banks(code: str, entries: Iterable[BankEntry], picked: str, say: Say, *, missing: bool) -> BankChoices:
    """Return the row of a channel whose customers are sent somewhere. missing: sent without a choice."""
    groups = _of_banks(entries, picked, say) if code == NET_BANKING.code else _of_one_kind(entries, picked, say(code))
    return BankChoices(_filled(groups), say(f"{code}_missing") if missing else "")


def _of_banks(entries: Iterable[BankEntry], picked: str, say: Say) -> Grouped:
    """Return personal banking, then corporate."""
    people: list[Option] = []
    companies: list[Option] = []
    for each in sorted(entries, key=lambda entry: entry.name):
        group = companies if each.code.endswith(CORPORATE) else people
        group.append(Option(each.code, each.name, picked=each.code == picked))
    return [(say("nb_personal"), tuple(people)), (say("nb_company"), tuple(companies))]


def _of_one_kind(entries: Iterable[BankEntry], picked: str, title: str) -> Grouped:
    return [(title, tuple(Option(each.code, each.name, picked=each.code == picked) for each in entries))]


def emi(emi_plans: Sequence[EmiPlan], picked: str, card: Card, say: Say, *, missing: bool) -> Emi:
    """Return the row of instalments, by bank: what each month costs, and what the plan costs in all."""
    by_bank: dict[str, list[Option]] = {}
    for each in emi_plans:
        option = Option(each.key, _terms(each, say), picked=each.key == picked)
        by_bank.setdefault(each.bank_name, []).append(option)
    groups = [(name, tuple(options)) for name, options in by_bank.items()]
    return Emi(_filled(groups), card, say("emi_missing") if missing else "")


def _terms(each: EmiPlan, say: Say) -> str:
    terms = each.instalments
    values = {
        "months": terms.months,
        "monthly": rupees(terms.monthly_paise),
        "interest": rupees(terms.interest_paise),
        "rate": f"{each.plan.annual_rate_bps / _BASIS_POINTS_A_PER_CENT:g}",
    }
    return say("emi_no_cost" if each.plan.no_cost else "emi_plan", **values)


def fees(payment: Payment, merchant: Merchant, say: Say) -> dict[str, Fee]:
    """Return what is said of the surcharges of a payment, by channel."""
    return {code: _fee(payment, code, merchant, say) for code in payment.channels if payment.surcharge_by(code).paise}


def _fee(payment: Payment, code: str, merchant: Merchant, say: Say) -> Fee:
    fee = payment.surcharge_by(code)
    total = rupees((payment.amount + fee).paise)
    return Fee(total, say("fee", merchant=merchant.name, fee=rupees(fee.paise), total=total))


def _filled(groups: Grouped) -> Groups:
    return tuple(group for group in groups if group[1])


def waiting_row(view: PaymentView) -> str:
    """Return the row of the newest account or voucher that waits for money, "" when none does."""
    newest = next((each for each in reversed(view.attempts) if each.awaits_money), None)
    return CHANNEL_OF_METHOD[newest.method].code if newest else ""


def account(attempt: Attempt, found: VirtualAccount, say: Say) -> Account:
    """Return the drawn form of an account number."""
    ends = for_people(attempt.expires_at)
    until = say("remit_until", until=ends) if attempt.method == REMITTANCE.name else say("va_until", until=ends)
    return Account(rupees(attempt.amount.paise), found.number, found.ifsc, found.holder, until, found.app_link)


def voucher(attempt: Attempt, path: str, app: str, say: Say) -> Voucher:
    """Return the drawn form of a voucher, issued or not. path: the session's address."""
    number = attempt.voucher
    return Voucher(
        amount=rupees(attempt.amount.paise),
        number=" ".join(number[at : at + VOUCHER_GROUP] for at in range(0, len(number), VOUCHER_GROUP)),
        src=f"{path}/qr/{VOUCHER}{attempt.attempt_id}.svg",
        until=say("cash_until", until=for_people(attempt.expires_at)),
        app=app,
    )
