"""The audit: the books checked against themselves and against the bank, by a hand that shares no code with those who wrote them."""
