"""The one class of Oscar's orders that the plugin changes."""

from hundi_oscar.processing import HundiEvents
from oscar.apps.order import processing


class EventHandler(HundiEvents, processing.EventHandler):
    """Refunds what the dashboard's event "Refunded" says."""
