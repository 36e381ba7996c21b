"""The return of customers whose acquirer has one return address for all of them."""

from litestar import Response

from hundi.kernel.clock import world_now
from hundi.kernel.ids import parse_reference
from hundi.page import forms, render
from hundi.page.sessions import SESSION_PATH, AnyRequest, NoPaymentError
from hundi.payments.orders import actions as payments

BODY_BYTES_MAX = 64 * 1024
"""A sealed record with everything that a merchant may add to it, twice."""


async def from_acquirer(request: AnyRequest) -> Response[bytes]:
    """Take a customer back to the page of the payment that an authentic form names.

    The form comes from a page of the acquirer, so its origin is not checked. The page's address
    gives full rights to the payment, so a form that proves nothing leads nowhere. Raises
    NoPaymentError.
    """
    gateway = request.app.state.gateway
    acquirer: str = request.path_params["acquirer"]
    connector = gateway.connectors.returning(acquirer)
    if connector is None:
        raise NoPaymentError
    form = await forms.read(request)
    reference = await connector.read_return(form, now_s=int(world_now().timestamp()))
    ids = parse_reference(reference or "")
    view = await payments.by_attempt(gateway.payments, *ids) if ids else None
    attempt = view.attempt(ids[1]) if ids and view else None
    if view is None or attempt is None or attempt.connector != acquirer:
        raise NoPaymentError
    session = gateway.sessions.seal(view.payment.merchant_id, view.payment.payment_id)
    return render.see(f"{SESSION_PATH}{session}/bank/{attempt.attempt_id}")
