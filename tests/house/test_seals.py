"""Sealed values are bound to their row: in another row they do not open."""

import ast

from tests.house.source import files

UNBOUND = {
    "src/hundi/console/join.py: f'{_PURPOSE} {person.person_id}'": (
        "a form holds it; its purpose names the person"
    ),
    "src/hundi/money/chain/actions.py: KEY_PURPOSE": (
        "one key of the gateway: its purpose is its row"
    ),
    "src/hundi/page/forms.py: _PURPOSE": "a form holds it, for a while",
    "src/hundi/partners/identity/keys/actions.py: _SIGNING_PURPOSE": (
        "one key of the gateway: its purpose is its row"
    ),
    "src/hundi/partners/identity/keys/actions.py: key.purpose": (
        "keys of the gateway: their purpose is their row"
    ),
    "src/hundi/payments/acquirer_accounts/actions.py: purpose": (
        "its purpose is the row as it reads"
    ),
    "src/hundi/payments/acquirer_accounts/seals/actions.py: purpose": (
        "its purpose is the row as it reads"
    ),
    "src/hundi/payments/acquirer_accounts/actions.py: rules.seal_purpose_before(name)": (
        "its purpose names the row"
    ),
    "src/hundi/payments/acquirer_accounts/actions.py: rules.seal_purpose_before(account.name)": (
        "the same"
    ),
    "src/hundi/payments/disputes/answers/actions.py: sealed.purpose(merchant_id, evidence_id)": (
        "its purpose names the row"
    ),
    "src/hundi/payments/disputes/documents/actions.py: purpose(merchant_id, evidence_id)": (
        "its purpose names the row"
    ),
    "src/hundi/payments/disputes/documents/actions.py: purpose(*at)": "its purpose names the row",
    "src/hundi/staff/sign_in/passkeys/actions.py: _PURPOSE": "a page holds it, for a while",
}
"""Files that seal or open without a row, with the purpose and the reason."""
BOUND_BY = {"*bound", "*_key(account)", "*_key(row)"}
"""Tuples of purpose and row, or of the row's key."""


def _calls(tree: ast.AST) -> list[ast.Call]:
    """Return the calls of a vault's two methods."""
    return [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in {"seal", "open"}
        and "vault" in ast.unparse(node.func.value)
    ]


def _is_bound(call: ast.Call) -> bool:
    starred = {ast.unparse(argument) for argument in call.args if isinstance(argument, ast.Starred)}
    return starred <= BOUND_BY if starred else len(call.args) > 2


def test_what_is_sealed_is_bound_to_its_row() -> None:
    calls = [
        (source.name, call) for source in files("src/hundi/**/*.py") for call in _calls(source.tree)
    ]
    assert len(calls) > 30
    unbound = {
        f"{name}: {ast.unparse(call.args[1])}" for name, call in calls if not _is_bound(call)
    }
    assert unbound == set(UNBOUND)
