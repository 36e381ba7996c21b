"""The console's icons, drawn for it as lines in the colour of the text around them."""

from hundi.infra.look.icons import BANK, CARD, DONE, MOVES, all_drawn

_LINES = {
    "home": '<path d="M4 11.5 12 4.5l8 7M6.5 10v9.5h11V10"/>',
    "payments": CARD,
    "links": (
        '<path d="M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1.5 1.5m2 1a4 4 0 0 0-6 0l-3 3a4 4 0 0 0'
        ' 6 6l1.5-1.5"/>'
    ),
    "refunds": '<path d="M9 6 4.5 10.5 9 15M4.5 10.5H15a4.5 4.5 0 0 1 0 9h-4"/>',
    "settlements": BANK,
    "payouts": '<path d="M12 19V6m0 0-4.5 4.5M12 6l4.5 4.5M5 20h14"/>',
    "disputes": '<path d="M12 4v16M6 20h12M4 8h16M7 8l-3 6.5h6zM17 8l-3 6.5h6z"/>',
    "subscriptions": '<path d="M19 12a7 7 0 1 1-2.5-5.4M19 4v4h-4"/>',
    "reconciliation": MOVES,
    "customers": '<circle cx="12" cy="8.5" r="3.5"/><path d="M5 19.5a7 7 0 0 1 14 0"/>',
    "people": (
        '<circle cx="9" cy="9" r="3"/><path d="M4 19a5 5 0 0 1 10 0M15 6.5a3 3 0 0 1 0 5m2 3a6 6 0'
        ' 0 1 3 5"/>'
    ),
    "approvals": '<path d="M5 4.5h14v15H5zM8.5 12l2.5 2.5 4.5-5"/>',
    "trail": '<path d="M6 4.5h9l3.5 3.5v11.5H6zM9 11.5h6.5M9 14.5h6.5M9 17.5h4"/>',
    "developers": '<path d="m8.5 7-5 5 5 5m7-10 5 5-5 5"/>',
    "deliveries": '<path d="M4 6h16v12H4zM4 7l8 6 8-6"/>',
    "charts": '<path d="M4.5 19.5h15M7 16v-5M12 16V6M17 16v-8"/>',
    "channels": '<path d="M4 12h4l2.5-6 3.5 12 2.5-6H20"/>',
    "acquirers": '<path d="M9 4v4.5m6-4.5v4.5M6.5 8.5h11v3a5.5 5.5 0 0 1-11 0zM12 17v3.5"/>',
    "routing": (
        '<path d="M4 12h5c4 0 4-5.5 8-5.5h3M9 12c4 0 4 5.5 8 5.5h3M17.5 4 20 6.5 17.5 9m0 6 2.5'
        ' 2.5-2.5 2.5"/>'
    ),
    "leads": '<path d="M4.5 9 6 4.5h12L19.5 9M4.5 9v10.5h15V9M4.5 9h15M9.5 19.5v-6h5v6"/>',
    "terminals": (
        '<rect x="7" y="3.5" width="10" height="17" rx="2"/><path d="M9.5 7h5v3.5h-5zM9.5 14h5m-5'
        ' 3h5"/>'
    ),
    "settings": (
        '<circle cx="12" cy="12" r="3"/><path d="M12 4v3m0 10v3M4 12h3m10 0h3M6.3 6.3l2.2 2.2m7 7'
        ' 2.2 2.2"/>'
    ),
    "merchants": (
        '<path d="M4.5 9 6 4.5h12L19.5 9M4.5 9a2.5 2.5 0 0 0 5 0m0 0a2.5 2.5 0 0 0 5 0M6'
        ' 12v7h12v-7"/>'
    ),
    "search": '<circle cx="10.5" cy="10.5" r="6"/><path d="m15 15 5 5"/>',
    "you": (
        '<circle cx="12" cy="12" r="9"/><circle cx="12" cy="10" r="3"/><path d="M6.5 18.5a6 6 0 0'
        ' 1 11 0"/>'
    ),
    "menu": '<path d="M4 7h16M4 12h16M4 17h16"/>',
    "done": DONE,
    "lab": (
        '<rect x="5" y="11" width="14" height="9" rx="2"/><path d="M8.5 11V8a3.5 3.5 0 0 1 7 0M12'
        ' 14.5v2"/>'
    ),
    "key": '<circle cx="8" cy="14.5" r="4"/><path d="m11 11.5 8-8M15.5 7l3 3"/>',
}

ICONS = all_drawn(_LINES)
