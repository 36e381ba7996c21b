"""The connector of a bank's own switch, which speaks ISO 8583 over a lasting TCP connection."""
