"""Accounts at acquirers that an operator adds, rotates and disables while the gateway runs."""
