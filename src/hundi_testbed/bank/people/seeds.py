"""Invented holders of identity numbers, the same in every register; pure."""

import base64
import hmac
import random
from dataclasses import asdict, dataclass
from functools import cache
from hashlib import sha256
from importlib.resources import files

from stdnum import verhoeff

HOLDERS = 300
_SEED = 1950
_RANGE = "9999"
"""The beginning of simulated numbers, as of the authority's own test numbers."""
_PLACES = (
    ("Pune", "Pune", "Haveli", "Maharashtra", "411001"),
    ("Mysuru", "Mysuru", "Mysuru", "Karnataka", "570001"),
    ("Madurai", "Madurai", "Madurai North", "Tamil Nadu", "625001"),
    ("Varanasi", "Varanasi", "Sadar", "Uttar Pradesh", "221001"),
    ("Thrissur", "Thrissur", "Thrissur", "Kerala", "680001"),
    ("Leh", "Leh", "Leh", "Ladakh", "194101"),
)
_WOMEN = ("Asha", "Meera", "Kavita", "Sunita", "Fatima", "Anjali", "Lakshmi")
_MEN = ("Arjun", "Ravi", "Imran", "Suresh", "Vikram", "Joseph", "Harpreet")
_FAMILIES = ("Rao", "Sharma", "Khan", "Iyer", "Patel", "Das", "Singh", "Nair", "D'Souza", "Kaur")


@dataclass(frozen=True, slots=True)
class RegisteredPerson:
    """One holder, as the register answers. dob: DD-MM-YYYY. photo: base64 of a JPEG."""

    name: str
    dob: str
    gender: str
    careof: str
    house: str
    street: str
    landmark: str
    location: str
    vtc: str
    subdistrict: str
    district: str
    post_office: str
    state: str
    country: str
    pincode: str
    mobile: str
    email: str
    vid_last4: str
    photo: str


def number(holder_no: int) -> str:
    """Return the identity number of a simulated holder.

    It is the range, seven digits, and the check digit.
    """
    first = f"{_RANGE}{holder_no:07d}"
    return first + verhoeff.calc_check_digit(first)


def reference(key: bytes, identity_number: str) -> bytes:
    """Return a holder's key in the register: the number itself is stored nowhere."""
    return hmac.digest(key, b"identity register " + identity_number.encode(), sha256)


@cache
def portrait() -> str:
    """Return the picture of every simulated holder."""
    return base64.b64encode(
        files("hundi_testbed.bank.people").joinpath("portrait.jpg").read_bytes()
    ).decode()


def seeded(key: bytes) -> list[dict[str, object]]:
    """Return every holder of a new register, by reference."""
    chance = random.Random(_SEED)  # noqa: S311 (made-up people, the same every time)
    return [
        {
            "reference": reference(key, number(holder_no)).hex(),
            "holder_no": holder_no,
            "entry": asdict(_person(chance, holder_no)),
        }
        for holder_no in range(1, HOLDERS + 1)
    ]


def _person(chance: random.Random, holder_no: int) -> RegisteredPerson:
    gender = chance.choice("FM")
    family = chance.choice(_FAMILIES)
    first = chance.choice(_WOMEN if gender == "F" else _MEN)
    vtc, district, subdistrict, state, pincode = _PLACES[holder_no % len(_PLACES)]
    # Some have no mobile number, some no e-mail address, and some lack other facts.
    return RegisteredPerson(
        name=f"{first} {family}",
        dob=f"{chance.randint(1, 28):02d}-{chance.randint(1, 12):02d}-{chance.randint(1945, 2004)}",
        gender=gender,
        careof=f"{'D/O' if gender == 'F' else 'S/O'} {chance.choice(_MEN)} {family}"
        if holder_no % 3
        else "",
        house=str(chance.randint(1, 400)),
        street=f"{chance.choice(_FAMILIES)} Marg",
        landmark="Near the old tank" if holder_no % 5 == 0 else "",
        location=f"Ward {chance.randint(1, 20)}",
        vtc=vtc,
        subdistrict=subdistrict,
        district=district,
        post_office=f"{vtc} HO",
        state=state,
        country="India",
        pincode=pincode,
        mobile="" if holder_no % 50 == 0 else f"60000{holder_no:05d}",
        email=f"{first.lower()}{holder_no}@people.example" if holder_no % 2 else "",
        vid_last4=f"{chance.randint(0, 9999):04d}",
        photo="",
    )
