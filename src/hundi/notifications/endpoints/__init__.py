"""Further addresses of a merchant's servers: each with its events, form, keys and deliveries.

The statement that writes an event's delivery writes one more for each enabled endpoint that chose
the event. The worker claims, signs and sends those apart, so a silent endpoint delays no other.
"""
