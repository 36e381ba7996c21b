"""The books that statements are compared with."""

from tests.money.reconciliation.test_actions import books

__all__ = ["books"]
