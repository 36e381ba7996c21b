"""Log lines of the bank: JSON objects on standard error, with the gateway's field names."""

import logging
import sys
from datetime import UTC, datetime

import msgspec


def configure() -> None:
    """Write every log line of this process in this form, those of libraries too."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Json())
    logging.basicConfig(handlers=[handler], level=logging.INFO, force=True)
    logging.captureWarnings(capture=True)


class _Json(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        line = {
            "event": record.getMessage(),
            "level": record.levelname.lower(),
            "module": record.name,
            "timestamp": datetime.fromtimestamp(record.created, UTC),
        }
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return msgspec.json.encode(line).decode()
