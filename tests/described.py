"""Messages that a schema of the interface's description allows."""

import json
from base64 import b64encode
from typing import Any

from hypothesis import strategies as st

from hundi.api.description.document import document

_COMPONENTS = document()["components"]["schemas"]
# What no field takes: controls, line separators, direction overrides, lone surrogates.
_PRINTABLE = st.characters(exclude_categories=("Cc", "Cs", "Zl", "Zp", "Cf"))


def allowed(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Return a strategy for a schema of those forms that the description uses."""
    schema = _COMPONENTS[schema["$ref"].rpartition("/")[2]] if "$ref" in schema else schema
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    match schema["type"]:
        case "array":
            return st.lists(allowed(schema["items"]), min_size=schema["minItems"], max_size=3)
        case "object":
            required = {name: allowed(schema["properties"][name]) for name in schema["required"]}
            others = {name: allowed(each) for name, each in schema["properties"].items() if name not in required}
            return st.fixed_dictionaries(required, optional=others)
    if "maxLength" in schema:
        return st.text(_PRINTABLE, min_size=schema["minLength"], max_size=min(schema["maxLength"], 300))
    if "contentSchema" in schema:
        inside = allowed(schema["contentSchema"]).map(lambda each: b64encode(json.dumps(each).encode()).decode())
        return inside | st.text(st.sampled_from("ABab09+/="), max_size=40)
    return st.from_regex(schema["pattern"], fullmatch=True, alphabet=st.characters(codec="ascii"))
