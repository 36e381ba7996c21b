"""Messages that a schema of the interfaces' descriptions allows."""

import json
from base64 import b64encode
from copy import deepcopy
from functools import cache
from typing import Any

from hypothesis import strategies as st

from hundi.api.description import document, partner_document
from hundi.kernel.masking import holds_card

_COMPONENTS = (
    document.document()["components"]["schemas"]
    | partner_document.document()["components"]["schemas"]
)
# What no field takes: controls, line separators, direction overrides, lone surrogates.
_PRINTABLE = st.characters(exclude_categories=("Cc", "Cs", "Zl", "Zp", "Cf"))


def in_every_form(document: dict[str, Any]) -> dict[str, Any]:
    """Return a document whose operations take, as JSON, what else they say that they accept."""
    whole = deepcopy(document)
    for path in whole["paths"].values():
        body = path["post"]["requestBody"]
        body["content"] |= body.pop("x-also-accepts", {})
    return whole


def allowed(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Return a strategy for a schema of those forms that the descriptions use."""
    return _allowed(json.dumps(schema))


@cache
def _allowed(written: str) -> st.SearchStrategy[Any]:
    """Return a schema's strategy, made once: making it takes longer than drawing from it."""
    schema = json.loads(written)
    schema = _COMPONENTS[schema["$ref"].rpartition("/")[2]] if "$ref" in schema else schema
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    match schema.get("type"):
        case None:
            return st.one_of(map(allowed, schema["anyOf"]))
        case "null":
            return st.none()
        case "array":
            fewest = schema.get("minItems", 0)
            return st.lists(allowed(schema["items"]), min_size=fewest, max_size=3)
        case "object":
            required = {name: allowed(schema["properties"][name]) for name in schema["required"]}
            others = {
                name: allowed(each)
                for name, each in schema["properties"].items()
                if name not in required
            }
            fewest, together = schema.get("minProperties", 0), schema.get("dependentRequired", {})
            drawn = st.fixed_dictionaries(required, optional=others).filter(
                lambda each: len(each) >= fewest
            )
            whole = [{on, *names} for on, names in together.items()]
            return drawn.filter(
                lambda each: all(names <= each.keys() or not names & each.keys() for names in whole)
            )
        case _:
            return _texts(schema)


def _texts(schema: dict[str, Any]) -> st.SearchStrategy[str]:
    if "maxLength" in schema:
        return st.text(
            _PRINTABLE, min_size=schema["minLength"], max_size=min(schema["maxLength"], 300)
        )
    if "contentSchema" in schema:
        inside = allowed(schema["contentSchema"]).map(json.dumps)
        if schema.get("contentEncoding") != "base64":
            return inside
        return inside.map(lambda each: b64encode(each.encode()).decode()) | st.text(
            "ABab09+/=", max_size=40
        )
    written = st.from_regex(
        schema["pattern"], fullmatch=True, alphabet=st.characters(codec="ascii")
    )
    # No schema says that a text, of a telephone for instance, is no number of a card.
    return written.filter(lambda text: not holds_card(text))
