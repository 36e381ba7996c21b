"""Paytm Payment Gateway."""
