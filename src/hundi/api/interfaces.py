"""The application that answers interfaces and callbacks, and passes all other addresses on."""

from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING

import structlog
from litestar import Litestar
from litestar.types import Receive, Scope, Send

from hundi.api import demo_clock, strays
from hundi.api.addresses import (
    AADHAAR_VERIFICATION,
    AADHAAR_XML,
    BANKS,
    CALLBACK,
    CAPTURE,
    CARD_DETAILS,
    CREATE_LEAD,
    DELETE_SAVED_CARD,
    DEMO_CLOCK,
    GENERATE_ORDER,
    GST_CALCULATOR,
    GST_VERIFICATION,
    POS_DETAIL,
    POS_ENTRIES,
    POS_LISTING,
    REFUND,
    SAVED_CARDS,
    SEAMLESS,
    SPLIT,
    SUBSCRIPTION_CANCEL,
    SUBSCRIPTION_CHANGE,
    SUBSCRIPTION_CHARGE,
    SUBSCRIPTION_LIST,
    SUBSCRIPTION_PAUSE,
    SUBSCRIPTION_RESUME,
    SUBSCRIPTION_STATUS,
    TOKEN,
    VALIDATE_VPA,
    VERIFY,
    VOID,
    below,
    operation,
)
from hundi.api.bank import callbacks
from hundi.api.inbound import Inbound, Reply
from hundi.api.merchant import (
    banks,
    completions,
    refund,
    saved_cards,
    seamless,
    split,
    subscriptions,
    token,
    upi,
    verify,
)
from hundi.api.partner import gst, identity, leads, pos, pos_entries, prepaid_cards

if TYPE_CHECKING:
    from hundi.api.context import GatewayContext

Handler = Callable[["GatewayContext", Inbound], Awaitable[Reply]]

OPERATIONS: Mapping[tuple[str, ...], Handler] = {
    TOKEN: token.token,
    VERIFY: verify.verify,
    REFUND: refund.refund,
    BANKS: banks.bank_list,
    GENERATE_ORDER: upi.generate_order,
    VALIDATE_VPA: upi.validate_vpa,
    CAPTURE: completions.capture,
    VOID: completions.void,
    SUBSCRIPTION_STATUS: subscriptions.status,
    SUBSCRIPTION_LIST: subscriptions.listing,
    SUBSCRIPTION_CHARGE: subscriptions.charge,
    SUBSCRIPTION_CHANGE: subscriptions.change,
    SUBSCRIPTION_PAUSE: subscriptions.pause,
    SUBSCRIPTION_RESUME: subscriptions.resume,
    SUBSCRIPTION_CANCEL: subscriptions.cancel,
    SAVED_CARDS: saved_cards.listing,
    DELETE_SAVED_CARD: saved_cards.delete,
    SEAMLESS: seamless.seamless,
}
BELOW: Mapping[str, Handler] = {
    SPLIT: split.split,
    GST_VERIFICATION: gst.verification,
    GST_CALCULATOR: gst.calculator,
    AADHAAR_XML: identity.xml,
    AADHAAR_VERIFICATION: identity.verification,
    CARD_DETAILS: prepaid_cards.details,
    CREATE_LEAD: leads.create,
    POS_LISTING: pos.listing,
    POS_DETAIL: pos.detail,
    POS_ENTRIES: pos_entries.entries,
}
_POST = "POST"
_log = structlog.get_logger(__name__)


class Interfaces:
    """Routes calls and callbacks by their address, and passes everything else to another application."""

    def __init__(self, behind: Litestar, aliases: tuple[str, ...], forms: Mapping[str, Handler]) -> None:
        """Mount every operation under `/gateway` and the alias prefixes.

        forms: what answers a POST to these addresses; their other methods belong to the application behind.
        """
        self._behind = behind
        self._forms = forms
        self._handlers: dict[str, Handler] = {
            address.rstrip("/"): handler
            for names, handler in OPERATIONS.items()
            for address in operation(names, aliases)
        } | {address: handler for path, handler in BELOW.items() for address in below(path, aliases)}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or pass it on; the server's start and end are passed on as well."""
        if scope["type"] != "http":
            await self._behind(scope, receive, send)
            return
        inbound = Inbound(scope, receive)
        form = self._forms.get(inbound.path) if inbound.method == _POST else None
        handler = form or self._handler(inbound.path)
        wrong = handler is not None and inbound.method != _POST
        # Pages are made behind; what a program sent in another method is answered here.
        if handler is None or (wrong and strays.wants_page(inbound.header(b"accept"))):
            await self._behind(scope, receive, send)
            return
        if wrong:
            reply = strays.wrong_method(inbound.path, inbound.method)
        else:
            try:
                reply = await handler(self._behind.state.gateway, inbound)
            except Exception as problem:  # noqa: BLE001 (an exception must not reach the server)
                _log.error("request_failed", path=inbound.path, exc_info=problem)
                reply = Reply(status=500)
        await reply.send(send)

    def _handler(self, path: str) -> Handler | None:
        if path == DEMO_CLOCK:
            return demo_clock.move
        found = self._handlers.get(path.rstrip("/"))
        return callbacks.bank_callback if found is None and path.startswith(CALLBACK) else found
