"""The page "Where is my money?": a reference and a contact, a code, and the payment behind it.

The answer to a question is always the same words after the same work, so nobody learns from it
whether there is such a payment. The code goes to the contact that is kept with the payment.
"""

from http import HTTPStatus
from urllib.parse import urlencode

from litestar import Response

from hundi.api.addresses import WHERE_PAGE
from hundi.api.context import GatewayContext
from hundi.api.endpoint import payer_of
from hundi.api.inbound import Inbound
from hundi.infra.http.rates import Rates
from hundi.kernel.clock import MINUTE_S, left_of, utc_now
from hundi.kernel.masking import masked
from hundi.kernel.records import replace
from hundi.merchants.access.rules import network_of
from hundi.page import forms, grievances, messages, receipt, render, whereabouts
from hundi.page.facts import Typed
from hundi.page.grievances import RefusedComplaint
from hundi.page.payer_screens import FormScreen
from hundi.page.sessions import AnyRequest, NoPaymentError, Opened, page_context
from hundi.page.texts import LANGUAGES, Say, language_at, speaker
from hundi.page.whereabouts import MoneyFacts
from hundi.payments.complaints import actions as complaints
from hundi.payments.complaints import rules as complaining
from hundi.payments.complaints import store as complaint_store
from hundi.payments.complaints.rules import WORDS_LENGTH_MAX, ComplaintKind
from hundi.payments.orders import actions as payments
from hundi.payments.payers import actions as payers
from hundi.payments.payers import rules
from hundi.payments.payers.rules import PayerQuestion, TypedQuestion
from hundi.payments.refunds import actions as refunding

CODE_PAGE, MONEY_PAGE = f"{WHERE_PAGE}/code", f"{WHERE_PAGE}/payment"
RECEIPT, LEAVE = f"{MONEY_PAGE}/receipt.pdf", f"{WHERE_PAGE}/leave"
COMPLAINT, SOLVED = f"{MONEY_PAGE}/complaint", f"{MONEY_PAGE}/solved"
ASKED_A_MINUTE, TYPED_A_MINUTE = 10, 20
"""Questions, and codes, that one network may send a minute, in one process."""
_SECURE_COOKIE, _COOKIE = "__Secure-hundi-where", "hundi-where"
_sent = Rates()


async def show(request: AnyRequest) -> Response[bytes]:
    """Show the form that asks for a reference and a contact."""
    return _ask_page(request, ("", ""), (False, False))


async def ask(request: AnyRequest) -> Response[bytes]:
    """Write the question down and lead to the form of the code, whatever was asked."""
    forms.check_same_site(request.headers)
    if busy := _too_often(request, "questions", ASKED_A_MINUTE):
        return busy
    form = await forms.read(request)
    typed = form.get("reference", ""), form.get("contact", "")
    reference, contact = rules.reference_of(typed[0]), rules.contact_of(typed[1])
    if not reference or not contact:
        return _ask_page(request, typed, (not reference, not contact))
    gateway = _gateway(request)
    question = TypedQuestion(reference, contact, _language(request))
    token = await payers.ask(gateway.db, question, utc_now())
    return _with_token(gateway, render.see(_at(request, CODE_PAGE)), token)


async def show_code(request: AnyRequest) -> Response[bytes]:
    """Show the form of the code: the same for everybody."""
    return _code_page(request, wrong=False)


async def prove(request: AnyRequest) -> Response[bytes]:
    """Open the page of the payment for the right code; show the form again for any other."""
    forms.check_same_site(request.headers)
    if busy := _too_often(request, "codes", TYPED_A_MINUTE):
        return busy
    gateway, form = _gateway(request), await forms.read(request)
    token, code = _token(request), form.get("code", "")
    look = await payers.prove(gateway.db, gateway.vault, token, code, utc_now())
    if not look:
        return _code_page(request, wrong=True)
    return _with_token(gateway, render.see(_at(request, MONEY_PAGE)), look)


async def show_money(request: AnyRequest) -> Response[bytes]:
    """Show where the money of a payment is; without a look that is open, the form that asks."""
    found = await _looked_at(request)
    if found is None:
        return render.see(_at(request, WHERE_PAGE))
    return await _money_page(request, *found)


async def complain(request: AnyRequest) -> Response[bytes]:
    """Keep what a payer says is wrong; show the form again for words that cannot be kept."""
    forms.check_same_site(request.headers)
    found = await _looked_at(request)
    if found is None:
        return render.see(_at(request, WHERE_PAGE))
    opened, form = found[0], await forms.read(request)
    kind, words = form.get("kind", ""), complaining.words_of(form.get("words", ""))
    if kind not in set(ComplaintKind) or not words:
        typed = masked(form.get("words", "")[:WORDS_LENGTH_MAX])
        return await _money_page(request, *found, RefusedComplaint(kind, typed))
    about = opened.payment, ComplaintKind(kind), words, opened.language
    # One that waits already is shown by the page: a second press writes nothing.
    await complaints.make(opened.gateway.db, *about, opened.now)
    return render.see(_at(request, MONEY_PAGE))


async def solve(request: AnyRequest) -> Response[bytes]:
    """Close a payment's complaints: the payer says that they are solved."""
    forms.check_same_site(request.headers)
    if found := await _looked_at(request):
        await complaints.close(found[0].gateway.db, found[0].payment, found[0].now)
    return render.see(_at(request, MONEY_PAGE))


async def _money_page(
    request: AnyRequest,
    opened: Opened,
    question: PayerQuestion,
    refused: RefusedComplaint | None = None,
) -> Response[bytes]:
    gateway, payment = opened.gateway, opened.payment
    refunds = await refunding.of_payment(gateway.payments, payment)
    known = await complaint_store.of_payment(gateway.db, payment.merchant_id, payment.payment_id)
    page = page_context(Inbound(request.scope, request.receive), opened, Typed())
    box = grievances.complaint_box(
        known,
        opened.merchant,
        (_at(request, COMPLAINT), _at(request, SOLVED)),
        page.say,
        opened.now,
        refused,
    )
    addresses = _at(request, RECEIPT), _at(request, LEAVE)
    facts = MoneyFacts(opened.view, opened.merchant, refunds, question.ends_at, *addresses, box)
    screen = whereabouts.money_screen(facts, page)
    status_code = HTTPStatus.UNPROCESSABLE_ENTITY if refused else HTTPStatus.OK
    return render.page("money.html", screen, opened.language, status_code=status_code)


async def download_receipt(request: AnyRequest) -> Response[bytes]:
    """Return the receipt of the payment that a browser looks at. Raises NoPaymentError."""
    found = await _looked_at(request)
    if found is None:
        raise NoPaymentError
    return await receipt.pdf_of(found[0])


async def leave(request: AnyRequest) -> Response[bytes]:
    """End the look: nobody after this person sees the payment in this browser."""
    forms.check_same_site(request.headers)
    gateway, token = _gateway(request), _token(request)
    if token:
        await payers.leave(gateway.db, token)
    return _with_token(gateway, render.see(_at(request, WHERE_PAGE)), "")


async def _looked_at(request: AnyRequest) -> tuple[Opened, PayerQuestion] | None:
    """Return the payment that a browser may see now, None for none."""
    gateway, now = _gateway(request), utc_now()
    question = await payers.look(gateway.db, _token(request), now)
    if question is None:
        return None
    merchant = await gateway.directory.get(question.owner_id)
    view = await payments.view(gateway.payments, question.owner_id, question.payment_id)
    if merchant is None or view is None:
        return None
    payer = payer_of(Inbound(request.scope, request.receive), gateway)
    return Opened(gateway, merchant, view, MONEY_PAGE, now, payer, _language(request)), question


def _ask_page(
    request: AnyRequest, typed: tuple[str, str], wrong: tuple[bool, bool]
) -> Response[bytes]:
    screen = whereabouts.ask_screen(_at(request, WHERE_PAGE), _say(request), typed, wrong)
    return _form_page(request, screen, wrong=any(wrong))


def _code_page(request: AnyRequest, *, wrong: bool) -> Response[bytes]:
    addresses = _at(request, CODE_PAGE), _at(request, WHERE_PAGE)
    screen = whereabouts.code_screen(*addresses, _say(request), wrong=wrong)
    return _form_page(request, screen, wrong=wrong)


def _form_page(request: AnyRequest, screen: FormScreen, *, wrong: bool) -> Response[bytes]:
    status_code = HTTPStatus.UNPROCESSABLE_ENTITY if wrong else HTTPStatus.OK
    return render.page("where.html", screen, _language(request), status_code=status_code)


def _too_often(request: AnyRequest, thing: str, most: int) -> Response[bytes] | None:
    """Count what a network sends; return the page for one that sends too much."""
    gateway, now_s = _gateway(request), utc_now().timestamp()
    payer = payer_of(Inbound(request.scope, request.receive), gateway)
    if _sent.has_room(network_of(payer.ip_address), thing, most, now_s):
        return None
    wait_s = left_of(MINUTE_S, now_s)
    screen = replace(messages.busy(wait_s, _say(request)), again=True)
    answer = render.page(
        "message.html", screen, _language(request), status_code=HTTPStatus.TOO_MANY_REQUESTS
    )
    answer.headers["retry-after"] = str(wait_s)
    return answer


def _token(request: AnyRequest) -> str:
    return request.cookies.get(_cookie(_gateway(request)), "")


def _cookie(gateway: GatewayContext) -> str:
    """Return the name of the cookie; with TLS, one that no page without it can set."""
    return _SECURE_COOKIE if _is_secure(gateway) else _COOKIE


def _is_secure(gateway: GatewayContext) -> bool:
    return gateway.settings.payment_page_url.startswith("https://")


def _with_token(gateway: GatewayContext, answer: Response[bytes], token: str) -> Response[bytes]:
    """Return an answer with the browser's token, for these pages alone; "" removes it."""
    answer.set_cookie(
        _cookie(gateway),
        token,
        max_age=int(rules.LOOK_LIFE.total_seconds()) if token else 0,
        path=WHERE_PAGE,
        httponly=True,
        secure=_is_secure(gateway),
        samesite="strict",
    )
    return answer


def _gateway(request: AnyRequest) -> GatewayContext:
    return request.app.state.gateway


def _at(request: AnyRequest, path: str) -> str:
    """Return the address of one of these pages, in the language that the switch chose."""
    wished = request.query_params.get("lang", "")
    return f"{path}?{urlencode({'lang': wished})}" if wished in LANGUAGES else path


def _language(request: AnyRequest) -> str:
    wished = request.query_params.get("lang", "")
    return language_at("", request.headers.get("accept-language", ""), wished)


def _say(request: AnyRequest) -> Say:
    return speaker(_language(request))
