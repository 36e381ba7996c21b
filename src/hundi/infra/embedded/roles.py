"""The embedded PostgreSQL's roles: each with a password in a file of its own (decision 0019).

The first superuser of a cluster has no password, and has a line in `pg_hba.conf` only while roles
or databases are created, at the first start. Afterwards nobody connects as it.
"""

import base64
import hashlib
import hmac
import secrets
from collections.abc import Collection, Sequence
from pathlib import Path
from urllib.parse import quote, urlsplit, urlunsplit

from hundi.infra.embedded.cluster import PORT, SUPERUSER, Cluster, EmbeddedPostgresError, run
from hundi.infra.postgres.roles import DATABASE, SERVED, SIMBANK_DATABASE, DatabaseRole
from hundi.infra.secrets.private_files import write_private

PASSWORDS = "roles"
"""The folder in the data directory with a file for each role's password."""
_MADE = "hundi_roles"
"""The file in the cluster with the names of the roles and databases created there."""
_PASSWORD_BYTES = 32
_SALT_BYTES = 16
_SCRAM_ROUNDS = 1
"""Rounds slow the guessing of passwords that people choose.

For 256 random bits they only cost time.
"""

_OWNERS = {SIMBANK_DATABASE: DatabaseRole.SIMBANK}

_ACCESS = f"""\
# Written by Hundi at each start: who may connect to what, over the Unix socket only.
local all              {DatabaseRole.OWNER}    scram-sha-256
local {DATABASE}            {",".join(SERVED)}  scram-sha-256
local {SIMBANK_DATABASE} {DatabaseRole.SIMBANK}  scram-sha-256
local replication      {DatabaseRole.BACKUP}   scram-sha-256
"""
_FROM_NETWORK = (
    _ACCESS.partition("\n")[2].replace("local ", "host ").replace(" scram", " {network} scram")
)
_SUPERUSER_TOO = _ACCESS + f"local all {SUPERUSER} trust\n"
"""While roles are created.

Only the owner opens the socket's folder, and may be the superuser anyway.
"""


def owner_of(database: str) -> DatabaseRole:
    """Return the role that owns a database of the embedded server."""
    return _OWNERS.get(database, DatabaseRole.OWNER)


def database_url(
    data_dir: Path, socket_folder: str, database: str, role: DatabaseRole | None, port: int = PORT
) -> str:
    """Return the address of a database for a role; None for its owner."""
    role = role or owner_of(database)
    other_port = "" if port == PORT else f"&port={port}"
    who = f"{role}:{password_of(data_dir, role)}"
    return f"postgresql://{who}@/{quote(database)}?host={quote(socket_folder)}{other_port}"


def url_as(data_dir: Path, url: str, role: DatabaseRole) -> str:
    """Return an address of the embedded server for another role."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=f"{role}:{password_of(data_dir, role)}@"))


def lacks(cluster: Cluster, data_dir: Path, databases: Sequence[str]) -> list[str]:
    """Return the names of roles and databases that are missing or have no password here."""
    wanted = {*DatabaseRole, *databases}
    if not all((data_dir / PASSWORDS / role.value).exists() for role in DatabaseRole):
        return sorted(wanted)
    return sorted(wanted - _made(cluster))


def forget_roles(folder: Path) -> None:
    """Have a copied cluster set new passwords of its roles at its next start."""
    (folder / _MADE).unlink(missing_ok=True)


def _made(cluster: Cluster) -> set[str]:
    record = cluster.folder / _MADE
    return set(record.read_text().split()) if record.exists() else set()


def admit(cluster: Cluster, networks: Sequence[str], *, superuser: bool) -> None:
    """Write who may connect; a running server reads it at a reload.

    networks: from which the roles may connect, besides this machine.
    """
    text = (_SUPERUSER_TOO if superuser else _ACCESS) + "".join(
        _FROM_NETWORK.format(network=each) for each in networks
    )
    if (cluster.folder / "pg_hba.conf").read_text() != text:
        _write(cluster, "pg_hba.conf", text)


def make(cluster: Cluster, data_dir: Path, databases: Sequence[str]) -> None:
    """Create the missing roles and databases on a running server that admits the superuser.

    Raises EmbeddedPostgresError.
    """
    folder = data_dir / PASSWORDS
    folder.mkdir(mode=0o700, exist_ok=True)
    for role in DatabaseRole:
        if not (file := folder / role.value).exists():
            write_private(file, secrets.token_hex(_PASSWORD_BYTES))
    lacking = lacks(cluster, data_dir, databases)
    address = f"host='{cluster.socket_folder}' port={cluster.port} user={SUPERUSER} dbname=postgres"
    # A commit must not wait for a standby, which is made after this.
    address += " options='-c synchronous_commit=local'"
    text = _making(data_dir, [name for name in databases if name in lacking])
    run(cluster.binaries / "psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", address, text=text)
    _write(cluster, _MADE, "\n".join(sorted({*_made(cluster), *lacking})))


def _write(cluster: Cluster, name: str, text: str) -> None:
    """Write a file of the cluster, readable for the server."""
    file = cluster.folder / name
    account = cluster.account
    write_private(file, text.rstrip("\n"), None if account is None else (account.uid, account.gid))


def password_of(data_dir: Path, role: DatabaseRole) -> str:
    """Return the password of a role of a data directory's server. Raises EmbeddedPostgresError."""
    try:
        return (data_dir / PASSWORDS / role.value).read_text().strip()
    except OSError as error:
        message = f"the password of {role} cannot be read: {error}"
        raise EmbeddedPostgresError(message) from error


def _making(data_dir: Path, databases: Collection[str]) -> str:
    """Return the script that creates roles and databases, or corrects existing ones."""
    lines: list[str] = []
    for role in DatabaseRole:
        extra = {DatabaseRole.OWNER: " CREATEDB", DatabaseRole.BACKUP: " REPLICATION"}.get(role, "")
        lines += [
            f"SELECT 'CREATE ROLE {role}' WHERE to_regrole('{role}') IS NULL\\gexec",
            f"ALTER ROLE {role} LOGIN{extra} PASSWORD '{_verifier(password_of(data_dir, role))}';",
        ]
    for name in databases:
        owner, there = owner_of(name), f"(SELECT FROM pg_database WHERE datname = '{name}')"
        lines += [
            f"SELECT 'CREATE DATABASE \"{name}\"' WHERE NOT EXISTS {there}\\gexec",
            f'ALTER DATABASE "{name}" OWNER TO {owner};',
            f'REVOKE ALL ON DATABASE "{name}" FROM PUBLIC;',
        ]
        if owner is DatabaseRole.OWNER:
            lines.append(f'GRANT CONNECT ON DATABASE "{name}" TO {", ".join(SERVED)};')
        lines += [f'\\connect "{name}"', _handing_over(owner)]
    return "\n".join(lines) + "\n"


def _handing_over(owner: DatabaseRole) -> str:
    """Return the SQL that gives a database's content to its owner.

    In earlier versions the superuser (id 10) owned it.
    """
    here = "'public'::regnamespace"
    return f"""\
SELECT format('ALTER %s %s OWNER TO {owner}', kind, name) FROM (
    SELECT CASE relkind WHEN 'S' THEN 'SEQUENCE' ELSE 'TABLE' END, oid::regclass::text
    FROM pg_class WHERE relkind IN ('r', 'S') AND relnamespace = {here} AND relowner = 10
    UNION ALL SELECT 'FUNCTION', oid::regprocedure::text FROM pg_proc WHERE pronamespace = {here}
        AND proowner = 10
    UNION ALL SELECT 'DOMAIN', oid::regtype::text FROM pg_type
    WHERE typtype = 'd' AND typnamespace = {here} AND typowner = 10
) AS made (kind, name)\\gexec"""  # noqa: S608 (our own names)


def _verifier(password: str) -> str:
    """Return the password's verifier for the server (RFC 5803), which does not reveal it."""
    salt = secrets.token_bytes(_SALT_BYTES)
    salted = hashlib.pbkdf2_hmac("sha256", password.encode(), salt, _SCRAM_ROUNDS)
    stored = hashlib.sha256(hmac.digest(salted, b"Client Key", "sha256")).digest()
    server = hmac.digest(salted, b"Server Key", "sha256")
    salt_text, stored_text, server_text = (
        base64.b64encode(each).decode() for each in (salt, stored, server)
    )
    return f"SCRAM-SHA-256${_SCRAM_ROUNDS}:{salt_text}${stored_text}:{server_text}"
