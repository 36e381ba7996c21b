"""The versions of the schema, in plain SQL; `infra/postgres/migrate.py` runs them (decision 0068).

The first seven are the baseline, one for each wing that keeps rows (decision 0071). A version is
`versions/NNNN_noun.sql`, or a folder of that name with several files, and is run in one
transaction. Two files beside it are for what that cannot have: `NNNN_noun.spread.sql` is run before
it, where tables are spread over a cluster (docs/citus.md); `NNNN_noun.after.sql` is run behind it,
each statement by itself, as an index is built while payments go on.
"""

import re
from dataclasses import dataclass
from pathlib import Path

_FOLDER = Path(__file__).parent / "versions"
_NAME = re.compile(r"(\d{4})_\w+")
_PART = re.compile(r"\$(\w*)\$.*?\$\1\$|'(?:[^']|'')*'|--[^\n]*|[^;]", re.DOTALL)


@dataclass(frozen=True, slots=True)
class SchemaVersion:
    """One version. name: begins with its revision."""

    name: str

    @property
    def revision(self) -> str:
        """Return the number by which a database knows it."""
        return self.name[:4]

    def text(self, part: str = "") -> str:
        """Return the SQL of the version, or of one of the files beside it; "" where it has none."""
        folder, file = _FOLDER / self.name, _FOLDER / f"{self.name}{part}.sql"
        files = sorted(folder.glob("*.sql")) if folder.is_dir() and not part else [file]
        return "\n".join(path.read_text("utf-8") for path in files if path.exists())


def versions() -> list[SchemaVersion]:
    """Return all versions in their order."""
    names = {found[0] for path in _FOLDER.iterdir() if (found := _NAME.match(path.name))}
    return [SchemaVersion(name) for name in sorted(names)]


def statements(script: str) -> list[str]:
    """Return the statements of a script; a semicolon in a text or a body ends none."""
    found, begun = [""], 0
    while begun < len(script):
        part = _PART.match(script, begun)
        if part is None:
            found.append("")
        else:
            found[-1] += part[0]
        begun = part.end() if part else begun + 1
    return [each for each in found if re.sub(r"--[^\n]*", "", each).strip()]
