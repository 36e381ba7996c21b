"""The sweep for card and Aadhaar numbers that were kept before the doors masked them."""
