"""`hundi call`: a command for each operation, with the fields of its request as arguments."""

from collections.abc import Callable, Iterator, Mapping
from inspect import Parameter, Signature
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from hundi.cli.calling import DataDir, Merchant, Who, call
from hundi.cli.output import Json
from hundi.sdk import Client, errors, paise
from hundi.wire.fields import FieldError
from hundi.wire.merchant.table import OPERATIONS
from hundi.wire.operation import Operation
from hundi.wire.parts import Part

_PAISE = "_paise"
_VERBS = {"status": "show", "validatevpa": "vpa"}
_GROUPS = {"bankaccount": "Bank accounts", "savedcards": "Saved cards"}
_OF_ALL = {
    "merchant": (Merchant, ""),
    "credentials": (Who, None),
    "data_dir": (DataDir, None),
    "json": (Json, False),
}


def add_to(app: typer.Typer, own: Mapping[str, Callable[..., None] | None]) -> None:
    """Add a command for each operation: `settlement/list` is `hundi call settlement list`.

    own: commands that do more than an operation, by its name; None where a command of another name
    stands for it, or none may.
    """
    groups: dict[str, typer.Typer] = {"": app}
    for operation in OPERATIONS:
        command = own[operation.name] if operation.name in own else _command(operation)
        if command is None:
            continue
        group, verb = _place(operation)
        if group not in groups:
            words = _GROUPS.get(group, f"{group.capitalize()}s")
            groups[group] = typer.Typer(help=f"{words}.", no_args_is_help=True)
            app.add_typer(groups[group], name=group)
        groups[group].command(_VERBS.get(verb, verb), help=f"{operation.title}.")(command)


def _place(operation: Operation[Any, Any]) -> tuple[str, str]:
    """Return a command's group and name; a name that is a group too becomes `list`."""
    if any(each.name.startswith(f"{operation.name}/") for each in OPERATIONS):
        return operation.name, "list"
    group, _, verb = operation.name.rpartition("/")
    return group, verb


def _command(operation: Operation[Any, Any]) -> Callable[..., None]:
    """Return the command of one operation; typer reads its arguments from its signature."""
    types = get_type_hints(operation.request)

    def command(
        *,
        merchant: str,
        credentials: Path | None,
        data_dir: str | None,
        json: bool,
        **given: str | None,
    ) -> None:
        def act(client: Client) -> object:
            values = {
                part.attribute: _value(part, given[_name(part)], types) for part in operation.taken
            }
            left_open = {name: value for name, value in values.items() if value is not None}
            method = getattr(client, operation.method)
            return (
                method(operation.request(**left_open)) if operation.whole else method(**left_open)
            )

        call(act, credentials, data_dir, merchant, json=json, title=operation.title)

    signature = Signature([*_parameters(operation), *_shared()])
    command.__signature__ = signature  # pyright: ignore[reportFunctionMemberAccess]
    command.__annotations__ = {each.name: each.annotation for each in signature.parameters.values()}
    return command


def _parameters(operation: Operation[Any, Any]) -> Iterator[Parameter]:
    types = get_type_hints(operation.request)
    for place, part in enumerate(operation.taken):
        # Required fields, and those that the SDK takes by place, are arguments.
        by_place = part.is_required or (not operation.whole and place < operation.takes)
        words = part.meaning or str(part.kind.schema.get("description", ""))
        words = "The path of a file." if types[part.attribute] is bytes else words
        info = typer.Argument(help=words) if by_place else typer.Option(help=words)
        default = Parameter.empty if part.is_required else None
        yield Parameter(
            _name(part),
            Parameter.KEYWORD_ONLY,
            default=default,
            annotation=Annotated[str | None, info],
        )


def _shared() -> Iterator[Parameter]:
    for name, (annotation, default) in _OF_ALL.items():
        yield Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def _name(part: Part) -> str:
    """Return the name of a field's option; amounts are in rupees."""
    return part.attribute.removesuffix(_PAISE)


def _value(part: Part, typed: str | None, types: Mapping[str, Any]) -> Any:  # noqa: ANN401 (of the field's kind)
    """Return the value of a field; a document is read from its path, an omitted field is None.

    Raises InvalidRequestError, OSError.
    """
    if typed is None:
        return None
    if part.attribute.endswith(_PAISE):
        return paise(typed)
    if types[part.attribute] is bytes:
        return Path(typed).read_bytes()
    try:
        return part.kind.read(typed, part.name)
    except FieldError as problem:
        raise errors.InvalidRequestError(
            problem.field, problem.received, problem.allowed
        ) from problem
