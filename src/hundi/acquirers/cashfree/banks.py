"""Cashfree's banks and wallets, by our codes.

Banks: cashfree/pg-svelte at 279d238a, src/lib/netbanking-list.ts, which is Cashfree's page
"Appendix: netbanking code and names". Their names are an IFSC bank code with R for retail or C for
corporate. Wallets: the values that cashfree/cashfree-pg-sdk-python at 9586c8c8 allows as
`provider`. The dashboard shows which of them an account has.
"""

from hundi.acquirers.port.payments import BankEntry

_BANKS = """
AIRPR 3123 Airtel Payments Bank
APGBR 3094 Andhra Pragathi Grameena Bank
AUBLR 3087 AU Small Finance Bank
BACBC 3096 Bassein Catholic Co-operative Bank
BARBC 3060 Bank of Baroda - Corporate
BARBR 3005 Bank of Baroda
BARCC 3080 Barclays - Corporate
BBKMR 3095 Bank of Bahrain and Kuwait
BDBLC 3079 Bandhan Bank - Corporate
BDBLR 3088 Bandhan Bank
BKIDC 3061 Bank of India - Corporate
BKIDR 3006 Bank of India
CBINR 3011 Central Bank of India
CIUBC 3083 City Union Bank - Corporate
CIUBR 3012 City Union Bank
CLBLR 3098 Capital Small Finance Bank
CNRBR 3009 Canara Bank
COSBR 3097 Cosmos Bank
CSBKR 3010 CSB Bank
DBSSR 3017 DBS Bank
DCBLC 3062 DCB Bank - Corporate
DCBLR 3018 DCB Bank
DEUTR 3016 Deutsche Bank
DLXBC 3072 Dhanlaxmi Bank - Corporate
DLXBR 3019 Dhanlaxmi Bank
ESFBR 3076 Equitas Small Finance Bank
ESMFR 3100 ESAF Small Finance Bank
FDRLR 3020 Federal Bank
FSFBR 3101 Fincare Small Finance Bank
GSCBR 3091 Gujarat State Co-operative Bank
HDFCC 3084 HDFC Bank - Corporate
HDFCR 3021 HDFC Bank
HSBCR 3092 HSBC
IBKLR 3023 IDBI Bank
ICICC 3073 ICICI Bank - Corporate
ICICR 3022 ICICI Bank
IDFBR 3024 IDFC FIRST Bank
IDIBR 3026 Indian Bank
INDBR 3028 IndusInd Bank
IOBAC 3081 Indian Overseas Bank - Corporate
IOBAR 3027 Indian Overseas Bank
JAKAR 3029 Jammu and Kashmir Bank
JIOPR 3103 Jio Payments Bank
JSBPR 3104 Janata Sahakari Bank Pune
JSFBR 3102 Jana Small Finance Bank
KARBR 3030 Karnataka Bank
KCCBR 3106 Kalupur Commercial Co-operative Bank
KJSBR 3105 Kalyan Janata Sahakari Bank
KKBKR 3032 Kotak Mahindra Bank
KVBLR 3031 Karur Vysya Bank
KVGBR 3107 Karnataka Vikas Grameena Bank
LAVBC 3064 Lakshmi Vilas Bank - Corporate
LAVBR 3033 Lakshmi Vilas Bank
MAHBR 3007 Bank of Maharashtra
MAHGR 3108 Maharashtra Gramin Bank
MSNUR 3109 Mehsana Urban Co-operative Bank
NESFR 3110 North East Small Finance Bank
NKGSR 3111 NKGSB Co-operative Bank
NNSBR 3112 Nutan Nagarik Sahakari Bank
PKGBR 3113 Karnataka Gramin Bank
PSIBR 3037 Punjab & Sind Bank
PUNBC 3065 Punjab National Bank - Corporate
PUNBR 3038 Punjab National Bank
RATNC 3114 RBL Bank - Corporate
RATNR 3039 RBL Bank
SBINC 3066 State Bank of India - Corporate
SBINR 3044 State Bank of India
SCBLR 3043 Standard Chartered Bank
SIBLR 3042 South Indian Bank
SMCBR 3086 Shivalik Bank
SPCBR 3090 Surat People's Co-operative Bank
SRCBR 3040 Saraswat Bank
STCBR 3115 SBM Bank India
SURYR 3116 Suryoday Small Finance Bank
SUTBR 3117 Sutex Co-operative Bank
SVCBC 3075 SVC Co-operative Bank - Corporate
SVCBR 3041 SVC Co-operative Bank
TBSBR 3118 Thane Bharat Sahakari Bank
TJSBR 3119 TJSB Bank
TMBLR 3052 Tamilnad Mercantile Bank
TNSCR 3051 Tamil Nadu State Co-operative Bank
UBINC 3067 Union Bank of India - Corporate
UBINR 3055 Union Bank of India
UCBAC 3122 UCO Bank - Corporate
UCBAR 3054 UCO Bank
UTIBC 3071 Axis Bank - Corporate
UTIBR 3003 Axis Bank
UTKSR 3089 Utkarsh Small Finance Bank
VARAR 3120 Varachha Co-operative Bank
YESBC 3077 Yes Bank - Corporate
YESBR 3058 Yes Bank
ZCBLR 3121 Zoroastrian Co-operative Bank
"""
_RETAIL_WITH_C = frozenset({"BACBC"})
"""A retail bank whose name at Cashfree nevertheless ends with C."""
_WALLETS = {
    "AIRT": ("airtel", "Airtel Money"),
    "AMZN": ("amazon", "Amazon Pay"),
    "FRCH": ("freecharge", "Freecharge"),
    "JIOM": ("jio", "JioMoney"),
    "MBKW": ("mobikwik", "MobiKwik"),
    "OLAM": ("ola", "Ola Money"),
    "PHPE": ("phonepe", "PhonePe"),
    "PYTM": ("paytm", "Paytm"),
}


def _code(name: str) -> str:
    corporate = name.endswith("C") and name not in _RETAIL_WITH_C
    return name[:4] + ("_C" if corporate else "")


_LINES = [line.split(" ", 2) for line in _BANKS.strip().splitlines()]
BANK_NUMBERS = {_code(name): int(number) for name, number, _ in _LINES}
"""Cashfree's `netbanking_bank_code`, by our codes."""
PROVIDERS = {code: provider for code, (provider, _) in _WALLETS.items()}
"""Cashfree's `provider` of wallets, by our codes."""
ENTRIES = (
    *(BankEntry("netbanking", _code(name), shown) for name, _, shown in _LINES),
    *(BankEntry("wallet", code, shown) for code, (_, shown) in _WALLETS.items()),
)
