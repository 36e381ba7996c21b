"""The shop's addresses: a router to mount beside the gateway, or in any Litestar application."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from litestar import MediaType, Request, Response, Router, get, post
from litestar.di import NamedDependency, Provide
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath, FromQuery
from litestar.response import Redirect
from litestar.static_files import create_static_files_router
from litestar.status_codes import (
    HTTP_200_OK,
    HTTP_303_SEE_OTHER,
    HTTP_400_BAD_REQUEST,
    HTTP_404_NOT_FOUND,
    HTTP_502_BAD_GATEWAY,
)

from hundi.sdk import AsyncClient, Buyer, Callbacks, Credentials, Gateway
from hundi.sdk.errors import HundiError, InvalidOrderError, UntrustedError
from hundi.sdk.partner import Offers, PartnerCredentials
from hundi_testbed.shop import rules
from hundi_testbed.shop.actions import DemoShop, UnknownOrderError
from hundi_testbed.shop.pages import ShopPages
from hundi_testbed.shop.store import ShopOrderBook

BODY_BYTES_MAX = 256 * 1024
DATABASE_NAME = "demo_shop.sqlite3"
SAMPLE_BUYER = {
    "first_name": "Meera",
    "last_name": "Rao",
    "email": "meera@example.in",
    "phone": "+91 98765 43210",
}
"""Sample values in the demo's checkout form."""

ShopRequest = Request[Any, Any, Any]
TheShop = NamedDependency[DemoShop]
ThePages = NamedDependency[ShopPages]
OrderId = FromPath[str]


@dataclass(frozen=True, slots=True)
class ShopConfig:
    """The shop's settings.

    base_url, payment_page_url: the gateway's API host and payment page host. shop_url: the shop's
    address for customers; the router mounts itself at its path. data_dir: an existing folder for
    the shop's own SQLite file. partner, offers_url: the shop as an affiliate that grants coupons,
    and where its customers see them.
    """

    base_url: str
    payment_page_url: str
    shop_url: str
    credentials: Credentials
    data_dir: Path
    partner: PartnerCredentials | None = None
    offers_url: str = ""

    @property
    def success_url(self) -> str:
        """For the merchant's settings: where a paid customer returns to."""
        return self.shop_url.rstrip("/") + "/return"

    @property
    def failure_url(self) -> str:
        """For the merchant's settings.

        The same address, because the shop trusts the record and not the address.
        """
        return self.success_url

    @property
    def notification_url(self) -> str:
        """For the merchant's settings: where notifications go."""
        return self.shop_url.rstrip("/") + "/notifications"

    @property
    def root(self) -> str:
        """The path of the shop, without a slash at the end."""
        return urlsplit(self.shop_url).path.rstrip("/")


def router(config: ShopConfig, client: AsyncClient | None = None) -> Router:
    """Return the shop as a router mounted at the path of `shop_url`.

    client: a client of the gateway that the caller closes; the shop's own lives as long as the
    process.
    """
    gateway = Gateway(
        base_url=config.base_url,
        payment_page_url=config.payment_page_url,
        shop_origin=_origin(config.shop_url),
        # A demo may be shown on a phone in the same network; its money is not real.
        allow_plain_http=True,
    )
    shop = DemoShop(
        ShopOrderBook(config.data_dir / DATABASE_NAME),
        client or AsyncClient(config.credentials, gateway),
        Callbacks(config.credentials),
    )
    pages = ShopPages(config.root, _offers_page(config))

    def not_found(_request: ShopRequest, _error: UnknownOrderError) -> Response[str]:
        words = "Nothing was taken. Look at the address, or start again."
        page = _html(pages.trouble("We do not know this order", words), HTTP_404_NOT_FOUND)
        # Answers to exceptions have none of the router's headers.
        page.headers.update(_security_headers(config.payment_page_url))
        return page

    static = create_static_files_router(
        "/static", directories=[Path(__file__).parent / "static"], name="demo_shop_static"
    )
    return Router(
        path=config.root or "/",
        route_handlers=[
            home,
            checkout,
            place_order,
            pay,
            order_page,
            check_again,
            take_return,
            leave,
            notifications,
            *([_offers(config.partner)] if config.partner else []),
            static,
        ],
        dependencies={
            "shop": Provide(lambda: shop, sync_to_thread=False),
            "pages": Provide(lambda: pages, sync_to_thread=False),
        },
        exception_handlers={UnknownOrderError: not_found},
        response_headers=_security_headers(config.payment_page_url),
        request_max_body_size=BODY_BYTES_MAX,
        include_in_schema=False,
    )


@get("/")
async def home(pages: ThePages) -> Response[str]:
    """Show the shelf."""
    return _html(pages.home())


@get("/checkout")
async def checkout(
    pages: ThePages, product: FromQuery[str] = "", amount: FromQuery[str] = ""
) -> Response[str]:
    """Ask for the buyer's data; `product` or `amount` says what is bought."""
    try:
        title, amount_paise = rules.wanted(product, amount)
    except InvalidOrderError as error:
        return _html(pages.home(typed_amount=amount, refused=error), HTTP_400_BAD_REQUEST)
    typed = SAMPLE_BUYER | {"product": product, "amount": amount}
    return _html(pages.checkout(title=title, amount_paise=amount_paise, typed=typed))


@post("/orders")
async def place_order(
    request: ShopRequest, shop: TheShop, pages: ThePages
) -> Response[str] | Redirect:
    """Write the order and continue to its payment."""
    typed = await _form(request)
    names = ("first_name", "last_name", "email", "phone", "product", "amount")
    typed = {name: typed.get(name, "").strip() for name in names}
    try:
        title, amount_paise = rules.wanted(typed["product"], typed["amount"])
    except InvalidOrderError as error:
        return _html(pages.home(typed_amount=typed["amount"], refused=error), HTTP_400_BAD_REQUEST)
    buyer = Buyer(
        first_name=typed["first_name"],
        last_name=typed["last_name"],
        email=typed["email"],
        phone=typed["phone"],
    )
    try:
        order = await shop.place(title, amount_paise, buyer)
    except InvalidOrderError as error:
        page = pages.checkout(title=title, amount_paise=amount_paise, typed=typed, refused=error)
        return _html(page, HTTP_400_BAD_REQUEST)
    return _see_other(pages, f"/orders/{order.order_id}/pay")


@get("/orders/{order_id:str}/pay")
async def pay(order_id: OrderId, shop: TheShop, pages: ThePages) -> Response[str] | Redirect:
    """Send the customer to the payment page; opened again, it reopens the same payment."""
    order = await shop.order(order_id)
    if not rules.may_pay(order.status):
        return _see_other(pages, f"/orders/{order_id}")
    try:
        form = await shop.payment_form(order)
    except HundiError as error:
        page = pages.trouble(
            "The payment page cannot be reached",
            (
                "No payment was started and nothing was taken. Your order is kept: try again in a"
                " moment."
            ),
            error,
            again=f"/orders/{order_id}/pay",
        )
        return _html(page, HTTP_502_BAD_GATEWAY)
    return _html(pages.pay(order, form))


@get("/orders/{order_id:str}")
async def order_page(order_id: OrderId, shop: TheShop, pages: ThePages) -> Response[str]:
    """Show the order, and the messages of the shop's server about it."""
    order = await shop.order(order_id)
    return _html(pages.order(order, await shop.events(order_id)))


@post("/orders/{order_id:str}/check")
async def check_again(order_id: OrderId, shop: TheShop, pages: ThePages) -> Redirect:
    """Ask the gateway once more."""
    await shop.verify(await shop.order(order_id))
    return _see_other(pages, f"/orders/{order_id}")


@post("/return")
async def take_return(
    request: ShopRequest, shop: TheShop, pages: ThePages
) -> Response[str] | Redirect:
    """Receive the customer's browser; a redirect keeps a reload from sending the form again."""
    try:
        order = await shop.take_return(await _form(request))
    except UntrustedError as error:
        page = pages.trouble(
            "We cannot read where you come from",
            (
                "What your browser brought was not made by the payment page. If you have paid,"
                " your order will show it."
            ),
            error,
        )
        return _html(page, HTTP_400_BAD_REQUEST)
    return _see_other(pages, f"/orders/{order.order_id}")


@get("/return")
async def leave(pages: ThePages) -> Redirect:
    """Receive a customer who left the payment page by its link back to the shop."""
    return _see_other(pages, "/")


@post("/notifications", status_code=HTTP_200_OK, media_type=MediaType.TEXT)
async def notifications(request: ShopRequest, shop: TheShop) -> Response[str]:
    """Receive a notification: 200 once it is stored, 4xx when it cannot be trusted."""
    try:
        await shop.take_notification(dict(request.headers), await request.body())
    except UntrustedError as error:
        return Response(error.message, media_type=MediaType.TEXT, status_code=HTTP_400_BAD_REQUEST)
    except UnknownOrderError:
        return Response("no such order", media_type=MediaType.TEXT, status_code=HTTP_404_NOT_FOUND)
    return Response("received", media_type=MediaType.TEXT, status_code=HTTP_200_OK)


def _offers_page(config: ShopConfig) -> str:
    """Return the address of customers' coupons, "" for a shop that grants none."""
    return f"{config.offers_url}/app/{config.partner.affiliate}/" if config.partner else ""


def _offers(partner: PartnerCredentials) -> HTTPRouteHandler:
    """Return the callback for the value of an order's coupons."""
    granting = Offers(partner)

    @post("/offers", status_code=HTTP_200_OK)
    async def offers(request: ShopRequest, shop: TheShop) -> Response[bytes]:
        try:
            offer_id = granting.question(request.headers.get("checksum", ""), await request.body())
        except UntrustedError as error:
            return Response(
                error.message.encode(), media_type=MediaType.TEXT, status_code=HTTP_400_BAD_REQUEST
            )
        order = await shop.of_offer(offer_id)
        if order is None or order.status is not rules.OrderStatus.PAID:
            answer = granting.refuse()
        else:
            name = f"{order.buyer.first_name} {order.buyer.last_name}"
            answer = granting.grant(
                customer=name, amount_paise=order.amount_paise, at=order.created_at
            )
        return Response(answer, media_type=MediaType.JSON)

    return offers


async def _form(request: ShopRequest) -> dict[str, str]:
    return {name: value for name, value in (await request.form()).items() if isinstance(value, str)}


def _html(page: str, status: int = HTTP_200_OK) -> Response[str]:
    # Order pages show references and the pay page carries a token: neither belongs in a cache.
    return Response(
        page, media_type=MediaType.HTML, status_code=status, headers={"cache-control": "no-store"}
    )


def _see_other(pages: ShopPages, path: str) -> Redirect:
    return Redirect(pages.root + path, status_code=HTTP_303_SEE_OTHER)


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def _security_headers(payment_page_url: str) -> Mapping[str, str]:
    policy = (
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src"
        " 'self'; base-uri 'none'; "
        f"frame-ancestors 'none'; form-action 'self' {_origin(payment_page_url)}"
    )
    # strict-origin: the gateway compares the shop's origin with its registered domains, so it must
    # be sent.
    return {
        "content-security-policy": policy,
        "referrer-policy": "strict-origin",
        "x-content-type-options": "nosniff",
    }
