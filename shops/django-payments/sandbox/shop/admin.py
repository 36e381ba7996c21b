"""The staff's list of payments, from which they refund."""

from decimal import Decimal

from django.contrib import admin, messages
from payments import PaymentError

from shop.models import Payment


@admin.register(Payment)
class PaymentAdmin(admin.ModelAdmin):
    """Payments, newest first, with a part that goes back at a press."""

    list_display = ("token", "status", "total", "captured_amount")
    ordering = ("-id",)
    actions = ("refund_500",)

    @admin.action(description="Refund ₹500")
    def refund_500(self, request, queryset) -> None:
        """Refund ₹500 of each payment."""
        for payment in queryset:
            try:
                payment.refund(Decimal(500))
            except (PaymentError, ValueError) as error:
                self.message_user(request, f"Not refunded: {error}", messages.ERROR)
            else:
                self.message_user(request, "Refund begun")
