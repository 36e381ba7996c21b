"""Letters: what people are told by mail, SMS or WhatsApp. Notifications are for merchants' servers.

A letter is a row in the transaction of its cause, so it is never lost and never written twice. The
worker sends it at least once; a repeat has the same Message-ID, by which a relay knows it.
"""
