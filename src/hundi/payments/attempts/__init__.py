"""Attempts: the tries at paying one order, from the customer's choice to the bank's last word."""
