"""The Django application."""

from django.apps import AppConfig


class HundiConfig(AppConfig):
    """The application that has the table of handled events."""

    name = "hundi_shop.django"
    label = "hundi"
    verbose_name = "Hundi"
    default_auto_field = "django.db.models.BigAutoField"
