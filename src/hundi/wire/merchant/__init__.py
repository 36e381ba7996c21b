"""Messages of the merchant's interfaces: payments, operations, records and the checks on them."""
