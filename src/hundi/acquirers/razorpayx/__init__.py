"""The connector of RazorpayX: payouts, their balance, and checks of bank accounts."""
