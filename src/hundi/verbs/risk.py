"""Risk rules: showing, trying and publishing rule sets."""

from dataclasses import asdict
from datetime import timedelta
from typing import Annotated, Any

from msgspec import Meta

from hundi.payments.risk import actions, store
from hundi.payments.risk.actions import NOUN
from hundi.payments.risk.document import RiskFault, read
from hundi.payments.risk.replay.rules import Replayed
from hundi.payments.risk.rules import OPERATOR, RuleSet
from hundi.staff.people.rules import Permission
from hundi.verbs.context import (
    DocumentFault,
    DocumentFaultsError,
    VerbContext,
    VerbProblemError,
)
from hundi.verbs.parameters import ID_MAX, ParameterHints, VerbParameters
from hundi.verbs.verb import Result, verb, verb_alone

DAYS_MAX = 366
DOCUMENT_MAX = 100_000
_LONG = "reads every payment of its days, which may take minutes"
File = Annotated[
    str,
    Meta(max_length=DOCUMENT_MAX, description="The rule set: TOML or JSON."),
    ParameterHints(document=True, label="Rule set"),
]
Owner = Annotated[
    int,
    Meta(
        ge=0, le=ID_MAX, description="The merchant whose own rules they are (default: everybody's)."
    ),
    ParameterHints(option="--merchant"),
]


class RulesToShow(VerbParameters, frozen=True, kw_only=True):
    """A version of a rule set."""

    merchant: Owner = OPERATOR
    version: Annotated[int, Meta(ge=0, description="A version (default: the newest).")] = 0


class RulesToCheck(VerbParameters, frozen=True, kw_only=True):
    """A rule set whose faults are listed."""

    file: File


class RulesToTry(VerbParameters, frozen=True, kw_only=True):
    """A rule set to try on past payments."""

    file: File
    merchant: Owner = OPERATOR
    days: Annotated[int, Meta(ge=1, le=DAYS_MAX, description="How many past days.")] = 30


class RulesToPublish(VerbParameters, frozen=True, kw_only=True):
    """A rule set to put into force."""

    file: File
    merchant: Owner = OPERATOR
    by: Annotated[
        str,
        Meta(description="Who publishes (default: the user of this machine)."),
        ParameterHints(signs=True),
    ] = ""


def _read(document: str) -> RuleSet:
    """Return a rule set. Raises DocumentFaultsError with every fault."""
    rule_set = read(document)
    if not isinstance(rule_set, RuleSet):
        raise DocumentFaultsError([_fault(fault) for fault in rule_set])
    return rule_set


async def _checked(context: VerbContext, parameters: RulesToTry | RulesToPublish) -> RuleSet:
    """Return a rule set. Raises DocumentFaultsError with every fault, VerbProblemError."""
    rule_set = _read(parameters.file)
    await _check_owner(context, parameters.merchant)
    return rule_set


@verb("risk show", Permission.RISK_CHANGE, at="all", plain="document")
async def show(context: VerbContext, parameters: RulesToShow) -> dict[str, Any]:
    """Show a rule set as it was published.

    Without --json, the document alone.
    """
    merchant, version = parameters.merchant, parameters.version
    await _check_owner(context, merchant)
    row = await (
        store.select_version(context.db, merchant, version)
        if version
        else store.select_live(context.db, merchant)
    )
    if row is not None:
        return {"merchant_id": str(merchant or ""), **row}
    if version or merchant:
        suffix = f" with version {version}" if version else ""
        message = f"there is no rule set{suffix}: publish one"
        raise VerbProblemError(message)
    return {
        "merchant_id": "",
        "version": 0,
        "document": actions.default_document(),
        "published_by": "hundi",
    }


@verb_alone("risk check", Permission.RISK_CHANGE, at="all", title="In order")
def check(parameters: RulesToCheck) -> Result:
    """Check a rule set, and list everything that is wrong with it."""
    rule_set = _read(parameters.file)
    return {"rules": len(rule_set.rules), "counts": len(rule_set.counts)}


@verb(
    "risk try",
    Permission.RISK_CHANGE,
    at="all",
    title="Tried",
    parts={"rules": "By rule"},
    only_command=_LONG,
)
async def try_rules(context: VerbContext, parameters: RulesToTry) -> Result:
    """Try a rule set on past payments: what each rule would have done. Nothing changes."""
    rule_set = await _checked(context, parameters)
    ids = (
        [parameters.merchant]
        if parameters.merchant
        else [merchant.merchant_id for merchant in await context.directory.everyone()]
    )
    since = context.now - timedelta(days=parameters.days)
    return together(
        rule_set,
        [await actions.try_on_past(context.db, each, rule_set, since) for each in ids],
    )


@verb(
    "risk publish",
    Permission.RISK_CHANGE,
    at="all",
    trail=f"{NOUN}.publish",
    title="Published",
    second="Risk rules",
    check=_checked,
)
async def publish(context: VerbContext, parameters: RulesToPublish) -> Result:
    """Put a rule set into force, as a new version; running processes use it at once."""
    await _checked(context, parameters)
    who = context.signed(parameters.by)
    version = await actions.publish(
        context.db, parameters.merchant, parameters.file, who, context.now
    )
    return {"merchant_id": str(parameters.merchant or ""), "version": version}


async def _check_owner(context: VerbContext, merchant: int) -> None:
    if merchant:
        await context.check_merchant(merchant)


def _fault(fault: RiskFault) -> DocumentFault:
    place = ", ".join(part for part in (fault.rule, fault.field) if part)
    return DocumentFault(fault.code, place, fault.words, asdict(fault))


def together(rule_set: RuleSet, replays: list[Replayed]) -> dict[str, Any]:
    """Return the combined effect of a rule set on the tries of several merchants."""
    by_action = (
        {action: sum(one.by_action[action] for one in replays) for action in replays[0].by_action}
        if replays
        else {}
    )
    rules = [[one.rules[place] for one in replays] for place, _ in enumerate(rule_set.rules)]
    return {
        "tries": sum(one.tries for one in replays),
        **by_action,
        "paid_and_would_be_blocked": sum(one.paid_lost for one in replays),
        "rules": [
            {
                "rule": rule.name,
                "action": rule.action,
                "tries": sum(report.tries for report in reports),
                "paid": sum(report.paid for report in reports),
                "declined": sum(report.declined for report in reports),
                "orders": [order for report in reports for order in report.orders][:5],
            }
            for rule, reports in zip(rule_set.rules, rules, strict=True)
        ],
    }


VERBS = (show, check, try_rules, publish)
