"""Payouts that people take back before they leave."""
