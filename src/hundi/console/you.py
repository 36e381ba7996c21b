"""A person's own page: password, sessions, recovery codes, passkeys, letters."""

from typing import Any

from litestar import Response

from hundi.console import lists
from hundi.console.guard import ConsoleRoute, message
from hundi.console.visits import Access, ConsoleVisit
from hundi.letters.rules import CHOSEN_BY_PERSON
from hundi.staff.people import actions, store
from hundi.staff.people.factors import actions as factors
from hundi.staff.people.history.actions import CREDENTIAL
from hundi.staff.people.passkeys import store as passkey_store
from hundi.staff.people.proofs import actions as proofs
from hundi.staff.people.telling import actions as telling
from hundi.staff.people.telling import rules as telling_rules
from hundi.staff.people.telling import store as telling_store
from hundi.staff.sign_in import rules
from hundi.staff.sign_in.passkeys import actions as passkeys


async def show(visit: ConsoleVisit) -> Response[Any]:
    """Show the person's sessions, and their means to sign in."""
    return await _shown(visit)


async def _shown(visit: ConsoleVisit, fault: str = "", status_code: int = 200) -> Response[Any]:
    person_id = visit.person.person_id
    silent = await telling_store.turned_off(visit.db, person_id)
    sessions = await visit.gateway.sign_in.sessions_of(person_id)
    return visit.page(
        "you.html",
        "You",
        status_code,
        sessions=[
            {
                "session": each,
                "id": each.session_hash.hex(),
                "this": each.session_hash == visit.session.session_hash,
            }
            for each in sessions
        ],
        codes_left=await store.count_codes(visit.db, person_id),
        passkeys=[
            dict(row) | {"id": row["credential_id"].hex()}
            for row in await passkey_store.passkeys_of(visit.db, person_id)
        ],
        has_passkeys=passkeys.site_of(visit.gateway.settings, visit.host) is not None,
        idle_minutes=int(rules.IDLE.total_seconds() // 60),
        letters=[
            {"kind": kind.value, "words": telling_rules.WORDS[kind], "on": kind not in silent}
            for kind in CHOSEN_BY_PERSON
        ],
        form_at=int(visit.now.timestamp()),
        fault=fault,
    )


async def end_session(visit: ConsoleVisit) -> Response[Any]:
    """End one of the person's sessions."""
    session = visit.form.get("session", "")
    try:
        ended = bytes.fromhex(session)
    except ValueError:
        return await _shown(visit, "There is no such session.", 409)
    await visit.gateway.sign_in.end(ended, visit.person.person_id)
    return visit.see("you", "session_ended")


async def change_password(visit: ConsoleVisit) -> Response[Any]:
    """Change the password, and end every other session."""
    secrets = await proofs.secrets_of(visit.db, visit.gateway.vault, visit.person.person_id)
    password = visit.form.get("password", "")
    if not await visit.gateway.sign_in.passwords.is_right(
        secrets.password_hash, visit.form.get("current", "")
    ):
        return await _shown(visit, "The present password is another one.", 403)
    fault = await actions.fault_of(password, visit.person)
    if fault is not None:
        return await _shown(visit, fault, 409)
    if password != visit.form.get("password_again", ""):
        return await _shown(visit, "The two passwords differ.", 409)
    hashed = await visit.gateway.sign_in.passwords.hashed(password)
    if not await proofs.change_password(visit.db, visit.who, secrets, hashed, visit.now):
        return await _shown(visit, "The password was changed elsewhere meanwhile.", 409)
    await visit.gateway.sign_in.end_others(visit.person.person_id, visit.session.session_hash)
    return visit.see("you", "password_changed")


async def make_codes(visit: ConsoleVisit) -> Response[Any]:
    """Show new recovery codes, this once."""
    async with visit.db.transaction() as conn:
        codes = await factors.new_codes(conn, visit.gateway.vault, visit.person.person_id)
        await proofs.record_setting(
            conn, visit.who, "person.renew_codes", visit.person.person_id, visit.now
        )
    return visit.page("codes.html", "Your recovery codes", codes=codes, onward="/console/you")


async def show_passkey(visit: ConsoleVisit) -> Response[Any]:
    """Show the page that makes a passkey."""
    return await _passkey_asked(visit)


async def _passkey_asked(
    visit: ConsoleVisit, fault: str = "", status_code: int = 200
) -> Response[Any]:
    site = passkeys.site_of(visit.gateway.settings, visit.host)
    if site is None:
        words = "This gateway is reached by a number. Browsers bind passkeys to names alone."
        return message(visit, "No passkeys here", words, 404)
    options = await passkeys.registration_options(visit.db, site, visit.person, visit.session)
    return visit.page("passkey.html", "Add a passkey", status_code, options=options, fault=fault)


async def add_passkey(visit: ConsoleVisit) -> Response[Any]:
    """Keep a new passkey."""
    site = passkeys.site_of(visit.gateway.settings, visit.host)
    answer, name = visit.form.get("credential", ""), visit.form.get("name", "")
    whose = (visit.person, visit.session)
    fault = (
        await passkeys.register(visit.db, visit.who, site, *whose, answer, name)
        if site
        else "Not here."
    )
    if fault:
        return await _passkey_asked(visit, fault, 409)
    return visit.see("you", "passkey_added")


async def remove_passkey(visit: ConsoleVisit) -> Response[Any]:
    """Remove a passkey of the person."""
    try:
        credential = bytes.fromhex(visit.form.get("passkey", ""))
    except ValueError:
        return await _shown(visit, "There is no such passkey.", 409)
    async with visit.db.transaction() as conn:
        await passkey_store.delete(conn, visit.person.person_id, credential)
        details = {CREDENTIAL: factors.hash_of(credential.hex()).hex()}
        await proofs.record_setting(
            conn, visit.who, "person.remove_passkey", visit.person.person_id, visit.now, **details
        )
    return visit.see("you", "passkey_removed")


async def choose_letters(visit: ConsoleVisit) -> Response[Any]:
    """Keep which letters the person gets; those without a switch are always sent."""
    person_id = visit.person.person_id
    async with visit.db.transaction() as conn:
        for kind in CHOSEN_BY_PERSON:
            await telling_store.choose(conn, person_id, kind, wanted=kind in visit.form)
    return visit.see("you", "letters_chosen")


async def send_trial(visit: ConsoleVisit) -> Response[Any]:
    """Write a test mail to the person themselves; the same form sends it once."""
    form_at = lists.id_of(visit.form.get("form_at", "")) or 0
    person = visit.person
    await telling.write_trial(
        visit.db,
        (person.person_id, person.email),
        visit.gateway.settings.base_url,
        form_at,
        visit.now,
    )
    return visit.see("you", "trial_written")


ROUTES = (
    ConsoleRoute("GET", "you", show, Access.SIGNED_IN),
    ConsoleRoute("POST", "you/letters", choose_letters, Access.SIGNED_IN),
    ConsoleRoute("POST", "you/letters/trial", send_trial, Access.SIGNED_IN),
    ConsoleRoute("POST", "you/sessions/end", end_session, Access.SIGNED_IN),
    ConsoleRoute("POST", "you/password", change_password, Access.SIGNED_IN, fresh=True),
    ConsoleRoute("POST", "you/codes", make_codes, Access.SIGNED_IN, fresh=True),
    ConsoleRoute("GET", "you/passkeys", show_passkey, Access.SIGNED_IN),
    ConsoleRoute("POST", "you/passkeys", add_passkey, Access.SIGNED_IN, fresh=True),
    ConsoleRoute("POST", "you/passkeys/remove", remove_passkey, Access.SIGNED_IN, fresh=True),
)
