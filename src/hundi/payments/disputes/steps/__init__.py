"""What a stage of a dispute does to its payment."""
