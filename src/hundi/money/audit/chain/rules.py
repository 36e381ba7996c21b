"""Roots: computed again from the blocks, and compared with the signed and the kept ones."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from hashlib import sha256

import msgspec
from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from hundi.money.audit.rules import Sample


@dataclass(frozen=True, slots=True)
class StoredRoot:
    """The root of one business day, as it is in the books.

    certificate: of the key that signed it (X.509, DER).
    """

    day: date
    root: bytes
    heads: int
    signature: bytes
    certificate: bytes


@dataclass(frozen=True, slots=True)
class DayHead:
    """The newest block of one book at the end of a day."""

    day: date
    merchant_id: int
    book: str
    block_no: int
    hash: bytes


class KeptRoot(msgspec.Struct):
    """The root of one day as text: bytes in hexadecimal, the certificate as X.509 (DER)."""

    root: str
    heads: int
    signature: str
    certificate: str


class RootsFile(msgspec.Struct):
    """The roots of all days, as a file."""

    roots: dict[date, KeptRoot]


def roots_file(roots: Sequence[StoredRoot]) -> RootsFile:
    """Return the roots as a file."""
    return RootsFile(
        {
            each.day: KeptRoot(
                each.root.hex(), each.heads, each.signature.hex(), each.certificate.hex()
            )
            for each in roots
        }
    )


def read_roots(text: bytes) -> dict[date, bytes]:
    """Return the roots in a file, by day. Raises ValueError for a file without roots."""
    try:
        roots = msgspec.json.decode(text, type=RootsFile)
    except (msgspec.DecodeError, RecursionError) as error:
        raise ValueError(str(error)) from error
    return {day: bytes.fromhex(each.root) for day, each in roots.roots.items()}


def holds_signature(root: StoredRoot) -> bool:
    """Return whether a root was signed with the key of its certificate."""
    text = f"hundi root 1 signed\nday={root.day}\nroot={root.root.hex()}\n"
    try:
        key = x509.load_der_x509_certificate(root.certificate).public_key()
        if isinstance(key, Ed25519PublicKey):
            key.verify(root.signature, text.encode())
            return True
    except (InvalidSignature, ValueError):
        pass
    return False


def root_before(roots: Sequence[StoredRoot], day: date) -> date | None:
    """Return the day of the last root before a day, None if there is none."""
    return max((root.day for root in roots if root.day < day), default=None)


def expected_roots(
    roots: Sequence[StoredRoot], heads: Iterable[DayHead], first: date | None = None
) -> Iterator[tuple[StoredRoot, bytes, int]]:
    """Yield each root, the root that its blocks give, and how many blocks those are.

    heads: in the order of days. first: the day of the first root that is made again; older ones
    count as they are.
    """
    newest: dict[tuple[int, str], bytes] = {}
    waiting, previous = iter(heads), ""
    head = next(waiting, None)
    for root in roots:
        if first and root.day < first:
            yield root, root.root, root.heads
            previous = root.root.hex()
            continue
        while head is not None and head.day <= root.day:
            line = f"{head.merchant_id} {head.book} {head.block_no} {head.hash.hex()}\n"
            newest[head.merchant_id, head.book] = line.encode()
            head = next(waiting, None)
        blocks = sha256(b"".join(newest[each] for each in sorted(newest))).hexdigest()
        text = (
            "hundi root"
            f" 1\nday={root.day}\nprevious={previous}\nheads={len(newest)}\nblocks={blocks}\n"
        )
        yield root, sha256(text.encode()).digest(), len(newest)
        previous = root.root.hex()


def differing_roots(
    roots: Sequence[StoredRoot], heads: Iterable[DayHead], first: date | None = None
) -> Iterator[Sample]:
    """Yield what is wrong with each root; each is judged from the stored root before it.

    first: as in `expected_roots`.
    """
    for root, expected, count in expected_roots(roots, heads, first):
        if (root.root, root.heads) != (expected, count):
            yield Sample(
                f"root of {root.day}",
                f"{root.root.hex()} of {root.heads}, the blocks give {expected.hex()} of {count}",
            )
        elif root.certificate != roots[0].certificate:
            yield Sample(f"root of {root.day}", "signed with another key than the first root")
        elif not holds_signature(root):
            yield Sample(f"root of {root.day}", "its signature does not hold")


def kept_differ(roots: Sequence[StoredRoot], kept: Mapping[date, bytes]) -> Iterator[Sample]:
    """Yield each root that differs from the one that was kept elsewhere."""
    here = {each.day: each.root for each in roots}
    for day, root in sorted(kept.items()):
        if here.get(day) != root:
            root_here = here[day].hex() if day in here else "none"
            yield Sample(f"root of {day}", f"{root_here} here, {root.hex()} was kept")
