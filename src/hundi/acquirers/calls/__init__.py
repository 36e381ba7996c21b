"""Calls to acquirers: the client, the counters and the guards."""
