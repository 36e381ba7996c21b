"""Payouts for the operator: what waits or came to nothing, and one with what may be done now."""

from collections.abc import Mapping, Sequence
from typing import Any

from asyncpg import Record
from litestar import Response

from hundi.console import second_person, verdicts
from hundi.console.guard import ConsoleRoute
from hundi.console.lists import tone_of, words
from hundi.console.queries import across
from hundi.console.queries import payouts as queries
from hundi.console.recording import recording_at
from hundi.console.verb_forms import form_of
from hundi.console.visits import ConsoleVisit
from hundi.kernel.clock import for_people
from hundi.kernel.money import Money, shown
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.money.bank_accounts import store as accounts
from hundi.money.payouts import actions, rules, store
from hundi.money.payouts.balances import store as balance_store
from hundi.money.payouts.fees import store as fee_store
from hundi.money.payouts.rails.rules import PayoutChannel, leaves_at
from hundi.money.payouts.rules import (
    CAME_TO_NOTHING,
    PAID,
    TO_SEND,
    UNDER_WAY,
    WAITING,
    PayoutState,
    PayoutTry,
)
from hundi.staff.people import store as people
from hundi.staff.people.rules import Permission
from hundi.verbs.payout import PROPOSE, REASON_MAX, approve, cancel, retry

PAGE_ROWS = 50
TO_RELEASE = (PayoutState.PREPARED, PayoutState.PROPOSED)
_TO_LOOK_AT = (*sorted(CAME_TO_NOTHING), PayoutState.PAID_TWICE)
_ON_THE_WAY = (*sorted(TO_SEND), *sorted(UNDER_WAY))
_ONE = "across/payouts/{merchant_id:int}/{payout_id:int}"
_ONE_HREF = "across/payouts/{merchant_id}/{payout_id}"
CHANNEL_WORDS: Mapping[PayoutChannel, str] = {
    PayoutChannel.API: "By a provider",
    PayoutChannel.FILE: "In a file for the bank",
}
P = PayoutState
_MEANS: Mapping[PayoutState, str] = {
    P.PREPARED: "One person proposes it, another one approves it.",
    P.PROPOSED: "It waits for another person than who proposed it.",
    P.APPROVED: "Two people released it. It has not left yet.",
    P.AWAITING_BALANCE: (
        "It has not left: the balance of its provider is short. It leaves by itself once that is"
        " filled."
    ),
    P.AWAITING_PROVIDER: "It has not left: no provider may carry it. It is looked at each minute.",
    P.SENT: "The bank may have it. It is asked until it answers.",
    P.UNKNOWN: "The bank has said nothing that decides. It is asked until it answers.",
    P.AWAITING_APPROVAL: "People at the provider have to approve it there.",
    P.QUEUED: "The provider keeps it until its balance suffices, or the bank works again.",
    P.PROCESSING: "The provider or its bank works on it.",
    P.DEEMED: "Our account was debited, and the credit is not confirmed.",
    P.DONE: "The bank confirmed that it left. It may still come back.",
    P.REFUSED: "The bank refused it: nothing left.",
    P.RETURNED: "It came back before it was confirmed.",
    P.REVERSED: "It came back after it was confirmed.",
    P.HELD_BACK: "It was not sent.",
    P.PAID_LATE: "The bank refused it first, and paid it after all.",
    P.PAID_TWICE: "The bank refused it first and paid it after all: its share was paid twice.",
}
"""What a state means, for people."""


async def show_list(visit: ConsoleVisit) -> Response[Any]:
    """Show the payouts that wait to be released or examined."""
    to_release = await store.listed(visit.db, None, list(TO_RELEASE), PAGE_ROWS)
    to_look_at = await store.listed(visit.db, None, list(_TO_LOOK_AT), PAGE_ROWS)
    under_way = await store.listed(visit.db, None, list(_ON_THE_WAY), PAGE_ROWS)
    names = await across.names_of(
        visit.db, {each.merchant_id for each in (*to_release, *to_look_at, *under_way)}
    )
    return visit.page(
        "across_payouts.html",
        "Payouts of all merchants",
        release=[_line(each, names) for each in to_release],
        look_at=[_line(each, names) for each in to_look_at],
        under_way=[_line(each, names) for each in under_way],
        balances=[
            {
                "provider": each.connector,
                "left": shown(Money(each.left_paise)),
                "at": each.counted_at,
                "decides": each.is_fresh(visit.now),
            }
            for each in await balance_store.select_all(visit.db)
        ],
        me=visit.person.email,
        may_release=visit.may(Permission.PAYOUTS_RELEASE),
    )


def _line(payout: PayoutTry, names: Mapping[int, str]) -> dict[str, Any]:
    return {
        "merchant_id": payout.merchant_id,
        "merchant": names.get(payout.merchant_id, ""),
        "payout_id": payout.payout_id,
        "to": beneficiary_words(payout.beneficiary),
        "state": words(payout.state),
        "tone": tone_of(payout.state) or ("waiting" if payout.state in TO_RELEASE else "failed"),
        "amount": shown(payout.amount),
        "at": payout.created_at,
        "maker": payout.maker,
        "provider": provider_words(payout),
        "may_cancel": payout.state in WAITING,
        "said": payout.wait_reason or bank_words(payout.bank_code, payout.bank_message),
    }


def beneficiary_words(beneficiary: str, *, is_own: bool = False) -> str:
    """Return who is paid, for people. is_own: read by the merchant's own people."""
    if beneficiary != "primary":
        return beneficiary
    return "Your bank account" if is_own else "The merchant"


def provider_words(payout: PayoutTry) -> str:
    """Return by whom a payout leaves, "" where that is not chosen yet."""
    return payout.provider or ("in a file" if payout.channel is PayoutChannel.FILE else "")


def bank_words(code: str, message: str) -> str:
    """Return what a bank said, for people."""
    return f"{code} {message}".strip()


# --- one payout ---


async def show(visit: ConsoleVisit) -> Response[Any]:
    """Show one payout: its states, its cause, its postings, and what may be done now."""
    payout = await _found(visit)
    key = payout.merchant_id, payout.payout_id
    cause = await queries.select_cause(visit.db, *key)
    tries = await queries.select_tries(visit.db, payout.merchant_id, payout.share_id)
    fees = await fee_store.of_payout(visit.db, *key)
    acts = await _acts(visit, payout, tries)
    row = _line(payout, {payout.merchant_id: cause["merchant"] if cause else ""})
    return visit.page(
        "payout.html",
        f"Payout of {shown(payout.amount)}",
        row=row,
        state=row["state"],
        verdict=verdicts.of_payout(
            payout,
            row["merchant"] or "the merchant",
            _MEANS[payout.state],
            is_paid_anew=bool(acts["paid_by"]),
        ),
        tone=_tone(payout.state),
        cause=cause,
        settled_on=f"{cause['day']:%-d %b %Y}" if cause and cause["day"] else "",
        facts=[(name, value) for name, value in _facts(payout, cause) if value],
        events=[
            {**each, "state": words(each["state"])}
            for each in await store.events_of(visit.db, *key)
        ],
        tries=[
            {**each, "state": words(each["state"]), "tone": _tone(each["state"])}
            for each in tries
            if each["payout_id"] != payout.payout_id
        ],
        postings=[
            {
                **each,
                "why": words(each["kind"]),
                "amount": shown(Money(each["amount_paise"], each["currency"])),
            }
            for each in await queries.select_postings(visit.db, *key)
        ],
        fees=[
            {
                "why": words(each.kind),
                "amount": shown(Money(each.fee_paise)),
                "tax": shown(Money(each.tax_paise)),
                "at": each.at,
            }
            for each in fees
        ],
        **acts,
    )


def _tone(state: str) -> str:
    if state in PAID and state != P.PAID_TWICE:
        return "paid"
    return "waiting" if state in WAITING | UNDER_WAY and state != P.UNKNOWN else "failed"


def _facts(payout: PayoutTry, cause: Record | None) -> list[tuple[str, str]]:
    """Return the facts of a payout by name, some of them empty."""
    file = str(payout.batch_id or "")
    by_file = payout.channel is PayoutChannel.FILE
    leaves = leaves_at(payout.rail, payout.sent_at) if payout.sent_at and file else None
    earlier = payout.utr if payout.late_utr and payout.utr else ""
    return [
        ("To", beneficiary_words(payout.beneficiary)),
        ("Bank account", _account_words(cause)),
        ("Way", CHANNEL_WORDS[payout.channel]),
        ("Provider", "" if by_file else payout.provider),
        ("Rail", (payout.rail if by_file else payout.sent_rail).upper()),
        ("File", file),
        ("UTR", payout.paid_utr),
        ("UTR before", earlier),
        ("Reference at the bank", payout.reference),
        ("The bank said", bank_words(payout.bank_code, payout.bank_message)),
        ("Proposed by", payout.maker),
        ("Approved by", payout.checker),
        ("Prepared", for_people(payout.created_at)),
        ("Sent", for_people(payout.sent_at) if payout.sent_at else ""),
        ("Leaves the bank", for_people(leaves) if leaves and leaves != payout.sent_at else ""),
        ("Ended", for_people(payout.settled_at) if payout.settled_at else ""),
        ("Questions to the bank", str(payout.inquiries) if payout.inquiries else ""),
        ("Try", str(payout.try_no)),
    ]


def _account_words(cause: Record | None) -> str:
    """Return a bank account for people: its number stays hidden but for four digits."""
    if cause is None or not cause["last4"]:
        return ""
    state = "replaced since" if cause["replaced_at"] else words(cause["account_state"]).lower()
    return f"{cause['holder']}, ending {cause['last4']}, {cause['ifsc']} ({state})"


async def _acts(visit: ConsoleVisit, payout: PayoutTry, tries: Sequence[Record]) -> dict[str, Any]:
    """Return what the person may do with a payout now, and why not what else the state allows."""
    may_release = visit.may(Permission.PAYOUTS_RELEASE)
    came_to_nothing = payout.state in CAME_TO_NOTHING
    unpaid = came_to_nothing and await store.is_owed(visit.db, payout.merchant_id, payout.share_id)
    account = (
        await accounts.newest(visit.db, payout.merchant_id, payout.beneficiary) if unpaid else None
    )
    verified = account is not None and account.state == "verified"
    channels = [each for each in PayoutChannel if each is PayoutChannel.FILE or payout.connector]
    refusal = rules.approval_refusal(payout, visit.person.email)
    return {
        "seen": payout.state,
        "may_release": may_release,
        "releases": may_release and payout.state in TO_RELEASE and refusal is None,
        "is_maker": payout.state is P.PROPOSED and refusal is not None,
        "proposes": payout.state is P.PREPARED,
        "cancels": may_release and payout.state in WAITING,
        "retries": may_release and unpaid and verified,
        "unverified": unpaid and not verified,
        "paid_by": _paying(payout, tries) if came_to_nothing and not unpaid else 0,
        "came_to_nothing": came_to_nothing,
        "channels": [(each.value, CHANNEL_WORDS[each]) for each in channels],
        "planned": CHANNEL_WORDS[payout.channel],
        "reason_max": REASON_MAX,
    }


def _paying(payout: PayoutTry, tries: Sequence[Record]) -> int:
    """Return the payout that pays a share now, 0 for none of its tries."""
    others = (each for each in reversed(tries) if each["payout_id"] != payout.payout_id)
    return next((each["payout_id"] for each in others if each["state"] not in CAME_TO_NOTHING), 0)


async def _found(visit: ConsoleVisit) -> PayoutTry:
    """Return the payout that an address names. Raises Refused (NO_RECORDS)."""
    key = visit.params["merchant_id"], visit.params["payout_id"]
    known = all(0 < each < across.ID_MAX for each in key)
    payout = await store.select(visit.db, *key) if known else None
    if payout is None:
        raise refuse(RefusalCode.NO_RECORDS, field="payout", received=str(key[1]))
    return payout


async def release(visit: ConsoleVisit) -> Response[Any]:
    """Release a payout: the first person proposes it, the second, another one, approves it."""
    payout = await _found(visit)
    key = payout.merchant_id, payout.payout_id
    if visit.form.get("seen", "") != payout.state:
        # One button proposes and approves: from an older page it could do the wrong one.
        allowed = "the state that the page showed: look at the list again"
        raise refuse(
            RefusalCode.STATE_FORBIDS, field="payout", received=payout.state, allowed=allowed
        )
    proposed = payout.state is PayoutState.PROPOSED
    if proposed:
        await _check_second(visit, payout)
    recorded = recording_at(
        visit,
        payout.merchant_id,
        approve.trail if proposed else PROPOSE,
        payout.payout_id,
        amount=shown(payout.amount),
    )
    channel = None if proposed else _BY.read(visit.form.get(_BY.name, ""))
    after = await actions.approve(
        visit.db, *key, visit.person.email, channel, visit.now, payout, recorded
    )
    said = "payout_proposed" if after.state is PayoutState.PROPOSED else "payout_released"
    at_one = visit.form.get("at") == "one"
    return visit.see(_ONE_HREF.format(**visit.params) if at_one else "across/payouts", said)


async def _check_second(visit: ConsoleVisit, payout: PayoutTry) -> None:
    """Refuse a person who proposed the payout, or whom its proposer let in. Raises Refused."""
    maker = await people.select_by_email(visit.db, payout.maker)
    proposers = await second_person.proposers(visit, payout.merchant_id, PROPOSE, payout.payout_id)
    requesters = proposers | ({maker.person_id} if maker else set())
    if not await second_person.is_second(visit, requesters):
        allowed = (
            "another person than who proposed it, who has not made your link to sign in either"
        )
        raise refuse(
            RefusalCode.STATE_FORBIDS, field="as", received=visit.person.email, allowed=allowed
        )


_BY = next(each for each in approve.parameters if each.name == "by")
ROUTES = (
    ConsoleRoute("GET", "across/payouts", show_list, Permission.MONEY_SEE, at="all"),
    ConsoleRoute("GET", _ONE, show, Permission.MONEY_SEE, at="all"),
    ConsoleRoute(
        "POST", f"{_ONE}/release", release, Permission.PAYOUTS_RELEASE, fresh=True, at="all"
    ),
    form_of(cancel, f"{_ONE}/cancel", _ONE_HREF),
    form_of(retry, f"{_ONE}/retry", _ONE_HREF),
)
