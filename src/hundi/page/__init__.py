"""The hosted payment page, from the merchant's button to the return to the merchant.

The form's POST is answered with a redirect to an address that is the session itself, without a
cookie (docs/decisions/0005-the-address-is-the-session.md). `rules.py` decides a payment's screen,
`screens.py` has values ready to print, templates decide nothing. A POST that leads to our own page
answers 303; one that leads to another site answers a page that takes the customer there. So reload
and back never pay twice. Everything works without JavaScript.
"""
