"""Payments by Hundi for django-oscar: payment page, notifications, refunds from the dashboard."""
