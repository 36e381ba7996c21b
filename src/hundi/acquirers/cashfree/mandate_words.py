"""Cashfree's messages about mandates as structs; amounts are rupees in Decimal.

Fields are those of cashfree/cashfree-pg (docs/Subscription*.md, version 2026-01-01) and of the
pages about controlled payments that docs/cashfree.md names.
"""

from decimal import Decimal
from typing import Any

import msgspec

from hundi.acquirers.cashfree.words import Text


class CashfreeApproval(msgspec.Struct, frozen=True):
    """What the customer approved. authorization_reference: the mandate's number (UMN)."""

    authorization_reference: Text | None = None


class CashfreeSubscription(msgspec.Struct, frozen=True):
    """A mandate. subscription_id: our reference of the charge that approves it."""

    subscription_id: Text
    subscription_status: Text
    subscription_session_id: Text | None = None
    authorisation_details: CashfreeApproval | None = None


class CashfreeFailure(msgspec.Struct, frozen=True):
    """Why a payment of a mandate failed."""

    failure_reason: Text | None = None


class CashfreeDebit(msgspec.Struct, frozen=True):
    """A payment of a mandate.

    payment_status: INITIALIZED, PENDING, SUCCESS, FAILED or CANCELLED.
    """

    payment_id: Text
    subscription_id: Text
    payment_status: Text
    payment_amount: Decimal
    cf_payment_id: Text | None = None
    cf_txn_id: Text | None = None
    failure_details: CashfreeFailure | None = None


class CashfreeNotice(msgspec.Struct, frozen=True):
    """A notice of a debit. notification_status: INITIALIZED, SUCCESS or FAILED."""

    payment_id: Text
    notification_id: Text
    notification_status: Text
    payment_amount: Decimal
    notification_initiated_time: Text = ""


class CashfreeExecution(msgspec.Struct, frozen=True):
    """One try of a debit. execution_status: INITIALIZED, SUCCESS or FAILED."""

    payment_id: Text
    execution_id: Text
    execution_status: Text
    payment_amount: Decimal
    cf_execution_id: Text | None = None
    cf_payment_id: Text | None = None
    failure_details: CashfreeFailure | None = None


class CashfreeMandateRefund(msgspec.Struct, frozen=True):
    """A refund. refund_status: INITIALIZED, PENDING, SUCCESS, CANCEL or FAILED."""

    refund_id: Text
    payment_id: Text
    refund_status: Text
    refund_amount: Decimal
    cf_refund_id: Text | None = None


class CashfreeLinks(msgspec.Struct, frozen=True):
    """The links of an approval, by UPI app or "default"."""

    payload: dict[str, Any] | None = None


class CashfreeAuthorisation(msgspec.Struct, frozen=True):
    """A payment that was begun to approve a mandate."""

    payment_id: Text
    data: CashfreeLinks | None = None
