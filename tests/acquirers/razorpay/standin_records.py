"""What Razorpay's stand-in tells, and what it was asked."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Event:
    """A webhook as it is sent. body: the bytes that are signed."""

    name: str
    headers: dict[str, str]
    body: bytes


@dataclass(frozen=True)
class Seen:
    """A call as it arrived."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes
