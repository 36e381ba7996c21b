"""A merchant's logo: the picture that customers see beside its name."""
