"""The connector of the simulated bank network, over HTTP."""

import time
from datetime import datetime
from urllib.parse import quote, urlencode

from cachetools import TTLCache

from hundi.acquirers.calls.breaker import BreakerState
from hundi.acquirers.calls.client import DEFAULT_TIMEOUTS, Timeouts
from hundi.acquirers.port.answers import (
    Accepted,
    Approved,
    BankCallback,
    Declined,
    NothingThere,
    NotRegistered,
    Redirect,
    RegisteredName,
    Unknown,
    Voided,
)
from hundi.acquirers.port.books import BookPage
from hundi.acquirers.port.instalments import InstalmentPlan
from hundi.acquirers.port.payments import BankEntry, Charge, InquirySchedule, RefundOrder
from hundi.acquirers.port.terminals import TerminalSale
from hundi.acquirers.port.transfers import Transfer, VirtualAccount, Voucher
from hundi.acquirers.sandbox import lists, questions, rules
from hundi.acquirers.sandbox.disputes import SandboxDisputes
from hundi.acquirers.sandbox.mandates import SandboxMandates
from hundi.acquirers.sandbox.payouts import CALLBACK_SIGNATURE, SandboxPayouts
from hundi.acquirers.simulator import OpensClient, signature_holds, simulator_client
from hundi.instruments.methods import METHODS, Flow
from hundi.kernel.money import Money
from hundi.kernel.records import replace

INQUIRY_GAPS_S = (3, 3, 5, 5, 10, 10, 20, 20, 30, 60, 60, 120, 300)
BOOKS_PAGE_WAITED_FOR_S = 10.0
BOOKS_PAGE_BYTES_MAX = 1024 * 1024
ACCOUNT_IFSC = "SIMB0000001"
ACCOUNT_PREFIX = {"virtual_account": "SIMVA", "rtgs_account": "SIMVR", "remittance": "SIMVC"}
PAYS_IN = {"virtual_account": "/transfers", "rtgs_account": "/transfers", "remittance": "/branch"}
"""The simulated bank's page that pays into an account, by the method of the attempt."""
ATTEMPT_DIGITS = 15
"""Digits of the attempt's id at the end of a virtual account's number, after the merchant's."""
CURRENCIES = frozenset({"USD", "EUR", "GBP", "AED", "SGD"})
"""The currencies of card charges at the simulated network, beside rupees."""
LISTS_MAX = 8
LISTS_KEPT_S = 60.0
"""Seconds for which a list of the bank's is kept."""
LISTS_WAITED_FOR_S = 2.0
"""Seconds; a customer looks at an empty page meanwhile."""
LISTS_ASKED_EVERY_S = 5.0
"""Seconds between requests for a list while the bank does not answer."""


class SandboxConnector(SandboxMandates, SandboxDisputes, SandboxPayouts):
    """One simulated acquirer, one instance a process.

    base_url: simbank's address; key: the shared signing key of the acquirer protocol. connect:
    opens its clients. breaker: its state is this process's own view, read by health and metrics.
    """

    simulated = True
    names_payer_accounts = True
    currencies = CURRENCIES
    inquiry_schedule = InquirySchedule(INQUIRY_GAPS_S)
    refund_schedule = InquirySchedule(INQUIRY_GAPS_S)

    def __init__(
        self,
        base_url: str,
        key: bytes,
        timeouts: Timeouts = DEFAULT_TIMEOUTS,
        *,
        name: str = "sandbox",
        lists_kept_s: float = LISTS_KEPT_S,
        lists_asked_every_s: float = LISTS_ASKED_EVERY_S,
        connect: OpensClient = simulator_client,
    ) -> None:
        """Keep the configuration; the first call opens a connection."""
        self.name = name
        self._base = base_url.rstrip("/")
        self._key = key
        self._acquirer = connect(base_url, key, timeouts, rules.read_word)
        self._books = connect(base_url, key, timeouts, lists.read_books, BOOKS_PAGE_BYTES_MAX)
        self._transfers = connect(base_url, key, timeouts, lists.read_transfers)
        self._open_disputes(base_url, key, timeouts, connect)
        self.breaker = self._acquirer.breaker
        self.browser_origins = self.redirect_origins = (self._acquirer.origin,)
        self._lists: TTLCache[str, rules.BankAnswer, float] = TTLCache(LISTS_MAX, lists_kept_s)
        self._asked_lately: TTLCache[str, rules.BankAnswer | Unknown, float] = TTLCache(
            LISTS_MAX, lists_asked_every_s
        )
        self._said_last: dict[str, rules.BankAnswer] = {}

    async def close(self) -> None:
        """Close the connection pool."""
        await self._acquirer.close()
        await self._books.close()
        await self._transfers.close()
        await self._close_disputes()

    def reachable(self) -> bool:
        """Return whether calls are made: not while the breaker is open after failures in a row."""
        return self.breaker.state(time.monotonic()) is not BreakerState.OPEN

    def payee_address(self, merchant_id: int) -> str:
        """Return the UPI address for this merchant's payments."""
        return f"m{merchant_id}@simbank"

    def app_link(self, upi_uri: str) -> str:
        """Return the address of the simulated UPI app, opened at a `upi://` link."""
        return f"{self._base}/upi/app?uri={quote(upi_uri, safe='')}"

    async def collect(
        self, charge: Charge, *, payer_vpa: str, payee_name: str, note: str, expires_in_s: int
    ) -> Unknown | Declined:
        """Ask the payer's app for an amount; the outcome comes by callback or inquiry."""
        merchant_id = int(charge.reference.partition("-")[0])
        request = {
            **questions.charged(charge),
            "payer_vpa": payer_vpa,
            "payee_vpa": self.payee_address(merchant_id),
            "payee_name": payee_name,
            "note": note,
            "expires_in_s": expires_in_s,
        }
        word = await self._moving("/acquirer/upi/collect", charge.reference, request)
        return word if isinstance(word, Unknown) else rules.collect_outcome(word)

    async def capture(self, original: str, amount: Money) -> Approved | Declined | Unknown:
        """Capture the held amount, or a part of it; the rest is released."""
        request = {"original": original, **questions.amount(amount)}
        word = await self._moving("/acquirer/captures", original, request)
        return word if isinstance(word, Unknown) else rules.asked_outcome(word, amount)

    async def void(self, original: str) -> Voided | Declined | Unknown:
        """Void the whole hold."""
        word = await self._moving("/acquirer/voids", original, {"original": original})
        return word if isinstance(word, Unknown) else rules.void_outcome(word)

    async def banks(self) -> tuple[BankEntry, ...] | Unknown:
        """Return the banks and wallets customers can be sent to."""
        word = await self._listed("/acquirer/banks")
        return word if isinstance(word, Unknown) else word.banks or ()

    async def plans(self) -> tuple[InstalmentPlan, ...] | Unknown:
        """Return the plans of the cards' banks."""
        word = await self._listed("/acquirer/instalments")
        return word if isinstance(word, Unknown) else word.plans or ()

    async def _listed(self, path: str) -> rules.BankAnswer | Unknown:
        """Return a list that seldom changes.

        While the bank does not answer, the last one is used.
        """
        lately = self._lists.get(path) or self._asked_lately.get(path)
        if lately is not None:
            return lately
        last = self._said_last.get(path)
        if last is not None:
            # Taken first, so that one customer waits for the bank and the others use its last list.
            self._asked_lately[path] = last
        look = replace(self._acquirer.look(path), timeout_s=LISTS_WAITED_FOR_S)
        answer = rules.list_answer(await self._acquirer.ask(look))
        if isinstance(answer, Unknown):
            return self._asked_lately.setdefault(path, last or answer)
        self._lists[path] = self._said_last[path] = answer
        return answer

    async def start_redirect(
        self, charge: Charge, *, method: str, bank_code: str, return_url: str
    ) -> Redirect | Declined | Unknown:
        """Return the address of the bank's page; the outcome comes by callback or inquiry only."""
        request = {
            **questions.charged(charge),
            "method": method,
            "bank_code": bank_code,
            "return_url": return_url,
            "mandate": questions.approved(charge.mandate),
            "payee_name": charge.payee_name,
        }
        word = await self._moving("/acquirer/visits", charge.reference, request)
        return word if isinstance(word, Unknown) else rules.challenge(word, self._acquirer.origin)

    async def check_address(self, vpa: str) -> RegisteredName | NotRegistered | Unknown:
        """Return an address's holder; Unknown when the network does not say."""
        word = await self._acquirer.ask(
            self._acquirer.question("/acquirer/upi/addresses", {"vpa": vpa})
        )
        return word if isinstance(word, Unknown) else rules.address_outcome(word)

    async def inquire(
        self, reference: str
    ) -> Approved | Declined | Unknown | NothingThere | Voided:
        """Return the bank's state of a reference; Unknown when it cannot be reached."""
        word = await self._found("/acquirer/inquire", reference)
        return word if isinstance(word, Unknown) else rules.outcome(word)

    async def books(self, after: str = "") -> BookPage | Unknown:
        """Return a page of the books, the first one without `after`.

        Unknown when they cannot be read.
        """
        look = replace(
            self._acquirer.look(f"/books?after={after or 0}"), timeout_s=BOOKS_PAGE_WAITED_FOR_S
        )
        word = await self._books.ask(look)
        return word if isinstance(word, Unknown) else lists.book_page(word, int(after or 0))

    def account_for(self, charge: Charge, *, method: str) -> VirtualAccount:
        """Return the account number of a reference and the simulated page that pays into it."""
        merchant_id, _, attempt_id = charge.reference.partition("-")
        number = f"{ACCOUNT_PREFIX[method]}{merchant_id}{attempt_id.zfill(ATTEMPT_DIGITS)}"
        request = {
            "account": number,
            "ifsc": ACCOUNT_IFSC,
            "amount": questions.rupees(charge.amount),
        }
        if method == "rtgs_account":
            request["mode"] = "RTGS"
        page = f"{self._base}{PAYS_IN[method]}?{urlencode(request)}"
        return VirtualAccount(number, ACCOUNT_IFSC, f"M{merchant_id} at simbank", page)

    async def issue_voucher(
        self, charge: Charge, *, payee_name: str, expires_at: datetime
    ) -> Voucher | Declined | Unknown:
        """Issue a voucher that can be paid until a time."""
        request = {
            **questions.charged(charge),
            "payee_name": payee_name,
            "expires_at": expires_at.isoformat(),
        }
        word = await self._moving("/acquirer/cash/vouchers", charge.reference, request)
        if isinstance(word, Unknown) or word.status != "done" or not word.voucher:
            return word if isinstance(word, Unknown) else rules.collect_outcome(word)
        return Voucher(word.voucher)

    async def end_voucher(self, reference: str) -> Accepted | Declined | Unknown:
        """End a voucher, so that nobody pays it any more."""
        word = await self._moving(
            "/acquirer/cash/vouchers/end", reference, {"reference": reference}
        )
        return word if isinstance(word, Unknown) else rules.acceptance(word)

    def page_again(self, method: str, authentication_id: str) -> str:
        """Return the address of an open challenge, or of an open visit to a bank."""
        room = "3ds" if METHODS[method].flow is Flow.CHALLENGED else "visits"
        return f"{self._base}/{room}/{quote(authentication_id, safe='')}"

    def counter_link(self, voucher: str, amount: Money) -> str:
        """Return the address of the simulated counter, opened at a voucher."""
        return (
            f"{self._base}/counter?"
            f"{urlencode({'number': voucher, 'amount': questions.rupees(amount)})}"
        )

    async def transfers(self, reference: str) -> tuple[Transfer, ...] | Unknown:
        """Return all transfers to a reference so far."""
        request = {"reference": reference}
        message = await self._transfers.ask(
            self._transfers.question("/acquirer/transfers", request)
        )
        return message if isinstance(message, Unknown) else lists.transfers(message, reference)

    async def refund(self, order: RefundOrder) -> Approved | Declined | Unknown:
        """Refund an amount; the same reference again moves money once."""
        request = {
            "reference": order.reference,
            "original": order.original,
            **questions.amount(order.amount),
        }
        if order.settled is not None:
            request["settled_paise"] = order.settled.paise
        word = await self._moving("/acquirer/refund", order.reference, request)
        return word if isinstance(word, Unknown) else rules.moved_outcome(word, order.amount)

    async def inquire_refund(self, reference: str) -> Approved | Declined | Unknown | NothingThere:
        """Return the bank's state of a refund's reference.

        Unknown when it cannot be reached.
        """
        word = await self._found("/acquirer/refund/inquire", reference)
        return word if isinstance(word, Unknown) else rules.refund_outcome(word)

    def read_callback(
        self, headers: dict[str, str], body: bytes, *, now_s: int
    ) -> BankCallback | None:
        """Return the bank's authenticated answer, or None when signature, age or form is wrong.

        headers: names in lower case.
        """
        if not signature_holds(self._key, headers.get(CALLBACK_SIGNATURE, ""), body, now_s):
            return None
        return rules.read_callback(body)

    def read_sale(self, headers: dict[str, str], body: bytes, *, now_s: int) -> TerminalSale | None:
        """Return the sale in an authenticated callback, or None when it has none."""
        if not signature_holds(self._key, headers.get(CALLBACK_SIGNATURE, ""), body, now_s):
            return None
        return rules.read_sale(body)

    def read_mandate_news(self, headers: dict[str, str], body: bytes, *, now_s: int) -> str | None:
        """Return the mandate that an authenticated body is about, None for another body."""
        if not signature_holds(self._key, headers.get(CALLBACK_SIGNATURE, ""), body, now_s):
            return None
        return rules.read_mandate_news(body)

    def claimed_reference(self, body: bytes) -> str:
        """Return the reference in an unauthenticated body, or "".

        It allows only an inquiry.
        """
        return rules.claimed_reference(body)
