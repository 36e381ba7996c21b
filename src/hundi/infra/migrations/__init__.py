"""The versions of the schema, in plain SQL; `infra/postgres/migrate.py` runs them (decision 0073).

The first seven are the baseline, one for each wing that keeps rows (decision 0071). A version is
`versions/NNNN_noun.sql`, or a folder of that name with several files; it runs in one transaction.
Two optional files beside it: `NNNN_noun.spread.sql` begins that transaction where the tables are
spread over a cluster (docs/citus.md); `NNNN_noun.after.sql` runs after it, one statement at a time
and without a transaction, such as an index that is built while payments go on. Who is interrupted
there begins with its first statement again, so each of them must be safe to repeat.
"""

import re
from dataclasses import dataclass
from pathlib import Path

_FOLDER = Path(__file__).parent / "versions"
_NAME = re.compile(r"(\d{4})_\w+")
_COMMENT = r"--[^\n]*|/\*.*?\*/"
_PART = re.compile(rf"""\$(\w*)\$.*?\$\1\$|'(?:[^']|'')*'|"[^"]*"|{_COMMENT}|[^;]""", re.DOTALL)


@dataclass(frozen=True, slots=True)
class SchemaVersion:
    """One version. name: begins with its revision. folder: of its files."""

    name: str
    folder: Path = _FOLDER

    @property
    def revision(self) -> str:
        """Return the number by which a database knows it."""
        return self.name[:4]

    def text(self, part: str = "") -> str:
        """Return the SQL of the version, or of one of the files beside it; "" where it has none."""
        folder, file = self.folder / self.name, self.folder / f"{self.name}{part}.sql"
        files = sorted(folder.glob("*.sql")) if folder.is_dir() and not part else [file]
        return "\n".join(path.read_text("utf-8") for path in files if path.exists())


def versions(folder: Path = _FOLDER) -> list[SchemaVersion]:
    """Return all versions in their order."""
    names = {match[0] for path in folder.iterdir() if (match := _NAME.match(path.name))}
    return [SchemaVersion(name, folder) for name in sorted(names)]


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
    return [each for each in texts if re.sub(_COMMENT, "", each, flags=re.DOTALL).strip()]
