"""Telling the merchant's server what happened: at least once, in order per payment, signed; failures are seen."""
