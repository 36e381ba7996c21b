"""What the trail proves about a person."""
