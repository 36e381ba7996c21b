"""Samples without an SDK: the fields of a message as they travel, and the call by curl."""

import json
from collections.abc import Mapping
from typing import Any

from hundi.wire.fields import text_from_paise
from tools.sdks.samples import GivenValue, PageSample, message_of, operation_of
from tools.sdks.shapes import FieldModel, MessageModel


def fields_of(sample: PageSample) -> dict[str, Any]:
    """Return the fields of a sample's `encdata`, by their names on the wire."""
    request, values = message_of(operation_of(sample).request), dict(sample.values)
    if sample.method == "verify":
        values.pop("amount_paise")  # compared with the answer, and not sent
    return _written(request, values)


def _written(message: MessageModel, values: Mapping[str, Any]) -> dict[str, Any]:
    return {
        each.wire: _value(each, values[each.name])
        for each in message.attributes
        if each.name in values
    }


def _value(field: FieldModel, value: Any) -> Any:  # noqa: ANN401 (of each kind)
    if field.kind == "messages":
        inside = message_of(field.of)
        return [_written(inside, each) for each in value]
    if field.kind == "texts":
        return "_".join(value)
    return text_from_paise(value) if field.kind == "paise" else value


def curl(sample: PageSample) -> str:
    """Return a sample for a shell, over `token`, `privatekey` and `seal` of the first page."""
    operation = operation_of(sample)
    fields, before = fields_of(sample), ""
    for each in message_of(operation.request).attributes:
        if each.check == "batch":
            before = f"items={_base64(fields[each.wire])}\n"
            fields[each.wire] = GivenValue("items")
    token = "?token=$token" if operation.with_token else ""
    lines = [
        f'curl -s "$BASE_URL{operation.address}{token}"',
        '--data-urlencode "merchant_id=$MERCHANT_ID"',
        '--data-urlencode "privatekey=$privatekey"',
        f'--data-urlencode "encdata=$(seal {_quoted(fields)})"',
    ]
    return before + " \\\n  ".join(lines)


def _base64(value: Any) -> str:  # noqa: ANN401 (a list)
    return f"$(printf %s {_quoted(value)} | openssl base64 -A)"


def _quoted(value: Any) -> str:  # noqa: ANN401 (JSON)
    """Return JSON in single quotes, with variables between them."""
    return "'" + _json(value) + "'"


def _json(value: Any) -> str:  # noqa: ANN401 (JSON)
    if isinstance(value, GivenValue):
        return (
            f'"\'"${{{value.name}}}{value.after}"\'"' if value.after else f'"\'"${value.name}"\'"'
        )
    if isinstance(value, Mapping):
        inner = ", ".join(f"{json.dumps(name)}: {_json(each)}" for name, each in value.items())
        return f"{{{inner}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(_json, value))}]"
    return json.dumps(value)
