"""An operator's checks of an account at Setu before accounts are checked by it (docs/setu.md)."""

from hundi.acquirers.port.account_checks import AccountCheck

CHECKS = (
    AccountCheck(
        "good",
        "POST /api/verify/ban/async of an account of yours, then GET by its id",
        "an id; pending, then success with data.name",
    ),
    AccountCheck(
        "wrong-account",
        "the same of an account that does not exist",
        "failed with code BAVM1",
    ),
    AccountCheck(
        "limit",
        "in the sandbox IFSC ABCD0123458",
        "failed, and a message about a limit; nothing is decided",
    ),
    AccountCheck(
        "pending",
        "in the sandbox IFSC ABCD0123450",
        "pending; nothing is decided",
    ),
    AccountCheck("wrong-secret", "the same with another secret", "no answer; nothing is decided"),
)
