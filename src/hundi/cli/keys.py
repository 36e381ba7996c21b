"""`hundi keys`: the keys that seal secrets, and their rotation."""

import time
from typing import Annotated

import typer

from hundi.cli.context import by_command, run
from hundi.cli.output import DataDir, Json, fail, show
from hundi.gateway import upgrades
from hundi.gateway.bootstrap import OperatorContext
from hundi.infra.secrets.key_sources import (
    FILE_POLL_S,
    EncryptionKey,
    KeyFile,
    KeySource,
    key_source,
    new_id,
    new_key,
)
from hundi.infra.secrets.sealed import store as sealed
from hundi.infra.settings import load_settings
from hundi.kernel.clock import utc_now
from hundi.kernel.records import replace

app = typer.Typer(
    help="The keys that secrets are sealed with: list, rotate, retire.", no_args_is_help=True
)
_KNOWN_S = 2 * FILE_POLL_S + 0.5
"""After this time every process has read the key file again."""
_ROUNDS_MAX = 5
KeyId = Annotated[str, typer.Argument(help="The key's id.")]


@app.command("list")
def list_keys(*, data_dir: DataDir = None, json: Json = False) -> None:
    """List the keys: what each is good for, and how many stored values it opens; never the key."""
    keys = key_source(load_settings(data_dir=data_dir)).read()
    counts = run(data_dir, lambda context: sealed.count_sealed(context.db))
    rows = [
        {"key_id": key_id, "use": _use(key, first=place == 0), "sealed": counts.get(key_id, 0)}
        for place, (key_id, key) in enumerate(keys.items())
    ]
    show(rows, json=json, title="Keys")


@app.command()
def rotate(*, data_dir: DataDir = None, json: Json = False) -> None:
    """Seal everything under a new key while the gateway runs.

    Nothing is restarted, no request refused.

    The new key is put into the file as the next one, so that every process learns it; then it is
    put first and seals; then all that was sealed before is sealed anew. Interrupted, it goes on
    where it stopped when it is run again, or `hundi keys reseal` does the rest.
    """
    source = _file(data_dir)
    with source.locked():
        key_id = _first_made(source)
        time.sleep(_KNOWN_S)
        show({"key_id": key_id, **_resealed(data_dir)}, json=json, title="Rotated")


def _first_made(source: KeyFile) -> str:
    """Announce a new key, unless one is announced; make it the first once every process has it.

    Return its id.
    """
    ring = source.read()
    key_id = next((each for each, key in ring.items() if key.is_next), None)
    if key_id is None:
        key_id = new_id(len(ring) + 1)
        ring[key_id] = replace(new_key(), is_next=True)
        source.write(ring)
    time.sleep(_KNOWN_S)
    source.write({key_id: replace(ring.pop(key_id), is_next=False), **ring})
    return key_id


@app.command()
def reseal(
    *,
    older: Annotated[
        bool,
        typer.Option(
            "--older", help="Also what was sealed before secrets were bound to their row."
        ),
    ] = False,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Seal every stored secret with the first key; interrupted, it goes on where it stopped.

    Every process must know that key: with a file they do after some seconds, with a command after a
    minute, with HUNDI_KEYS after a restart. --older belongs to an upgrade, while the gateway
    stands: whoever moved a secret into another row before, there it holds from then on.
    """
    show(_resealed(data_dir, older=older), json=json, title="Sealed anew")


@app.command()
def retire(key_id: KeyId, *, data_dir: DataDir = None, json: Json = False) -> None:
    """Retire a key: it no longer opens stored values; refused while one is sealed under it.

    What is left of it in the file still makes the derived keys: addresses of pages and counts of
    risk rules that were made under it stay good. It does not tell the key. A backup from its time
    needs the whole key: keep a copy apart.
    """
    source = _file(data_dir)
    with source.locked():
        keys = source.read()
        if key_id not in keys:
            raise fail(f"there is no key {key_id}")
        if key_id == next(iter(keys)):
            raise fail(f"{key_id} seals: rotate first")
        left = run(data_dir, lambda context: sealed.count_sealed(context.db)).get(key_id, 0)
        if left:
            raise fail(f"{left} stored values are sealed under {key_id}: hundi keys reseal")
        source.write(keys | {key_id: keys[key_id].retired()})
    show(
        {"key_id": key_id, "use": _use(keys[key_id].retired(), first=False)},
        json=json,
        title="Key retired",
    )


def _resealed(data_dir: str | None, *, older: bool = False) -> dict[str, int]:
    """Seal every value of an older key again, and return their number by kind.

    A process with the old order may still seal one more under the old key, so look again.
    """

    async def act(context: OperatorContext) -> dict[str, int]:
        db, by = context.db, by_command(context)
        if older:
            return await upgrades.reseal_older(db, by, utc_now())
        counts = await upgrades.reseal(db, by, utc_now())
        for _ in range(_ROUNDS_MAX):
            if set(await sealed.count_sealed(db)) <= {by.vault.newest_id}:
                return counts
            counts = {
                name: number + counts[name]
                for name, number in (await upgrades.reseal(db, by, utc_now())).items()
            }
        raise fail(
            "other processes still seal under an older key: do they read the same keys? Run it"
            " again"
        )

    return run(data_dir, act)


def _file(data_dir: str | None) -> KeyFile:
    source: KeySource = key_source(load_settings(data_dir=data_dir))
    if not isinstance(source, KeyFile):
        raise fail(
            f"{source.origin} has the keys, where this command cannot write: add a new key there"
            " as id:next:base64, "
            "wait until every process knows it, put it first without next:, wait again, then:"
            " hundi keys reseal"
        )
    if not source.path.exists():
        raise fail(f"{source.path} is not there: the first start makes it")
    return source


def _use(key: EncryptionKey, *, first: bool) -> str:
    if key.secret is None:
        return "derives"
    if key.is_next:
        return "opens, derives, seals next"
    return "seals, opens, derives" if first else "opens, derives"
