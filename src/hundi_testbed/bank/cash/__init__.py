"""Vouchers that customers pay in cash at a shop's counter."""
