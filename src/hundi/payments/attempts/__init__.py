"""Attempts: the tries at paying one order, from the customer's choice to the bank's last word.

An attempt is committed as sent, with the reference that the acquirer gets as idempotency key,
before the acquirer is called. So a repeated call moves money once, and an inquiry finds the result
of a lost answer. Silence is never a decline: `jobs.py` asks again on the connector's schedule.

A callback is handled like an answer. One without a valid signature, or with another amount, only
causes an inquiry. At its own page the bank takes the money without us, so such an attempt stays
open after the customer has left.

An account number, a bank slip or a voucher is an attempt on offer for days. Each transfer to it is
recorded once, by its UTR; money that the order cannot keep is an attempt of its own
(`transfers`).
"""
