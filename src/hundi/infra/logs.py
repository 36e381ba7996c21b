"""Structured logs: one JSON object a line on standard error."""

import structlog


def get_logger(name: str) -> structlog.stdlib.BoundLogger:
    """Return the logger of one module."""
    return structlog.get_logger(name)
