"""The versions of the schema, in plain SQL; `infra/postgres/migrate.py` runs them (decision 0068).

The first seven are the baseline, one for each wing that keeps rows (decision 0071). A version is
`versions/NNNN_noun.sql`, or a folder of that name with several files; it runs in one transaction.
Two optional files beside it run outside that transaction: `NNNN_noun.spread.sql` before it, on
tables that are spread over a cluster (docs/citus.md); `NNNN_noun.after.sql` after it, one statement
at a time, such as an index that is built while payments go on.
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
    names = {match[0] for path in _FOLDER.iterdir() if (match := _NAME.match(path.name))}
    return [SchemaVersion(name) for name in sorted(names)]


def statements(script: str) -> list[str]:
    """Return the statements of a script; a semicolon in a text or a body does not end one."""
    texts, begun = [""], 0
    while begun < len(script):
        part = _PART.match(script, begun)
        if part is None:
            texts.append("")
        else:
            texts[-1] += part[0]
        begun = part.end() if part else begun + 1
    return [each for each in texts if re.sub(r"--[^\n]*", "", each).strip()]
