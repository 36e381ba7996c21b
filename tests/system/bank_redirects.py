"""A customer at the pages of banks and wallets."""

from tests.system.browser import Browser, Screen

NB, WALLET, LATER = "bank", "wallet", "later"
PAID_AT = {NB: "HDFC", WALLET: "MOBK", LATER: "MANG"}


def go(browser: Browser, screen: Screen, way: str, bank: str = "") -> Screen:
    """Choose a bank or wallet and go to its page."""
    return browser.submit(screen.form(f"/{way}"), bank=bank or PAID_AT[way])


def act(browser: Browser, at_bank: Screen, pressed: str, **typed: str) -> Screen:
    (form,) = at_bank.forms
    return browser.submit(form, act=pressed, **typed)


def pay_there(browser: Browser, at_bank: Screen, way: str, customer: str = "asha") -> Screen:
    """Do what a customer does at the bank's or wallet's pages, and return where that leads."""
    if way == WALLET:
        return act(browser, at_bank, "pay", customer=customer)
    return act(browser, act(browser, at_bank, "log_in", customer=customer, password="x"), "pay")
