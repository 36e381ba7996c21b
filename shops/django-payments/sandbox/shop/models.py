"""The shop's payments."""

from django.urls import reverse
from payments.models import BasePayment


class Payment(BasePayment):
    """One order of this shop, which has nothing but its payment."""

    def get_success_url(self) -> str:
        """Return where a customer goes who has paid, or whose bank has not answered."""
        return reverse("order", kwargs={"token": self.token})

    def get_failure_url(self) -> str:
        """Return where a customer goes who has not paid: the page says so."""
        return self.get_success_url()
