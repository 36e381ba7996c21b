"""The merchant's SDK: start payments, check what comes back, and verify it. `docs/sdk.md` is the five-minute tour."""

from hundi.kernel.clock import for_people
from hundi.kernel.money import rupees
from hundi.sdk import errors
from hundi.sdk.async_client import AsyncClient
from hundi.sdk.callback import Callbacks, Notification, Return
from hundi.sdk.calls import Gateway
from hundi.sdk.client import Client
from hundi.sdk.credentials import Credentials
from hundi.sdk.errors import HundiError
from hundi.sdk.order import Buyer, Order, PaymentForm, paise
from hundi.sdk.transaction import Transaction

__all__ = [
    "AsyncClient",
    "Buyer",
    "Callbacks",
    "Client",
    "Credentials",
    "Gateway",
    "HundiError",
    "Notification",
    "Order",
    "PaymentForm",
    "Return",
    "Transaction",
    "errors",
    "for_people",
    "paise",
    "rupees",
]
