"""Attempts: the tries at paying one order, from the customer's choice to the bank's last word.

An attempt is committed as sent, with the reference that the acquirer gets as idempotency key,
before the acquirer is called. So the same call again moves no money twice, and a lost answer is
found by an inquiry. Silence is never a decline: `jobs.py` asks again on the connector's schedule.

A callback takes the same way as an answer. One without a valid signature, or with another amount,
only causes an inquiry. At a bank's own page the bank takes the money without us: such an attempt
stays open after its customer left.

An account number, a bank slip or a voucher is an attempt on offer for days. Each transfer to it is
recorded once, by its UTR; what the order cannot keep is an attempt of its own (`transfers.py`).
"""
