"""Commands made from verbs: each declaration gives parameters, help, table and JSON."""

import inspect
from collections.abc import Callable, Mapping
from datetime import date, datetime
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from hundi.cli.context import run, verb_context
from hundi.cli.output import DataDir, Json, fail, show
from hundi.gateway.bootstrap import OperatorContext
from hundi.kernel.masking import masked
from hundi.sdk import errors, paise
from hundi.verbs.context import DocumentFaultsError, VerbProblemError
from hundi.verbs.parameters import UploadedFile, VerbParameter
from hundi.verbs.table import NOUNS, groups_of, verbs_of
from hundi.verbs.verb import OperatorVerb, RemarkedResult

BY_HAND = {
    "acquirer": "acquirer",
    "bank-account": "account_papers",
    "dispute": "dispute_evidence",
    "mcp": "mcp",
    "payout": "payout_files",
    "reconcile": "reconcile",
    "report": "report",
    "route": "route",
    "staff": "staff_mark",
}
"""Nouns with commands besides their verbs, and the modules that list these as `COMMANDS`."""
_DAY = "%Y-%m-%d"


def app_of(noun: str) -> typer.Typer:
    """Return the commands of a noun."""
    app = typer.Typer(help=NOUNS[noun], no_args_is_help=True)
    groups = {
        name: typer.Typer(help=words, no_args_is_help=True)
        for name, words in groups_of(noun).items()
    }
    for name, group in groups.items():
        app.add_typer(group, name=name)
    commands = {verb.name: command_of(verb) for verb in verbs_of(noun)}
    if noun in BY_HAND:
        commands |= import_module(f"hundi.cli.{BY_HAND[noun]}").COMMANDS
    for whole_name, command in commands.items():
        group, _, name = whole_name.rpartition(" ")
        (groups[group] if group else app).command(name)(command)
    return app


def command_of(verb: OperatorVerb[Any]) -> Callable[..., None]:
    """Return the function of a command that does a verb."""
    parameters = verb.parameters

    def command(*, data_dir: str | None = None, json: bool, **arguments: Any) -> None:  # noqa: ANN401 (of each parameter's kind)
        file = next((arguments[each.name] for each in parameters if each.hints.document), Path())
        for each in parameters:
            arguments[each.name] = _value(each, arguments[each.name], arguments)
        _do(verb, verb.parameter_class(**arguments), file, data_dir, json=json)

    signed = [
        *(_signed(each) for each in parameters if not each.is_named),
        *(_signed(each) for each in parameters if each.is_named),
        inspect.Parameter(
            "data_dir", inspect.Parameter.KEYWORD_ONLY, default=None, annotation=DataDir
        ),
        inspect.Parameter("json", inspect.Parameter.KEYWORD_ONLY, default=False, annotation=Json),
    ]
    if verb.alone:
        signed = [each for each in signed if each.name != "data_dir"]
    command.__doc__ = verb.words + ("\n\nWhat is left out stays." if verb.keeps_omitted else "")
    command.__signature__ = inspect.Signature(signed)
    command.__annotations__ = {each.name: each.annotation for each in signed}
    command.__dict__["verb"] = verb
    return command


def _do(
    verb: OperatorVerb[Any],
    parameters: Any,  # noqa: ANN401 (the verb's parameters)
    file: Path,
    data_dir: str | None,
    *,
    json: bool,
) -> None:
    async def act(context: OperatorContext) -> Any:  # noqa: ANN401 (a Result)
        return await verb.act(verb_context(context, verb), parameters)

    refusals = {code: verb.refusal_words(code, parameters) for code in verb.refusals}
    try:
        if verb.alone:
            result = verb.alone(parameters)
        else:
            result = run(data_dir, act, refusals, reading=verb.reads and not verb.primary)
    except VerbProblemError as problem:
        raise fail(str(problem)) from None
    except DocumentFaultsError as problem:
        raise _faulty(problem, file, json=json) from None
    remark = ""
    if isinstance(result, RemarkedResult):
        result, remark = result.result, result.remark
    _print(verb, result, parameters, json=json)
    if remark:
        typer.echo(remark, err=True)


def _faulty(problem: DocumentFaultsError, file: Path, *, json: bool) -> typer.Exit:
    """Print all faults of a document and return the exit."""
    if json:
        show([fault.facts for fault in problem.faults], json=True)
    for fault in problem.faults:
        typer.echo(f"{fault.code}: {fault.place or file.name}: {fault.words}", err=True)
    return typer.Exit(2)


def _print(verb: OperatorVerb[Any], result: Any, parameters: Any, *, json: bool) -> None:  # noqa: ANN401 (a Result, and what was given)
    if json:
        show(result, json=True)
        return
    if verb.plain:
        text = result[verb.plain]
        typer.echo(text, nl=not text.endswith("\n"))
        return
    for title, part in verb.sections(result, parameters):
        show(part, json=False, title=title)


def _signed(parameter: VerbParameter) -> inspect.Parameter:
    """Return a verb's parameter as one of the command's function."""
    options: dict[str, Any] = {"help": _help(parameter) or None}
    kind = parameter.kind
    if kind is int and not parameter.hints.rupees:
        options |= {"min": parameter.bounds.ge, "max": parameter.bounds.le}
    elif kind is date:
        kind, options = datetime, options | {"formats": [_DAY]}
    elif parameter.hints.rupees:
        kind = str
    elif parameter.is_file:
        kind = list[Path] if parameter.is_list else Path
    elif parameter.hints.document:
        kind, options = Path, options | {"exists": True, "dir_okay": False}
    elif parameter.hints.switch:
        kind = Literal["on", "off"]
    if parameter.hints.metavar:
        options["metavar"] = parameter.hints.metavar
    if parameter.hints.masked and not parameter.hints.document:
        options["parser"] = masked
    if parameter.hints.prompt and parameter.hints.prompt_if is None:
        options |= {"prompt": parameter.hints.prompt, "hide_input": True}
    names = [parameter.hints.option] if parameter.hints.option else []
    declared = typer.Option(*names, **options) if parameter.is_named else typer.Argument(**options)
    default = inspect.Parameter.empty if parameter.is_required else _default(parameter)
    return inspect.Parameter(
        parameter.name,
        inspect.Parameter.KEYWORD_ONLY
        if parameter.is_named
        else inspect.Parameter.POSITIONAL_OR_KEYWORD,
        default=default,
        annotation=Annotated[kind | None if parameter.is_optional else kind, declared],
    )


def _help(parameter: VerbParameter) -> str:
    """Return the meaning of a parameter, with its known values where the help names them."""
    if not parameter.hints.listed:
        return parameter.words
    return f"{parameter.words.removesuffix('.')}: {', '.join(parameter.hints.known)}."


def _default(parameter: VerbParameter) -> Any:  # noqa: ANN401 (of the parameter's kind)
    if parameter.hints.rupees:
        return ""
    if parameter.hints.switch and parameter.default is not None:
        return "on" if parameter.default else "off"
    return parameter.default


def _value(parameter: VerbParameter, argument: Any, others: Mapping[str, Any]) -> Any:  # noqa: ANN401 (of the parameter's kind)
    """Return the verb's value of a command's argument."""
    asks = parameter.hints.prompt_if
    if not argument and asks is not None and asks(others):
        return typer.prompt(parameter.hints.prompt, hide_input=True)
    if argument is None:
        return None
    if parameter.hints.switch:
        return argument == "on"
    if parameter.hints.rupees:
        return _paise(parameter.name, argument) if argument else parameter.default
    if parameter.is_file or parameter.hints.document:
        return _read(parameter, argument)
    return argument.date() if parameter.kind is date else argument


def _read(parameter: VerbParameter, argument: Any) -> Any:  # noqa: ANN401 (paths, and what is in them)
    """Return the content of a command's files."""
    if parameter.hints.document:
        return _text_of(argument)
    bytes_max = parameter.hints.file_bytes_max
    if parameter.is_list:
        return [_file(path, bytes_max) for path in argument]
    return _file(argument, bytes_max)


def _file(path: Path, bytes_max: int) -> UploadedFile:
    try:
        if path.stat().st_size > bytes_max:
            raise fail(f"{path} is larger than {bytes_max} bytes")
        return UploadedFile(path.name, path.read_bytes())
    except OSError as error:
        raise fail(f"{path} cannot be read: {error.strerror}") from None


def _paise(name: str, text: str) -> int:
    try:
        return paise(text)
    except errors.InvalidOrderError as error:
        raise fail(f"{name} was {text!r}; allowed: {error.allowed}") from None


def _text_of(file: Path) -> str:
    try:
        return masked(file.read_text("utf-8"))
    except UnicodeDecodeError:
        raise fail(f"{file} is no text in UTF-8") from None
