"""A tiny merchant site that uses only `hundi.sdk`: the shortest honest example of taking a payment."""
