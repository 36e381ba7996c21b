"""Whether a PDF is whole and only there to be read; pure.

pypdf reads it strictly: every table leads to its objects, and every compressed part opens. A file
that was cut, or mended by hand, does not.
"""

import io
import logging
import re
from collections.abc import Iterator, Mapping
from typing import Any

from pypdf import PdfReader, apply_configuration
from pypdf.errors import LimitReachedError, PyPdfError
from pypdf.generic import (
    ArrayObject,
    DictionaryObject,
    IndirectObject,
    NameObject,
    PdfObject,
    StreamObject,
)

OPENED_BYTES_MAX = 16 * 1024 * 1024
"""Bytes that the compressed parts of one file may have when they are opened."""
OBJECTS_MAX = 50_000
"""Objects of one file, and entries of its tables: a bank's statement of a year has some thousands.
"""
DEPTH_MAX = 40
"""How deep values may lie in one object."""
ACTIVE = {
    "/JavaScript": "scripts",
    "/JS": "scripts",
    "/Launch": "a program to start",
    "/EmbeddedFile": "another file in it",
    "/EmbeddedFiles": "another file in it",
    "/EF": "another file in it",
    "/RichMedia": "another file in it",
    "/XFA": "a form that runs",
    "/SubmitForm": "a form that is sent",
    "/ImportData": "a form that is filled from elsewhere",
}
"""Names by which a PDF is more than something to read, in words."""
_READ_FILTERS = frozenset({"/FlateDecode", "/Fl"})
"""Filters whose parts are opened; pictures in others are not looked at."""
_END = re.compile(rb"startxref\s+(\d{1,10})\s+%%EOF[\s\0]*\Z")
_ANY_END = re.compile(rb"startxref\s+[1-9]\d{0,9}\s+%%EOF")
_LIMITS: Mapping[str, Any] = {
    "zlib_maximum_output_length": OPENED_BYTES_MAX,
    "array_maximum_element_count": OBJECTS_MAX,
    "dictionary_maximum_element_count": OBJECTS_MAX,
    "stream_decoding_work_maximum_length": OPENED_BYTES_MAX,
    "page_tree_maximum_entries": OBJECTS_MAX,
    "page_tree_maximum_page_entries": OBJECTS_MAX,
    "jbig2dec_binary": None,
}
# What is odd about a document is said in the refusal.
logging.getLogger("pypdf").addHandler(logging.NullHandler())
logging.getLogger("pypdf").propagate = False


class _RefusedError(Exception):
    """A PDF is refused; the words say why."""


def pdf_fault(content: bytes) -> str:
    """Return in words why a PDF is not taken, "" for a whole one that is only read."""
    try:
        _check_end(content)
        with apply_configuration(**_LIMITS):
            _check(
                PdfReader(io.BytesIO(content), strict=True, xref_stream_maximum_entries=OBJECTS_MAX)
            )
    except _RefusedError as refused:
        return str(refused)
    except LimitReachedError:
        return "a PDF that grows without end when it is opened"
    except RecursionError:
        return "a PDF whose parts lie too deep in each other"
    except (PyPdfError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        # The library meets a broken file with these, wherever it stands in the file.
        return "a PDF that does not lead to its parts"
    return ""


def _check_end(content: bytes) -> None:
    """Raise _RefusedError for a file that ends as none, or as two."""
    end = _END.search(content, max(0, content.rfind(b"startxref")))
    if end is None:
        problem = "a PDF that does not end as one, or with something behind its end"
        raise _RefusedError(problem)
    if len(_ANY_END.findall(content, int(end[1]))) > 1:
        problem = "a PDF and another one behind it"
        raise _RefusedError(problem)


def _check(reader: PdfReader) -> None:
    """Raise _RefusedError, or what the library raises, for a PDF that is not taken."""
    if reader.is_encrypted:
        problem = "a PDF with a password: save it without one"
        raise _RefusedError(problem)
    if "/Root" not in reader.trailer:
        problem = "a PDF without the object that all others hang on"
        raise _RefusedError(problem)
    opened = 0
    for found in _objects(reader):
        for name in _names(found, 0):
            if name in ACTIVE:
                problem = f"a PDF with {ACTIVE[name]}"
                raise _RefusedError(problem)
        if isinstance(found, StreamObject) and _filters(found) <= _READ_FILTERS:
            opened += len(found.get_data())
            if opened > OPENED_BYTES_MAX:
                problem = "a PDF that grows without end when it is opened"
                raise _RefusedError(problem)
    if not any(page.get("/Type") == "/Page" for page in reader.pages):
        problem = "a PDF without a page"
        raise _RefusedError(problem)


def _objects(reader: PdfReader) -> Iterator[PdfObject]:
    """Yield every object that a table names."""
    named = [
        (number, generation)
        for generation, places in reader.xref.items()
        for number in places
        if number and not reader.xref_free_entry.get(generation, {}).get(number)
    ]
    named += [(number, 0) for number in reader.xref_objStm]
    if len(named) > OBJECTS_MAX:
        problem = f"a PDF with more than {OBJECTS_MAX} objects"
        raise _RefusedError(problem)
    for number, generation in named:
        found = reader.get_object(IndirectObject(number, generation, reader))
        if found is None:
            problem = f"a PDF without the object {number} where its table says"
            raise _RefusedError(problem)
        yield found


def _names(value: PdfObject, depth: int) -> Iterator[str]:
    """Yield every name in an object: keys and values, not those of other objects."""
    if depth > DEPTH_MAX:
        raise RecursionError
    if isinstance(value, DictionaryObject):
        for key, part in value.items():
            yield str(key)
            yield from _names(part, depth + 1)
    elif isinstance(value, ArrayObject):
        for part in value:
            yield from _names(part, depth + 1)
    elif isinstance(value, NameObject):
        yield str(value)


def _filters(stream: StreamObject) -> set[str]:
    named = stream.get("/Filter", ArrayObject())
    return {str(each) for each in (named if isinstance(named, ArrayObject) else [named])}
