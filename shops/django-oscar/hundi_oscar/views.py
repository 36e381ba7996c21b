"""The way to the payment page and back, and the address of notifications."""

import logging

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBadRequest
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_GET, require_POST
from oscar.core.loading import get_model

from hundi.sdk import Buyer, Order
from hundi.sdk.errors import HundiError, InvalidOrderError, UnreadableCallbackError, UntrustedError
from hundi_oscar import books
from hundi_oscar.gateway import callbacks, client, own_order

logger = logging.getLogger("hundi_oscar")
ShopOrder = get_model("order", "Order")


@never_cache
@require_GET
def pay(request: HttpRequest, number: str) -> HttpResponse:
    """Send the customer to the payment page."""
    order = _own(request, number)
    source = order.sources.get(source_type__name=books.HUNDI)
    if source.amount_debited or books.has_failed(source):
        return redirect("hundi:outcome", number=number)
    own = own_order(source)
    try:
        form = client().payment_form(Order(buyer=_buyer(order), **own))
    except InvalidOrderError as error:
        messages.error(request, _("Payment cannot begin: %s") % error)
        return redirect("checkout:thank-you")
    return HttpResponse(form.html(title=_("Going to the payment page")))


@csrf_exempt
@require_POST
def take_return(request: HttpRequest) -> HttpResponse:
    """The customer is back: what the browser brings is a claim, so the gateway is asked."""
    form = request.POST.dict()
    try:
        source = books.source_of(callbacks().claimed_order_id(form))
    except UnreadableCallbackError:
        source = None
    if source is None:
        return HttpResponseBadRequest("This return names no order of this shop.")
    try:
        callbacks().read_return(form, **own_order(source))
    except UntrustedError as error:
        logger.warning("return of %s is not believed: %s", source.reference, error)
    try:
        books.ask(source)
    except HundiError as error:
        logger.warning("%s: the gateway did not say: %s", source.reference, error)
    return redirect("hundi:outcome", number=source.order.number)


@never_cache
@require_GET
def outcome(request: HttpRequest, number: str) -> HttpResponse:
    """Show the customer what became of the order; the basket is filled again if it failed."""
    order = _own(request, number)
    source = order.sources.get(source_type__name=books.HUNDI)
    if books.has_failed(source) and not source.amount_debited:
        if request.session.pop("checkout_order_id", None) == order.pk:
            for line in order.lines.select_related("product"):
                request.basket.add_product(line.product, line.quantity)
        messages.error(request, _("The payment failed. Your basket is as it was."))
        return redirect("basket:summary")
    if not source.amount_debited:
        messages.info(request, _("We wait for your bank and write to you when you have paid."))
    return redirect("checkout:thank-you")


@csrf_exempt
@require_POST
def take_notification(request: HttpRequest) -> HttpResponse:
    """Hand a notification over once. Another answer than 2xx has it delivered again."""
    try:
        known = books.handed(request.headers, request.body)
    except UntrustedError as error:
        logger.warning("notification is not believed: %s", error)
        return HttpResponseBadRequest("not believed")
    return HttpResponse("ok" if known else "not an order of this shop")


def _own(request: HttpRequest, number: str):
    order = ShopOrder.objects.filter(number=number).first()
    if order and request.session.get("checkout_order_id") == order.pk:
        return order
    if order and order.user_id and order.user_id == request.user.pk:
        return order
    raise Http404


def _buyer(order) -> Buyer:
    to = order.billing_address or order.shipping_address
    return Buyer(
        first_name=to.first_name,
        last_name=to.last_name,
        email=order.email,
        phone=str(to.phone_number or ""),
        address=" ".join(filter(None, (to.line1, to.line2, to.line3))),
        city=to.line4,
        state=to.state,
        country=to.country_id,
        pincode=to.postcode,
    )
