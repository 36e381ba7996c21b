"""The actions of papers: add one, read it, and accept an account by them as a second person."""

from collections.abc import Callable, Collection, Sequence
from datetime import datetime
from hashlib import sha256

from hundi.infra.documents.bounded import fault_of
from hundi.infra.postgres.database import Beside, Connection, Database, Queries
from hundi.infra.secrets.key_sources import VaultError
from hundi.infra.secrets.vault import Vault
from hundi.kernel.documents import media_type, shown_name
from hundi.kernel.ids import new_id
from hundi.kernel.masking import masked
from hundi.kernel.records import replace
from hundi.kernel.refusals import RefusalCode, Refused, refuse
from hundi.money.bank_accounts import actions as accounts
from hundi.money.bank_accounts import store as account_store
from hundi.money.bank_accounts.papers import rules, store
from hundi.money.bank_accounts.papers.rules import AccountPaper, PaperKind
from hundi.money.bank_accounts.rules import BankAccountState, PayoutAccount
from hundi.staff.trail import actions as trail
from hundi.staff.trail.actions import Who

ADDED = "bank_account.paper"
"""The act of whoever adds a paper, as the trail names it."""
Recording = Callable[..., Beside]
"""Returns a writer of the entry about an act, from its details; the writer gets a paper's id."""
_PURPOSE = "bank-account-paper"
_NOUN = "bank_account"


async def add(
    db: Database,
    vault: Vault,
    merchant_id: int,
    beneficiary: str,
    given: tuple[PaperKind, str, bytes],
    person: str,
    now: datetime,
    recording: Recording,
) -> AccountPaper:
    """Seal a paper for the newest version of an account, and return it; the same one is kept once.

    given: kind, file name, content. recording: of the entry in the trail, which is written in the
    transaction. Raises Refused.
    """
    kind, name, content = given
    unfit = rules.size_refusal(content) or rules.content_refusal(await fault_of(content))
    if unfit is not None:
        raise Refused(unfit)
    async with db.transaction() as conn:
        # Locked: papers that are added at once are counted, and the same one is seen.
        account = await accounts.locked(conn, merchant_id, beneficiary)
        papers = await store.of_account(conn, merchant_id, beneficiary, account.account_no)
        refusal = rules.paper_refusal(account, len(papers), person)
        if refusal is not None:
            raise Refused(refusal)
        paper = AccountPaper(
            merchant_id=merchant_id,
            paper_id=new_id(now),
            beneficiary=beneficiary,
            account_no=account.account_no,
            kind=kind,
            name=shown_name(name),
            media_type=media_type(content),
            size_bytes=len(content),
            digest=sha256(content).digest(),
            added_by=person,
            added_at=now,
        )
        same = next((each for each in papers if each.digest == paper.digest), None)
        if same is not None:
            return same
        sealed = vault.seal(content, _PURPOSE, merchant_id, paper.paper_id)
        await store.insert(conn, paper, sealed)
        await recording(**rules.told_of(paper))(conn, paper.paper_id)
    return paper


async def of_newest(db: Queries, merchant_id: int, beneficiary: str) -> list[AccountPaper]:
    """Return the papers of the newest version of an account. Raises Refused (NO_RECORDS)."""
    account = await accounts.newest(db, merchant_id, beneficiary)
    return await store.of_account(db, merchant_id, beneficiary, account.account_no)


async def content(
    db: Queries, vault: Vault, merchant_id: int, paper_id: int
) -> tuple[AccountPaper, bytes]:
    """Return a paper with its content. Raises Refused; VaultError for one that was changed."""
    row = await store.content_of(db, merchant_id, paper_id)
    if row is None:
        raise refuse(RefusalCode.NO_RECORDS, field="paper", received=str(paper_id))
    paper, sealed = row
    bound = _PURPOSE, merchant_id, paper_id
    body = vault.open(sealed, *bound)
    if sha256(body).digest() != paper.digest:
        message = f"paper {paper_id} is not the one that was added"
        raise VaultError(message)
    return paper, body


async def accept(
    db: Database,
    merchant_id: int,
    beneficiary: str,
    seen: Collection[int],
    person: str,
    by: Who,
    now: datetime,
) -> PayoutAccount:
    """Verify an account by its papers, as a person who added none of them.

    seen: the ids of the papers that the person has looked at. They are of one version of the
    account, and all that it has: neither another paper nor another version comes in unseen.
    Raises Refused.
    """
    async with db.transaction() as conn:
        # Locked: no worker begins to ask a bank between this look and the acceptance.
        account = await accounts.locked(conn, merchant_id, beneficiary)
        checks = await account_store.checks_of_version(conn, account)
        papers = await store.of_account(conn, merchant_id, beneficiary, account.account_no)
        refusal = rules.answer_refusal(account, checks, now) or rules.acceptance_refusal(
            account, papers, seen, person
        )
        if refusal is not None:
            raise Refused(refusal)
        for paper in papers:
            # A paper that was changed since somebody added it proves nothing.
            await _check_told(conn, by.vault, paper)
            await content(conn, by.vault, merchant_id, paper.paper_id)
        after = replace(
            account,
            state=BankAccountState.VERIFIED,
            accepted_by=person,
            checked_at=now,
            due_at=None,
        )
        await account_store.insert_accepted(conn, after, now, [each.paper_id for each in papers])
        named = _named(papers)
        await accounts.change(conn, by, "accept_papers", account, after, now, **named)
    return after


def _named(papers: Sequence[AccountPaper]) -> dict[str, list[str]]:
    """Return which papers were accepted, as the trail names them: ids and digests, in one order."""
    return {
        "papers": [str(each.paper_id) for each in papers],
        "sha256": [each.digest.hex() for each in papers],
    }


async def _check_told(conn: Connection, vault: Vault, paper: AccountPaper) -> None:
    """Check that the trail tells of a paper what its row says. Raises Refused (STATE_FORBIDS)."""
    whose = paper.merchant_id, _NOUN, paper.paper_id
    told = {name: masked(text) for name, text in rules.told_of(paper).items()}
    for entry in await trail.proved_about(conn, vault, *whose):
        if entry.act == ADDED and told.items() <= trail.detail_of(entry).items():
            return
    raise refuse(
        RefusalCode.STATE_FORBIDS,
        field="papers",
        received=f"{paper.paper_id}, written by SQL",
        allowed="papers as the trail tells them: add the account anew",
    )


async def reseal(db: Database, vault: Vault) -> int:
    """Seal every paper with the newest key; return how many were sealed with an older one."""
    done, at = 0, (0, 0)
    while (row := await store.next_sealed(db, *at)) is not None:
        at = row["merchant_id"], row["paper_id"]
        if not vault.is_sealed_with_newest(row["sealed_content"]):
            bound = _PURPOSE, *at
            body = vault.open(row["sealed_content"], *bound)
            await store.reseal(db, row, vault.seal(body, *bound))
            done += 1
    return done
