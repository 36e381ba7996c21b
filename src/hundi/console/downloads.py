"""The one way in which a file leaves the console: the trail tells who took what away."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

from litestar import Response
from litestar.response import Stream

from hundi.console.assets import HEADERS
from hundi.console.visits import ConsoleVisit

CSV = "text/csv"
"""Its charset is added where the answer is made."""


@dataclass(frozen=True, slots=True)
class Download:
    """A file that leaves. content: whole, or part by part.

    size_bytes: of a content in parts, None where it is not known before.
    """

    name: str
    media_type: str
    content: bytes | AsyncIterator[bytes]
    size_bytes: int | None = None


async def leave(
    visit: ConsoleVisit, download: Download, act: str, about: object, **detail: object
) -> Response[Any]:
    """Write who takes a file away, and return it as a download that the browser does not run.

    act, about, detail: of the entry in the trail.
    """
    await visit.record(act, about, **detail)
    return unrecorded(download)


def unrecorded(download: Download) -> Response[Any]:
    """Return a file that has nothing of anybody in it, such as an example."""
    headers = {**HEADERS, "content-disposition": f'attachment; filename="{download.name}"'}
    if isinstance(download.content, bytes):
        return Response(
            download.content, media_type=download.media_type, headers=headers, status_code=200
        )
    if download.size_bytes is not None:
        headers["content-length"] = str(download.size_bytes)
    return Stream(download.content, media_type=download.media_type, headers=headers)
