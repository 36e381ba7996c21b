"""The code table is the one of docs/spec/states-and-codes.md#response-codes."""

from hundi.wire.codes import BY_WIRE, Code

DECIDED = [
    "00",
    "101",
    "102",
    "103",
    "104",
    "105",
    "108",
    "110",
    "111",
    "112",
    "113",
    "120",
    "121",
    "122",
    "130",
    "131",
    "413",
    "429",
    "501",
    "503",
    "903",
    "U04",
    "992",
    "999",
]
OURS = [
    "106",
    "114",
    "123",
    "124",
    "125",
    "132",
    "140",
    "141",
    "142",
    "143",
    "144",
    "145",
    "146",
    "904",
    "991",
]
"""Of the auxiliary interfaces, risk rules, disputes and tokens."""


def test_every_decided_code_is_there_once():
    assert sorted(BY_WIRE) == sorted([*DECIDED, *OURS])
    assert {*Code} == {*BY_WIRE.values()}, "two codes share their spelling on the wire"


def test_every_code_has_words_and_says_whether_a_retry_can_help():
    for code in Code:
        assert code.words
        assert code.retry in {"never", "after_fix", "later"}
    assert BY_WIRE["903"].words == "Invalid client id or secret"
    assert {code.wire for code in Code if code.retry == "later"} == {
        "123",
        "131",
        "132",
        "429",
        "991",
        "992",
        "999",
    }
