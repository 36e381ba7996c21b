"""The shop's connection to the gateway, from the setting HUNDI."""

from decimal import Decimal
from functools import cache

from django.conf import settings

from hundi.sdk import Callbacks, Client, Credentials, Gateway

_CREDENTIALS = (
    "merchant_id",
    "username",
    "password",
    "api_secret",
    "oauth_client_id",
    "oauth_client_secret",
)


@cache
def _credentials() -> Credentials:
    own = settings.HUNDI
    return Credentials(
        webhook_keys=tuple(own["webhook_keys"]), **{name: own[name] for name in _CREDENTIALS}
    )


@cache
def client() -> Client:
    """Return the client that all threads of this process share."""
    own = settings.HUNDI
    addresses = {"base_url": own["base_url"]}
    for name in ("payment_page_url", "shop_origin"):
        if own.get(name):
            addresses[name] = own[name]
    return Client(_credentials(), Gateway(**addresses))


@cache
def callbacks() -> Callbacks:
    """Return what checks returns and notifications."""
    return Callbacks(_credentials())


def minor_units(amount: Decimal) -> int:
    """Return an amount of the shop's books in paise; all its currencies have two places."""
    units = amount * 100
    if units != int(units):
        raise ValueError(f"{amount} has more than two places")
    return int(units)


def own_order(source) -> dict[str, str | int]:
    """Return what the shop's own books expect of a payment."""
    return {
        "order_id": source.reference,
        "amount_paise": minor_units(source.amount_allocated),
        "currency": source.currency,
    }
