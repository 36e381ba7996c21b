"""PhonePe Payment Gateway v2."""
