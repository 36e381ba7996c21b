"""Accounts at acquirers by forms: one person types the settings, a second one agrees.

Secrets only go in. They are sealed with the request, and no page, log or answer carries one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from litestar import Response

from hundi.acquirers.kind_fields import FieldProblem, KindField, fields_of_kind, problems_of
from hundi.acquirers.kinds import AcquirerConfigurationError, AcquirerKind, installed, kind_of
from hundi.console.acquirer_addresses import (
    address_lines,
    in_forms,
    inner_hosts,
    untyped_secrets,
)
from hundi.console.acquirer_requests import (
    ADDITION,
    CHANGE,
    SOON,
    SOONER,
    AccountRequest,
    AskedAccount,
    ask,
    without_secrets,
)
from hundi.console.acquirer_settings import REMOVE_PREFIX, form_rows, secrets_of, typed_in
from hundi.console.guard import ConsoleRoute
from hundi.console.lists import id_of, words
from hundi.console.visits import ConsoleVisit
from hundi.infra.secrets.vault import VaultError
from hundi.kernel.clock import world_now
from hundi.kernel.ids import new_id
from hundi.kernel.records import replace
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.payments.acquirer_accounts import actions, store
from hundi.payments.acquirer_accounts.rules import EVERYBODY, AcquirerAccount
from hundi.staff.approvals.rules import REASON_LENGTH_MAX
from hundi.staff.people.rules import OPERATOR, Permission

KINDS = "acquirer-kinds"
NAME_LENGTH_MAX = 32
_NAME_ALLOWED = f"small letters, digits and single underscores, at most {NAME_LENGTH_MAX}"
_ACT_ID_DIGITS = 15


@dataclass(frozen=True, slots=True)
class TypedAccount:
    """What somebody typed into the form, and what is wrong with it.

    texts: of the kind's fields, secrets among them. fault: of the whole.
    """

    texts: Mapping[str, str]
    name: str = ""
    serves: str = ""
    is_paid_to_operator: bool = False
    reason: str = ""
    act_id: str = ""
    problems: tuple[FieldProblem, ...] = ()
    fault: str = ""


# --- another account ---


async def show_kinds(visit: ConsoleVisit) -> Response[Any]:
    """List the installed kinds, each with the form that adds an account of it."""
    rows: list[dict[str, str]] = []
    for name in sorted(installed()):
        try:
            kind = kind_of(name, {"kind": name})
            rows.append({"kind": name, "brand": _brand(name, kind), "fault": ""})
        except AcquirerConfigurationError as error:
            rows.append({"kind": name, "brand": words(name), "fault": str(error)})
    return visit.page("acquirer_kinds.html", "Add an account", rows=rows)


async def show_addition(visit: ConsoleVisit) -> Response[Any]:
    """Show the empty form of a kind."""
    kind_name, kind = _kind(visit)
    defaults = {each.name: each.text_of(each.default) for each in fields_of_kind(kind)}
    return _addition_page(visit, kind_name, kind, TypedAccount(defaults))


async def ask_addition(visit: ConsoleVisit) -> Response[Any]:
    """Ask a second person to approve another account."""
    kind_name, kind = _kind(visit)
    fields = fields_of_kind(kind)
    typed = _typed(visit, fields)
    values, problems = problems_of(in_forms(fields), typed.texts)
    serves = await _serves(visit, typed)
    if isinstance(serves, FieldProblem):
        problems = (*problems, serves)
    if not 1 <= len(typed.name) <= NAME_LENGTH_MAX:
        problems = (*problems, FieldProblem("name", typed.name[:64], _NAME_ALLOWED))
    problems = (*problems, *inner_hosts(fields, values), *_reason_problems(typed))
    if problems or isinstance(serves, FieldProblem):
        return _addition_page(visit, kind_name, kind, replace(typed, problems=problems))
    try:
        account = await actions.check_addition(
            visit.gateway.accounts, typed.name, kind_name, serves, values, visit.now
        )
    except AcquirerConfigurationError as error:
        fault = without_secrets(error, kind, typed.texts)
        return _addition_page(visit, kind_name, kind, replace(typed, fault=fault))
    shown = {
        "acquirer": typed.name,
        "account_kind": kind_name,
        "money": "simulated" if account.simulated else "real",
        "payments": "of every merchant" if serves == EVERYBODY else f"of merchant {serves} alone",
        "settings": _lines(fields, values),
        "secrets": _secret_names(fields, values),
    }
    request = AccountRequest(typed.name, kind_name, values, serves=serves)
    asked = AskedAccount(
        f"Add the account {typed.name}", shown, request, typed.reason, typed.act_id
    )
    return await ask(visit, ADDITION.name, asked)


def _addition_page(
    visit: ConsoleVisit, kind_name: str, kind: AcquirerKind[Any], typed: TypedAccount
) -> Response[Any]:
    rows = form_rows(in_forms(fields_of_kind(kind)), typed.texts, typed.problems, {})
    return visit.page(
        "acquirer_form.html",
        f"Add an account: {_brand(kind_name, kind)}",
        409 if typed.problems or typed.fault else 200,
        **_frame(visit, typed),
        action=visit.href(f"{KINDS}/{kind_name}"),
        back=KINDS,
        account=None,
        rows=rows,
        kind=kind_name,
    )


# --- a changed account ---


async def show_change(visit: ConsoleVisit) -> Response[Any]:
    """Show the settings of an account in a form; a secret that is not typed stays."""
    account, kind = await _account(visit)
    texts = {
        each.name: each.text_of(account.fields.get(each.name, each.default))
        for each in fields_of_kind(kind)
    }
    return await _change_page(visit, account, kind, TypedAccount(texts))


async def ask_change(visit: ConsoleVisit) -> Response[Any]:
    """Ask a second person to approve other settings of an account."""
    account, kind = await _account(visit)
    fields = tuple(each for each in in_forms(fields_of_kind(kind)) if not each.is_fixed)
    typed = _typed(visit, fields)
    sent = [each for each in fields if not each.is_secret or typed.texts[each.name].strip()]
    values, problems = problems_of(sent, typed.texts)
    if problems := (*problems, *_reason_problems(typed)):
        return await _change_page(visit, account, kind, replace(typed, problems=problems))
    changes = _changes(visit, account, fields, values)
    stored = await secrets_of(visit, account)
    if problems := (*inner_hosts(fields, changes), *untyped_secrets(fields, changes, stored)):
        return await _change_page(visit, account, kind, replace(typed, problems=problems))
    if not changes:
        fault = "Nothing differs from what the account has."
        return await _change_page(visit, account, kind, replace(typed, fault=fault))
    try:
        await actions.check_rotation(visit.gateway.accounts, account.name, changes, visit.now)
    except (AcquirerConfigurationError, VaultError) as error:
        fault = without_secrets(error, kind, typed.texts)
        return await _change_page(visit, account, kind, replace(typed, fault=fault))
    shown = {
        "acquirer": account.name,
        "account_kind": account.kind,
        "settings": _lines(fields, changes),
        "secrets": _secret_names(fields, changes),
    }
    if addresses := address_lines(fields, account.fields, changes):
        shown["addresses"] = addresses
    request = AccountRequest(account.name, account.kind, changes, revision=account.revision)
    title = f"Change the account {account.name}"
    asked = AskedAccount(title, shown, request, typed.reason, typed.act_id)
    return await ask(visit, CHANGE.name, asked)


def _changes(
    visit: ConsoleVisit,
    account: AcquirerAccount,
    fields: Sequence[KindField],
    values: Mapping[str, Any],
) -> dict[str, Any]:
    """Return what a form changes: None takes a field away, so that its default counts."""
    changes: dict[str, Any] = {}
    for field in fields:
        stored = account.fields.get(field.name)
        value = values.get(field.name)
        if field.is_secret:
            is_removed = visit.form.get(f"{REMOVE_PREFIX}{field.name}") == "1"
            if value is not None or (is_removed and not field.is_needed):
                changes[field.name] = value
        elif value is None and stored is not None and field.normal(stored) != field.default:
            changes[field.name] = None
        elif value is not None and (stored is None or field.normal(stored) != value):
            changes[field.name] = value
    return changes


async def _change_page(
    visit: ConsoleVisit, account: AcquirerAccount, kind: AcquirerKind[Any], typed: TypedAccount
) -> Response[Any]:
    fields = fields_of_kind(kind)
    fixed = {each.name: each.text_of(account.fields.get(each.name)) for each in fields}
    seen = await secrets_of(visit, account)
    return visit.page(
        "acquirer_form.html",
        f"Change {account.name}",
        409 if typed.problems or typed.fault else 200,
        **_frame(visit, typed),
        action=visit.href(f"acquirers/{account.name}/change"),
        back=f"acquirers/{account.name}",
        account=account,
        rows=form_rows(in_forms(fields), {**fixed, **typed.texts}, typed.problems, seen),
        kind=account.kind,
    )


# --- both ---


def _kind(visit: ConsoleVisit) -> tuple[str, AcquirerKind[Any]]:
    name = str(visit.params["kind"])
    if name not in installed():
        raise refuse(RefusalCode.NO_RECORDS, field="kind", received=name[:NAME_LENGTH_MAX])
    try:
        return name, kind_of(name, {"kind": name})
    except AcquirerConfigurationError as error:
        raise refuse(RefusalCode.STATE_FORBIDS, field="kind", allowed=str(error)) from None


async def _account(visit: ConsoleVisit) -> tuple[AcquirerAccount, AcquirerKind[Any]]:
    name = str(visit.params["name"])
    accounts = {each.name: each for each in await store.select_all(visit.db)}
    account = accounts.get(name)
    if account is None or account.kind not in installed():
        raise refuse(RefusalCode.NO_RECORDS, field="acquirer", received=name[:NAME_LENGTH_MAX])
    return account, kind_of(name, {"kind": account.kind})


def _brand(name: str, kind: AcquirerKind[Any]) -> str:
    return kind.brand or words(name)


def _typed(visit: ConsoleVisit, fields: Sequence[KindField]) -> TypedAccount:
    form = visit.form
    return TypedAccount(
        typed_in(visit, tuple(fields)),
        name=form.get("name", "").strip(),
        serves=form.get("merchant_id", "").strip(),
        is_paid_to_operator=form.get("paid_to_operator") == "1",
        reason=form.get("reason", ""),
        act_id=_act_id(visit),
    )


def _act_id(visit: ConsoleVisit) -> str:
    text = visit.form.get("act_id", "")
    if not (text.isascii() and text.isdigit() and len(text) <= _ACT_ID_DIGITS):
        raise refuse(RefusalCode.FIELD_INVALID, field="act_id", received=text[:20])
    return text


async def _serves(visit: ConsoleVisit, typed: TypedAccount) -> int | FieldProblem:
    """Return the one merchant whose payments an account takes, or EVERYBODY; else the problem."""
    if not typed.serves:
        return EVERYBODY
    merchant_id = id_of(typed.serves) or 0
    if merchant_id == OPERATOR or await visit.gateway.directory.get(merchant_id) is None:
        return FieldProblem("merchant_id", typed.serves[:20], "the number of a merchant")
    if not typed.is_paid_to_operator:
        return FieldProblem(
            "merchant_id", typed.serves, "only with money that comes to you: tick the box below"
        )
    return merchant_id


def _reason_problems(typed: TypedAccount) -> tuple[FieldProblem, ...]:
    if 1 <= len(typed.reason.strip()) <= REASON_LENGTH_MAX:
        return ()
    received = typed.reason[:64]
    return (FieldProblem("reason", received, f"1 to {REASON_LENGTH_MAX} characters"),)


def _frame(visit: ConsoleVisit, typed: TypedAccount) -> dict[str, Any]:
    wrong = {each.name: each for each in typed.problems}
    return {
        "typed": typed,
        "wrong": wrong,
        "fault": typed.fault
        or ("Some settings are wrong. Secrets are typed again." if wrong else ""),
        "act_id": typed.act_id or new_id(visit.now),
        "asks_code": not visit.session.is_fresh(world_now()),
        "soon": SOON,
        "sooner": SOONER,
        "name_allowed": _NAME_ALLOWED,
    }


def _lines(fields: Sequence[KindField], values: Mapping[str, Any]) -> str:
    """Return the readable settings of a request, one to a line.

    Further lines of a value are indented: none looks like another setting.
    """
    rows = [
        f"{each.name} = {each.words_of(values[each.name]) or 'none'}".replace("\n", "\n    ")
        if values[each.name] is not None
        else f"{each.name}: taken away"
        for each in fields
        if each.name in values and not each.is_secret
    ]
    return "\n".join(rows) or "none"


def _secret_names(fields: Sequence[KindField], values: Mapping[str, Any]) -> str:
    """Return the names of a request's secrets; their values are shown to nobody."""
    names = [
        each.name if values[each.name] is not None else f"{each.name} (taken away)"
        for each in fields
        if each.is_secret and each.name in values
    ]
    return ", ".join(names) or "none"


_CHANGE = Permission.ACQUIRERS_CHANGE
ROUTES = (
    ConsoleRoute("GET", KINDS, show_kinds, _CHANGE, at="all"),
    ConsoleRoute("GET", f"{KINDS}/{{kind:str}}", show_addition, _CHANGE, at="all"),
    ConsoleRoute("POST", f"{KINDS}/{{kind:str}}", ask_addition, _CHANGE, fresh=True, at="all"),
    ConsoleRoute("GET", "acquirers/{name:str}/change", show_change, _CHANGE, at="all"),
    ConsoleRoute("POST", "acquirers/{name:str}/change", ask_change, _CHANGE, fresh=True, at="all"),
)
