"""Forms of Indian registration numbers: GSTIN, PAN, CIN, IFSC, PIN codes, mobile numbers; pure.

See docs/spec/domain.md#registrations. Each function returns in words what would be right, or "" for
a possible number.
"""

import re

from stdnum import luhn

STATES = {
    "01": "Jammu and Kashmir",
    "02": "Himachal Pradesh",
    "03": "Punjab",
    "04": "Chandigarh",
    "05": "Uttarakhand",
    "06": "Haryana",
    "07": "Delhi",
    "08": "Rajasthan",
    "09": "Uttar Pradesh",
    "10": "Bihar",
    "11": "Sikkim",
    "12": "Arunachal Pradesh",
    "13": "Nagaland",
    "14": "Manipur",
    "15": "Mizoram",
    "16": "Tripura",
    "17": "Meghalaya",
    "18": "Assam",
    "19": "West Bengal",
    "20": "Jharkhand",
    "21": "Odisha",
    "22": "Chhattisgarh",
    "23": "Madhya Pradesh",
    "24": "Gujarat",
    "25": "Daman and Diu",
    "26": "Dadra and Nagar Haveli and Daman and Diu",
    "27": "Maharashtra",
    "28": "Andhra Pradesh (before 2014)",
    "29": "Karnataka",
    "30": "Goa",
    "31": "Lakshadweep",
    "32": "Kerala",
    "33": "Tamil Nadu",
    "34": "Puducherry",
    "35": "Andaman and Nicobar Islands",
    "36": "Telangana",
    "37": "Andhra Pradesh",
    "38": "Ladakh",
    "96": "Foreign country",
    "97": "Other Territory",
    "99": "Centre Jurisdiction",
}
"""Names by GST state code; python-stdnum lacks some and refuses real numbers.

See docs/spec/domain.md#gst-states.
"""
_ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_GSTIN = re.compile(
    r"[0-9]{2}(?:[A-Z]{4}[A-Z0-9][0-9]{4}[A-Z][1-9A-Z][1-9A-JZ][0-9A-Z]"  # a PAN or a TAN
    r"|[0-9]{2}[A-Z]{3}[0-9]{5}(?:NR|OS|UN|ON)[0-9A-Z])\Z"  # non-residents, online services, UN
)
_PAN = re.compile(r"[A-Z]{3}[ABCEFGHJLKPT][A-Z](?!0000)[0-9]{4}[A-Z]\Z")
_CIN = re.compile(
    r"[LU][0-9]{5}[A-Z]{2}[0-9]{4}(?P<kind>PTC|PLC|OPC|FTC|GOI|SGC|NPL|ULL|ULT|FLC|GAP|GAT)[0-9]{6}\Z"
)
_LLPIN = re.compile(r"[A-Z]{3}-?[0-9]{4}\Z")
_IFSC = re.compile(r"[A-Z]{4}0[A-Z0-9]{6}\Z")
_PIN_CODE = re.compile(r"[1-9][0-9]{5}\Z")
_MOBILE = re.compile(r"[6-9][0-9]{9}\Z")


def gstin_check_character(first: str) -> str:
    """Return the last character of a GSTIN from its first 14 (docs/spec/domain.md#gstin)."""
    return luhn.calc_check_digit(first, _ALPHABET)


def gstin_fault(gstin: str) -> str:
    """Check a GSTIN: form, state and check character."""
    if not _GSTIN.match(gstin):
        return "15 characters: state, PAN, number, Z and a check character, as in 27AAPFU0939F1ZV"
    if gstin[:2] not in STATES:
        return "a state code of GST in the first two places"
    if gstin_check_character(gstin[:-1]) != gstin[-1]:
        return "a check character that fits the other 14; one of them was mistyped"
    return ""


def pan_of(gstin: str) -> str:
    """Return the PAN inside a GSTIN of the usual kind."""
    return gstin[2:12]


def pan_fault(pan: str) -> str:
    """Check a PAN."""
    return "" if _PAN.match(pan) else "10 characters, as in AAPFU0939F: the fourth says whose it is"


def pan_holder(pan: str) -> str:
    """Return the letter of a PAN's kind of holder: P a person, C a company, F a firm, and so on."""
    return pan[3:4]


def cin_fault(cin: str) -> str:
    """Check a CIN, or the LLPIN of a limited liability partnership (docs/spec/domain.md#cin)."""
    return (
        "" if _CIN.match(cin) or _LLPIN.match(cin) else "21 characters, as in U74999MH2016PTC123456"
    )


def cin_kind(cin: str) -> str:
    """Return the three letters of a CIN that name the kind of company; "" for none."""
    match = _CIN.match(cin)
    return match["kind"] if match else ""


def ifsc_fault(ifsc: str) -> str:
    """Check an IFSC."""
    return "" if _IFSC.match(ifsc) else "11 characters: bank, 0 and branch, as in HDFC0000001"


def pin_code_fault(pin_code: str) -> str:
    """Check a postal code (docs/spec/domain.md#pin-and-mobile)."""
    return "" if _PIN_CODE.match(pin_code) else "6 digits, the first above 0"


def mobile_fault(mobile: str) -> str:
    """Check a mobile number (docs/spec/domain.md#pin-and-mobile)."""
    return "" if _MOBILE.match(mobile) else "10 digits, the first of them 6 to 9"
