"""Failover: a try that an acquirer certainly did not take goes to the next one."""
