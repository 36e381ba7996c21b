"""Writes what shells offer after Tab: names of commands and options, from the commands.

The files hold all names, because asking the gateway would take a second for each Tab.
"""

from collections.abc import Iterator, Mapping, Sequence

from tools.shell.commands import Command

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


def files(commands: Sequence[Command]) -> Mapping[str, str]:
    """Return each shell's file by where it belongs below `share`."""
    return {
        "bash-completion/completions/hundi": _BASH.format(
            paths=_alternatives(commands, "|"), offers=_lines(_bash(each) for each in commands)
        ),
        "zsh/site-functions/_hundi": _ZSH.format(
            paths=_alternatives(commands, "|"), offers=_lines(_zsh(each) for each in commands)
        ),
        "fish/vendor_completions.d/hundi.fish": _FISH.format(
            paths=_alternatives(commands, " "), offers=_lines(_fish(each) for each in commands)
        ),
    }


def _lines(parts: Iterator[str]) -> str:
    return "\n".join(part for part in parts if part)


def _alternatives(commands: Sequence[Command], between: str) -> str:
    return between.join(f'"{" ".join(each.path)}"' for each in commands if len(each.path) > 1)


def _offers(command: Command) -> Iterator[tuple[str, str]]:
    """Yield the words that may follow a command, each with its meaning."""
    yield from command.below
    for option in command.options:
        for name in option.names:
            yield name, option.words
    yield ("--help", "Show this command's arguments and options.")
    if len(command.path) == 1:
        yield ("--version", "Show the version.")


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
