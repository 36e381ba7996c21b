"""What a merchant is settled by: the next settlement, its prices, its bank accounts.

See docs/spec/payment-interfaces.md#terms-operations.
"""

import msgspec

from hundi.api import replies
from hundi.api.context import GatewayContext
from hundi.api.endpoint import serve
from hundi.api.inbound import Inbound, Reply
from hundi.api.merchant.endpoint import MerchantRequest, merchant_endpoint
from hundi.api.merchant.settlements import moment_text
from hundi.kernel.clock import business_day
from hundi.merchants.directory.api_keys import KeyScope
from hundi.money.bank_accounts import store as accounts
from hundi.money.fees import store as fees
from hundi.money.fees.document import PriceWords, RuleWords
from hundi.money.fees.rules import OTHERWISE
from hundi.money.settlements.finding import actions as finding
from hundi.wire.fields import signed_text_from_paise, text_from_paise
from hundi.wire.merchant.terms import BankAccountData, NextSettlementData, PriceData, PriceListData, parse_nothing

NEXT, PRICES = merchant_endpoint("settlement/next", KeyScope.READ), merchant_endpoint("fees", KeyScope.READ)
ACCOUNTS = merchant_endpoint("bankaccount/list", KeyScope.READ)


async def next_settlement(gateway: GatewayContext, inbound: Inbound) -> Reply:
    """Return the day of the next settlement, and what it would come to."""
    return await serve(gateway, inbound, NEXT, _next)


async def prices(gateway: GatewayContext, inbound: Inbound) -> Reply:
    """Return the prices in force today."""
    return await serve(gateway, inbound, PRICES, _prices)


async def bank_accounts(gateway: GatewayContext, inbound: Inbound) -> Reply:
    """Return the accounts that are paid out to."""
    return await serve(gateway, inbound, ACCOUNTS, _accounts)


async def _next(context: MerchantRequest) -> dict[str, object]:
    parse_nothing(context.values)
    found = await finding.expected(context.gateway.db, context.sender.merchant_id, context.now)
    data = NextSettlementData(
        settlement_day=found.day.isoformat() if found.day else "",
        due_at=moment_text(found.due_at),
        items=found.items,
        net_amount=text_from_paise(found.amounts.net_paise),
        splits_amount=text_from_paise(found.amounts.splits_paise),
        carried_amount=signed_text_from_paise(found.amounts.carried_paise),
        held=found.held,
    )
    return replies.success(msgspec.to_builtins(data), "What is known so far", context.request_id)


async def _prices(context: MerchantRequest) -> dict[str, object]:
    parse_nothing(context.values)
    db, owner = context.gateway.db, context.sender.merchant_id
    plan = (await fees.plans_of(db, owner)).on(business_day(context.now))
    row = await fees.select_plan(db, owner, plan.plan_no) if plan else None
    if row is None:
        data = PriceListData(plan_no=0, first_day="", prices=())
    else:
        document = fees.document_of(row["document"])
        listed = [_ruled(each) for each in document.rules]
        if document.otherwise:
            listed.append(_priced(OTHERWISE, document.otherwise))
        data = PriceListData(plan_no=row["plan_no"], first_day=row["first_day"].isoformat(), prices=tuple(listed))
    return replies.success(msgspec.to_builtins(data), f"{len(data.prices)} prices", context.request_id)


def _ruled(rule: RuleWords) -> PriceData:
    return msgspec.structs.replace(
        _priced(rule.name, rule),
        channels=rule.channels,
        networks=rule.networks,
        not_networks=rule.not_networks,
        card_types=rule.card_types,
        not_card_types=rule.not_card_types,
        above_amount=_optional(rule.above_paise),
        up_to_amount=_optional(rule.up_to_paise),
    )


def _priced(name: str, price: PriceWords) -> PriceData:
    return PriceData(
        rule=name,
        percent=text_from_paise(price.basis_points),
        fixed_amount=text_from_paise(price.fixed_paise),
        minimum_amount=_optional(price.minimum_paise),
        maximum_amount=_optional(price.maximum_paise),
    )


def _optional(paise: int) -> str:
    return text_from_paise(paise) if paise else ""


async def _accounts(context: MerchantRequest) -> dict[str, object]:
    parse_nothing(context.values)
    found = await accounts.of_merchant(context.gateway.db, context.sender.merchant_id)
    data = [
        BankAccountData(
            beneficiary=each.beneficiary,
            holder=each.holder,
            account=each.last4,
            ifsc=each.ifsc,
            state=each.state,
            added_at=moment_text(each.added_at),
        )
        for each in found
        if each.replaced_at is None
    ]
    return replies.success({"accounts": msgspec.to_builtins(data)}, f"{len(data)} accounts", context.request_id)
