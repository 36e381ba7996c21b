"""The shop's pages as HTML: the values of its templates, which decide nothing."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from jinja2 import Environment, PackageLoader, StrictUndefined

from hundi.sdk import PaymentForm, for_people, rupees
from hundi.sdk.errors import HundiError, InvalidOrderError
from hundi_testbed.shop import rules
from hundi_testbed.shop.rules import OrderStatus, ShopOrder
from hundi_testbed.shop.store import TimelineEvent

_WORDS = {
    OrderStatus.PLACED: (
        "wait",
        "Not paid yet",
        "We have your order, and no payment for it. Nothing was taken.",
    ),
    OrderStatus.PENDING: (
        "wait",
        "Waiting for the bank",
        (
            "Your bank has not given its final word. Please do not pay again: this page changes"
            " when it does."
        ),
    ),
    OrderStatus.AUTHORISED: (
        "wait",
        "Amount reserved",
        "Your bank reserved the amount; we take it when we ship.",
    ),
    OrderStatus.PAID: ("good", "Paid", "Your payment reached us. We pack your order today."),
    OrderStatus.FAILED: (
        "bad",
        "Payment not completed",
        (
            "No money reached us. If your bank shows a debit, it returns by itself. You can try"
            " again with the same order."
        ),
    ),
}
_FIELD_WORDS = {
    "amount": "Amount",
    "buyer_firstname": "First name",
    "buyer_lastname": "Last name",
    "buyer_email": "E-mail",
    "buyer_phone": "Phone",
}


class ShopPages:
    """Renders the shop's pages.

    root: the path of the mounted shop, without a slash at the end.
    """

    def __init__(self, root: str, offers_page: str = "") -> None:
        """Load the templates. offers_page: the start of an order's coupons address, "" for none."""
        self.root = root
        self._offers_page = offers_page
        self._templates = Environment(
            loader=PackageLoader("hundi_testbed.shop"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._templates.filters.update(rupees=rupees, clock=_clock, people=for_people)

    def home(self, *, typed_amount: str = "", refused: InvalidOrderError | None = None) -> str:
        """Return the shelf.

        typed_amount: the text of the amount input. refused: its problem.
        """
        return self._render(
            "home.html",
            products=rules.PRODUCTS,
            typed_amount=typed_amount,
            problem=_problem(refused),
        )

    def checkout(
        self,
        *,
        title: str,
        amount_paise: int,
        typed: Mapping[str, str],
        refused: InvalidOrderError | None = None,
    ) -> str:
        """Return the page for the customer's data.

        typed: the texts of the inputs.
        """
        return self._render(
            "checkout.html",
            title=title,
            amount_paise=amount_paise,
            typed=typed,
            problem=_problem(refused),
        )

    def pay(self, order: ShopOrder, form: PaymentForm) -> str:
        """Return the page that sends the customer on to the payment page."""
        return self._render("pay.html", order=order, form=form)

    def order(self, order: ShopOrder, events: Sequence[TimelineEvent]) -> str:
        """Return the order with its outcome, references, and all messages of the shop."""
        colour, word, sentence = _WORDS[order.status]
        quiet = datetime.now(UTC) - events[-1].at
        news = [event for event in events if event.kind in {"verify", "notification"}]
        return self._render(
            "order.html",
            order=order,
            events=events,
            colour=colour,
            word=word,
            sentence=sentence,
            references=news[-1].facts if news else {},
            notified=any(event.kind == "notification" for event in events),
            expects_news=rules.expects_news(
                order.status, frozenset(event.kind for event in events), quiet
            ),
            may_pay=rules.may_pay(order.status),
            coupons=self._offers_page + rules.offer_id(order.order_id)
            if self._grants(order)
            else "",
        )

    def _grants(self, order: ShopOrder) -> bool:
        return bool(self._offers_page) and order.status is rules.OrderStatus.PAID

    def trouble(
        self, heading: str, sentence: str, error: HundiError | None = None, again: str = ""
    ) -> str:
        """Return a page about a problem: what happened, whether money moved, what to do.

        again: an address to retry.
        """
        return self._render(
            "trouble.html", heading=heading, sentence=sentence, error=error, again=again
        )

    def _render(self, template: str, **values: object) -> str:
        return self._templates.get_template(template).render(
            values, root=self.root, shop_name=rules.SHOP_NAME
        )


def _problem(refused: InvalidOrderError | None) -> str:
    return (
        f"{_FIELD_WORDS.get(refused.field, refused.field)}: please give {refused.allowed}."
        if refused
        else ""
    )


def _clock(moment: datetime) -> str:
    """Return a time to the second: events of one payment follow each other within one minute."""
    return for_people(moment).removesuffix(" IST") + moment.strftime(":%S IST")
