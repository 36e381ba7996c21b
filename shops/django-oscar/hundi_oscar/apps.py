"""The plugin as an application of Django."""

from django.apps import AppConfig


class HundiOscarConfig(AppConfig):
    """Refunds and handled notifications, and the command that asks again."""

    name = "hundi_oscar"
    verbose_name = "Hundi payments"
    default_auto_field = "django.db.models.BigAutoField"
