"""Every check of the contract: the tests of each connector run them on its network."""

from collections.abc import Awaitable, Callable

from hundi.acquirers.contract.cards import (
    check_card,
    check_card_declined,
    check_challenge_failed,
    check_identification,
    check_moto,
)
from hundi.acquirers.contract.checkout import (
    check_checkout,
    check_direct_cards,
    check_returns,
    check_triggers,
    check_upi_links,
)
from hundi.acquirers.contract.consents import (
    check_bank_mandates,
    check_card_mandates,
    check_direct_mandates,
    check_link_mandates,
    check_mandates,
    check_tokens,
)
from hundi.acquirers.contract.disputes import check_disputes
from hundi.acquirers.contract.instalments import (
    check_direct_instalments,
    check_hosted_instalments,
    check_instalments,
)
from hundi.acquirers.contract.payments import (
    check_addresses,
    check_amount_is_part_of_the_key,
    check_callbacks_need_a_signature,
    check_capture,
    check_collect,
    check_hold_ends_one_way,
    check_redirects,
    check_refunds,
    check_test_instruments,
    check_unknown_reference,
    check_void,
)
from hundi.acquirers.contract.payouts import (
    check_accounts_of_payouts,
    check_balance,
    check_payouts,
    check_rails,
    check_refused_payouts,
)
from hundi.acquirers.contract.questions import check_echo, check_schedule
from hundi.acquirers.contract.reports import check_settlement_reports, check_settlement_totals
from hundi.acquirers.contract.splits import (
    check_parties,
    check_refunds_of_shares,
    check_reversals,
    check_shares,
)
from hundi.acquirers.contract.steps import ConnectorCase
from hundi.acquirers.contract.transfers import check_accounts, check_vouchers
from hundi.acquirers.port.payments import Connector

Check = Callable[[Connector, ConnectorCase], Awaitable[None]]
CHECKS: tuple[Check, ...] = (
    check_unknown_reference,
    check_schedule,
    check_echo,
    check_collect,
    check_upi_links,
    check_checkout,
    check_direct_cards,
    check_triggers,
    check_returns,
    check_card,
    check_card_declined,
    check_challenge_failed,
    check_amount_is_part_of_the_key,
    check_identification,
    check_tokens,
    check_mandates,
    check_card_mandates,
    check_bank_mandates,
    check_link_mandates,
    check_direct_mandates,
    check_moto,
    check_capture,
    check_void,
    check_hold_ends_one_way,
    check_refunds,
    check_redirects,
    check_instalments,
    check_direct_instalments,
    check_hosted_instalments,
    check_accounts,
    check_vouchers,
    check_rails,
    check_payouts,
    check_refused_payouts,
    check_balance,
    check_accounts_of_payouts,
    check_parties,
    check_shares,
    check_reversals,
    check_refunds_of_shares,
    check_disputes,
    check_settlement_reports,
    check_settlement_totals,
    check_addresses,
    check_test_instruments,
    check_callbacks_need_a_signature,
)
OF_PAYING: tuple[Check, ...] = (
    check_upi_links,
    check_checkout,
    check_direct_cards,
    check_redirects,
    check_refunds,
)
"""Checks in which a customer pays.

They run again where the acquirer adds a fee for the customer.
"""
