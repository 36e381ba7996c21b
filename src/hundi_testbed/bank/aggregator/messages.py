"""The messages between an aggregator and the gateway; amounts in paise."""

from typing import Annotated, Literal

import msgspec

from hundi_testbed.bank.messages import Address, AmountPaise, CardAnswer, CardInput, Reference, Text


class AggregatorOrderRequest(msgspec.Struct, frozen=True):
    """Make an order. receipt: the gateway's reference. way: the method.

    card: typed at the gateway's page. return_url: the browser's address afterwards.
    """

    receipt: Reference
    amount_paise: AmountPaise
    currency: Literal["INR"]
    way: Literal["upi", "card", "card_page", "netbanking", "wallet", "pay_later"]
    expires_in_s: Annotated[int, msgspec.Meta(ge=1, le=86_400)]
    capture: bool = True
    bank_code: Annotated[str, msgspec.Meta(max_length=8)] = ""
    return_url: Address = ""
    payee_name: Text = ""
    card: CardInput | None = None


class OrderAnswer(msgspec.Struct, frozen=True):
    """An order. amount_paise: the moved amount, else the requested one.

    link: for UPI. page, fields: the browser's next address and form. trans_status,
    challenge_cancel: of the challenge of a card whose holder was not authenticated.
    """

    id: str
    receipt: str
    status: str
    amount_paise: int
    expires_at: str
    currency: str = "INR"
    code: str = ""
    message: str = ""
    rrn: str = ""
    payer_vpa: str = ""
    approval_code: str = ""
    trans_status: str = ""
    challenge_cancel: str = ""
    card: CardAnswer | None = None
    link: str = ""
    page: str = ""
    visit: str = ""
    fields: dict[str, str] = {}


class OrderNews(msgspec.Struct, frozen=True):
    """A webhook about an order: it tells that something happened; the gateway then asks."""

    event_id: str
    reference: str
    order_id: str
    kind: str = "order"
