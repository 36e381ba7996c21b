"""Payment links: the operations on them and their messages.

See docs/spec/payment-interfaces.md#payment-links.
"""

from datetime import datetime
from typing import Literal

from hundi.wire import kinds
from hundi.wire.message import message, sent
from hundi.wire.operation import Operation

DESCRIPTION_MAX = 200
DAYS, DAYS_MAX = 30, 366
ITEM_DESCRIPTION_MAX, QUANTITY_MAX, ITEMS_MAX = 100, 9_999, 50
ID = kinds.digits("As its creation and notifications name it", "215000000000001")
REFERENCE = kinds.described(kinds.ORDER_ID, "The merchant's own name of the link")


@message()
class NewLinkItem:
    """A line of what a link is for. amount_paise: of all its pieces together."""

    description: str = sent(kinds.words(ITEM_DESCRIPTION_MAX), meaning="What it is")
    quantity: int = sent(
        kinds.count(QUANTITY_MAX, 1, r"^[1-9][0-9]{0,3}$", "2"), meaning="How many", default=1
    )
    amount_paise: int = sent(kinds.AMOUNT, "amount", "The amount of all of them together")


@message()
class PaymentLinkItem:
    """A line of what a link is for, in paise. amount_paise: of all its pieces together."""

    description: str = sent(kinds.NAME)
    quantity: int = sent(kinds.WHOLE)
    amount_paise: int = sent(kinds.MONEY, "amount")


@message()
class NewPaymentLink:
    """A new link, in paise. The same request under one reference makes one link.

    minimum_paise: the least of one part; without it the link is paid at once. surplus: what happens
    to money beyond the amount. items: they add up to the amount exactly; the customer reads them.
    """

    reference: str = sent(REFERENCE, "link_reference")
    amount_paise: int = sent(kinds.AMOUNT, "amount")
    description: str = sent(
        kinds.words(DESCRIPTION_MAX), meaning="Its purpose; the customer reads it"
    )
    minimum_paise: int = sent(
        kinds.AMOUNT,
        "minimum",
        "The least of one part; without it the link is paid at once",
        default=0,
    )
    valid_days: int = sent(
        kinds.count(DAYS_MAX, 1, r"^([1-9][0-9]?|[12][0-9]{2}|3[0-5][0-9]|36[0-6])$", "30"),
        meaning="Days from now",
        default=DAYS,
    )
    surplus: Literal["refund", "keep"] = sent(
        kinds.one_of("refund", "keep"),
        meaning="Whether money beyond the amount is refunded",
        default="refund",
    )
    customer_email: str = sent(kinds.EMAIL, default="")
    customer_phone: str = sent(kinds.PHONE, default="")
    items: tuple[NewLinkItem, ...] = sent(
        kinds.objects(NewLinkItem).bounded(maxItems=ITEMS_MAX),
        meaning="What it is for, line by line; their amounts add up to the amount",
        default=(),
    )


@message(at_least_one=("link_id", "link_reference"))
class LinkName:
    """A payment link, by one of its names; both must agree."""

    link_id: str = sent(ID, default="")
    reference: str = sent(REFERENCE, "link_reference", default="")


@message()
class LinksBefore:
    """Payment links, newest first.

    before: the last link_id that you have, for those that are older.
    """

    before: str = sent(ID, meaning="The link_id after which the page begins", default="")


@message()
class LinkPayment:
    """A payment under a link, in paise, counted once it was paid.

    counted_paise: what it adds to the link. returned_paise: what goes back because it was too much.
    """

    order_id: str = sent(kinds.NAME, "orderid")
    transaction_id: str = sent(kinds.NAME, "ap_transactionid")
    amount_paise: int = sent(kinds.MONEY, "amount")
    counted_paise: int = sent(kinds.MONEY, "counted_amount")
    returned_paise: int = sent(kinds.MONEY, "returned_amount")
    paid_at: datetime | None = sent(kinds.MOMENT)


@message()
class PaymentLink:
    """A payment link in its current state, in paise.

    url: send it to your customer; whoever has it can pay. state: open, partly_paid, paid, expired
    or cancelled. minimum_paise: the least of one part, 0 where it is paid at once. payments: oldest
    first; empty in a list.
    """

    link_id: str = sent(kinds.NAME)
    reference: str = sent(kinds.NAME, "link_reference")
    url: str = sent(kinds.NAME, hidden=True)
    state: str = sent(kinds.NAME)
    amount_paise: int = sent(kinds.MONEY, "amount")
    paid_paise: int = sent(kinds.MONEY, "paid_amount")
    minimum_paise: int = sent(kinds.MONEY_OR_NONE, "minimum")
    description: str = sent(kinds.NAME)
    surplus: str = sent(kinds.NAME)
    created_at: datetime | None = sent(kinds.MOMENT)
    valid_until: datetime | None = sent(kinds.MOMENT)
    items: tuple[PaymentLinkItem, ...] = sent(kinds.objects(PaymentLinkItem), default=())
    payments: tuple[LinkPayment, ...] = sent(kinds.objects(LinkPayment), default=())

    @property
    def is_paid(self) -> bool:
        """All of it is paid."""
        return self.state == "paid"


@message()
class PaymentLinks:
    """A page of payment links, newest first, without their payments."""

    links: tuple[PaymentLink, ...] = sent(kinds.objects(PaymentLink))


_SECTION = "payment-interfaces.md#payment-links"
_NAMES = ("link_id", "link_reference")
CREATE = Operation(
    "link/create",
    "createLink",
    "create_link",
    "Make a payment link",
    _SECTION,
    ("link/create/",),
    NewPaymentLink,
    PaymentLink,
    "page",
    words="Safe to repeat: the same reference makes one link.",
    whole="new",
    echoes=("link_reference",),
)
STATUS = Operation(
    "link/status",
    "linkStatus",
    "link",
    "Show a payment link",
    _SECTION,
    ("link/status/",),
    LinkName,
    PaymentLink,
    "read",
    words="Safe to repeat.",
    echoes=_NAMES,
)
LIST = Operation(
    "link/list",
    "listLinks",
    "links",
    "List payment links",
    _SECTION,
    ("link/list/",),
    LinksBefore,
    PaymentLinks,
    "read",
    takes=0,
    gives="links",
)
CANCEL = Operation(
    "link/cancel",
    "cancelLink",
    "cancel_link",
    "Cancel a payment link",
    _SECTION,
    ("link/cancel/",),
    LinkName,
    PaymentLink,
    "manage",
    words="It cannot be opened again. Safe to repeat. Raises StateRefusedError (120) for one that "
    "is paid.",
    echoes=_NAMES,
)
