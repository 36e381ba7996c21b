"""Oscar's models of orders."""

from oscar.apps.order.models import *  # noqa: F403 (as Oscar's fork has it)
