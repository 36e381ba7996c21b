"""A merchant's customers: whoever shares a phone, an e-mail or the merchant's name of them."""
