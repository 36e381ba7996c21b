"""Network tokens of cards that their holders let a merchant keep."""
