"""The connector of PayU India."""
