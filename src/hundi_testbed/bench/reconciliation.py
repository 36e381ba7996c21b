"""`python -m hundi_testbed.bench.reconciliation`.

A million lines imported, compared, and posted when they arrive.

The commands are an operator's own, each a process of its own: their time counts from start to end,
their memory at its highest. Every 10,000th line differs, so that the work list has something of it.
"""

import argparse
import asyncio
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import asyncpg
import psutil

from hundi.infra.embedded import server as embedded_postgres
from hundi.infra.postgres.migrate import migrate
from hundi.kernel.ids import first_id

LINES, MERCHANTS, FIRST_MERCHANT = 1_000_000, 1_000, 10_000
ODD_EVERY = 10_000
COMMAND_S_MAX = 600
DATABASE = "reconciliation"
_AT = datetime.now(UTC).replace(hour=6, minute=0, second=0, microsecond=0) - timedelta(days=2)
_DAY, _UTR, _FIRST = _AT.date(), "SBHO0001", first_id(_AT)
_CARD_EVERY = 3
"""One payment in three is by card, and has a fee."""

_MERCHANTS = f"""
INSERT INTO merchants (merchant_id, mode, name, sealed_keys, settings, created_at, changed_at)
SELECT {FIRST_MERCHANT} + n, 'live', 'Asha', '', '{{}}', now(), now()
    FROM generate_series(0, {MERCHANTS - 1}) AS n
"""
_PAYMENTS = f"""
INSERT INTO payments (merchant_id, payment_id, order_id, content_hash, amount_paise, currency, kind,
    state, captured_paise, buyer, revision, created_at, expires_at, settled_at)
SELECT {FIRST_MERCHANT} + n % {MERCHANTS}, $2::bigint + n, 'g' || n, sha256(''), 10000 + n % 400000,
    'INR', 'sale', 'paid', 10000 + n % 400000, '{{}}', 2, $3, $3, $3
FROM generate_series(0, $1::bigint - 1) AS n
"""
_ATTEMPTS = f"""
INSERT INTO attempts (merchant_id, attempt_id, payment_id, method, state, amount_paise,
    received_paise, currency, connector, rrn, created_at, expires_at, settled_at)
SELECT {FIRST_MERCHANT} + n % {MERCHANTS}, $2::bigint + n, $2::bigint + n,
    CASE n % {_CARD_EVERY} WHEN 0 THEN 'card' ELSE 'upi_qr' END, 'paid',
    10000 + n % 400000, 10000 + n % 400000, 'INR', 'sandbox', '6' || lpad(n::text, 11, '0'), $3, $3,
        $3
FROM generate_series(0, $1::bigint - 1) AS n
"""


def _lines(count: int) -> Iterator[tuple[str, str, int, int]]:
    """Yield reference, RRN, amount and fee of each line."""
    for n in range(count):
        paise = 10_000 + n % 400_000
        base = 0 if n % _CARD_EVERY else (paise * 180 + 5_000) // 10_000
        fee = base + (base * 1_800 + 5_000) // 10_000
        paise += n % ODD_EVERY == 1
        yield f"{FIRST_MERCHANT + n % MERCHANTS}-{_FIRST + n}", f"6{n:011d}", paise, fee


def _rupees(paise: int) -> str:
    return f"{paise // 100}.{paise % 100:02d}"


def write_csv(path: Path, count: int) -> int:
    """Write the acquirer's statement and return its hand-over, in paise."""
    total, account = 0, "SANDBOX-SETTLEMENT,INR"
    with path.open("w") as out:
        out.write("Type,Account,Currency,Merchant Reference,RRN,Gross,Fee,Net,UTR,Date\n")
        for reference, rrn, paise, fee in _lines(count):
            total += paise - fee
            money = f"{_rupees(paise)},{_rupees(fee)},{_rupees(paise - fee)}"
            out.write(f"PAYMENT,{account},{reference},{rrn},{money},{_UTR},{_DAY}\n")
        out.write(f"HANDOVER,{account},,,{_rupees(total)},0.00,{_rupees(total)},{_UTR},{_DAY}\n")
        out.write(f"TOTAL,{account},{count + 1},,,,0.00,,{_DAY}\n")
    return total


def _entry(net: int, sign: str, code: str, details: str) -> str:
    return (
        f'<Ntry><Amt Ccy="INR">{_rupees(net)}</Amt><CdtDbtInd>{sign}</CdtDbtInd>'
        f"<BookgDt><Dt>{_DAY}</Dt></BookgDt>"
        f"<BkTxCd><Prtry><Cd>{code}</Cd></Prtry></BkTxCd>"
        f"<NtryDtls><TxDtls>{details}</TxDtls></NtryDtls></Ntry>\n"
    )


def _camt(account: str, opening: int, closing: int, count: int) -> str:
    balances = "".join(
        f'<Bal><Tp><CdOrPrtry><Cd>{code}</Cd></CdOrPrtry></Tp><Amt Ccy="INR">{_rupees(paise)}</Amt>'
        f"<CdtDbtInd>CRDT</CdtDbtInd><Dt><Dt>{_DAY}</Dt></Dt></Bal>"
        for code, paise in (("OPBD", opening), ("CLBD", closing))
    )
    return (
        '<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08">'
        "<BkToCstmrStmt><Stmt><Id>1</Id>"
        f"<Acct><Id><Othr><Id>{account}</Id></Othr></Id><Ccy>INR</Ccy></Acct>{balances}"
        f"<TxsSummry><TtlNtries><NbOfNtries>{count}</NbOfNtries></TtlNtries></TxsSummry>\n"
    )


def write_camt053(path: Path, count: int) -> int:
    """Write the acquirer's statement and return its hand-over, in paise."""
    total = 0
    with path.open("w") as out:
        out.write(_camt("SANDBOX-SETTLEMENT", 0, 0, count + 1))
        for reference, rrn, paise, fee in _lines(count):
            total += paise - fee
            references = (
                f"<AcctSvcrRef>{rrn}</AcctSvcrRef><PmtInfId>{_UTR}</PmtInfId>"
                f"<EndToEndId>{reference}</EndToEndId>"
            )
            money = f'<AmtDtls><InstdAmt><Amt Ccy="INR">{_rupees(paise)}</Amt></InstdAmt></AmtDtls>'
            charged = (
                f'<Chrgs><TtlChrgsAndTaxAmt Ccy="INR">{_rupees(fee)}</TtlChrgsAndTaxAmt></Chrgs>'
            )
            out.write(
                _entry(paise - fee, "CRDT", "PAYMENT", f"<Refs>{references}</Refs>{money}{charged}")
            )
        out.write(_entry(total, "DBIT", "HANDOVER", f"<Refs><PmtInfId>{_UTR}</PmtInfId></Refs>"))
        out.write("</Stmt></BkToCstmrStmt></Document>\n")
    return total


def write_account(path: Path, paise: int) -> None:
    """Write our bank account's statement: the hand-over as one line."""
    refs = f"<Refs><TxId>{_UTR}</TxId></Refs>"
    end = "</Stmt></BkToCstmrStmt></Document>\n"
    path.write_text(
        _camt("50200012345678", 0, paise, 1) + _entry(paise, "CRDT", "TRANSFER", refs) + end
    )


async def _fill(url: str, lines: int) -> None:
    conn = await asyncpg.connect(url)
    try:
        await conn.execute(_MERCHANTS)
        for rows in (_PAYMENTS, _ATTEMPTS):
            await conn.execute(rows, lines, _FIRST, _AT)
        await conn.execute("VACUUM (ANALYZE)")
    finally:
        await conn.close()


def _import(url: str, path: Path, *options: str) -> dict[str, object]:
    """Import a file by the command and return its output, with its seconds."""
    command = [
        sys.executable,
        "-m",
        "hundi.cli",
        "reconcile",
        "import",
        str(path),
        "--json",
        *options,
    ]
    environment = os.environ | {"HUNDI_DATABASE_URL": url}
    began = time.monotonic()
    process = subprocess.run(
        command, check=False, capture_output=True, env=environment, timeout=COMMAND_S_MAX
    )
    if process.returncode:
        raise SystemExit(process.stderr.decode())
    return {"s": round(time.monotonic() - began, 1)} | json.loads(process.stdout)


def measure(lines: int, form: str, folder: Path) -> dict[str, object]:
    """Fill a database, import both statements, and return the figures."""
    with embedded_postgres.start(folder / "data", databases=[DATABASE]) as server:
        url = server.url(DATABASE)
        asyncio.run(migrate(url))
        asyncio.run(_fill(url, lines))
        path, account = folder / f"statement.{form}", folder / "account.xml"
        write_account(account, (write_csv if form == "csv" else write_camt053)(path, lines))
        before = _server_cpu_s(server.pid)
        first = _import(url, path, "--format", form, "--connector", "sandbox")
        second = _import(url, account, "--format", "camt053")
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return {
            "lines": lines,
            "format": form,
            "file_megabytes": round(path.stat().st_size / 1e6),
            "import_and_compare_s": first["s"],
            "post_s": second["s"],
            "matched": first["matched"],
            "posted": second["posted"],
            "command_megabytes_max": round(used.ru_maxrss / 1024),
            "command_cpu_s": round(used.ru_utime + used.ru_stime, 1),
            "server_cpu_s": round(_server_cpu_s(server.pid) - before, 1),
        }


def _server_cpu_s(pid: int) -> float:
    """Return the CPU seconds of the server: of its live processes, and of ended sessions."""
    server = psutil.Process(pid)
    ended = server.cpu_times()
    live = [each.cpu_times() for each in server.children()]
    return (
        ended.children_user
        + ended.children_system
        + sum(each.user + each.system for each in (ended, *live))
    )


def main() -> int:
    """Run; return the exit status."""
    parser = argparse.ArgumentParser(prog="hundi_testbed.bench.reconciliation", description=__doc__)
    parser.add_argument("--lines", type=int, default=LINES)
    parser.add_argument("--format", choices=("csv", "camt053"), default="csv")
    parser.add_argument(
        "--folder", type=Path, help="where the database is made; removed at the end"
    )
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="hundi-reconciliation-", dir=options.folder) as folder:
        print(json.dumps(measure(options.lines, options.format, Path(folder))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
