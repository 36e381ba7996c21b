"""Pages for people, without JavaScript: home, the card issuer's challenge, the UPI app."""

from datetime import datetime
from functools import partial
from importlib.resources import files
from urllib.parse import quote, urlencode, urlsplit

import jinja2
from litestar import Request, get, post
from litestar.types import ASGIApp

from hundi_testbed.bank import actions, card_payments, forms, replies, rules, wording
from hundi_testbed.bank.bank import BankContext, bank_of
from hundi_testbed.bank.bookkeeping import store as bookkeeping
from hundi_testbed.bank.card_payments import ChallengeView
from hundi_testbed.bank.clock import actions as clock
from hundi_testbed.bank.payouts.rules import TRIGGERS as PAYOUT_TRIGGERS
from hundi_testbed.bank.settings import origin
from hundi_testbed.bank.upi_links import LinkRefusedError, PayableLink, read_link, read_vpa

_LATEST_ENTRIES = 20
_templates = jinja2.Environment(
    loader=jinja2.PackageLoader("hundi_testbed.bank"),
    autoescape=True,
    undefined=jinja2.StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_templates.filters.update(
    rupees=wording.rupees,
    money=wording.money,
    ist=wording.ist,
    state=wording.state,
    icon=wording.icon,
    mark=wording.mark,
    hue=wording.hue,
    quote=partial(quote, safe=""),
)
_stylesheet = files("hundi_testbed.bank").joinpath("static/simbank.css").read_bytes()
_icon = files("hundi_testbed.bank").joinpath("static/icon.svg").read_bytes()


@get("/")
async def home(request: Request) -> ASGIApp:
    """Show the simulator's purpose, its test values, and the newest entries of the books."""
    bank = bank_of(request)
    entries = await bookkeeping.latest_entries(bank.db, _LATEST_ENTRIES)
    return page(
        "home.html",
        entries=entries,
        faults=bank.faults.settings,
        vpas=rules.VPA_TRIGGERS + rules.ACCOUNT_TRIGGERS,
        mandates=rules.MANDATE_TRIGGERS,
        cards=rules.CARD_TRIGGERS,
        otps=rules.OTP_TRIGGERS,
        payouts=PAYOUT_TRIGGERS,
        base=bank.settings.public_url,
    )


@get("/3ds/{authentication_id:str}")
async def show_challenge(request: Request, authentication_id: str) -> ASGIApp:
    """Ask the holder of a card for the one-time password."""
    bank = bank_of(request)
    view = await card_payments.challenge(bank, authentication_id, clock.now())
    return await _challenge_page(bank, view)


@post("/3ds/{authentication_id:str}", status_code=200)
async def answer_challenge(request: Request, authentication_id: str) -> ASGIApp:
    """Check the one-time password or the cancel button.

    An ended challenge redirects to the shop.
    """
    bank = bank_of(request)
    form = await forms.read(request)
    now = clock.now()
    view = await card_payments.challenge(bank, authentication_id, now)
    if view is None:
        return await _challenge_page(bank, None)
    if not view.challenge.trans_status:
        if form.get("act") == "cancel":
            await card_payments.end_challenge(bank, view.challenge, "N", rules.CANCELLED, now)
        elif not await card_payments.enter_otp(bank, view, forms.typed(form, "otp"), now):
            view = await card_payments.challenge(bank, authentication_id, now)
            return await _challenge_page(bank, view, wrong=True)
    return replies.see_other(_way_back(view))


async def _challenge_page(
    bank: BankContext, view: ChallengeView | None, *, wrong: bool = False
) -> ASGIApp:
    if view is None:
        message = (
            "This address belongs to no card payment. Nothing was charged. Go back to the shop and"
            " start again."
        )
        return page("message.html", status=404, title="No such confirmation", message=message)
    if view.challenge.trans_status:
        return page(
            "challenge_over.html",
            view=view,
            way_back=_way_back(view),
            passed=view.challenge.trans_status == "Y",
        )
    tries_left = rules.OTP_TRIES_MAX - view.challenge.tries
    shop = origin(view.challenge.return_url)
    return page(
        "challenge.html",
        form_origins=(shop,),
        status=422 if wrong else 200,
        view=view,
        wrong=wrong,
        tries_left=tries_left,
        payee=await bank.payees.name_of(view.payment.reference) or urlsplit(shop).netloc,
        otps=rules.OTP_TRIGGERS,
    )


def _way_back(view: ChallengeView) -> str:
    address = urlsplit(view.challenge.return_url)
    added = urlencode({"authentication_id": view.challenge.authentication_id})
    return address._replace(
        query=f"{address.query}&{added}" if address.query else added, fragment=""
    ).geturl()


@get("/upi/app")
async def show_app(request: Request) -> ASGIApp:
    """Show the payment of a upi:// link, or a form to enter one."""
    uri = request.query_params.get("uri", "")
    payer_vpa = request.query_params.get("payer_vpa", "")
    return _app_page(uri.strip(), payer_vpa)


@post("/upi/app", status_code=200)
async def use_app(request: Request) -> ASGIApp:
    """Approve or decline a link.

    A booked payment gets a receipt at an address that is safe to reload.
    """
    form = await forms.read(request)
    uri, payer_vpa = forms.typed(form, "uri"), forms.typed(form, "payer_vpa")
    ignore_expiry = form.get("ignore_expiry") == "yes"
    try:
        link = read_link(uri)
    except LinkRefusedError:
        return _app_page(uri, payer_vpa)
    consents = form.get("act") != "decline"
    payer = read_vpa(payer_vpa)
    if not payer:
        return _app_page(
            uri,
            payer_vpa,
            problem="That is not a UPI ID. It looks like name@bank. No money has moved.",
        )
    now = clock.now()
    if _is_expired(link, now) and consents and not ignore_expiry:
        return _app_page(
            uri,
            payer_vpa,
            problem="This QR code has expired. No money has moved. Ask the shop for a new one.",
        )
    answer = await actions.pay(bank_of(request), link, payer, now, consents=consents)
    if answer.rrn:
        return replies.see_other(f"/upi/receipts/{answer.rrn}")
    if answer.status == "silent":
        message = (
            "Your bank has not answered. The money may have moved: do not pay again, the shop will"
            " find out."
        )
        return page("message.html", title="No answer from your bank", message=message)
    return page(
        "message.html",
        status=409,
        title="Not paid",
        message=f"{answer.message}. No further money has moved.",
    )


@get("/upi/receipts/{rrn:str}")
async def show_receipt(request: Request, rrn: str) -> ASGIApp:
    """Show a customer the result of a payment."""
    bank = bank_of(request)
    entry = await bookkeeping.find_receipt(bank.db, rrn)
    if entry is None:
        return page(
            "message.html",
            status=404,
            title="No such payment",
            message="The books have no entry with this number.",
        )
    return page("receipt.html", entry=entry)


def _is_expired(link: PayableLink, now: datetime) -> bool:
    return link.expires_at is not None and link.expires_at <= now


def _app_page(uri: str, payer_vpa: str, problem: str = "") -> ASGIApp:
    if not uri:
        return page("upi_link.html", uri="", problem="")
    try:
        link = read_link(uri)
    except LinkRefusedError as reason:
        return page(
            "upi_link.html",
            status=400,
            uri=uri,
            problem=f"Your app refuses this link: {reason}. No money has moved.",
        )
    return page(
        "upi_app.html",
        status=422 if problem else 200,
        link=link,
        uri=uri,
        payer_vpa=payer_vpa or rules.VPA_TRIGGERS[0].given,
        problem=problem,
        expired=_is_expired(link, clock.now()),
        vpas=rules.VPA_TRIGGERS
        + (rules.MANDATE_TRIGGERS if link.mandate else rules.ACCOUNT_TRIGGERS),
    )


@get("/static/simbank.css")
async def stylesheet() -> ASGIApp:
    """Return the one stylesheet."""
    return replies.asset(_stylesheet, b"text/css; charset=utf-8")


@get("/static/icon.svg")
async def icon() -> ASGIApp:
    """Return the icon of the pages."""
    return replies.asset(_icon, b"image/svg+xml")


ROUTES = (home, show_challenge, answer_challenge, show_app, use_app, show_receipt, stylesheet, icon)


def page(
    template: str, *, status: int = 200, form_origins: tuple[str, ...] = (), **values: object
) -> ASGIApp:
    """Return a page of a template. form_origins: other origins that its forms lead to."""
    html = _templates.get_template(template).render(values)
    return replies.page(html, form_origins=form_origins, status=status)
