"""The banks of PhonePe's net banking, as published.

Source: phonepe-pg-skills, custom checkout, April 2026.
"""

from hundi.acquirers.port.payments import BankEntry

ON_REQUEST = frozenset({"HDFC", "SBIN"})
"""Banks that PhonePe enables on request.

An operator lists them in the setting `banks`.
"""
_NAMES = """
ICIC ICICI Bank
HDFC HDFC Bank
UTIB Axis Bank
IBKL IDBI Bank
TMBL Tamilnad Mercantile Bank
FDRL Federal Bank
CIUB City Union Bank
IDIB Indian Bank
KVBL Karur Vysya Bank
KARB Karnataka Bank
IOBA Indian Overseas Bank
SIBL South Indian Bank
BARB Bank of Baroda
YESB Yes Bank
UBIN Union Bank of India
BKID Bank of India
DEUT Deutsche Bank
JAKA Jammu and Kashmir Bank
DLXB Dhanlaxmi Bank
SCBL Standard Chartered Bank
DCBL DCB Bank
CBIN Central Bank of India
MAHB Bank of Maharashtra
INDB IndusInd Bank
KKBK Kotak Mahindra Bank
CNRB Canara Bank
CSBK CSB Bank
PUNB Punjab National Bank
RATN RBL Bank
SVCB SVC Co-operative Bank
IDFB IDFC First Bank
PSIB Punjab and Sind Bank
AIRP Airtel Payments Bank
AUBL AU Small Finance Bank
BDBL Bandhan Bank
COSB Cosmos Bank
ESFB Equitas Small Finance Bank
JSFB Jana Small Finance Bank
JSBP Janata Sahakari Bank Pune
NKGS NKGSB Co-operative Bank
SRCB Saraswat Bank
SBIN State Bank of India
SURY Suryoday Small Finance Bank
UCBA UCO Bank
UJVN Ujjivan Small Finance Bank
APGB Andhra Pragathi Grameena Bank
BBKM Bank of Bahrain and Kuwait
BCCB Bassein Catholic Co-operative Bank
DBSS DBS Bank
ESMF ESAF Small Finance Bank
FSFB Fincare Small Finance Bank
KJSB Kalyan Janata Sahakari Bank
PKGB Karnataka Gramin Bank
KVGB Karnataka Vikas Grameena Bank
MSNU Mehsana Urban Co-operative Bank
TJSB TJSB Bank
ZCBL Zoroastrian Co-operative Bank
"""
BANKS = tuple(
    BankEntry("netbanking", code, name)
    for code, _, name in (line.partition(" ") for line in _NAMES.strip().splitlines())
)


def enabled(codes: tuple[str, ...]) -> tuple[BankEntry, ...]:
    """Return the listed banks; if none is listed, all that need no request."""
    offered = set(codes) or {each.code for each in BANKS} - ON_REQUEST
    return tuple(each for each in BANKS if each.code in offered)
