"""The stand-in of Cashfree with subscriptions: `async with running_with_mandates() as (bank, it)`.

`it` plays customers and banks (`approve`, `deliver`, `take`, `refuse`, `put`); `bank.world` has the
clock and the webhooks. See `standin_subscriptions` for sources and open points.
"""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import web

from tests.acquirers.cashfree.standin import Bank, Handler, Refusal
from tests.acquirers.cashfree.standin_links import running_with_links
from tests.acquirers.cashfree.standin_subscriptions import Debit, Document, Subscriptions

Answers = Callable[[Subscriptions, web.Request, Document], object]


def _pay(it: Subscriptions, _request: web.Request, asked: Document) -> object:
    debit = it.pay(asked)
    data: Document = {}
    if debit.kind == "AUTH" and debit.subscription.method == "upi":
        data = {"payload": {"default": f"upi://mandate?pa=cf@upi&tr={debit.number}"}}
    elif debit.kind == "AUTH":
        data = {"url": f"https://sandbox.cashfree.com/pg/view/subs/{debit.number}"}
    return debit.document() | {"data": data, "payment_method": debit.subscription.method}


def _one_debit(it: Subscriptions, request: web.Request) -> Debit:
    debit = it.debit(request.match_info["payment_id"])
    if debit.subscription.id != request.match_info.get("id", debit.subscription.id):
        raise Refusal(404, "payment_not_found", "payment does not exist")
    return debit


def _parts(word: str) -> Answers:
    def answer(it: Subscriptions, request: web.Request, _asked: Document) -> object:
        debit = it.debit(request.match_info["payment_id"])
        kept = debit.notices if word == "notification" else debit.executions
        found = [each | {"payment_status": debit.status} for each in kept.values()]
        name = request.match_info.get("part")
        if name is None:
            return found
        for each in found:
            if each[f"{word}_id"] == name:
                return each
        raise Refusal(404, f"{word}_not_found", f"{word} does not exist")

    return answer


def _manage_debit(it: Subscriptions, request: web.Request, asked: Document) -> object:
    debit = _one_debit(it, request)
    if asked.get("action") == "CANCEL" and debit.status == "INITIALIZED":
        debit.status = "CANCELLED"
    elif asked.get("action") == "RETRY" and debit.status == "FAILED":
        debit.status, debit.retries = "PENDING", debit.retries + 1
    else:
        raise Refusal(400, "action_invalid", "action is not allowed")
    return debit.document()


def _refund_of(it: Subscriptions, request: web.Request, _asked: Document) -> object:
    for debit in it.debits.values():
        if request.match_info["refund_id"] in debit.refunds:
            return debit.refunds[request.match_info["refund_id"]]
    raise Refusal(404, "refund_not_found", "refund does not exist")


SUBSCRIPTION_ROUTES: tuple[tuple[str, str, Answers], ...] = (
    ("POST", "", lambda it, _request, asked: it.create(asked).document()),
    ("POST", "/pay", _pay),
    ("POST", "/pay/controlled/notify-mandate", lambda it, _request, asked: it.notify(asked)),
    ("POST", "/pay/controlled/execute-mandate", lambda it, _request, asked: it.execute(asked)),
    ("GET", "/payments/{payment_id}/controlled/notifications", _parts("notification")),
    ("GET", "/payments/{payment_id}/controlled/notifications/{part}", _parts("notification")),
    ("GET", "/payments/{payment_id}/controlled/executions", _parts("execution")),
    ("GET", "/payments/{payment_id}/controlled/executions/{part}", _parts("execution")),
    ("GET", "/{id}", lambda it, request, _asked: it.one(request.match_info["id"]).document()),
    (
        "POST",
        "/{id}/manage",
        lambda it, request, asked: it.manage(request.match_info["id"], asked).document(),
    ),
    (
        "GET",
        "/{id}/payments",
        lambda it, request, _asked: [
            each.document()
            for each in it.debits.values()
            if each.subscription is it.one(request.match_info["id"])
        ],
    ),
    (
        "GET",
        "/{id}/payments/{payment_id}",
        lambda it, request, _asked: _one_debit(it, request).document(),
    ),
    ("POST", "/{id}/payments/{payment_id}/manage", _manage_debit),
    (
        "POST",
        "/{id}/refunds",
        lambda it, request, asked: it.refund(request.match_info["id"], asked),
    ),
    ("GET", "/{id}/refunds/{refund_id}", _refund_of),
)


@asynccontextmanager
async def running_with_mandates(
    *more: tuple[str, str, Handler],
) -> AsyncIterator[tuple[Bank, Subscriptions]]:
    """Run the stand-in with all that it has, and subscriptions. more: further routes."""
    kept: list[Subscriptions] = []

    def handler(answers: Answers) -> Handler:
        def answer(_bank: Bank, request: web.Request, asked: dict[str, Any]) -> object:
            return answers(kept[0], request, asked)

        return answer

    routes = tuple(
        (method, f"/pg/subscriptions{path}", handler(answers))
        for method, path, answers in SUBSCRIPTION_ROUTES
    )
    async with running_with_links(*routes, *more) as bank:
        kept.append(Subscriptions(bank.world))
        yield bank, kept[0]
