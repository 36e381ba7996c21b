"""Easebuzz, Pine Labs and Juspay as tests play them, by our references.

Their stand-ins are by a hand that has not read the connectors.
"""

import base64
import json
from abc import ABC, abstractmethod
from decimal import Decimal
from typing import Any
from urllib.parse import urlencode

from hundi.acquirers.calls.pages import ConnectorSetup, PageAggregator
from hundi.acquirers.easebuzz.connector import EasebuzzAccount, EasebuzzUpiConnector
from hundi.acquirers.juspay.connector import JuspayAccount, JuspayConnector
from hundi.acquirers.juspay.rules import order_id, reference_of
from hundi.acquirers.pinelabs.connector import PineLabsAccount, PineLabsConnector
from hundi.acquirers.port.memory import ShortMemory
from hundi.acquirers.port.payments import (
    CompletesAuthorisations,
)
from tests.acquirers.easebuzz import standin as of_easebuzz
from tests.acquirers.juspay import standin as of_juspay
from tests.acquirers.pinelabs import standin as of_pine
from tests.acquirers.pinelabs.standin_books import WEBHOOK_SECRET
from tests.acquirers.shared import CALLBACK, Clock
from tests.acquirers.stage import Stage


class Player(ABC):
    """One acquirer as a test plays it: our references, whatever it calls them."""

    has: frozenset[type] = frozenset()
    page_call = inquiry_call = refund_call = ""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage

    @abstractmethod
    def connector_at(self, memory: ShortMemory, clock: Clock) -> PageAggregator:
        """Return a connector that calls the stand-in."""

    @abstractmethod
    def pay(self, reference: str, paise: int | None = None) -> None:
        """Let the customer pay. paise: another amount than was asked."""

    @abstractmethod
    def fail(self, reference: str) -> None:
        """Let a try fail."""

    @abstractmethod
    def leave(self, reference: str) -> None:
        """Let the customer leave the page."""

    @abstractmethod
    def reference_at(self, url: str) -> str:
        """Return our reference of a page."""

    @abstractmethod
    def end_refund(self, original: str, reference: str, *, failed: bool = False) -> None:
        """End a refund that waits."""

    @abstractmethod
    def webhook(self, reference: str) -> tuple[dict[str, str], bytes]:
        """Return an authentic webhook."""

    @abstractmethod
    def addresses(self) -> dict[str, Any]:
        """Return the settings of an operator that lead to the stand-in."""

    @abstractmethod
    def amounts_given_back(self, original: str) -> list[str]:
        """Return the rupees of its refunds of a payment."""

    @abstractmethod
    def has_refund(self, reference: str) -> bool:
        """Return whether it has a refund of ours."""

    @abstractmethod
    def given_back(self, original: str) -> int:
        """Return how many refunds it has of a payment."""


class AtEasebuzz(Player):
    """Easebuzz, by its stand-in."""

    page_call, refund_call = "/payment/initiateLink", "/transaction/v2/refund"
    inquiry_call = "/transaction/v2/retrieve"

    def __init__(self) -> None:
        self.books = of_easebuzz.Easebuzz()
        super().__init__(self.books)

    def connector_at(self, memory: ShortMemory, clock: Clock) -> PageAggregator:
        account = EasebuzzAccount(
            of_easebuzz.KEY,
            of_easebuzz.SALT,
            "shop@example.in",
            "9000000000",
            "No transaction found",
        )
        setup, url = ConnectorSetup("easebuzz", memory, now_s=clock), self.books.url
        return EasebuzzUpiConnector(setup, account, url, url, CALLBACK)

    def pay(self, reference: str, paise: int | None = None) -> None:
        self.books.pay(reference, amount=None if paise is None else str(Decimal(paise) / 100))

    def fail(self, reference: str) -> None:
        self.books.fail(reference)

    def leave(self, reference: str) -> None:
        self.books.fail(reference, "userCancelled")

    def reference_at(self, url: str) -> str:
        return self.books.access[url.rpartition("/")[2]]

    def end_refund(self, original: str, reference: str, *, failed: bool = False) -> None:
        del original
        self.books.end_refund(reference, "failed" if failed else "refunded")

    def webhook(self, reference: str) -> tuple[dict[str, str], bytes]:
        told = {"key": of_easebuzz.KEY, "txnid": reference, "status": "success", "amount": "1.00"}
        fields = told | {"hash": of_easebuzz.reverse_digest(told)}
        return {}, urlencode(fields).encode()

    def addresses(self) -> dict[str, Any]:
        return {"page_url": self.books.url, "dashboard_url": self.books.url}

    def amounts_given_back(self, original: str) -> list[str]:
        number = self.books.payments[original]["easepayid"]
        refunds = self.books.refunds.values()
        return [each["refund_amount"] for each in refunds if each["easebuzz_id"] == number]

    def has_refund(self, reference: str) -> bool:
        return reference in self.books.refunds

    def given_back(self, original: str) -> int:
        number = self.books.payments[original]["easepayid"]
        return sum(each["easebuzz_id"] == number for each in self.books.refunds.values())


class AtPineLabs(Player):
    """Pine Labs, by its stand-in."""

    has = frozenset({CompletesAuthorisations})
    page_call, inquiry_call = "/checkout/v1/orders", "/10001-1"

    def __init__(self) -> None:
        self.books = of_pine.PineLabs(refunds_wait=True)
        super().__init__(self.books)

    def connector_at(self, memory: ShortMemory, clock: Clock) -> PageAggregator:
        account = PineLabsAccount(
            of_pine.CLIENT_ID,
            of_pine.CLIENT_SECRET,
            WEBHOOK_SECRET,
            "ORDER_NOT_FOUND",
            holds=True,
        )
        setup = ConnectorSetup("pinelabs", memory, now_s=clock)
        return PineLabsConnector(setup, account, f"{self.books.url}/api", (self.books.url,))

    def pay(self, reference: str, paise: int | None = None) -> None:
        self.books.pay(reference, amount=paise)

    def fail(self, reference: str) -> None:
        self.books.fail_try(reference)

    def leave(self, reference: str) -> None:
        self.books.fail(reference)

    def reference_at(self, url: str) -> str:
        return self.books.order(url.rpartition("/")[2])["merchant_order_reference"]

    def end_refund(self, original: str, reference: str, *, failed: bool = False) -> None:
        del original
        self.books.end_refund(reference, "FAILED" if failed else "PROCESSED")

    def webhook(self, reference: str) -> tuple[dict[str, str], bytes]:
        body = json.dumps({"data": {"merchant_order_reference": reference}}).encode()
        signed = self.books.signed("ORDER_PROCESSED", body)
        return {name.lower(): value for name, value in signed.headers.items()}, signed.body

    def addresses(self) -> dict[str, Any]:
        return {"url": f"{self.books.url}/api"}

    def amounts_given_back(self, original: str) -> list[str]:
        return [f"{paise / 100:.2f}" for paise in self._refunded(original)]

    def has_refund(self, reference: str) -> bool:
        return self.books.find(reference) is not None

    def given_back(self, original: str) -> int:
        return len(self._refunded(original))

    def _refunded(self, original: str) -> list[int]:
        number = self.books.order(original)["order_id"]
        orders = self.books.orders.values()
        refunds = (each for each in orders if each.get("parent_order_id") == number)
        return [each["order_amount"]["value"] for each in refunds]


class AtJuspay(Player):
    """Juspay, by its stand-in."""

    page_call, inquiry_call, refund_call = "/session", f"/{order_id('10001-1')}", "/refunds"

    def __init__(self) -> None:
        self.books = of_juspay.Juspay()
        super().__init__(self.books)

    def connector_at(self, memory: ShortMemory, clock: Clock) -> PageAggregator:
        account = JuspayAccount(
            of_juspay.MERCHANT_ID,
            of_juspay.API_KEY,
            of_juspay.CLIENT_ID,
            "shop@example.in",
            "9000000000",
            of_juspay.WEBHOOK_USER,
            of_juspay.WEBHOOK_PASSWORD,
        )
        setup, url = ConnectorSetup("juspay", memory, now_s=clock), self.books.url
        return JuspayConnector(setup, account, url, (url,), CALLBACK)

    def pay(self, reference: str, paise: int | None = None) -> None:
        amount = None if paise is None else Decimal(paise) / 100
        self.books.pay(order_id(reference), amount=amount)

    def fail(self, reference: str) -> None:
        self.books.fail_try(order_id(reference))

    def leave(self, reference: str) -> None:
        self.books.put(order_id(reference), "JUSPAY_DECLINED")

    def reference_at(self, url: str) -> str:
        number = url.rpartition("/")[2]
        named = (name for name, order in self.books.orders.items() if order["id"] == number)
        return reference_of(next(named))

    def end_refund(self, original: str, reference: str, *, failed: bool = False) -> None:
        del original
        state = "FAILURE" if failed else "SUCCESS"
        self.books.end_refund(self._order_of(reference), reference, state)

    def _order_of(self, refund: str) -> str:
        orders = self.books.orders.items()
        of = (
            name
            for name, order in orders
            if refund in {each["unique_request_id"] for each in order["refunds"]}
        )
        return next(of)

    def webhook(self, reference: str) -> tuple[dict[str, str], bytes]:
        pair = f"{of_juspay.WEBHOOK_USER}:{of_juspay.WEBHOOK_PASSWORD}"
        proof = base64.b64encode(pair.encode()).decode()
        body = json.dumps({"id": "evt_1", "content": {"order": {"order_id": order_id(reference)}}})
        return {"authorization": f"Basic {proof}"}, body.encode()

    def addresses(self) -> dict[str, Any]:
        return {"url": self.books.url}

    def amounts_given_back(self, original: str) -> list[str]:
        refunds = self.books.orders[order_id(original)]["refunds"]
        return [f"{each['amount']:.2f}" for each in refunds]

    def has_refund(self, reference: str) -> bool:
        refunds = (each for order in self.books.orders.values() for each in order["refunds"])
        return any(each["unique_request_id"] == reference for each in refunds)

    def given_back(self, original: str) -> int:
        return len(self.books.orders[order_id(original)]["refunds"])


PLAYERS = {"easebuzz": AtEasebuzz, "pinelabs": AtPineLabs, "juspay": AtJuspay}
