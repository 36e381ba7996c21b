"""The connector of Paytm Payment Gateway."""
