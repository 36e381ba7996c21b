"""The base of tax deducted at source: a merchant's fees and sales of a financial quarter."""
