"""Hundi as a provider of django-payments: `hundi_payments.HundiProvider` in PAYMENT_VARIANTS."""

from hundi_payments.provider import HundiProvider

__all__ = ["HundiProvider"]
