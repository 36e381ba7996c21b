"""A tiny merchant site that uses only `hundi.sdk`: a short, honest example of taking a payment."""
