"""How pages look: the tokens, icons, files and headers that the payment page and the console share."""
