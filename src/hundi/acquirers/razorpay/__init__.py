"""Razorpay: see docs/razorpay.md."""
