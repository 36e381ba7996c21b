"""The sweep for card and Aadhaar numbers that were stored before inputs masked them."""
