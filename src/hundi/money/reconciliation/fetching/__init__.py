"""Settlement reports that acquirers tell over their interface, imported as statements."""
