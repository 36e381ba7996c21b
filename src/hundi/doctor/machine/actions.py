"""Looks at disks, the gateway's port and whether time is kept."""

import os
from collections.abc import Sequence
from contextlib import suppress
from http import HTTPStatus
from pathlib import Path

from hundi.doctor.context import DoctorContext
from hundi.doctor.machine.rules import (
    CLOCK_ALONE,
    CLOCK_KEPT,
    DISK_UNSEEN,
    PORT_FORBIDDEN,
    PORT_FREE,
    PORT_OURS,
    PORT_TAKEN,
    DiskRoom,
)
from hundi.doctor.rules import DoctorFinding
from hundi.doctor.site.actions import ask_gateway
from hundi.infra.handshakes import HandshakeError, shake_hands
from hundi.infra.http.client import NoAnswerError
from hundi.infra.time_server import follows_time_server

_LOWEST_PORT = Path("/proc/sys/net/ipv4/ip_unprivileged_port_start")


async def look_at_disks(context: DoctorContext) -> Sequence[DoctorFinding]:
    """Find disks without room: of the data directory and of the backups."""
    settings = context.settings
    assert settings is not None
    folders = [settings.data_dir, *filter(None, [settings.backup_dir])]
    there = [folder for folder in folders if folder.is_dir()]
    findings = []
    for folder in there:
        room = _room(folder)
        findings.append(DoctorFinding(room.kind(), str(folder), room.words()))
    if settings.database_url and not (settings.data_dir / "postgres").exists():
        seen = "the settings name a server of yours"
        findings.append(DoctorFinding(DISK_UNSEEN, "database", seen))
    return findings


def _room(folder: Path) -> DiskRoom:
    told = os.statvfs(folder)
    return DiskRoom(
        told.f_bavail * told.f_frsize, told.f_blocks * told.f_frsize, told.f_favail, told.f_files
    )


async def look_at_port(context: DoctorContext) -> Sequence[DoctorFinding]:
    """Find another program at the gateway's port; nothing is opened there."""
    settings = context.settings
    assert settings is not None
    place = f"{settings.host}:{settings.port}"
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(settings.host, settings.host)  # noqa: S104 (recognised, not bound)
    try:
        await shake_hands(host, settings.port, tls=False)
    except HandshakeError:
        if settings.port < _lowest_port() and os.geteuid() != 0:
            seen = f"user {os.geteuid()} may listen from {_lowest_port()} on"
            return [DoctorFinding(PORT_FORBIDDEN, place, seen)]
        return [DoctorFinding(PORT_FREE, place, "nobody listens")]
    try:
        answer = await ask_gateway(settings, f"http://{host}:{settings.port}")
    except NoAnswerError:
        return [DoctorFinding(PORT_TAKEN, place, "what listens does not speak HTTP")]
    if answer.status == HTTPStatus.OK:
        return [DoctorFinding(PORT_OURS, place, "this gateway answers")]
    return [DoctorFinding(PORT_TAKEN, place, "what answers does not have this gateway's keys")]


def _lowest_port() -> int:
    with suppress(OSError, ValueError):
        return int(_LOWEST_PORT.read_text())
    return 1024


async def look_at_time(_: DoctorContext) -> Sequence[DoctorFinding]:
    """Find a clock that no time server sets.

    A database on this machine has the same clock, so comparing with it says nothing.
    """
    if follows_time_server():
        return [DoctorFinding(CLOCK_KEPT, "this machine", "the system says that it is set")]
    return [DoctorFinding(CLOCK_ALONE, "this machine", "no program of a time server is at work")]
