"""Fees: merchants' price plans, and the cost of a payment."""

from dataclasses import asdict
from datetime import date
from typing import Annotated, Any

from msgspec import Meta

from hundi.instruments.methods import CHANNELS, CODE_OF_SPELLING
from hundi.kernel.clock import business_day
from hundi.money.fees import actions, store
from hundi.money.fees.document.rules import PlanDocument, PlanFault, PriceWords, read
from hundi.money.fees.rules import UNBOUNDED, FeeFacts
from hundi.staff.people.rules import Permission
from hundi.verbs.context import (
    DocumentFault,
    DocumentFaultsError,
    VerbContext,
    VerbProblemError,
)
from hundi.verbs.parameters import ID_MAX, ParameterHints, VerbParameters
from hundi.verbs.verb import Result, verb

GROUPS = {"plan": "Price plans: set, show."}
Merchant = Annotated[
    int,
    Meta(ge=1, le=ID_MAX, description="The merchant's id."),
    ParameterHints(by="name", option="--merchant"),
]


class PlanToSet(VerbParameters, frozen=True, kw_only=True):
    """A price plan, and the day from which it counts."""

    file: Annotated[
        str, Meta(description="The price plan: TOML or JSON."), ParameterHints(document=True)
    ]
    merchant: Merchant
    first_day: Annotated[
        date | None,
        Meta(description="Its first business day (default: tomorrow; today for a first plan)."),
        ParameterHints(option="--from"),
    ] = None
    by: Annotated[
        str,
        Meta(description="Who sets it (default: the user of this machine)."),
        ParameterHints(signs=True),
    ] = ""


class PlanToShow(VerbParameters, frozen=True, kw_only=True):
    """A version of a merchant's price plan."""

    merchant: Merchant
    version: Annotated[
        int, Meta(ge=0, description="A version (default: the one in force today).")
    ] = 0


class PaymentToQuote(VerbParameters, frozen=True, kw_only=True):
    """A possible payment, to be priced."""

    merchant: Merchant
    channel: Annotated[
        str,
        Meta(description="The channel of the payment."),
        ParameterHints(
            by="name", known={code: each.name for code, each in CHANNELS.items()}, listed=True
        ),
    ]
    amount_paise: Annotated[
        int,
        Meta(ge=1, le=UNBOUNDED, description="The payment's amount."),
        ParameterHints(by="name"),
    ]
    network: Annotated[str, Meta(description="A card's network, such as Visa or RuPay.")] = ""
    card_type: Annotated[
        str,
        Meta(description="A card's type."),
        ParameterHints(known=dict.fromkeys(("credit", "debit", "prepaid"), ""), listed=True),
    ] = ""
    discount_paise: Annotated[
        int, Meta(ge=0, description="The discount that the merchant pays for no-cost instalments.")
    ] = 0
    day: Annotated[date | None, Meta(description="The business day (default: today).")] = None


@verb(
    "fee plan set",
    Permission.FEES_CHANGE,
    trail="fee_plan.publish",
    screen="price-plan",
    title="Price plan",
    second="Price plan",
)
async def set_plan(context: VerbContext, parameters: PlanToSet) -> Result:
    """Set a merchant's price plan from a day on, as a new version.

    Exit with 2 and say what is wrong where it is refused.
    """
    document = read(parameters.file)
    if not isinstance(document, PlanDocument):
        raise DocumentFaultsError([_fault(fault) for fault in document])
    await context.check_merchant(parameters.merchant)
    by = parameters.by or context.name
    plan_no, begins = await actions.publish(
        context.db,
        parameters.merchant,
        parameters.file,
        parameters.first_day,
        by,
        context.who,
        context.now,
    )
    return {
        "merchant_id": str(parameters.merchant),
        "plan_no": plan_no,
        "first_day": begins.isoformat() if isinstance(begins, date) else "",
    }


def _fault(fault: PlanFault) -> DocumentFault:
    return DocumentFault(fault.code, fault.rule, fault.words, asdict(fault))


def _both_tables(result: dict[str, Any]) -> dict[str, Any]:
    """Return a plan for people: its versions, and the prices of one."""
    plan = result["plan"]
    prices = _prices(store.document_of(plan["document"])) if plan else []
    return {"versions": result["versions"], "prices": prices}


def _both_titles(result: dict[str, Any]) -> dict[str, str]:
    plan = result["plan"]
    return {"versions": "Versions"} | ({"prices": f"Version {plan['plan_no']}"} if plan else {})


@verb(
    "fee plan show",
    Permission.MONEY_SEE,
    screen="price-plan",
    drawn=_both_tables,
    tables=_both_titles,
)
async def show_plan(context: VerbContext, parameters: PlanToShow) -> Result:
    """Show a version of a merchant's price plan, and which versions there are."""
    merchant = parameters.merchant
    await context.check_merchant(merchant)
    heads = await store.select_heads(context.db, merchant)
    in_force = (await store.plans_of(context.db, merchant)).on(business_day(context.now))
    version = parameters.version or (in_force.plan_no if in_force else 0)
    plan = await store.select_plan(context.db, merchant, version)
    if parameters.version and plan is None:
        message = f"merchant {merchant} has no price plan with version {parameters.version}"
        raise VerbProblemError(message)
    return {
        "merchant_id": str(merchant),
        "in_force": in_force.plan_no if in_force else 0,
        "versions": [_head(row) for row in heads],
        "plan": {**_head(plan), "document": plan["document"]} if plan else {},
    }


@verb("fee quote", Permission.MONEY_SEE, title="Fee")
async def quote(context: VerbContext, parameters: PaymentToQuote) -> Result:
    """Show the fee of a payment, and the rule and version that set it."""
    code = CODE_OF_SPELLING.get(parameters.channel)
    if code is None:
        message = f"there is no channel {parameters.channel!r}: {' '.join(CHANNELS)}"
        raise VerbProblemError(message)
    facts = FeeFacts(
        code,
        parameters.network,
        parameters.card_type,
        parameters.amount_paise,
        parameters.day or business_day(context.now),
        parameters.discount_paise,
    )
    await context.check_merchant(parameters.merchant)
    fee = await actions.quoted(context.db, parameters.merchant, facts)
    return {
        "fee_paise": fee.fee_paise,
        "tax_paise": fee.tax_paise,
        "net_paise": fee.net_paise(parameters.amount_paise),
        "rule": fee.rule,
        "plan_no": fee.plan_no,
    }


def _head(row: Any) -> dict[str, Any]:  # noqa: ANN401 (a row)
    return {
        "plan_no": row["plan_no"],
        "first_day": row["first_day"].isoformat(),
        "published_by": row["published_by"],
        "published_at": row["published_at"],
    }


def _prices(document: PlanDocument) -> list[dict[str, Any]]:
    """Return the rules of a plan for people."""
    rules: list[tuple[str, PriceWords]] = [(rule.name, rule) for rule in document.rules]
    if document.otherwise:
        rules.append(("otherwise", document.otherwise))
    return [
        {
            "rule": name,
            "per cent": f"{price.basis_points / 100:.2f}",
            "fixed": price.fixed_paise,
            "minimum": price.minimum_paise,
            "maximum": price.maximum_paise or "",
        }
        for name, price in rules
    ]


VERBS = (set_plan, show_plan, quote)
