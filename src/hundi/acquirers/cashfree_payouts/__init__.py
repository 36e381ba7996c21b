"""The connector of Cashfree Payouts: transfers, their balance, and checks of bank accounts."""
