"""The icons of the payment page: one line each, in the colour of the text around them."""

from hundi.infra.look.icons import BANK, CARD, DONE, MOVES, all_drawn, drawn

_LINES = {
    "paid": DONE,
    "lock": (
        '<rect x="5.5" y="10.5" width="13" height="9" rx="2"/><path d="M8.5 10.5V8a3.5 3.5 0 0 1 7'
        ' 0v2.5"/>'
    ),
    "qr": (
        '<path d="M4 4h6v6H4zM14 4h6v6h-6zM4 14h6v6H4zM14 14h2v2h-2zM18 14h2M14 18v2M18 18h2v2"/>'
    ),
    "at": (
        '<circle cx="12" cy="12" r="3.5"/><path d="M15.5 8.5v4.5a2.5 2.5 0 0 0 5 0v-1a8.5 8.5 0 1'
        ' 0-3.5 6.9"/>'
    ),
    "bank": BANK,
    "wallet": (
        '<rect x="3" y="6" width="18" height="13" rx="2.5"/><path d="M21 11h-5.5a2 2 0 0 0 0'
        ' 4H21M6 6l9-2v2"/>'
    ),
    "later": (
        '<circle cx="10" cy="12" r="6.5"/><path d="M10 8.5V12l2.5 1.5M18 6.5v5m0 0-2-2m2 2 2-2"/>'
    ),
    "mandate": '<path d="M7 3.5h7l4 4v13H7zM14 3.5v4h4M9.5 14.5l2 2 4-4.5"/>',
    "transfer": MOVES,
    "slip": '<path d="M6 3.5h9l3.5 3.5v13.5H6zM14.5 3.5V7.5h4M9 11.5h6.5M9 14.5h6.5M9 17.5h4"/>',
    "cash": (
        '<rect x="3" y="6.5" width="18" height="11" rx="2"/><circle cx="12" cy="12" r="2.5"/><path'
        ' d="M6 12h1"/>'
    ),
    "emi": (
        '<rect x="4" y="5.5" width="16" height="14" rx="2.5"/><path d="M4 10h16M8 3.5v4m8-4v4M8'
        ' 14h3m2.5 0H16"/>'
    ),
    "card": CARD,
}

ICONS = all_drawn(_LINES) | {"chevron": drawn('<path d="m7 10 5 5 5-5"/>', "icon chevron")}
