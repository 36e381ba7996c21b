"""The demo's shop as routes of its gateway."""

from litestar import Router

from hundi.infra.settings import Settings
from hundi.sdk import Credentials
from hundi.sdk.partner import PartnerCredentials
from hundi_testbed.demo.merchants import DEMO_SHOP_PATH, shop_credentials, shop_partner
from hundi_testbed.shop import app


def router(settings: Settings) -> Router:
    """Return the demo shop, with only the gateway's addresses and its own credentials."""
    return app.router(
        app.ShopConfig(
            base_url=settings.base_url,
            payment_page_url=settings.payment_page_url,
            shop_url=settings.base_url + DEMO_SHOP_PATH,
            credentials=Credentials(**shop_credentials(settings)),
            data_dir=settings.data_dir,
            partner=PartnerCredentials(**shop_partner(settings)),
            offers_url=settings.base_url,
        )
    )
