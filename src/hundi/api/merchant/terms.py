"""A merchant's terms of settlement: the next settlement, its prices, its bank accounts.

See docs/spec/payment-interfaces.md#terms-operations.
"""

from hundi.api.merchant.endpoint import MerchantRequest
from hundi.api.merchant.operations import Answer, serving
from hundi.kernel.clock import business_day
from hundi.kernel.records import replace
from hundi.money.bank_accounts import store as accounts
from hundi.money.fees import store as fees
from hundi.money.fees.document.rules import PriceRuleWords, PriceWords
from hundi.money.fees.rules import OTHERWISE
from hundi.money.settlements.finding import actions as finding
from hundi.wire.merchant.terms import (
    ACCOUNTS,
    NEXT,
    PRICES,
    BankAccount,
    BankAccounts,
    NextSettlement,
    OwnTerms,
    Price,
    PriceList,
)


async def _next(context: MerchantRequest, _: OwnTerms) -> Answer[NextSettlement]:
    """Return the day and the expected amounts of the next settlement."""
    found = await finding.expected(context.gateway.db, context.sender.merchant_id, context.now)
    ahead = NextSettlement(
        day=found.day,
        due_at=found.due_at,
        items=found.items,
        net_paise=found.amounts.net_paise,
        splits_paise=found.amounts.splits_paise,
        carried_paise=found.amounts.carried_paise,
        held=found.held,
    )
    return Answer(ahead, "What is known so far")


async def _prices(context: MerchantRequest, _: OwnTerms) -> Answer[PriceList]:
    """Return the prices in force today."""
    db, owner = context.gateway.db, context.sender.merchant_id
    plan = (await fees.plans_of(db, owner)).on(business_day(context.now))
    row = await fees.select_plan(db, owner, plan.plan_no) if plan else None
    if row is None:
        told = PriceList(plan_no=0, first_day=None, prices=())
    else:
        document = fees.document_of(row["document"])
        listed = [_ruled(each) for each in document.rules]
        if document.otherwise:
            listed.append(_priced(OTHERWISE, document.otherwise))
        told = PriceList(plan_no=row["plan_no"], first_day=row["first_day"], prices=tuple(listed))
    return Answer(told, f"{len(told.prices)} prices")


def _ruled(rule: PriceRuleWords) -> Price:
    return replace(
        _priced(rule.name, rule),
        channels=rule.channels,
        networks=rule.networks,
        not_networks=rule.not_networks,
        card_types=rule.card_types,
        not_card_types=rule.not_card_types,
        above_paise=rule.above_paise or None,
        up_to_paise=rule.up_to_paise or None,
    )


def _priced(name: str, price: PriceWords) -> Price:
    return Price(
        rule=name,
        basis_points=price.basis_points,
        fixed_paise=price.fixed_paise,
        minimum_paise=price.minimum_paise or None,
        maximum_paise=price.maximum_paise or None,
    )


async def _accounts(context: MerchantRequest, _: OwnTerms) -> Answer[BankAccounts]:
    """Return the accounts that receive payouts."""
    found = await accounts.of_merchant(context.gateway.db, context.sender.merchant_id)
    told = tuple(
        BankAccount(
            beneficiary=each.beneficiary,
            holder=each.holder,
            account=each.last4,
            ifsc=each.ifsc,
            state=each.state,
            added_at=each.added_at,
        )
        for each in found
        if each.replaced_at is None
    )
    return Answer(BankAccounts(accounts=told), f"{len(told)} accounts")


HANDLERS = {
    NEXT: serving(NEXT, _next),
    PRICES: serving(PRICES, _prices),
    ACCOUNTS: serving(ACCOUNTS, _accounts),
}
