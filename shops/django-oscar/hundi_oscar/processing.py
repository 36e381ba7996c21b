"""What a shop's own `order.processing.EventHandler` inherits, so that the dashboard refunds."""

from hundi_oscar import books, refunds


class HundiEvents:
    """Sends a payment event "Refunded" of the dashboard to the gateway; before Oscar's handler."""

    def handle_payment_event(
        self,
        order,
        event_type,
        amount,
        lines=None,
        line_quantities=None,
        **kwargs,
    ):
        """Refund first, then write the event. Raises PaymentError."""
        if event_type.name == books.REFUNDED:
            self.validate_payment_event(order, event_type, amount, lines, line_quantities, **kwargs)
            kwargs["reference"] = refunds.refund(order, amount).request_id
            return self.create_payment_event(
                order, event_type, amount, lines, line_quantities, **kwargs
            )
        return super().handle_payment_event(
            order, event_type, amount, lines, line_quantities, **kwargs
        )
