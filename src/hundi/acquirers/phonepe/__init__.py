"""The connector of PhonePe Payment Gateway v2."""
