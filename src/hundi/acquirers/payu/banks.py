"""PayU's banks and wallets, by our codes.

Up to Jammu and Kashmir: docs.payu.in, "Net Banking Codes"; wallets: "Wallet Codes", June 2026. The
banks behind it: two public clients of PayU that agree with each other and with the first part.
"""

from hundi.acquirers.calls.banks import bank_table

BANKS = bank_table(
    netbanking="""
AIRP AIRNB Airtel Payments Bank
AUBL AUSFNB AU Small Finance Bank
AUBL_C AUSFCNB AU Small Finance Bank - Corporate
UTIB AXIB Axis Bank
UTIB_C AXISCNB Axis Bank - Corporate
BDBL BANDNB Bandhan Bank
BARB BBRB Bank of Baroda
BKID BOINB Bank of India
BKID_C BOIB Bank of India - Corporate
MAHB BOMB Bank of Maharashtra
CNRB CABB Canara Bank
CLBL CSFBR Capital Small Finance Bank
CLBL_C CSFBC Capital Small Finance Bank - Corporate
CSBK CSBN CSB Bank
CBIN CBIB Central Bank of India
CIUB CUBB City Union Bank
COSB CSMSNB Cosmos Bank
DCBL DCBB DCB Bank
DEUT DSHB Deutsche Bank
DLXB DLSB Dhanlaxmi Bank
DLXB_C DLNBCORP Dhanlaxmi Bank - Corporate
FDRL FEDB Federal Bank
FDRL_C FEDCORP Federal Bank - Corporate
HDFC HDFB HDFC Bank
HDFC_C HDFCCONB HDFC Bank - Corporate
ICIC ICIB ICICI Bank
ICIC_C ICICICNB ICICI Bank - Corporate
IBKL IDBB IDBI Bank
IBKL_C IDBICORP IDBI Bank - Corporate
IDFB IDFCNB IDFC FIRST Bank
IDIB INDB Indian Bank
IOBA INOB Indian Overseas Bank
INDB INIB IndusInd Bank
JAKA JAKB Jammu and Kashmir Bank
JSBP JSBNB Janata Sahakari Bank Pune
KARB KRKB Karnataka Bank
KVBL KRVB Karur Vysya Bank
KVBL_C KRVBC Karur Vysya Bank - Corporate
KKBK 162B Kotak Mahindra Bank
PSIB PSBNB Punjab & Sind Bank
PUNB PNBB Punjab National Bank
PUNB_C CPNB Punjab National Bank - Corporate
SRCB SRSWT Saraswat Bank
SBIN SBIB State Bank of India
SVCB SVCNB SVC Co-operative Bank
SIBL SOIB South Indian Bank
TMBL TMBB Tamilnad Mercantile Bank
UCBA UCOB UCO Bank
UBIN UBIB Union Bank of India
UBIN_C UBIBC Union Bank of India - Corporate
YESB YESB Yes Bank
""",
    wallet="""
AMZN AMZPAY Amazon Pay
AIRT AMON Airtel Money
OLAM OLAM Ola Money
ITZC ITZC ItzCash
PAYZ PAYZP PayZapp
MBKW MOBIKWIK MobiKwik
PHPE PHONEPE PhonePe
""",
)
PAYMENT_GROUPS = {"netbanking": "NB", "wallet": "CASH"}
"""PayU's `pg` of a bank and of a wallet."""
