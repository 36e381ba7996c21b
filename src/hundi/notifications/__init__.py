"""Notifications to the merchant's server: at least once, in order for each payment, signed.

The statement that settles a payment inserts the delivery. The worker claims it, signs, sends, and
stores every try. A merchant whose last try failed has one place, so it delays no other merchant. A
notification says what was true at its event, on every delivery and under the same id.
"""
