# Types of the multipart parser, as far as it is used: it ships none, and python-multipart, which
# the assistants' protocol brings, puts an empty package of the same name before it. That one loads
# this module when the gateway runs.

from io import BytesIO

class MultipartError(ValueError): ...

class MultipartPart:
    name: str | None
    filename: str | None
    @property
    def raw(self) -> bytes: ...

class MultipartParser:
    def __init__(
        self,
        stream: BytesIO,
        boundary: str,
        content_length: int = -1,
        *,
        part_limit: int,
        spool_limit: int,
        memory_limit: int,
        disk_limit: int,
    ) -> None: ...
    def parts(self) -> list[MultipartPart]: ...

def parse_options_header(header: str) -> tuple[str, dict[str, str]]: ...
