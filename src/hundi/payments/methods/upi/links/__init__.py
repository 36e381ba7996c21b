"""UPI links that an acquirer makes."""
