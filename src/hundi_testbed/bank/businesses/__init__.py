"""The simulated register of businesses that pay GST."""
