"""Plausible invented businesses, the same hundreds in every register; pure."""

import random
from dataclasses import asdict, dataclass, field

from stdnum import luhn

BUSINESSES = 300
_SEED = 2026
_ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_LETTERS = _ALPHABET[10:]
_PLACES = (
    ("27", "Maharashtra", "Pune", "411001", "MH"),
    ("29", "Karnataka", "Mysuru", "570001", "KA"),
    ("33", "Tamil Nadu", "Madurai", "625001", "TN"),
    ("36", "Telangana", "Warangal", "506002", "TS"),
    ("24", "Gujarat", "Surat", "395003", "GJ"),
    ("09", "Uttar Pradesh", "Varanasi", "221001", "UP"),
    ("19", "West Bengal", "Siliguri", "734001", "WB"),
    ("32", "Kerala", "Thrissur", "680001", "KL"),
    ("07", "Delhi", "New Delhi", "110006", "DL"),
    ("38", "Ladakh", "Leh", "194101", "LA"),
)
_FIRST = (
    "Asha",
    "Bharat",
    "Chetana",
    "Deepak",
    "Ekta",
    "Ganga",
    "Himal",
    "Indus",
    "Jyoti",
    "Kaveri",
    "Lotus",
    "Malwa",
)
_TRADES = (
    "Handlooms",
    "Spices",
    "Electricals",
    "Foods",
    "Ceramics",
    "Agro",
    "Textiles",
    "Pharma",
    "Tools",
    "Books",
)
_CONSTITUTIONS = {
    "Private Limited Company": ("C", "Private Limited"),
    "Proprietorship": ("P", ""),
    "Partnership": ("F", "& Sons"),
    "Limited Liability Partnership": ("F", "LLP"),
    "Public Limited Company": ("C", "Limited"),
    "Society/ Club/ Trust/ AOP": ("A", "Association"),
}
_ACTIVITIES = (
    "Retail Business",
    "Wholesale Business",
    "Supplier of Services",
    "Factory / Manufacturing",
    "Export",
)
STATUSES = ("Active", "Cancelled", "Suspended")
_MOSTLY_ACTIVE = ("Active",) * 7 + STATUSES


@dataclass(frozen=True, slots=True)
class Address:
    """The address of a business."""

    nature: str
    full: str
    kind: str
    email: str
    updated: str
    mobile: str


@dataclass(frozen=True, slots=True)
class RegisteredBusiness:
    """One registration, with the fields of the register's answer."""

    gstin: str
    legal_name: str
    trade_name: str
    taxpayer_type: str
    constitution: str
    status: str
    registered_on: str
    updated_on: str
    cancelled_on: str
    state_jurisdiction_code: str
    state_jurisdiction: str
    centre_jurisdiction_code: str
    centre_jurisdiction: str
    activities: tuple[str, ...]
    principal: Address
    additional: tuple[Address, ...] = ()
    members: tuple[str, ...] = ()
    cancel_flag: str = "NA"
    compliance_rating: str = "NA"
    preparer: str = "NA"
    contact: dict[str, str | None] = field(default_factory=dict)


def seeded() -> list[dict[str, object]]:
    """Return every business of a new register."""
    chance = random.Random(_SEED)  # noqa: S311 (made-up businesses, the same every time)
    return [asdict(_business(chance, number)) for number in range(BUSINESSES)]


def _business(chance: random.Random, number: int) -> RegisteredBusiness:
    code, state, city, pincode, short = _PLACES[number % len(_PLACES)]
    constitution, (kind, suffix) = chance.choice(list(_CONSTITUTIONS.items()))
    name = f"{chance.choice(_FIRST)} {chance.choice(_TRADES)}"
    serial = f"{chance.choice(_LETTERS)}{chance.choice(_LETTERS)}{chance.choice(_LETTERS)}"
    pan = f"{serial}{kind}{name[0]}{1000 + number}{chance.choice(_LETTERS)}"
    first = f"{code}{pan}1Z"
    status = chance.choice(_MOSTLY_ACTIVE)
    day = f"{chance.randint(1, 28):02d}/{chance.randint(1, 12):02d}"
    street = f"{chance.randint(1, 99)}, {chance.choice(_FIRST)} Marg"
    address = Address(
        nature=chance.choice(_ACTIVITIES),
        full=f"{street}, {city}, {state}, {pincode}",
        kind="Principal place",
        email=f"accounts{number}@business.example",
        updated=f"{day}/2023",
        mobile=f"60000{number:05d}",
    )
    second = Address(
        "Warehouse / Depot",
        f"Plot {number}, {city}, {state}, {pincode}",
        "Additional place",
        "",
        "",
        "",
    )
    return RegisteredBusiness(
        gstin=first + luhn.calc_check_digit(first, _ALPHABET),
        legal_name=f"{name} {suffix}".strip().upper(),
        trade_name=name,
        taxpayer_type="Composition" if number % 9 == 0 else "Regular",
        constitution=constitution,
        status=status,
        registered_on=f"{day}/2018",
        updated_on=f"{day}/2023",
        cancelled_on=f"{day}/2024" if status == "Cancelled" else "",
        state_jurisdiction_code=f"{short}{number:03d}",
        state_jurisdiction=f"{city} circle {number % 7 + 1}",
        centre_jurisdiction_code=f"{short[0]}X{number:04d}",
        centre_jurisdiction=f"Range {number % 5 + 1}, {city}",
        activities=tuple(chance.sample(_ACTIVITIES, 2)),
        principal=address,
        additional=(second,) if number % 4 == 0 else (),
        members=(f"{chance.choice(_FIRST)} Rao",),
        contact={
            "email": address.email,
            "mobile": address.mobile,
            "name": f"{chance.choice(_FIRST)} Rao",
        },
    )
