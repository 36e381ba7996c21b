"""Messages as JSON Schema, from their declarations."""

from collections.abc import Iterator
from inspect import cleandoc

import msgspec

from hundi.wire.message import Record, bounds_of
from hundi.wire.parts import Declared, Part, Schema, parts


def schema_of(declared: type[Declared | Record]) -> Schema:
    """Return a message as JSON Schema; further fields are allowed, and covered by the checksum."""
    if issubclass(declared, Record):
        return msgspec.json.schema_components((declared,))[1][declared.__name__]
    bounds = bounds_of(declared)
    properties, required, together = dict[str, Schema](), list[str](), dict[str, list[str]]()
    for part in parts(declared):
        if part.kind.shape == "spread" and part.kind.inside is not None:
            if not part.unused:
                inner = schema_of(part.kind.inside)
                properties |= inner["properties"]
                required += inner["required"] if part.is_required else []
                together |= _together(part, inner["required"])
            continue
        if part.unused:
            continue
        properties[part.name] = part.kind.schema | (
            {"description": part.meaning} if part.meaning else {}
        )
        required += [part.name] if part.is_required else []
    described = {"description": cleandoc(declared.__doc__ or "")}
    if bounds.bare:
        return described | next(iter(properties.values()))
    one_of = [{"required": [name]} for name in bounds.at_least_one]
    return {
        "type": "object",
        **described,
        "required": required,
        "properties": properties,
        **({"anyOf": one_of} if one_of else {}),
        **({"dependentRequired": together} if together else {}),
        **bounds.schema,
    }


def _together(part: Part, required: list[str]) -> dict[str, list[str]]:
    """Return the fields of a message among others that come all or not at all."""
    if part.is_required or part.when is not None:
        return {}
    return {name: [each for each in required if each != name] for name in required}


def with_those_inside(declared: type[Declared | Record]) -> Iterator[type[Declared | Record]]:
    """Yield a message that a description names, and the messages inside it."""
    yield declared
    if issubclass(declared, Record):
        return
    for part in parts(declared):
        if part.kind.inside is not None and part.kind.shape != "spread":
            yield from with_those_inside(part.kind.inside)
