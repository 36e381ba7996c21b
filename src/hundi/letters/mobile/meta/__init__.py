"""WhatsApp messages by Meta's Cloud API."""
