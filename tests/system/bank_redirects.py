"""A customer at the pages of banks and wallets."""

from tests.system.browser import Browser, Screen

NB, WALLET = "bank", "wallet"
<<<<<<<< HEAD:tests/system/bank_redirects.py
PAID_AT = {NB: "HDFC", WALLET: "MOBK"}
========
DEFAULT_BANK = {NB: "HDFC", WALLET: "MOBK"}
>>>>>>>> 8c7b9af (Name redirects, MOTO, releases and fault injection by those words):tests/system/bank_pages.py


def go(browser: Browser, screen: Screen, way: str, bank: str = "") -> Screen:
    """Choose a bank or wallet and go to its page."""
<<<<<<<< HEAD:tests/system/bank_redirects.py
    return browser.submit(screen.form(f"/{way}"), bank=bank or PAID_AT[way])
========
    return browser.submit(screen.form(f"/{way}"), bank=bank or DEFAULT_BANK[way])
>>>>>>>> 8c7b9af (Name redirects, MOTO, releases and fault injection by those words):tests/system/bank_pages.py


def act(browser: Browser, at_bank: Screen, pressed: str, **typed: str) -> Screen:
    (form,) = at_bank.forms
    return browser.submit(form, act=pressed, **typed)


def pay_there(browser: Browser, at_bank: Screen, way: str, customer: str = "asha") -> Screen:
    """Do what a customer does at the bank's or wallet's pages, and return where that leads."""
    if way == WALLET:
        return act(browser, at_bank, "pay", customer=customer)
    return act(browser, act(browser, at_bank, "log_in", customer=customer, password="x"), "pay")
