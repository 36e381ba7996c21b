"""Forms from browsers, read as UTF-8 whatever character set the sender names."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl

from litestar import Request

FIELDS_MAX = 50


async def read(request: Request[Any, Any, Any]) -> dict[str, str]:
    """Return the fields of a URL-encoded form; an unreadable one has none."""
    text = (await request.body()).decode("utf-8", "replace")
    try:
        return dict(parse_qsl(text, keep_blank_values=True, max_num_fields=FIELDS_MAX))
    except ValueError:
        return {}


def typed(form: Mapping[str, str], name: str) -> str:
    """Return the text of a field, without outer spaces and NULs (PostgreSQL stores none)."""
    return form.get(name, "").replace("\0", "").strip()
