"""A person's own page: password, sessions, recovery codes, passkeys."""

from typing import Any

from litestar import Response

from hundi.console.guard import Access, Route, Visit
from hundi.staff.people import actions, store
from hundi.staff.sign_in import rules


async def show(visit: Visit) -> Response[Any]:
    """Show where the person is signed in, and what they sign in with."""
    return await _shown(visit)


async def _shown(visit: Visit, fault: str = "", status_code: int = 200) -> Response[Any]:
    person_id = visit.person.person_id
    sessions = await visit.gateway.sign_in.sessions_of(person_id)
    return visit.page(
        "you.html",
        "You",
        status_code,
        sessions=[
            {"session": each, "id": each.session_hash.hex(), "this": each.session_hash == visit.session.session_hash}
            for each in sessions
        ],
        codes_left=await visit.db.fetchval(store.COUNT_CODES, person_id),
        passkeys=[
            dict(row) | {"id": row["credential_id"].hex()} for row in await store.passkeys_of(visit.db, person_id)
        ],
        idle_minutes=int(rules.IDLE.total_seconds() // 60),
        fault=fault,
    )


async def end_session(visit: Visit) -> Response[Any]:
    """End one of the person's sessions."""
    named = visit.form.get("session", "")
    try:
        ended = bytes.fromhex(named)
    except ValueError:
        return await _shown(visit, "There is no such session.", 409)
    await visit.gateway.sign_in.end(ended, visit.person.person_id)
    return visit.see("you", "session_ended")


async def change_password(visit: Visit) -> Response[Any]:
    """Change the password, and end every other session."""
    kept = await store.secrets_of(visit.db, visit.person.person_id)
    password = visit.form.get("password", "")
    if not await visit.gateway.sign_in.passwords.is_right(kept.password_hash, visit.form.get("current", "")):
        return await _shown(visit, "The present password is another one.", 403)
    fault = await actions.fault_of(password, visit.person)
    if fault is not None:
        return await _shown(visit, fault, 409)
    if password != visit.form.get("password_again", ""):
        return await _shown(visit, "The two passwords differ.", 409)
    hashed = await visit.gateway.sign_in.passwords.hashed(password)
    await visit.db.execute(store.SET_PASSWORD, visit.person.person_id, hashed, visit.now)
    await visit.gateway.sign_in.end_others(visit.person.person_id, visit.session.session_hash)
    await visit.record("person.change_password", visit.person.person_id)
    return visit.see("you", "password_changed")


async def make_codes(visit: Visit) -> Response[Any]:
    """Show new recovery codes, this once."""
    async with visit.db.transaction() as conn:
        codes = await actions.new_codes(conn, visit.person.person_id)
    await visit.record("person.renew_codes", visit.person.person_id)
    return visit.page("codes.html", "Your recovery codes", codes=codes, onward="/console/you")


ROUTES = (
    Route("GET", "you", show, Access.SIGNED_IN),
    Route("POST", "you/sessions/end", end_session, Access.SIGNED_IN),
    Route("POST", "you/password", change_password, Access.SIGNED_IN, fresh=True),
    Route("POST", "you/codes", make_codes, Access.SIGNED_IN, fresh=True),
)
