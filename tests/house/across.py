"""Statements that touch rows of several merchants, and why they may (test_schema.py)."""

ACROSS_MERCHANTS = {
    "hundi.console.queries.providers.SELECT_CHECKS": "the operator's page of providers: checks",
    "hundi.console.queries.providers.SELECT_LIST": "the payouts behind one number of that page",
    "hundi.console.queries.providers.SELECT_MANDATES": "the same page: mandates",
    "hundi.console.queries.providers.SELECT_PAYOUTS": "the same page: payouts by state",
    "hundi.doctor.outside.store.SELECT_ENDPOINTS": "the doctor reaches each merchant's server",
    "hundi.console.queries.channels.SELECT_SPANS": "a bank that is down is down for every merchant",
    "hundi.payments.payers.store.FIND": "a payer's bank statement names no merchant of ours",
    "hundi.console.queries.letters.SELECT_ACROSS": "the operator's list of letters",
    "hundi.console.queries.letters.SELECT_ACROSS_RISING": "the same list, from its other end",
    "hundi.letters.store.SELECT_DUE": "the due-loop's look: letters",
    "hundi.staff.people.telling.store.SELECT_COMPLAINTS": (
        "open complaints, by their own index: people are told of each once"
    ),
    "hundi.staff.people.telling.store.SELECT_DISPUTES_DUE": (
        "a schedule's look: disputes whose merchants are told"
    ),
    "hundi.staff.people.telling.store.SELECT_FAILING": (
        "a schedule's look: endpoints whose merchants are told"
    ),
    "hundi.staff.people.telling.store.SELECT_PAYOUTS_RETURNED": (
        "a schedule's look: payouts whose merchants are told"
    ),
    "hundi.console.queries.across.SELECT_MERCHANTS": "the operator's list of merchants",
    "hundi.console.queries.home.SELECT_LIVE": "the operator's charts: whose payments are counted",
    "hundi.staff.approvals.store.SELECT_OF_MAKER": (
        "what an operator who is removed asked for may be anywhere"
    ),
    "hundi.staff.trail.store.SELECT_ABOUT_PEOPLE": (
        "where a person belongs is told by the trails of all places"
    ),
    "hundi.staff.people.store.IS_OLDER": "whether an installation is a new one",
    "hundi.staff.people.store.SELECT_OF_PERSON": "where a person who signs in belongs",
    "hundi.money.payouts.utrs.store.SELECT_UTR_OF": (
        "a provider may name the UTR of another merchant's payout"
    ),
    "hundi.money.payouts.fees.store.SUM_OF_PROVIDERS": (
        "a provider's invoice has the payouts of every merchant"
    ),
    "hundi.money.reconciliation.clocks.store.SELECT_HANGING": (
        "the operator's list of what regulation has a time for"
    ),
    "hundi.money.reconciliation.store.FIND_BY_RRN": (
        "a statement's line whose reference is none of ours"
    ),
    "hundi.money.reconciliation.store.SELECT_MERCHANTS": (
        "finds the merchants whose payments may be missing there"
    ),
    "hundi.money.reconciliation.store.SELECT_OWNERS": (
        "finds the merchants with items of an acquirer"
    ),
    "hundi.money.reconciliation.proposals.store.COUNT_MATCHES": "the operator's work list, counted",
    "hundi.money.reconciliation.proposals.store.COUNT_ITEMS": "the operator's work list, counted",
    "hundi.money.reconciliation.proposals.store.SELECT_ITEMS": "the operator's work list",
    "hundi.money.reconciliation.proposals.store.SELECT_WAITING": "the operator's list of proposals",
    "hundi.infra.secrets.sealed.store.COUNT_SEALED": (
        "a key is retired when nobody's secret is sealed under it"
    ),
    "hundi.notifications.store.SELECT_OUTSTANDING": "the due-loop's look: deliveries",
    "hundi.notifications.store.SELECT_OUTSTANDING_OF_SPAN": "the same look beside a demo's past",
    "hundi.notifications.endpoints.store.SELECT_WORK": "the due-loop's look: further addresses",
    "hundi.notifications.endpoints.store.SELECT_SEALED": "a new key seals every endpoint anew",
    "hundi.infra.monitoring.store.COUNT_UNANSWERED": "counts what nobody answered, for alarms",
    "hundi.infra.monitoring.store.COUNT_LETTERS_LATE": "counts what nobody sent, for alarms",
    "hundi.infra.monitoring.store.COUNT_RETURNED": "counts what came back, for alarms",
    "hundi.infra.monitoring.store.COUNT_ODD_PAYOUTS": "counts what people must see, for alarms",
    "hundi.infra.monitoring.store.COUNT_SHARES_UNANSWERED": "counts what is open, for alarms",
    "hundi.infra.monitoring.store.COUNT_REVERSALS_OWED": "counts what is owed long, for alarms",
    "hundi.infra.monitoring.store.COUNT_DISPUTES_DUE": "counts what must be answered, for alarms",
    "hundi.infra.monitoring.store.SELECT_OVERDUE_S": (
        "for how long the oldest item of each kind of work waits"
    ),
    "hundi.payments.captures.store.SELECT_DUE": "the due-loop's look: completions",
    "hundi.payments.captures.store.SELECT_UNCAPTURED": (
        "the due-loop's look: authorisations that nobody captured"
    ),
    "hundi.payments.orders.store.SELECT_INQUIRIES": "the due-loop's look: attempts to ask about",
    "hundi.payments.links.reminders.store.SELECT_DUE": (
        "the due-loop's look: reminders of payment links"
    ),
    "hundi.payments.links.store.SELECT_DUE": "the due-loop's look: orders under payment links",
    "hundi.money.reports.across.store.SELECT_MERCHANTS": "the operator's reports over all",
    "hundi.money.reports.across.store.SUM_SETTLED": "what the whole ledger says, beside them",
    "hundi.money.reports.across.store.SUM_CHARGED": "the same, of fees and tax",
    "hundi.money.reports.across.store.SUM_BALANCES": "the same, of every account",
    "hundi.money.reports.files.store.SELECT_DUE": "the due-loop's look: files of reports",
    "hundi.money.reports.schedules.store.SELECT_DUE": "the due-loop's look: schedules of reports",
    "hundi.payments.orders.store.SELECT_OVERDUE": "the due-loop's look: sessions that are over",
    "hundi.payments.orders.store.NEWEST_OPEN": (
        "a schedule's look: a payment page to inspect, of whichever merchant"
    ),
    "hundi.payments.refunds.store.SELECT_REFUNDS_OWED": "the due-loop's look: refunds owed",
    "hundi.infra.demo_clock.store.COUNT_DUE": (
        "whether a demo's worker has caught up with its clock"
    ),
    "hundi.infra.demo_clock.store.COUNT_EVENTS": "what a move of a demo's clock made happen",
    "hundi.payments.refunds.store.SELECT_DUE": "the due-loop's look: refunds",
    "hundi.payments.saved_cards.store.SELECT_TO_END": (
        "a schedule's look: deleted cards whose network was not told"
    ),
    "hundi.payments.subscriptions.store.SELECT_DUE": "the due-loop's look: subscriptions",
    "hundi.payments.subscriptions.store.SELECT_TO_ASK": (
        "the due-loop's look: mandates to ask about"
    ),
    "hundi.payments.subscriptions.store.SELECT_NAMED": (
        "an acquirer's webhook names a mandate by the acquirer's own name, and no merchant"
    ),
    "hundi.payments.subscriptions.store.SELECT_DEBITS_DUE": (
        "the due-loop's look: debits of subscriptions"
    ),
    "hundi.payments.subscriptions.store.SELECT_NEXT_DUE": (
        "when anything falls due next, for the clock of a demo"
    ),
    "hundi.payments.subscriptions.store.SELECT_DUE_WITHIN": (
        "what waits for a bank, for the clock of a demo"
    ),
    "hundi.payments.disputes.store.SELECT_DUE": "the due-loop's look: phases of disputes",
    "hundi.payments.disputes.store.SELECT_NEXT_DUE": (
        "when anything falls due next, for the clock of a demo"
    ),
    "hundi.payments.disputes.store.SELECT_SEALED": "a new key seals everybody's documents anew",
    "hundi.money.audit": "the auditor reads the whole books, in a snapshot of its own",
    "hundi.money.bank_accounts.store.SELECT_DUE": "the due-loop's look: accounts to check",
    "hundi.money.bank_accounts.store.SELECT_ALL": "what the operator looks at after an upgrade",
    "hundi.money.fees.store.SELECT_NUMBERS": "what the operator looks at after an upgrade",
    "hundi.money.bank_accounts.store.SELECT_SEALED": "a new key seals everybody's numbers anew",
    "hundi.money.bank_accounts.papers.store.SELECT_SEALED": "a new key seals every paper anew",
    "hundi.money.payouts.balances.store.SELECT_AWAITING": "what waits for a provider's balance",
    "hundi.money.payouts.balances.store.SELECT_SENT_SINCE": "what a provider sent",
    "hundi.money.payouts.balances.store.SELECT_WAITING": "what waits beside the balances",
    "hundi.money.payouts.store.SELECT_ALL": "the operator's list of payouts",
    "hundi.money.payouts.store.SELECT_DUE": "the due-loop's look: payouts",
    "hundi.money.payouts.files.store.SELECT_OF_BATCH": (
        "a file for the operator's bank holds payouts of many merchants"
    ),
    "hundi.money.payouts.files.store.SELECT_TO_EXPORT": (
        "a file for the operator's bank holds payouts of many merchants"
    ),
    "hundi.money.payouts.store.SELECT_TO_PREPARE": "a schedule's look: shares that have no payout",
    "hundi.payments.direct_shares.store.SELECT_DUE": "the due-loop's look: direct shares",
    "hundi.payments.archive.store.SELECT_MERCHANTS": (
        "finds the merchants whose old payments are moved"
    ),
    "hundi.payments.availability.store.SELECT_OUTCOMES": (
        "a bank that is down is down for every merchant"
    ),
    "hundi.payments.routing.store.SELECT_OUTCOMES": (
        "an acquirer that is down is down for every merchant"
    ),
    "hundi.payments.routing.store.SELECT_MERCHANTS": (
        "finds the merchants whose latest attempts show how an acquirer does"
    ),
    "hundi.money.chain.store._NEXT_MERCHANT": (
        "finds the merchants whose books are sealed, by a gateway-wide schedule"
    ),
    "hundi.money.settlements.finding.store.SELECT_NEWEST": (
        "the operator's list of the newest settlements"
    ),
    "hundi.money.settlements.store.SELECT_MERCHANTS": (
        "finds the merchants to settle, by a gateway-wide schedule"
    ),
    "hundi.money.ledger.store._NEXT_POSTED": (
        "finds the merchants with postings to roll up, by a gateway-wide schedule"
    ),
    "hundi.partners.identity.store.CONSENTS_AFTER": "a new key seals everybody's consents anew",
    "hundi.partners.leads.store.SELECT_KEYS": "a new key seals everybody's leads anew",
    "hundi.merchants.directory.store.SELECT_ALL": "the operator's list of merchants",
    "hundi.notifications.status.store._FAILING": "the operator's list of failing endpoints",
    "hundi.partners.offers.store.SEALED_AFTER": "a new key seals everybody's offers anew",
    "hundi.partners.directory.store.SELECT_ALL": "the operator's list of partners",
    "hundi.partners.directory.store.SELECT_BY_CARD_TOKEN": (
        "finds the partner, which the token alone names"
    ),
    "hundi.payments.reviews.store.SELECT_WAITING": "the operator's list of payments to review",
    "hundi.payments.search.store.SELECT_BEHIND": (
        "finds the merchants whose new payments a schedule indexes"
    ),
    "hundi.payments.tallies.store.SELECT_UNSUMMED": (
        "finds the merchants whose days a schedule sums anew"
    ),
    "hundi.payments.tallies.store.SELECT_BEHIND": (
        "finds the merchants whose hours a schedule counts"
    ),
    "hundi.payments.splits.store.SELECT_SEALED": "a new key seals everybody's numbers anew",
}
"""Statements, or whole stores, that read several merchants' rows at once, and the reasons."""

CLEAN_UPS = {
    "hundi.merchants.access.store.SWEEP_FAILURES",
    "hundi.merchants.access.store.SWEEP_REFUSED",
    "hundi.merchants.access.store.SWEEP_TOKENS",
    "hundi.letters.store.SWEEP",
    "hundi.letters.store.DROP_FILES",
    "hundi.payments.orders.telling.store.SWEEP_LANGUAGES",
    "hundi.merchants.idempotency.store.SWEEP",
    "hundi.notifications.endpoints.store.SWEEP",
    "hundi.notifications.endpoints.store.SWEEP_TRIES",
    "hundi.partners.directory.store.SWEEP_CALLS",
    "hundi.partners.directory.store.SWEEP_LOOKUPS",
    "hundi.partners.identity.store.SWEEP",
    "hundi.partners.offers.store.SWEEP",
    "hundi.payments.methods.upi.store.SWEEP",
    "hundi.payments.risk.store.SWEEP_CARDS",
    "hundi.payments.risk.store.SWEEP_COUNTS",
}
"""Statements that delete rows of every merchant by their age, from a gateway-wide schedule."""
