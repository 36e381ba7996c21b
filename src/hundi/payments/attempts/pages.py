"""The address of an open bank's page, where its acquirer can send a customer again."""

from hundi.acquirers.port.payments import ReopensPages
from hundi.kernel.states import AttemptState
from hundi.payments.orders.actions import PaymentContext
from hundi.payments.orders.rules import PaymentView


def page_again(context: PaymentContext, view: PaymentView) -> str:
    """Return the address of the bank's page that waits for the customer, "" where none is known."""
    attempt = view.live[-1] if view.live else None
    if (
        attempt is None
        or attempt.state is not AttemptState.AUTHENTICATING
        or not attempt.authentication_id
    ):
        return ""
    connector = context.connectors.get(attempt.connector)
    return (
        connector.page_again(attempt.method, attempt.authentication_id)
        if isinstance(connector, ReopensPages)
        else ""
    )
