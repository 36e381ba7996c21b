"""Providers of SMS and WhatsApp messages in a demo: what they take arrives on the phones.

Written from what Exotel and Meta publish, not from the gateway's calls.
"""
