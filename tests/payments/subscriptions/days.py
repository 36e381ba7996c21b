"""The days on which tests' subscriptions are noticed and debited."""

from datetime import datetime

from hundi.kernel.clock import INDIA

NOTICE_AT = datetime(2026, 12, 30, 5, 0, tzinfo=INDIA)
DEBIT_DAY = datetime(2026, 12, 31, 6, 0, tzinfo=INDIA)
