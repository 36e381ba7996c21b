"""Tests of the payment page."""
