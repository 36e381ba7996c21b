"""A tiny merchant site that uses only `hundi.sdk`.

The shortest honest example of taking a payment.
"""
