"""What stands between the gateway and its acquirers' addresses.

The client, counters, and guards.
"""
