"""The callbacks that wait to be sent."""
