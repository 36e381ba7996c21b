"""Which ways to pay a merchant's customers use."""
