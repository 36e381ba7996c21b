"""The rows of methods beside UPI and cards: banks, wallets, instalments; pure."""

from collections.abc import Iterable, Sequence

from hundi.acquirers.port import BankEntry
from hundi.instruments.bank_names import CORPORATE
from hundi.kernel.money import rupees
from hundi.page.screens import BankChoices, Card, Emi, Option
from hundi.page.texts import Say
from hundi.payments.availability.rules import EmiPlan

_BASIS_POINTS_A_PER_CENT = 100


def banks(entries: Iterable[BankEntry], picked: str, say: Say, *, missing: bool) -> BankChoices:
    """Return the row of net banking: personal banking, then corporate. missing: sent without a bank."""
    people: list[Option] = []
    companies: list[Option] = []
    for each in sorted(entries, key=lambda entry: entry.name):
        group = companies if each.code.endswith(CORPORATE) else people
        group.append(Option(each.code, each.name, picked=each.code == picked))
    groups = [(say("nb_personal"), tuple(people)), (say("nb_company"), tuple(companies))]
    return BankChoices(_filled(groups), say("nb_missing") if missing else "")


def wallets(entries: Iterable[BankEntry], picked: str, say: Say, *, missing: bool) -> BankChoices:
    """Return the row of wallets."""
    options = tuple(Option(each.code, each.name, picked=each.code == picked) for each in entries)
    return BankChoices(_filled([(say("ppc"), options)]), say("ppc_missing") if missing else "")


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


def _filled(groups: list[tuple[str, tuple[Option, ...]]]) -> tuple[tuple[str, tuple[Option, ...]], ...]:
    return tuple(group for group in groups if group[1])
