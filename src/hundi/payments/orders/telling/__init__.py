"""Letters to customers about their payments: written with the step that causes them."""
