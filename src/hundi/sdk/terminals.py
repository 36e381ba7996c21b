"""Terminals' sales, as partners report and read them (docs/spec/partner-interfaces.md#pos)."""

from hundi.wire.partner.pos import TerminalSale
from hundi.wire.partner.pos_entries import EntryResult, TerminalEntry

__all__ = ["EntryResult", "TerminalEntry", "TerminalSale"]
