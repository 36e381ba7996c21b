"""Invoices for fees, with GST: one a month for each merchant, numbered without a gap."""
