"""Letters by mail: their form, and the operator's relay that takes them."""
