"""Payments, attempts and refunds of each hour by their state, counted: what charts are drawn from.

A worker counts an hour anew after a payment of it changed, whatever the clock says: it follows the
events in the order of their transactions. A look counts for itself what changed since, so that it
is true at once (docs/decisions/0085-charts-read-hours-that-are-counted.md).
"""
