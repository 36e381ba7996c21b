"""Bank account and price plan of a merchant, changed by two people."""

import base64
from typing import Any

from litestar import Response

from hundi.api.context import GatewayContext
from hundi.console.assets import PREFIX
from hundi.console.downloads import Download, leave
from hundi.console.guard import ConsoleRoute
from hundi.console.visits import ALL, ConsoleVisit
from hundi.infra.secrets.vault import VaultError
from hundi.kernel.clock import business_day, utc_now
from hundi.kernel.ids import new_id
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.money.bank_accounts import actions as bank_accounts
from hundi.money.bank_accounts import rules as account_rules
from hundi.money.bank_accounts import store as accounts
from hundi.money.bank_accounts.papers import actions as papers
from hundi.money.bank_accounts.papers import store as papers_store
from hundi.money.bank_accounts.rules import PRIMARY, BankAccountState, PayoutAccount
from hundi.money.fees import actions as fees
from hundi.money.fees import store as plans
from hundi.money.fees.document.rules import PlanDocument, PriceWords, read
from hundi.money.payouts.actions import hold_back
from hundi.staff.approvals import actions as approvals
from hundi.staff.approvals import store
from hundi.staff.approvals.actions import ApprovalKind
from hundi.staff.approvals.rules import Approval
from hundi.staff.people import store as people
from hundi.staff.people.rules import OPERATORS, Permission
from hundi.staff.trail.actions import Who
from hundi.verbs.bank_account import accept_papers

DOCUMENT_MAX = 20_000
_SEAL_PURPOSE = "approval-bank-account"
_ACT_ID_DIGITS = 15
OLDER = "Another one came into being after this was asked for. Ask again, if it is still wanted."


# --- the bank account ---


async def show_account(visit: ConsoleVisit) -> Response[Any]:
    """Show the accounts so far, and the form that requests another."""
    checks = await accounts.checks_of(visit.db, visit.merchant_id)
    of_merchant = await accounts.of_merchant(visit.db, visit.merchant_id)
    with_papers = [
        (
            account,
            await papers_store.of_account(
                visit.db, visit.merchant_id, account.beneficiary, account.account_no
            ),
        )
        for account in of_merchant
        if account.replaced_at is None
    ]
    return visit.page(
        "bank_account.html",
        "Bank account",
        accounts=of_merchant,
        checks={(each.beneficiary, each.account_no): each for each in checks},
        papers=[paper for _, papers_there in with_papers for paper in papers_there],
        to_accept=[each for each in with_papers if each[1] and _may_accept(visit, each[0])],
        accept_at=f"{PREFIX}{ALL}/{accept_papers.path}",
        may_ask=visit.may(Permission.BANK_ACCOUNTS_CHANGE),
        act_id=new_id(visit.now),
    )


def _may_accept(visit: ConsoleVisit, account: PayoutAccount) -> bool:
    """Return whether papers of an account wait for the person, one of the operator's people."""
    assert visit.place is not None
    is_operator = visit.place.role in OPERATORS and visit.may(Permission.BANK_ACCOUNTS_CHANGE)
    return is_operator and account.state is BankAccountState.UNVERIFIED


async def read_paper(visit: ConsoleVisit) -> Response[Any]:
    """Return a paper unchanged, as a download that the browser does not run."""
    paper_id = int(visit.params["paper_id"])
    paper, body = await papers.content(visit.db, visit.gateway.vault, visit.merchant_id, paper_id)
    about = f"{paper.beneficiary} {paper.account_no}"
    name = f"{paper_id}.{paper.media_type.rpartition('/')[2]}"
    download = Download(name, paper.media_type, body)
    return await leave(visit, download, "bank_account.read_paper", about, paper=str(paper_id))


async def ask_account(visit: ConsoleVisit) -> Response[Any]:
    """Ask a second person to approve another bank account of the merchant."""
    holder = " ".join(visit.form.get("holder", "").split())
    number, ifsc = (
        visit.form.get("number", "").replace(" ", ""),
        visit.form.get("ifsc", "").strip().upper(),
    )
    account_rules.check_account(PRIMARY, holder, number, ifsc, visit.person.email)
    act_id = _act_id(visit)
    account = {"holder": holder, "account_ending": number[-4:], "ifsc": ifsc}
    request = await store.of_act(visit.db, visit.merchant_id, BANK_ACCOUNT.name, act_id)
    if request is not None:
        # Sealed texts of one number differ, so the numbers are compared.
        if (
            any(request.payload[name] != text for name, text in account.items())
            or _number(visit.gateway, request) != number
        ):
            raise refuse(RefusalCode.REQUEST_ID_REUSED, field="act_id", received=act_id)
        return visit.see(f"approvals/{request.approval_id}", "asked")
    sealed = visit.gateway.vault.seal(number.encode(), _SEAL_PURPOSE, visit.merchant_id, act_id)
    payload = account | {"number_sealed": base64.b64encode(sealed).decode()}
    title = f"Pay out to the account of {holder} ending {number[-4:]}"
    return await _ask(visit, BANK_ACCOUNT.name, title, payload, act_id)


def _number(gateway: GatewayContext, request: Approval) -> str:
    """Return the account number of a request."""
    sealed = base64.b64decode(request.payload["number_sealed"])
    try:
        return gateway.vault.open(
            sealed, _SEAL_PURPOSE, request.merchant_id, request.act_id
        ).decode()
    except VaultError:
        allowed = "a request as it was asked for: ask again"
        raise refuse(
            RefusalCode.STATE_FORBIDS, field="account", received="another seal", allowed=allowed
        ) from None


async def change_account(gateway: GatewayContext, approval: Approval) -> str:
    """Add the account that a second person approved; its bank then verifies the holder."""
    request = approval.payload
    number = _number(gateway, approval)
    newest = await accounts.newest(gateway.db, approval.merchant_id, PRIMARY)
    fingerprint = bank_accounts.fingerprint(gateway.vault, number, request["ifsc"])
    # An earlier run added it and ended before it could record the result.
    later = newest is not None and newest.added_at >= approval.made_at
    is_done = later and newest is not None and newest.fingerprint == fingerprint
    if later and not is_done:
        raise refuse(RefusalCode.STATE_FORBIDS, field="account", allowed=OLDER)
    if not is_done:
        account = (request["holder"], number, request["ifsc"])
        maker, by = await _maker(gateway, approval)
        await bank_accounts.add(
            gateway.db,
            approval.merchant_id,
            PRIMARY,
            account,
            maker,
            by,
            utc_now(),
            replaced=hold_back,
        )
    return (
        f"The account ending {number[-4:]} was added. Its bank is asked whose it is; payouts"
        " follow when it says so."
    )


BANK_ACCOUNT: ApprovalKind[GatewayContext] = ApprovalKind(
    "bank_account",
    "Another bank account",
    Permission.BANK_ACCOUNTS_CHANGE,
    Permission.BANK_ACCOUNTS_CHANGE,
    change_account,
)


# --- the price plan ---


async def show_plan(visit: ConsoleVisit) -> Response[Any]:
    """Show the price plan in force, every version, and the form that requests another."""
    return await _plan_page(visit)


async def _plan_page(
    visit: ConsoleVisit, faults: tuple[str, ...] = (), document: str = ""
) -> Response[Any]:
    in_force = (await plans.plans_of(visit.db, visit.merchant_id)).on(business_day(visit.now))
    plan = (
        await plans.select_plan(visit.db, visit.merchant_id, in_force.plan_no) if in_force else None
    )
    prices = plans.document_of(plan["document"]) if plan else None
    return visit.page(
        "price_plan.html",
        "Price plan",
        409 if faults else 200,
        plan_no=in_force.plan_no if in_force else 0,
        prices=_prices(prices) if prices else [],
        versions=await plans.select_heads(visit.db, visit.merchant_id),
        may_ask=visit.may(Permission.FEES_CHANGE),
        faults=faults,
        document=document,
        act_id=new_id(visit.now),
    )


def _prices(document: PlanDocument) -> list[dict[str, Any]]:
    """Return the rules of a plan for people."""
    rules: list[tuple[str, PriceWords]] = [(each.name, each) for each in document.rules]
    if document.otherwise:
        rules.append(("everything else", document.otherwise))
    return [
        {
            "rule": name,
            "per_cent": f"{each.basis_points / 100:.2f} %",
            "fixed": each.fixed_paise,
            "minimum": each.minimum_paise,
            "maximum": each.maximum_paise or 0,
        }
        for name, each in rules
    ]


async def ask_plan(visit: ConsoleVisit) -> Response[Any]:
    """Ask a second person to publish a price plan, from tomorrow on."""
    document = visit.form.get("document", "")[:DOCUMENT_MAX].replace("\r\n", "\n")
    document_read = read(document)
    if isinstance(document_read, tuple):
        return await _plan_page(
            visit, tuple(f"{each.rule or 'plan'}: {each.words}" for each in document_read), document
        )
    rules = ", ".join(each.name for each in document_read.rules) or "one price"
    return await _ask(
        visit, PRICE_PLAN.name, f"Price plan: {rules}", {"document": document}, _act_id(visit)
    )


async def publish_plan(gateway: GatewayContext, approval: Approval) -> str:
    """Publish the price plan that a second person approved."""
    heads = await plans.select_heads(gateway.db, approval.merchant_id)
    maker, by = await _maker(gateway, approval)
    later = [each["plan_no"] for each in heads if each["published_at"] >= approval.made_at]
    document = read(approval.payload["document"])
    for plan_no in later:
        plan = await plans.select_plan(gateway.db, approval.merchant_id, plan_no)
        if (
            plan
            and plan["published_by"] == maker
            and plans.document_of(plan["document"]) == document
        ):
            return f"Version {plan_no} is published."
    if later:
        raise refuse(RefusalCode.STATE_FORBIDS, field="price plan", allowed=OLDER)
    whose = approval.merchant_id, approval.payload["document"], None, maker, by
    version = await fees.publish(gateway.db, *whose, utc_now())
    if not isinstance(version[0], int):
        raise refuse(RefusalCode.FIELD_INVALID, field="document", allowed=str(version[0]))
    return f"Version {version[0]} is published. It counts from {version[1]:%-d %b %Y}."


PRICE_PLAN: ApprovalKind[GatewayContext] = ApprovalKind(
    "price_plan", "Price plan", Permission.FEES_CHANGE, Permission.FEES_CHANGE, publish_plan
)


# --- both ---


async def _maker(gateway: GatewayContext, approval: Approval) -> tuple[str, Who]:
    """Return the requester's e-mail address, as names may be alike, and the trail's name."""
    person = await people.select(gateway.db, approval.made_by)
    return person.email if person else approval.maker, Who(
        approval.made_by, approval.maker, gateway.vault
    )


async def _ask(
    visit: ConsoleVisit, kind: str, title: str, payload: dict[str, Any], act_id: str
) -> Response[Any]:
    approval_id = await approvals.ask(
        visit.db,
        visit.merchant_id,
        kind,
        title,
        payload,
        visit.who,
        visit.form.get("reason", ""),
        visit.now,
        act_id,
    )
    return visit.see(f"approvals/{approval_id}", "asked")


def _act_id(visit: ConsoleVisit) -> str:
    text = visit.form.get("act_id", "")
    if not (text.isascii() and text.isdigit() and len(text) <= _ACT_ID_DIGITS):
        raise refuse(RefusalCode.FIELD_INVALID, field="act_id", received=text[:20])
    return text


ROUTES = (
    ConsoleRoute("GET", "bank-account", show_account, Permission.MONEY_SEE),
    ConsoleRoute("POST", "bank-account", ask_account, Permission.BANK_ACCOUNTS_CHANGE, fresh=True),
    ConsoleRoute(
        "GET",
        "bank-account/papers/{paper_id:int}",
        read_paper,
        Permission.BANK_ACCOUNTS_CHANGE,
    ),
    ConsoleRoute("GET", "price-plan", show_plan, Permission.MONEY_SEE),
    ConsoleRoute("POST", "price-plan", ask_plan, Permission.FEES_CHANGE, fresh=True),
)
