"""Limits that the doctor and the alarms share; a test compares `deploy/monitoring/rules.yml`."""

from datetime import timedelta

BACKUP_AGE_MAX = timedelta(hours=26)
"""A copy every night may be late by two hours."""
CERTIFICATE_LEFT_MIN = timedelta(days=14)
"""A certificate that renews itself has done so by then."""
