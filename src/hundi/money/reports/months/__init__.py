"""What was settled and charged in a month or other period: settlements, their items, the fees."""
