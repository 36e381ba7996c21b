"""What books and trail say of the cause of a direct share."""
