"""As `oscar_fork_app order` writes it."""

from oscar.apps.order import apps


class OrderConfig(apps.OrderConfig):
    """This shop's orders."""

    name = "shop.order"
