"""Pages of verbs without a screen of their own: a form of the parameters, and the result."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import msgspec
from litestar import Response

from hundi.api.context import GatewayContext
from hundi.console.agreements import OLDER
from hundi.console.guard import ConsoleRoute, refusal_words
from hundi.console.lists import words
from hundi.console.queries import across
from hundi.console.verb_forms import (
    ACT_ID,
    PLACE,
    acquirers_of,
    files_of,
    largest_body,
    parameters_by,
    verb_context,
)
from hundi.console.visits import Access, ConsoleVisit
from hundi.kernel.clock import utc_now
from hundi.kernel.ids import new_id
from hundi.kernel.money import rupees
from hundi.kernel.records import replace
from hundi.kernel.refusals import Refusal, RefusalCode, Refused, refuse
from hundi.kernel.states import Actor
from hundi.staff.approvals import actions as approvals
from hundi.staff.approvals.actions import ApprovalKind
from hundi.staff.approvals.rules import Approval
from hundi.staff.people import store as people
from hundi.staff.people.rules import OPERATOR, Person
from hundi.staff.trail import actions as trail
from hundi.staff.trail import store as entries
from hundi.staff.trail.actions import Who
from hundi.verbs.context import DocumentFaultsError, VerbContext, VerbProblemError
from hundi.verbs.parameters import UploadedFile, VerbParameter, VerbParameters
from hundi.verbs.results import in_rupees, text_of
from hundi.verbs.table import THINGS, all_verbs, verbs_of
from hundi.verbs.verb import OperatorVerb, RemarkedResult

LIST = "verbs"
_REASON = "reason"
_ACT_ID_DIGITS_MAX = 15
MERCHANTS_OFFERED_MAX = 200
"""A form offers merchants by name up to this number; of more, people type the id."""
_OPTION = re.compile(r"--([a-z][a-z-]*)")
_ASKED = "asked"
"""The field of a filled-in form of a verb that changes nothing."""


def is_here(visit: ConsoleVisit, verb: OperatorVerb[Any]) -> bool:
    """Return whether the person may use a verb's form at the present place."""
    place = "merchant" if visit.merchant_id else "all"
    return bool(verb.path) and verb.at in {"both", place} and visit.may(verb.needs)


async def show_list(visit: ConsoleVisit) -> Response[Any]:
    """List the verbs of this place that have no other screen."""
    nouns = [
        (
            many,
            [
                {"path": each.path, "name": label_of(each), "words": summary_of(each)}
                for each in verbs_of(noun)
                if is_here(visit, each)
            ],
        )
        for noun, (_, many) in THINGS.items()
    ]
    return visit.page("verbs.html", "More", offered=[each for each in nouns if each[1]])


def label_of(verb: OperatorVerb[Any]) -> str:
    """Return the title of a verb's page, which begins with what it does."""
    if verb.page:
        return verb.page
    one, many = THINGS[verb.noun]
    return f"List {many.lower()}" if verb.name == "list" else f"{verb.name.capitalize()} {one}"


def summary_of(verb: OperatorVerb[Any]) -> str:
    """Return the first line of a verb's help."""
    return in_form(verb.words.partition("\n")[0])


def _paragraphs(verb: OperatorVerb[Any]) -> list[str]:
    """Return a verb's help but for what is about the output of its command."""
    return [each for each in verb.words.split("\n\n") if "--json" not in each]


def in_form(text: str) -> str:
    """Return words about a command for its form, which has fields instead of options."""
    named = _OPTION.sub(lambda option: f"“{words(option[1].replace('-', '_'))}”", text)
    return named.replace("repeat for several", "several with spaces between")


@dataclass(frozen=True, slots=True)
class VerbLook:
    """Shows the form of a verb, and the result of a verb that changes nothing."""

    verb: OperatorVerb[Any]

    async def __call__(self, visit: ConsoleVisit) -> Response[Any]:
        """Answer. Raises Refused."""
        is_filled_in = _ASKED in visit.query or not fields_of(visit, self.verb)
        if not (self.verb.is_linked and is_filled_in):
            return await _page(visit, self.verb, {})
        return await _done(visit, self.verb, visit.query, {})


@dataclass(frozen=True, slots=True)
class VerbDeed:
    """Does a verb with its form's values, and shows the result."""

    verb: OperatorVerb[Any]

    async def __call__(self, visit: ConsoleVisit) -> Response[Any]:
        """Answer. Raises Refused."""
        return await _done(visit, self.verb, visit.form, await files_of(visit, self.verb))


@dataclass(frozen=True, slots=True)
class VerbRequest:
    """Asks a second person to approve a verb with its form's values."""

    verb: OperatorVerb[Any]

    async def __call__(self, visit: ConsoleVisit) -> Response[Any]:
        """Answer. Raises Refused."""
        verb, form = self.verb, visit.form
        try:
            parameters = parameters_by(visit, verb, form)
            if verb.check is not None:
                await verb.check(verb_context(visit, verb), parameters)
            title = verb.second.format(**msgspec.structs.asdict(parameters))
            payload = {
                name: value
                for name, value in msgspec.to_builtins(parameters).items()
                if value is not None
            }
            approval_id = await approvals.ask(
                visit.db,
                visit.merchant_id,
                kind_of(verb).name,
                title,
                payload,
                visit.who,
                form.get(_REASON, ""),
                visit.now,
                form.get(ACT_ID, "")[:_ACT_ID_DIGITS_MAX],
            )
        except Refused as refused:
            return await _page(visit, verb, form, fault=_fault_words(verb, refused.refusal))
        except (VerbProblemError, DocumentFaultsError) as problem:
            return await _page(visit, verb, form, fault=in_form(f"{problem}."))
        return visit.see(f"approvals/{approval_id}", "asked")


def kind_of(verb: OperatorVerb[Any]) -> ApprovalKind[GatewayContext]:
    """Return the kind of request of a verb that needs a second person."""

    async def perform(gateway: GatewayContext, approval: Approval) -> str:
        parameters = msgspec.convert(approval.payload, verb.parameter_class)
        maker = await people.select(gateway.db, approval.made_by)
        context = agreed_context(gateway, verb, approval, maker)
        if await _is_done(context, approval, _merchant_in(parameters)):
            return "Done."
        try:
            await verb.act(context, parameters)
        except (VerbProblemError, DocumentFaultsError) as problem:
            raise refuse(RefusalCode.STATE_FORBIDS, allowed=str(problem)) from None
        return "Done."

    return ApprovalKind(
        f"{verb.noun} {verb.name}".replace(" ", "_"),
        label_of(verb),
        verb.needs,
        verb.needs,
        perform,
    )


def _merchant_in(parameters: VerbParameters) -> int:
    """Return the merchant that a verb's parameters name, OPERATOR for none."""
    values = msgspec.structs.asdict(parameters)
    return next((values[name] for name in PLACE if name in values), OPERATOR)


async def _is_done(context: VerbContext, approval: Approval, merchant_id: int) -> bool:
    """Return whether an earlier run did the act, and ended before it recorded the result.

    Raises Refused (STATE_FORBIDS) if somebody did the like after this was asked for.
    """
    later = [
        entry
        for entry in await entries.select_page(
            context.db, merchant_id, act=context.trail, since=approval.made_at
        )
        # The operator's trail has the acts on single merchants as well.
        if (merchant_id or "merchant" not in trail.detail_of(entry))
    ]
    decided_at = approval.decided_at or context.now
    if any(each.person_id == approval.made_by and each.at >= decided_at for each in later):
        return True
    if later:
        raise refuse(RefusalCode.STATE_FORBIDS, allowed=OLDER)
    return False


def agreed_context(
    gateway: GatewayContext, verb: OperatorVerb[Any], approval: Approval, maker: Person | None
) -> VerbContext:
    """Return the context of an approved verb: the requester acts."""
    return VerbContext(
        settings=gateway.settings,
        db=gateway.db,
        vault=gateway.vault,
        directory=gateway.directory,
        accounts=gateway.accounts,
        now=utc_now(),
        who=Who(approval.made_by, approval.maker, gateway.vault),
        trail=verb.trail,
        across=approval.merchant_id == OPERATOR,
        name=maker.email if maker else approval.maker,
        told_as=approval.maker,
        actor=Actor.OPERATOR if approval.merchant_id == OPERATOR else Actor.MERCHANT,
        payment_page_url=gateway.settings.payment_page_url,
        base_url=gateway.settings.base_url,
        reference=f"approval-{approval.approval_id}",
        allow_private=gateway.settings.allow_private_callbacks or gateway.settings.demo,
        acquirers=partial(acquirers_of, gateway),
    )


async def _done(
    visit: ConsoleVisit,
    verb: OperatorVerb[Any],
    typed: Mapping[str, str],
    files: Mapping[str, UploadedFile],
) -> Response[Any]:
    try:
        parameters = parameters_by(visit, verb, {**typed, **files})
    except Refused as refused:
        return await _page(visit, verb, typed, fault=_fault_words(verb, refused.refusal))
    try:
        result = await verb.act(verb_context(visit, verb), parameters)
    except (VerbProblemError, DocumentFaultsError) as problem:
        return await _page(visit, verb, typed, fault=in_form(f"{problem}."))
    except Refused as refused:
        own = verb.refusal_words(refused.refusal.code, parameters)
        fault = f"{own}." if own else _fault_words(verb, refused.refusal)
        return await _page(visit, verb, typed, fault=fault)
    remark = ""
    if isinstance(result, RemarkedResult):
        result, remark = result.result, result.remark
    sections = [(title, _part(part)) for title, part in verb.sections(result, parameters)]
    return await _page(visit, verb, typed if verb.reads else {}, sections=sections, remark=remark)


def _fault_words(verb: OperatorVerb[Any], refusal: Refusal) -> str:
    """Return the reason of a refusal, with a field as its form calls it."""
    labels = {each.name: f"“{_label(each)}”" for each in verb.parameters}
    field = labels.get(refusal.field, refusal.field)
    return refusal_words(replace(refusal, field=field))


async def _page(
    visit: ConsoleVisit,
    verb: OperatorVerb[Any],
    typed: Mapping[str, str],
    *,
    fault: str = "",
    sections: list[tuple[str, dict[str, Any]]] | None = None,
    remark: str = "",
) -> Response[Any]:
    fields = [_field(each, typed.get(each.name)) for each in fields_of(visit, verb)]
    return visit.page(
        "verb.html",
        label_of(verb),
        409 if fault else 200,
        words=[in_form(" ".join(each.split())) for each in _paragraphs(verb)],
        keeps_empty=verb.keeps_omitted,
        fields=fields,
        merchants=await _merchants(visit) if PLACE & {each["name"] for each in fields} else [],
        has_files=any(each["type"] == "file" for each in fields),
        is_linked=verb.is_linked,
        sure=verb.sure,
        second=bool(verb.second),
        act_id=typed.get(ACT_ID) or new_id(visit.now),
        reason=typed.get(_REASON, ""),
        button=verb.button or ("Ask for it" if verb.second else label_of(verb).partition(" ")[0]),
        danger=verb.danger,
        action=visit.href(verb.path),
        done=not verb.reads and sections is not None,
        sections=sections or [],
        remark=remark,
        fault=fault,
    )


async def _merchants(visit: ConsoleVisit) -> list[tuple[int, str]]:
    """Return the merchants that a form offers beside their field; none where they are too many."""
    rows = await across.select_merchants(visit.db, 0, "", MERCHANTS_OFFERED_MAX + 1)
    if len(rows) > MERCHANTS_OFFERED_MAX:
        return []
    return [(row["merchant_id"], row["name"]) for row in rows]


def fields_of(visit: ConsoleVisit, verb: OperatorVerb[Any]) -> list[VerbParameter]:
    """Return the parameters in a form; place and person fill in the others."""
    return [
        each
        for each in verb.parameters
        if not each.hints.signs
        and not each.hints.only_command
        and not (each.name in PLACE and visit.merchant_id)
    ]


def _field(parameter: VerbParameter, typed: str | None) -> dict[str, Any]:
    """Return a parameter as the form shows it. typed: None for an empty form."""
    usual = parameter.default if not parameter.is_required else None
    choices = {
        value: _choice(value, parameter.hints.known.get(value, ""))
        for value in parameter.choices
        if not parameter.is_list
    }
    return {
        "name": parameter.name,
        "is_merchant": parameter.name in PLACE,
        "label": _label(parameter),
        "words": in_form(parameter.words),
        "type": parameter.input_type,
        "is_amount": parameter.is_amount,
        "choices": choices if usual or "" in choices else {"": "", **choices},
        "required": parameter.is_required or parameter.hints.in_forms,
        "bounds": parameter.bounds,
        "value": _usual_text(parameter, usual) if typed is None else typed,
        "ticked": bool(usual) if typed is None else typed == "1",
    }


def _choice(value: str, text: str) -> str:
    """Return a choice for people. text: what is known of it, maybe its value alone."""
    return text if text and text != value else words(value)


def _label(parameter: VerbParameter) -> str:
    label = parameter.hints.label or words(parameter.name.removesuffix("_paise"))
    return f"{label} in rupees" if parameter.is_amount else label


def _usual_text(parameter: VerbParameter, usual: Any) -> str:  # noqa: ANN401 (of the parameter's kind)
    """Return a default value as it stands in a form."""
    if usual is None or (parameter.is_amount and not usual):
        return ""
    if parameter.is_switch:
        return "on" if usual else "off"
    return rupees(usual) if parameter.is_amount else str(usual)


def _part(part: Any) -> dict[str, Any]:  # noqa: ANN401 (a Result)
    """Return a part of a result for the page: facts, or a table."""
    if isinstance(part, Mapping):
        facts = [(words(name), text_of(value)) for name, value in in_rupees(part).items()]
        return {"facts": facts, "head": [], "rows": []}
    rows = [in_rupees(each) for each in part]
    return {
        "facts": [],
        "head": [words(name) for name in rows[0]] if rows else [],
        "rows": [[text_of(value) for value in row.values()] for row in rows],
    }


def _routes(verb: OperatorVerb[Any]) -> list[ConsoleRoute]:
    look = ConsoleRoute("GET", verb.path, VerbLook(verb), verb.needs, at=verb.at)
    if verb.is_linked:
        return [look]
    act = VerbRequest(verb) if verb.second else VerbDeed(verb)
    largest = largest_body(verb)
    deed = ConsoleRoute("POST", verb.path, act, verb.needs, verb.fresh, verb.at, largest)
    return [look, deed]


ROUTES = (
    ConsoleRoute("GET", LIST, show_list, Access.MEMBER, at="both"),
    *(route for each in all_verbs() if each.path for route in _routes(each)),
)
