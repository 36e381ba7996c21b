"""No link is followed in a folder that may belong to another user, whoever runs the command.

Root works in the data directory of the user that the services run as. That user may swap any name
there for a link, and root would change the link's target.
"""

import ast
import re
from collections.abc import Iterator

import pytest

from tests.house.source import ROOT, Source, assert_kept, files

_HOME = "src/hundi/infra/secrets/private_files.py"
_OF_OPERATORS = {"src/hundi/cli/call.py"}
"""Where a file is touched that the operator named."""
_SAFE = {"O_EXCL", "O_NOFOLLOW"}
_FOLDER_OF_SERVICES = re.compile(r"/var/lib/hundi/|HUNDI_DATA_DIR\b[\"}]*/")
_AS_ROOT = re.compile(r"\b(touch|chown|chmod)\b")


def followed_link(source: Source) -> Iterator[str]:
    """Find a call that changes or makes whatever a name leads to."""
    for node in source.nodes:
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        name, text = node.func.attr, ast.unparse(node)
        if name == "chown" and "follow_symlinks=False" not in text:
            yield f"{node.lineno} chown: take os.fchown of the open file"
        if name == "touch" and source.name not in _OF_OPERATORS:
            yield f"{node.lineno} touch: take mark of {_HOME}"
        words = set(re.findall(r"O_[A-Z]+", text)) if name == "open" else set()
        if "O_CREAT" in words and not words & _SAFE:
            yield f"{node.lineno} open: O_CREAT without {' or '.join(sorted(_SAFE))}"


def change_by_root(text: str) -> list[str]:
    """Return the lines of a page or unit that change a file of the services as root."""
    lines = [line for line in text.splitlines() if _FOLDER_OF_SERVICES.search(line)]
    return [line for line in lines if _AS_ROOT.search(line) and "runuser -u hundi -- " not in line]


def test_no_link_is_followed() -> None:
    assert_kept(followed_link, files("src/hundi/**/*.py"))


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("os.chown(path, 1, 1)", "chown"),
        ("shutil.chown(path, 'hundi')", "chown"),
        ("(folder / 'last_backup').touch()", "touch"),
        ("os.open(path, os.O_RDWR | os.O_CREAT, 0o600)", "open"),
    ],
)
def test_a_followed_link_is_found(text: str, word: str) -> None:
    (offence,) = followed_link(Source("src/hundi/infra/a.py", text))
    assert offence.startswith(f"1 {word}: ")


@pytest.mark.parametrize(
    "text",
    [
        "os.fchown(file.fileno(), 1, 1)",
        "os.chown(path, 1, 1, follow_symlinks=False)",
        "os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)",
        "os.open(path, os.O_RDONLY)",
    ],
)
def test_a_careful_call_is_left_alone(text: str) -> None:
    assert list(followed_link(Source("src/hundi/infra/a.py", text))) == []


def test_no_page_and_no_unit_changes_a_file_of_the_services_as_root() -> None:
    places = [*ROOT.glob("docs/**/*.md"), *ROOT.glob("deploy/**/*")]
    texts = {path: path.read_text() for path in places if path.is_file()}
    assert {
        str(path): found for path, text in texts.items() if (found := change_by_root(text))
    } == {}


def test_a_change_by_root_is_found() -> None:
    assert change_by_root('touch "$HUNDI_DATA_DIR/last_backup"\n')
    assert change_by_root("ExecStartPost=touch /var/lib/hundi/last_backup\n")
    assert not change_by_root("runuser -u hundi -- touch /var/lib/hundi/last_backup\n")
