"""PayU's hashes, of commands and of answers with a charge; see docs/payu.md."""

from collections.abc import Mapping

from hundi.acquirers.calls.form_hashes import answer_hash, hash_of, holds


def command_hash(key: str, command: str, var1: str, salt: str) -> str:
    """Return the hash of a command; its other variables are not covered."""
    return hash_of(key, command, var1, salt)


def answer_holds(form: Mapping[str, str], key: str, salt: str) -> bool:
    """Return whether an answer is PayU's, and about this merchant account.

    A charge that PayU added to the amount leads the hash. It has two spellings in PayU's documents;
    a charge of 0 is in answers whose hash is made without it.
    """
    charges = form.get("additionalCharges", "")
    led_by = [charges] if charges else [form.get("additional_charges", ""), ""]
    hashes = (answer_hash(form, salt, each) for each in led_by)
    return holds(form, hashes) and form.get("key") == key
