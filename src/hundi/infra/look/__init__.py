"""The look of pages: tokens, icons, files and headers of the payment page and the console."""
