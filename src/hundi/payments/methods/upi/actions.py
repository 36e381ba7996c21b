"""The actions of UPI: offer a QR, collect, open an order with its QR, look up an address."""

from datetime import datetime, timedelta

from cachetools import TTLCache

from hundi.acquirers.port.answers import NotRegistered, Redirect, RegisteredName, Unknown
from hundi.acquirers.port.mandates import MandateRequest
from hundi.acquirers.port.payments import ChecksAddresses, OffersUpi
from hundi.acquirers.registry import Way
from hundi.infra.postgres.database import Beside, Database
from hundi.instruments import bharat_qr as emv
from hundi.instruments import upi_uri
from hundi.instruments.methods import UPI, UPI_COLLECT, UPI_LINK
from hundi.kernel.clock import DAY_S, MINUTE_S, left_of, minute_and_day
from hundi.kernel.ids import new_id
from hundi.kernel.records import replace
from hundi.kernel.refusals import Cure, RefusalCode, refuse
from hundi.kernel.states import Actor, EventKind, PaymentState
from hundi.merchants.directory.rules import Merchant
from hundi.payments.attempts import actions as attempts
from hundi.payments.attempts.actions import Choice
from hundi.payments.attempts.failover.actions import Answer, FailoverTry, in_turn
from hundi.payments.attempts.rules import may_start, scannable
from hundi.payments.methods.upi import rules, store
from hundi.payments.methods.upi.links import actions as links
from hundi.payments.orders.actions import (
    PaymentCase,
    PaymentContext,
    is_blocked,
    new_qr,
    route,
    write,
    write_block,
)
from hundi.payments.orders.opening import actions as opening
from hundi.payments.orders.rules import Attempt, NewOrder, PaymentView, Step

COLLECT_LIFE = timedelta(minutes=5)
"""How long a payer may take to approve a request (docs/spec/payment-interfaces.md#limits)."""
_ANSWERS_MAX = 4_096


class KnownAddresses:
    """The network's recent answers about UPI addresses, shared by all merchants in one process."""

    def __init__(self) -> None:
        """Start with no known addresses."""
        self._answers: TTLCache[str, RegisteredName | NotRegistered, float] = TTLCache(
            _ANSWERS_MAX, rules.ANSWERS_KEPT_FOR.total_seconds()
        )

    async def ask(self, connector: ChecksAddresses, vpa: str) -> RegisteredName | NotRegistered:
        """Return the network's answer, and ask for it if none is known.

        Raises Refused: BANK_UNREACHABLE.
        """
        answer = self._answers.get(vpa)
        if answer is not None:
            return answer
        answer = await connector.check_address(vpa)
        if isinstance(answer, Unknown):
            # The address may be right: the caller may ask again.
            raise refuse(RefusalCode.BANK_UNREACHABLE, detail=answer.message)
        self._answers[vpa] = answer
        return answer


async def offer_qr(case: PaymentCase, *, mandate: MandateRequest | None = None) -> Attempt:
    """Return the QR that can be scanned now: the live one, else a new attempt.

    One QR is one attempt. If the acquirer makes the link, it is asked for one. case: what
    `attempts.payable` returned. mandate: what that link approves beside the payment. Raises
    Refused: STATE_FORBIDS, ORDER_ALREADY_PAID, CHANNEL_NOT_ENABLED, RISK_BLOCKED, BANK_UNREACHABLE.
    """
    view, now, most = case.view, case.now, case.merchant.settings.attempts_an_hour
    attempts.raise_if(may_start(view, UPI.code, most, now))
    standing = scannable(view, now)
    if standing is not None and standing.method != UPI_LINK.name:
        return standing
    attempt = await new_qr(case)
    if attempt is None:
        attempt_route = await route(case, UPI.first_steps)
        if (
            attempt_route.first is None
            or attempt_route.first.method is not UPI_LINK
            or UPI.code not in view.payment.channels
        ):
            raise refuse(RefusalCode.CHANNEL_NOT_ENABLED, field="chmod", received=UPI.code)
        return await links.offer(case, attempt_route, mandate)
    if is_blocked(attempt):
        await write_block(case, attempt)
        raise refuse(RefusalCode.RISK_BLOCKED, detail=f"rule {attempt.risk.verdict.rule}")

    def decide(current: PaymentView) -> Step | None:
        attempts.raise_if(may_start(current, UPI.code, most, now))
        if scannable(current, now) is not None:
            return None
        state = PaymentState.IN_PROCESS if current.live else PaymentState.OPEN
        reopened = replace(current.payment, state=state)
        fresh = replace(attempt, attempt_id=new_id(now))
        return Step(EventKind.QR_OFFERED, Actor.CUSTOMER, reopened, fresh, new_attempt=True)

    after, _ = await write(case, decide)
    if after.offered is None:
        raise refuse(RefusalCode.STATE_FORBIDS)
    return after.offered


async def collect(case: PaymentCase, payer_vpa: str) -> Attempt:
    """Ask the payer's UPI app for the amount; the outcome comes by callback or inquiry.

    case: what `attempts.payable` returned. Raises Refused: STATE_FORBIDS, ORDER_ALREADY_PAID,
    CHANNEL_NOT_ENABLED, RISK_BLOCKED.
    """
    attempt_route = await route(case, (UPI_COLLECT,))
    if attempt_route.first is None:
        raise refuse(RefusalCode.CHANNEL_NOT_ENABLED, field="vpa")

    async def ask(view: PaymentView, attempt: Attempt, way: Way) -> Answer:
        assert isinstance(way.connector, OffersUpi), "what its method needs"
        return await way.connector.collect(
            attempts.charge_of(attempt),
            payer_vpa=payer_vpa,
            payee_name=case.merchant.name,
            note=view.payment.order_id,
            expires_in_s=int(COLLECT_LIFE.total_seconds()),
        )

    customer_try = FailoverTry(
        lambda _: Choice(UPI_COLLECT.name, payer_vpa=payer_vpa), ask, COLLECT_LIFE
    )
    after, attempt, answer = await in_turn(case, attempt_route, customer_try)
    assert not isinstance(answer, Redirect), "the customer's app is asked"
    return await attempts.settle(after, attempt, answer)


async def qr_order(
    context: PaymentContext,
    merchant: Merchant,
    order: NewOrder,
    now: datetime,
    *,
    mandate: MandateRequest | None = None,
    beside: Beside | None = None,
) -> tuple[PaymentView, Attempt]:
    """Open or reopen an order and return the QR that pays it: the live one, else a new one.

    mandate: what it approves beside the payment. beside: also written with a new order. Raises
    Refused: CHANNEL_NOT_ENABLED, ORDER_CONTENT_DIFFERS, ORDER_ALREADY_PAID, STATE_FORBIDS.
    """
    view = await opening.initiate(context, merchant, order, now, beside=beside)
    attempt = scannable(view, now)
    if attempt is None or attempt.method == UPI_LINK.name:
        payment_id = view.payment.payment_id
        case = await attempts.payable(context, merchant, payment_id, now)
        attempt = await offer_qr(case, mandate=mandate)
    return view, attempt


async def pay_link(
    context: PaymentContext, merchant: Merchant, order_id: str, attempt: Attempt
) -> str | None:
    """Return the `upi://` link that a QR holds.

    The acquirer's own link unchanged, or ours to its address. None where its acquirer has not sent
    one, or no longer offers UPI.
    """
    if attempt.method == UPI_LINK.name:
        link = await links.link_of(context, attempt)
        return link and link.url
    payee = _payee(context, attempt)
    return payee and upi_uri.pay_link(
        payee_vpa=payee,
        payee_name=merchant.name,
        reference=attempt.reference,
        amount_paise=attempt.amount.paise,
        note=order_id,
        mcc=merchant.settings.mcc,
        expires_at=attempt.expires_at,
    )


def bharat_qr(
    context: PaymentContext, merchant: Merchant, order_id: str, attempt: Attempt
) -> str | None:
    """Return the Bharat QR of the same attempt, or None when the connector offers no UPI."""
    payee = _payee(context, attempt)
    return payee and emv.payload(
        payee_vpa=payee,
        payee_name=merchant.name,
        reference=attempt.reference,
        amount_paise=attempt.amount.paise,
        order_id=order_id,
        mcc=merchant.settings.mcc,
    )


def _payee(context: PaymentContext, attempt: Attempt) -> str | None:
    connector = context.connectors.offering_upi(attempt.connector)
    return connector.payee_address(attempt.merchant_id) if connector else None


async def check_address(
    context: PaymentContext, addresses: KnownAddresses, merchant: Merchant, vpa: str, now: datetime
) -> str | None:
    """Return the name of an address's holder, None when nobody has the address.

    vpa: in lower case. Raises Refused: TOO_MANY_REQUESTS, CHANNEL_NOT_ENABLED, BANK_UNREACHABLE.
    """
    a_minute, a_day = (
        merchant.settings.address_checks_a_minute,
        merchant.settings.address_checks_a_day,
    )
    this_minute, this_day = await store.count(
        context.db, merchant.merchant_id, *minute_and_day(now)
    )
    if this_minute > a_minute or this_day > a_day:
        allowed = f"{a_minute} checks a minute and {a_day} a day"
        wait_s = left_of(DAY_S if this_day > a_day else MINUTE_S, now.timestamp())
        name, count = ("day", this_day) if this_day > a_day else ("minute", this_minute)
        cures = (Cure(f"address_checks_a_{name}", str(2 * count)),)
        raise refuse(
            RefusalCode.TOO_MANY_REQUESTS, allowed=allowed, retry_after_s=wait_s, cures=cures
        )
    connector = context.connectors.first(ChecksAddresses, merchant.merchant_id)
    if UPI.code not in merchant.settings.channels or connector is None:
        cures = (Cure("channels", UPI.code),) if connector else ()
        raise refuse(RefusalCode.CHANNEL_NOT_ENABLED, field="chmod", received=UPI.code, cures=cures)
    answer = await addresses.ask(connector, vpa)
    return answer.name if isinstance(answer, RegisteredName) else None


async def sweep(db: Database, now: datetime) -> None:
    """Delete counts that no limit needs any more (scheduled, gateway-wide)."""
    await store.sweep(db, now - rules.CHECKS_KEPT_FOR)
