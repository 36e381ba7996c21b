"""A shop of one page on django-payments, with the plugin put in as its README says."""
