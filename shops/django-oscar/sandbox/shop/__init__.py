"""A shop of django-oscar as it comes, with the plugin put in as its README says."""
