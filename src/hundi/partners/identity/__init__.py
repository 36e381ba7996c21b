"""Aadhaar: offline documents with an OTP, and verification with consent."""
