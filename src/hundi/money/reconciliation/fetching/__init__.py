"""Settlement reports fetched from acquirers' interfaces, imported as statements."""
