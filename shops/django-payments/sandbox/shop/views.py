"""The shelf, the way to pay, and how an order stands."""

from decimal import Decimal

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.template import engines

from shop.models import Payment

_PAGE = """<!doctype html><html lang="en"><link rel="icon" href="data:,">
<meta name="referrer" content="origin"><title>Asha Handlooms</title><h1>Asha Handlooms</h1>%s"""
_SHELF = """<form method="post" action="/buy">{% csrf_token %}
<button>Buy a handloom sari for ₹1,499.50</button></form>"""
_PAY = """<form method="{{ form.method }}" action="{{ form.action }}">{{ form }}
<button>Continue to pay</button></form>"""
_ORDER = '<p role="status">{{ payment.get_status_display }} {{ payment.message }}</p>'


def shelf(request: HttpRequest) -> HttpResponse:
    """Show what there is to buy."""
    return _page(request, _SHELF)


def buy(request: HttpRequest) -> HttpResponse:
    """Write the payment, and show the form that leads to the payment page."""
    payment = Payment.objects.create(
        variant="hundi",
        description="A handloom sari",
        total=Decimal("1499.50"),
        currency="INR",
        billing_first_name="Asha",
        billing_last_name="Rao",
        billing_email="asha@example.in",
        billing_phone="+919876543210",
    )
    return _page(request, _PAY, form=payment.get_form())


def order(request: HttpRequest, token: str) -> HttpResponse:
    """Show how an order stands."""
    return _page(request, _ORDER, payment=get_object_or_404(Payment, token=token))


def _page(request: HttpRequest, content: str, **values: object) -> HttpResponse:
    template = engines["django"].from_string(_PAGE % content)
    return HttpResponse(template.render(values, request))
