"""The one view of Oscar's checkout that the plugin changes."""

from hundi_oscar.checkout import PayWithHundi
from oscar.apps.checkout import views


class PaymentDetailsView(PayWithHundi, views.PaymentDetailsView):
    """Places the order, then sends the customer to pay."""
