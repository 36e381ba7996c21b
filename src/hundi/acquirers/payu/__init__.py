"""PayU India."""
