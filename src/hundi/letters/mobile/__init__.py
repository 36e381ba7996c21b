"""Letters to mobile phones, by SMS and WhatsApp: registered texts, consent, and providers.

What may be sent is registered before: an SMS by India's rules (DLT), a WhatsApp message at Meta. So
a letter becomes the registered text with its variables filled in, and nothing else.
"""
