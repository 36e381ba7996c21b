"""The customer of an attempt, for acquirers that want one."""

from hundi.acquirers.port.customers import Customer
from hundi.payments.orders.rules import Payment
from hundi.payments.risk.actions import PayerTrace


def customer_of(payment: Payment, payer: PayerTrace) -> Customer:
    """Return the customer, from the merchant's fields and the browser's."""
    buyer = payment.buyer
    name = " ".join(each for each in (buyer.firstname, buyer.lastname) if each)
    return Customer(
        name, buyer.email, buyer.phone, payer.ip_address, payer.browser[0] if payer.browser else ""
    )
