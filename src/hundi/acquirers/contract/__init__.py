"""What every connector promises, as checks that its tests run."""
