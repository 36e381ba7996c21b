"""A stand-in of Razorpay whose eNACH has the days of banks: registration, debits, cancellation.

    async with EnachStandin.running() as razorpay:
        ...                                    # an order with method emandate, create/json
        ...                                    # the customer's browser presses success at the bank
        razorpay.pass_time(2 * 86_400)         # the bank confirms what was initiated, or rejects
        razorpay.pass_time(3 * 86_400)         # and answers debits

Everything of `standin_recurring` works here as well. Written by a hand that has not read the
connector, from razorpay/markdown-docs at ab3bda5:
payments/payment-gateway/s2s-integration/recurring-payments/emandate/*.md,
payments/recurring-payments/emandate/{faqs, errors}.md and
api/payments/recurring-payments/{webhooks, emandate/**}.md. What that text leaves open:

- whether an order and its authorisation on another day is refused, and how: here it is.
- whether the registration's payment of a bank that takes a day is captured before the token is
  confirmed: the FAQ says it is authorized meanwhile. What becomes of it after a rejection is not
  said: here it stays authorized.
- what a debit reads that the mandate does not carry: the list of eNACH's reasons has no
  mandate_cancelled, so a cancelled mandate reads mandate_not_active, one that its bank has not
  finished payment_mandate_not_active, and more than its limit transaction_limit_exceeded.
- a debit that had no funds may be tried again on its order after 3 days, the FAQ calls the reason
  insufficient_balance, the list insufficient_funds. Here insufficient_funds; sooner is refused.
- first_payment_amount is kept and told, and never charged here: of whose payment it is, is open.
"""

import json
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from aiohttp import web

from tests.acquirers.razorpay.standin_books import Order, Payment, RefusedError
from tests.acquirers.razorpay.standin_mandates import IST, MOST, Mandates, Token
from tests.acquirers.razorpay.standin_recurring import RecurringStandin
from tests.acquirers.stage import Document

DAY_S = 86_400
AUTH_TYPES = {"netbanking", "debitcard", "aadhaar"}
TAKES_A_DAY = {"HDFC", "SBIN"}
"""Banks whose direct integration confirms a registration on the next working day."""
DIRECT_MOST = {"HDFC": 10_000_000}
LIFE_S_MAX = 40 * 366 * DAY_S
CUT_HOUR, BANK_HOUR, NIGHT_HOUR = 9, 17, 23
RETRY_AFTER_S = 3 * DAY_S
NAME_LENGTHS = (4, 120)


def processed_at(at: int, hour: int, *, working_days: bool) -> int:
    """Return when a request is worked on: before 9:00 in India on its day, else on the next."""
    moment = datetime.fromtimestamp(at, IST)
    day = moment if moment.hour < CUT_HOUR else moment + timedelta(days=1)
    while working_days and day.weekday() >= 5:
        day += timedelta(days=1)
    return int(day.replace(hour=hour, minute=0, second=0).timestamp())


@dataclass
class EnachMandates(Mandates):
    """Mandates with the days of banks.

    direct: banks that Razorpay reaches itself. rejecting: by account number why its bank rejects a
    registration. refusing: by token why debits fail. delay_days: of confirmations. bank_lag_days:
    debits sooner after the confirmation fail, as a partner bank has not finished. answers_in_days:
    after the day on which debits are worked on.
    """

    direct: set[str] = field(default_factory=set)
    rejecting: dict[str, str] = field(default_factory=dict)
    refusing: dict[str, str] = field(default_factory=dict)
    delay_days: int = 0
    bank_lag_days: int = 0
    answers_in_days: int = 1
    days: dict[str, str] = field(default_factory=dict)
    asked: dict[str, Document] = field(default_factory=dict)
    waiting: dict[str, tuple[str, int]] = field(default_factory=dict)
    confirmed_at: dict[str, int] = field(default_factory=dict)
    cancelling: dict[str, int] = field(default_factory=dict)
    begun_at: dict[str, int] = field(default_factory=dict)

    def register(self, asked: Document) -> Order:
        """Make the order of a registration; of eNACH most fields may be left out."""
        if asked.get("method") != "emandate":
            return super().register(asked)
        token, account = asked["token"], asked["token"].get("bank_account") or {}
        account = {"account_type": "savings"} | account
        if token.get("auth_type", "netbanking") not in AUTH_TYPES:
            raise RefusedError("The selected auth type is invalid.", field="auth_type")
        if (token.get("expire_at") or 0) > self.now() + LIFE_S_MAX:
            raise RefusedError("expire_at is invalid.", field="expire_at")
        name = account.get("beneficiary_name")
        if name is not None and not NAME_LENGTHS[0] <= len(name) <= NAME_LENGTHS[1]:
            raise RefusedError("The beneficiary name is invalid.", field="beneficiary_name")
        own = {"auth_type": "netbanking", "max_amount": MOST["emandate"]}
        order = super().register(asked | {"token": own | token | {"bank_account": account}})
        self.days[order.id] = self._day()
        return order

    def _day(self) -> str:
        return datetime.fromtimestamp(self.now(), IST).date().isoformat()

    def begin(self, asked: Document) -> Payment:
        """Begin the registration at a bank."""
        registration = self.registrations.get(asked.get("order_id", ""), {})
        if asked.get("method") != "emandate" or registration.get("method") != "emandate":
            return super().begin(asked)
        bank, account = asked.get("bank"), asked.get("bank_account") or {}
        for name, value in (("bank", bank), ("account number", account.get("account_number"))):
            if not value:
                raise RefusedError(f"The {name} field is required.", field=name)
        known = (registration["token"].get("bank_account") or {}).get("ifsc_code") or bank
        if not str(known).startswith(str(bank)):
            raise RefusedError("The bank is not that of the order.", field="bank")
        if asked.get("auth_type", "netbanking") not in AUTH_TYPES:
            raise RefusedError("The selected auth type is invalid.", field="auth_type")
        if registration["token"]["max_amount"] > self._most(asked):
            raise RefusedError("The max amount is invalid.", field="max_amount")
        if self.days.get(asked["order_id"]) != self._day():
            raise RefusedError("The order is of another day.", field="order_id")
        named = {"beneficiary_name": account.get("name"), "ifsc_code": account.get("ifsc")}
        given = {name: each for name, each in (account | named).items() if each is not None}
        payment = super().begin(asked | {"bank_account": given})
        payment.details["bank"] = bank
        self.asked[payment.id] = asked
        return payment

    def _most(self, asked: Document) -> int:
        is_direct = asked["bank"] in self.direct and asked.get("auth_type") != "aadhaar"
        return DIRECT_MOST.get(asked["bank"], MOST["emandate"]) if is_direct else MOST["emandate"]

    def takes_a_day(self, payment: Payment) -> bool:
        """Return whether the bank confirms on the next working day: by Aadhaar, or some direct."""
        asked = self.asked[payment.id]
        by_bank = asked["bank"] in self.direct & TAKES_A_DAY
        return asked.get("auth_type") == "aadhaar" or by_bank

    def authorise(
        self, payment_id: str, status: str = "", *, dummy: bool = False, pays: bool = True
    ) -> Token:
        """Let the customer approve at the bank; the bank's own days follow by the clock."""
        payment = self.books.payment(payment_id)
        if payment_id not in self.asked:
            return super().authorise(payment_id, status or "confirmed", dummy=dummy, pays=pays)
        word = status or ("initiated" if self.takes_a_day(payment) else "confirmed")
        order = self.books.orders[payment.order_id]
        capture = order.capture
        if word == "initiated":
            order.capture = "manual"
        token = super().authorise(payment_id, word, pays=pays)
        self._fill(token, self.asked[payment_id])
        if word == "initiated":
            at = processed_at(self.now(), BANK_HOUR, working_days=True)
            self.waiting[token.id] = (payment_id, at + self.delay_days * DAY_S)
            order.capture = capture if pays else "manual"
        else:
            self.confirmed_at[token.id] = self.now()
        payment.acquirer_data = {}
        return token

    @staticmethod
    def _fill(token: Token, asked: Document) -> None:
        token.asked = token.asked | {"auth_type": asked.get("auth_type", "netbanking")}
        token.bank = asked["bank"]

    def confirm(self, token: str | Token) -> None:
        found = self._token(token)
        payment_id = self.waiting.pop(found.id, ("", 0))[0]
        self.confirmed_at[found.id] = self.now()
        super().confirm(found)
        payment = self.books.payments.get(payment_id)
        if payment is not None and payment.status == "authorized":
            self.books.capture(payment_id, {"amount": 0, "currency": payment.currency})

    def reject(self, token: str | Token, reason: str = "Rejected by bank") -> None:
        self.waiting.pop(self._token(token).id, None)
        super().reject(token, reason)

    def forget(self, token: Token) -> None:
        """Delete a token; of eNACH the cancellation is on its way on the next working day."""
        token.forgotten = True
        if token.method == "emandate" and token.status == "confirmed":
            moment = datetime.fromtimestamp(self.now(), IST) + timedelta(days=1)
            while moment.weekday() >= 5:
                moment += timedelta(days=1)
            self.cancelling[token.id] = int(moment.replace(hour=BANK_HOUR).timestamp())

    def charge(self, asked: Document) -> Payment:
        """Begin a debit; its bank answers by the clock."""
        token = self.tokens.get(asked.get("token", ""))
        if token is None or token.method != "emandate":
            return super().charge(asked)
        for before in self.books.payments_of(asked.get("order_id", "")):
            empty = before.error.get("error_reason") == "insufficient_funds"
            if empty and self.begun_at.get(before.id, 0) + RETRY_AFTER_S > self.now():
                raise RefusedError("A payment can be retried after 3 days.", field="order_id")
        payment = super().charge(asked)
        payment.details["bank"] = token.bank
        self.begun_at[payment.id] = self.now()
        if payment.id in self.debits:
            due = processed_at(self.now(), NIGHT_HOUR, working_days=False)
            at_once = token.bank == "ICIC" and "ICIC" in self.direct
            due = self.now() if at_once else due + self.answers_in_days * DAY_S
            self.debits[payment.id] = (token.id, due)
        return payment

    def _hindrance(self, order: Order, token: Token) -> str | None:
        if token.method != "emandate":
            return super()._hindrance(order, token)
        if token.status == "initiated":
            return "payment_mandate_not_active"
        if token.status != "confirmed" or token.expires_at <= self.now():
            return "mandate_not_active"
        return "transaction_limit_exceeded" if order.amount > token.asked["max_amount"] else None

    def run(self) -> None:
        """Let banks confirm or reject, debit or refuse, and cancel, as their day has come."""
        for token_id, (_payment, due) in list(self.waiting.items()):
            token = self.tokens[token_id]
            account = (token.asked.get("bank_account") or {}).get("account_number", "")
            if due <= self.now() and account in self.rejecting:
                self.reject(token, self.rejecting[account])
            elif due <= self.now():
                self.confirm(token)
        for payment_id, (token_id, due) in list(self.debits.items()):
            payment = self.books.payment(payment_id)
            reason = self.refusing.get(token_id) or self._lagging(token_id, payment_id)
            if payment.status == "created" and due <= self.now() and reason:
                self.refuse(payment, reason)
        for token_id, due in list(self.cancelling.items()):
            if due <= self.now():
                del self.cancelling[token_id]
                self.cancel_at_bank(token_id)
        super().run()

    def _lagging(self, token_id: str, payment_id: str) -> str | None:
        known = self.confirmed_at.get(token_id)
        if known is None or payment_id not in self.begun_at:
            return None
        early = self.begun_at[payment_id] < known + self.bank_lag_days * DAY_S
        return "payment_mandate_not_active" if early else None


@dataclass
class EnachStandin(RecurringStandin):
    """Razorpay on a free port, with the days of eNACH. enach: how a test plays banks."""

    enach: EnachMandates = field(init=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.enach = EnachMandates(self.books, lambda: int(self.clock))
        self.mandates = self.enach

    def _ended(self, payment: Payment, chosen: str) -> web.Response:
        """Let the customer's choice at the bank's page make the mandate, or none."""
        if payment.id not in self.enach.asked or chosen != "success":
            return super()._ended(payment, chosen)
        self.enach.authorise(payment.id, pays=False)
        answer = super(RecurringStandin, self)._ended(payment, chosen)
        payment.acquirer_data = {}
        return answer

    async def _forget(self, request: web.Request) -> web.Response:
        self.enach.forget(self._of(request))
        return web.json_response({"deleted": True})

    async def _methods(self, request: web.Request) -> web.Response:
        """Say, beside all else, which banks take eNACH how."""
        banks = {"HDFC": "HDFC Bank", "ICIC": "ICICI Bank", "SBIN": "State Bank of India"}
        taken = {
            code: {"auth_types": sorted(AUTH_TYPES), "is_merged_bank": False, "name": name}
            for code, name in banks.items()
        }
        known = await super()._methods(request)
        assert isinstance(known.body, bytes)
        return web.json_response(json.loads(known.body) | {"recurring": {"emandate": taken}})
