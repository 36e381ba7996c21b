"""What shells offer after Tab: names of commands and options, from the commands.

The files hold all names, because asking the gateway would take a second for each Tab.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from pathlib import Path

from hundi.cli.described import Command, commands
from hundi.infra.errors import OperatorError

_BASH = """\
# Completion of hundi for bash. Written from its commands.
_hundi() {{
    local current=${{COMP_WORDS[COMP_CWORD]}} path=hundi word offered=
    for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
        case "$path $word" in
            {paths}) path="$path $word" ;;
        esac
    done
    case "$path" in
{offers}
    esac
    COMPREPLY=($(compgen -W "$offered" -- "$current"))
}}
complete -o default -F _hundi hundi
"""
_ZSH = """\
#compdef hundi
# Completion of hundi for zsh. Written from its commands.
_hundi() {{
    local path=hundi word
    local -a offered
    for word in ${{words[2,CURRENT-1]}}; do
        case "$path $word" in
            ({paths}) path="$path $word" ;;
        esac
    done
    case "$path" in
{offers}
    esac
    _describe hundi offered || _files
}}
_hundi "$@"
"""
_FISH = """\
# Completion of hundi for fish. Written from its commands.
function __hundi_at
    set -l path hundi
    for word in (commandline --tokenize --cut-at-cursor --current-process)[2..-1]
        switch "$path $word"
            case {paths}
                set path "$path $word"
        end
    end
    test "$path" = "$argv"
end
{offers}
"""


class Shell(StrEnum):
    """A shell that is offered names after Tab."""

    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"


SHARED: Mapping[Shell, str] = {
    Shell.BASH: "bash-completion/completions/hundi",
    Shell.ZSH: "zsh/site-functions/_hundi",
    Shell.FISH: "fish/vendor_completions.d/hundi.fish",
}
"""Where each shell's file belongs below `share`."""
_NEXT: Mapping[Shell, str] = {
    Shell.BASH: "Open a new shell; it needs the package bash-completion.",
    Shell.ZSH: (
        "Have `fpath=({folder} $fpath); autoload -Uz compinit; compinit` in your .zshrc, and open a"
        " new shell."
    ),
    Shell.FISH: "Open a new shell.",
}


def completion(shell: Shell, described: Sequence[Command]) -> str:
    """Return a shell's file."""
    if shell is Shell.BASH:
        offers = _lines(_bash(each) for each in described)
        return _BASH.format(paths=_alternatives(described, "|"), offers=offers)
    if shell is Shell.ZSH:
        offers = _lines(_zsh(each) for each in described)
        return _ZSH.format(paths=_alternatives(described, "|"), offers=offers)
    offers = _lines(_fish(each) for each in described)
    return _FISH.format(paths=_alternatives(described, " "), offers=offers)


def answer(arguments: Sequence[str], *, installs: bool) -> str:
    """Return a shell's file, or install it and return what to do next. Raises OperatorError."""
    names = ", ".join(Shell)
    if len(arguments) != 1 or arguments[0] not in set(Shell):
        message = f"name your shell, one of {names}"
        raise OperatorError(message)
    shell = Shell(arguments[0])
    text = completion(shell, list(commands(plugged=True)))
    return _install(shell, text) if installs else text


def _install(shell: Shell, text: str) -> str:
    """Write a shell's file among those of this user, and return what to do next."""
    home = Path.home()
    data = Path(os.environ.get("XDG_DATA_HOME") or home / ".local" / "share")
    config = Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config")
    file = {
        Shell.BASH: data / SHARED[Shell.BASH],
        Shell.ZSH: data / SHARED[Shell.ZSH],
        Shell.FISH: config / "fish" / "completions" / "hundi.fish",
    }[shell]
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, "utf-8")
    return f"Wrote {file}. {_NEXT[shell].format(folder=file.parent)}\n"


def _lines(parts: Iterator[str]) -> str:
    return "\n".join(part for part in parts if part)


def _alternatives(described: Sequence[Command], between: str) -> str:
    return between.join(f'"{" ".join(each.path)}"' for each in described if len(each.path) > 1)


def _offers(command: Command) -> Iterator[tuple[str, str]]:
    """Yield the words that may follow a command, each with its meaning."""
    yield from command.below
    for option in command.options:
        for name in option.names:
            yield name, option.words
    yield ("--help", "Show this command's arguments and options.")
    if len(command.path) == 1:
        yield ("--version", "Show the version.")
        yield ("--install-completion", "Write this completion into your own files of a shell.")
        yield ("--show-completion", "Print the completion of a shell.")


def _bash(command: Command) -> str:
    words = " ".join(name for name, _ in _offers(command))
    return f'        "{" ".join(command.path)}") offered="{words}" ;;'


def _zsh(command: Command) -> str:
    described = " ".join(
        _quoted(f"{name}:{_short(words)}" if words else name) for name, words in _offers(command)
    )
    return f'        ("{" ".join(command.path)}") offered=({described}) ;;'


def _fish(command: Command) -> str:
    path = " ".join(command.path)
    return _lines(
        f"complete -c hundi -n '__hundi_at {path}' -a {name} -d {_quoted(_short(words))}"
        for name, words in _offers(command)
    )


def _short(words: str) -> str:
    """Return the first sentence, on one line and without what shells read as theirs."""
    line = " ".join(words.split()).partition(". ")[0]
    return line.replace("'", "").replace("`", "").replace("\\", "").replace(":", ",")


def _quoted(text: str) -> str:
    return f"'{text}'"
