"""As `oscar_fork_app checkout` writes it."""

from oscar.apps.checkout import apps


class CheckoutConfig(apps.CheckoutConfig):
    """This shop's checkout."""

    name = "shop.checkout"
