"""The audit of settlements: the items they take, their postings and what they carry on."""
