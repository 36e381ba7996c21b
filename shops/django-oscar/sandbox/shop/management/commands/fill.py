"""Puts something to buy into the shop, and somebody who may see its dashboard."""

from decimal import Decimal

from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand
from oscar.core.loading import get_model


class Command(BaseCommand):
    """`manage.py fill PASSWORD`."""

    help = "Makes one product, its stock, a country, and the user staff@example.in."

    def add_arguments(self, parser) -> None:
        """Take the password of the staff."""
        parser.add_argument("password")

    def handle(self, *_args: object, **options: str) -> None:
        """Make all of it."""
        get_model("address", "Country").objects.create(
            iso_3166_1_a2="IN",
            iso_3166_1_a3="IND",
            iso_3166_1_numeric="356",
            printable_name="India",
            name="India",
            is_shipping_country=True,
        )
        kind = get_model("catalogue", "ProductClass").objects.create(name="Cloth")
        product = get_model("catalogue", "Product").objects.create(
            product_class=kind, title="Handloom sari", slug="sari", upc="SARI"
        )
        partner = get_model("partner", "Partner").objects.create(name="Asha", code="asha")
        get_model("partner", "StockRecord").objects.create(
            product=product,
            partner=partner,
            partner_sku="SARI",
            price=Decimal("1499.50"),
            price_currency="INR",
            num_in_stock=100,
        )
        get_user_model().objects.create_superuser("staff", "staff@example.in", options["password"])
