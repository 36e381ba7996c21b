"""Hundi, a payment gateway for India.

The base install is the merchant's SDK, `hundi[server]` is the gateway.
"""

__version__ = "0.1.0"
