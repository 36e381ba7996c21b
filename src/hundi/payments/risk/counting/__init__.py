"""What a try adds to the counts."""
