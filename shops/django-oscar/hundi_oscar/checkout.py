"""What a shop's own `checkout.views.PaymentDetailsView` inherits, to send customers to pay."""

from django.urls import reverse

from hundi_oscar import books


class PayWithHundi:
    """Writes the order first, unpaid, and then sends the customer to pay; before Oscar's view.

    So an order is in the shop's books before any money moves, and a browser that never comes back
    loses nothing.
    """

    def handle_successful_order(self, order):
        """Write that the payment is awaited."""
        books.new_source(order)
        self.hundi_order = order
        return super().handle_successful_order(order)

    def get_success_url(self) -> str:
        """Return where the customer goes on to the payment page."""
        return reverse("hundi:pay", kwargs={"number": self.hundi_order.number})
