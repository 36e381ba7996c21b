"""Files of payouts: control totals, the schema, once each.

And reports that are hostile, cut off or doubled.
"""

import asyncio
from itertools import count
from typing import Any

import pytest
from lxml import etree

from hundi.acquirers.port.answers import Approved, Declined, SentBack, Unknown
from hundi.kernel.money import Money
from hundi.kernel.refusals import Refused
from hundi.money.payouts import actions as payouts
from hundi.money.payouts.files import actions, forms, rules
from hundi.money.payouts.files.rules import FileForm, FileLine, PayingAccount, ReportForm
from hundi.money.payouts.rails.rules import PayoutChannel, Rail, leaves_at, rail_for
from hundi.money.payouts.rules import PayoutState, PayoutTry, Reported
from tests.money.payouts.till import CHECKER, LATER, MAKER, NUMBER, Till, open_till
from tests.payments.interrupted import InterruptedDatabase, Interruption, KilledError
from tests.shop import NOW, VAULT

PAYER = PayingAccount("Hundi Escrow", "00011122233", "SIMB0000001")
LINE = FileLine("7-P215000000000001", Rail.NEFT, 149_950, "HDFC0000001", NUMBER, "Asha Stores")
LARGE = FileLine(
    "7-P215000000000002",
    Rail.RTGS,
    3_00_000_00,
    "ICIC0000009",
    "60200054321111",
    "The Weaver & Co.",
)


@pytest.mark.parametrize("form", list(FileForm))
async def test_a_file_is_sent_once_and_made_again_to_the_byte(till: Till, form: FileForm) -> None:
    first, second = (
        await till.approved(channel=PayoutChannel.FILE),
        await till.approved(3_00_000_00, channel=PayoutChannel.FILE),
    )
    await till.approved(20_000)
    made = await actions.export(till.db, VAULT, form, PAYER, CHECKER, NOW)
    assert made is not None
    assert (made.payouts, made.paise, made.left) == (2, 149_950 + 3_00_000_00, 0)
    for payout, rail in ((first, Rail.NEFT), (second, Rail.RTGS)):
        sent = await till.again(payout)
        assert (sent.state, sent.batch_id, sent.rail) == (PayoutState.SENT, made.batch_id, rail)
        assert payout.reference.encode() in made.body
    assert NUMBER.encode() in made.body
    assert (await actions.again(till.db, VAULT, made.batch_id, PAYER)).body == made.body
    assert await actions.export(till.db, VAULT, form, PAYER, CHECKER, NOW) is None
    assert await till.broken(LATER) == set()


async def test_a_payout_without_its_cause_is_left_out(till: Till) -> None:
    await till.approved(channel=PayoutChannel.FILE)
    await till.db.execute("UPDATE merchants SET state = 'suspended'")
    made = await actions.export(till.db, VAULT, FileForm.CSV, PAYER, CHECKER, NOW)
    assert made is not None
    assert (made.payouts, made.left) == (0, 1)


async def test_the_number_of_a_file_is_known_wherever_its_export_breaks_off(till: Till) -> None:
    begun: list[int] = []
    waiting: list[PayoutTry] = []
    for at in count(1):
        while len(waiting) < 2:
            waiting.append(await till.approved(channel=PayoutChannel.FILE))
        process: Any = InterruptedDatabase(till.db, at, Interruption.KILLED)
        try:
            await actions.export(process, VAULT, FileForm.CSV, PAYER, CHECKER, NOW, begun.append)
        except KilledError:
            pass
        else:
            break
        after = [await till.again(each) for each in waiting]
        sent = [each for each in after if each.state is PayoutState.SENT]
        if sent:
            file = await actions.again(till.db, VAULT, begun[-1], PAYER)
            assert file.payouts == sum(each.batch_id == begun[-1] for each in sent)
        assert {each.batch_id for each in sent} <= set(begun)
        waiting = [each for each in after if each not in sent]
    assert process.calls > len(waiting)
    assert await till.broken(LATER) == set()


async def test_two_exports_at_once_leave_nothing_behind(till: Till) -> None:
    for number in range(1, 6):
        for _ in range(3):
            await till.approved(channel=PayoutChannel.FILE)
        files = await asyncio.gather(
            *(actions.export(till.db, VAULT, FileForm.CSV, PAYER, CHECKER, NOW) for _ in range(2))
        )
        made = [each for each in files if each is not None]
        assert [each.left for each in made] == [0] * len(made)
        assert sum(each.payouts for each in made) == 3, number
    assert await till.broken(LATER) == set()


async def test_a_report_in_every_form_is_taken_once(till: Till) -> None:
    payout = await till.approved(channel=PayoutChannel.FILE)
    await actions.export(till.db, VAULT, FileForm.CSV, PAYER, CHECKER, NOW)
    done = f"H,B1,1,1499.50\nD,{payout.reference},done,UTR1,1499.50,00,Paid\n".encode()
    assert (await actions.take(till.db, ReportForm.CSV, done, NOW)).changed == 1
    assert (await actions.take(till.db, ReportForm.CSV, done, NOW)).changed == 0
    back = camt(
        f"<EndToEndId>{payout.reference}</EndToEndId>",
        "CRDT",
        "<RtrInf><Rsn><Cd>AC06</Cd></Rsn></RtrInf>",
    )
    assert (await actions.take(till.db, ReportForm.CAMT_054, back, LATER)).changed == 1
    assert (await actions.take(till.db, ReportForm.CAMT_054, back, LATER)).unchanged == 1
    assert (await till.again(payout)).state is PayoutState.REVERSED
    assert await till.broken(LATER) == set()


def test_the_rows_of_a_file() -> None:
    text = forms.write(FileForm.CSV, "B1", PayingAccount(), [LINE, LARGE], NOW).decode()
    assert text.splitlines() == [
        "H,B1,2,301499.50",
        f"D,7-P215000000000001,NEFT,1499.50,HDFC0000001,{NUMBER},Asha Stores,B1",
        "D,7-P215000000000002,RTGS,300000.00,ICIC0000009,60200054321111,The Weaver & Co.,B1",
    ]
    head, row, _ = forms.write(FileForm.PIPE, "B1", PAYER, [LINE, LARGE], NOW).decode().splitlines()
    assert head == "FILEHDR|Hundi Escrow|B1|2|301499.50"
    assert row.startswith(
        f"NEFT|SIMB0000001|00011122233|HDFC0000001|{NUMBER}|INR|1499.50|7-P215000000000001|Asha"
    )


def test_pain_001_has_totals_for_all_and_for_each_rail() -> None:
    root = etree.fromstring(
        forms.write(FileForm.PAIN_001, "215000000000009", PAYER, [LARGE, LINE], NOW)
    )
    assert [each.text for each in root.iterfind(".//{*}CtrlSum")] == [
        "301499.50",
        "1499.50",
        "300000.00",
    ]
    assert [each.text for each in root.iterfind(".//{*}LclInstrm/{*}Prtry")] == ["NEFT", "RTGS"]
    assert [each.text for each in root.iterfind(".//{*}EndToEndId")] == [
        LINE.reference,
        LARGE.reference,
    ]


def test_what_the_schema_does_not_allow_is_not_written() -> None:
    with pytest.raises(Refused):
        forms.write(FileForm.PAIN_001, "B" * 36, PAYER, [LINE], NOW)
    with pytest.raises(Refused):
        forms.write(FileForm.PAIN_001, "B1", PayingAccount(), [LINE], NOW)
    with pytest.raises(Refused):
        forms.write(
            FileForm.PIPE, "B1", PAYER, [FileLine("r", Rail.NEFT, 1, "I", "9" * 25, "A")], NOW
        )


def camt(references: str, side: str, more: str = "") -> bytes:
    return (
        '<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.054.001.08">'
        '<BkToCstmrDbtCdtNtfctn><Ntfctn><Ntry><Amt Ccy="INR">1499.50</Amt>'
        f"<CdtDbtInd>{side}</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts><NtryDtls><TxDtls><Refs>"
        f"<AcctSvcrRef>UTR1</AcctSvcrRef>{references}</Refs>{more}</TxDtls></NtryDtls></Ntry></Ntfctn>"
        "</BkToCstmrDbtCdtNtfctn></Document>"
    ).encode()


def pain_002(count: int, *statuses: tuple[str, str]) -> bytes:
    told = "".join(
        f"<TxInfAndSts><OrgnlEndToEndId>7-P{place}</OrgnlEndToEndId><TxSts>{status}</TxSts><StsRsnInf><Rsn><Prtry>"
        f"{reason}</Prtry></Rsn><AddtlInf>words</AddtlInf></StsRsnInf><AcctSvcrRef>UTR{place}</AcctSvcrRef><OrgnlTxRef>"
        '<Amt><InstdAmt Ccy="INR">1.00</InstdAmt></Amt></OrgnlTxRef></TxInfAndSts>'
        for place, (status, reason) in enumerate(statuses)
    )
    return (
        '<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.002.001.10">'
        "<CstmrPmtStsRpt><OrgnlGrpInfAndSts>"
        f"<OrgnlNbOfTxs>{count}</OrgnlNbOfTxs><OrgnlCtrlSum>{count}.00</OrgnlCtrlSum></OrgnlGrpInfAndSts>"
        f"<OrgnlPmtInfAndSts>{told}</OrgnlPmtInfAndSts></CstmrPmtStsRpt></Document>"
    ).encode()


def test_each_status_of_pain_002() -> None:
    statuses = (
        ("ACCC", "done:00"),
        ("PDNG", "pending:01"),
        ("RJCT", "declined:AC04"),
        ("RJCT", "returned:AC06"),
    )
    said = forms.read(ReportForm.PAIN_002, pain_002(4, *statuses))
    assert said == [
        Reported("7-P0", 100, Approved(Money(100), "UTR0", code="00", message="words")),
        Reported("7-P1", 100, Unknown("01", "words")),
        Reported("7-P2", 100, Declined("AC04", "words", "UTR2")),
        Reported("7-P3", 100, SentBack("AC06", "words", "UTR3")),
    ]


def test_camt_054_tells_debits_and_returns() -> None:
    reference = "<EndToEndId>7-P1</EndToEndId>"
    assert forms.read(ReportForm.CAMT_054, camt(reference, "DBIT"))[0].answer == Approved(
        Money(149_950), "UTR1"
    )
    assert forms.read(ReportForm.CAMT_054, camt(reference, "CRDT")) == [], (
        "somebody paid us: no payout"
    )


BOMB = (
    '<?xml version="1.0"?><!DOCTYPE lolz [<!ENTITY a "aaaaaaaaaa"><!ENTITY b'
    ' "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">'
    '<!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;">]><Document>&c;</Document>'
)
FILE_ENTITY = '<!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/passwd">]><Document>&x;</Document>'
HOSTILE = {
    "bomb": BOMB.encode(),
    "outside": FILE_ENTITY.encode(),
    "in another encoding": BOMB.replace('"1.0"', '"1.0" encoding="UTF-16"').encode("utf-16"),
    "deep": b"<a>" * 100_000,
    "cut off": pain_002(1, ("ACCC", ""))[:-20],
    "a row less": pain_002(2, ("ACCC", "")),
    "another form": b'<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.001.001.09"/>',
    "too large": b"<" + b" " * rules.FILE_BYTES_MAX + b"/>",
    "empty": b"",
    "no text": b"\xff\xfe\x00",
}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("form", list(ReportForm))
def test_a_hostile_report_is_refused_whole(form: ReportForm, name: str) -> None:
    with pytest.raises(Refused):
        forms.read(form, HOSTILE[name])


@pytest.mark.parametrize(
    "text",
    [
        "H,B1,2,2.00\nD,7-P1,done,U1,1.00,00,Paid\n",
        "H,B1,1,2.00\nD,7-P1,done,U1,1.00,00,Paid\n",
        "H,B1,2,2.00\nD,7-P1,done,U1,1.00,00,Paid\nD,7-P1,done,U1,1.00,00,Paid\n",
        "H,B1,1,1.00\nD,7-P1,done,,1.00,00,Paid\n",
        "H,B1,1,1.00\nD,7-P1,lost,U1,1.00,00,Paid\n",
        "H,B1,1,1.00\nD,7-P1,done,U1,1.0.0,00,Paid\n",
        "H,B1,1,1.00\nD,7-P1,done,U1,1.00\n",
        "D,7-P1,done,U1,1.00,00,Paid\n",
    ],
)
def test_a_report_that_is_cut_off_or_doubled_is_refused_whole(text: str) -> None:
    with pytest.raises(Refused):
        forms.read(ReportForm.CSV, text.encode())


@pytest.mark.parametrize(
    ("paise", "channel", "rail"),
    [
        (1, PayoutChannel.API, Rail.IMPS),
        (5_00_000_00, PayoutChannel.API, Rail.IMPS),
        (5_00_000_01, PayoutChannel.API, Rail.RTGS),
        (1_99_999_99, PayoutChannel.FILE, Rail.NEFT),
        (2_00_000_00, PayoutChannel.FILE, Rail.RTGS),
    ],
)
def test_the_rail_follows_from_amount_and_way(
    paise: int, channel: PayoutChannel, rail: Rail
) -> None:
    assert rail_for(paise, channel) is rail


def test_neft_leaves_with_the_next_half_hour() -> None:
    assert leaves_at(Rail.NEFT, NOW.replace(hour=8, minute=1)).astimezone(
        NOW.tzinfo
    ) == NOW.replace(hour=8, minute=30)
    assert leaves_at(Rail.NEFT, NOW.replace(hour=8, minute=30)).astimezone(
        NOW.tzinfo
    ) == NOW.replace(hour=9, minute=0)
    assert leaves_at(Rail.IMPS, NOW) == NOW


async def test_who_is_suspended_keeps_nobody_else_out_of_a_file(
    till: Till, monkeypatch: pytest.MonkeyPatch
) -> None:
    await till.approved(channel=PayoutChannel.FILE)
    await till.db.execute("UPDATE merchants SET state = 'suspended'")
    monkeypatch.setattr(rules, "PAYOUTS_MAX", 1)
    other = await open_till(till.db)
    await other.settle()
    await other.add_account()
    await other.check_accounts()
    share_id = await other.settle(70_000)
    await payouts.prepare(other.context, NOW)
    payout = await other.of_share(share_id)
    await other.approve(payout, MAKER, PayoutChannel.FILE)
    await other.approve(payout, CHECKER)
    made = await actions.export(till.db, VAULT, FileForm.CSV, PAYER, CHECKER, NOW)
    assert made is not None
    assert made.payouts == 1
