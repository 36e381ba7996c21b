"""What stands between the gateway and its acquirers' addresses: the client, counters, and guards."""
