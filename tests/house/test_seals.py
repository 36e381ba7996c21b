"""What the database holds sealed is bound to its row: in another one it opens to nothing."""

import ast

from tests.house.source import files

UNBOUND = {
    "src/hundi/console/join.py": "a form holds it, for a person whom its purpose names",
    "src/hundi/money/chain/actions.py": "one key of the gateway: its purpose is its row",
    "src/hundi/page/forms.py": "a form holds it, for a while",
    "src/hundi/partners/identity/actions.py": "one key of the gateway, beside consents, which are bound",
    "src/hundi/payments/acquirer_accounts/actions.py": "its purpose is the row as it reads",
    "src/hundi/payments/disputes/actions.py": "its purpose names the row",
    "src/hundi/payments/disputes/sealed.py": "its purpose names the row",
    "src/hundi/staff/sign_in/passkeys.py": "a page holds it, for a while",
}
"""Files that seal or open without a row, and why they may."""


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
    return len(call.args) > 2 or any(isinstance(each, ast.Starred) for each in call.args)


def test_what_is_sealed_is_bound_to_its_row() -> None:
    calls = {source.name: _calls(source.tree) for source in files("src/hundi/**/*.py")}
    assert sum(map(len, calls.values())) > 30
    assert {name for name, found in calls.items() if not all(map(_is_bound, found))} == set(UNBOUND)
