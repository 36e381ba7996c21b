"""Which banks, wallets and instalments a merchant's customers can pay with now."""
