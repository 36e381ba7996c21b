"""The connector of Razorpay: see docs/razorpay.md."""
