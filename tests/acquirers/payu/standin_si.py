"""A stand-in of PayU that keeps standing instructions: UPI Autopay, cards and eNACH.

    play = StandingPayU(); await play.open()
    play.visit(fields)                  # with si=1, api_version=7 and si_details
    play.consent(txnid)                 # its mihpayid is the authPayuId from here on
    play.register(txnid)                # eNACH alone: the bank has it, up to T+2
    play.now += timedelta(hours=48)     # after pre_debit_SI
    play.pay(debit)                     # or end(debit, "failed"): si_transaction only begins it
    play.pause(txnid); play.unpause(txnid); play.revoke(txnid)
    play.mandate_webhook(txnid)

Written by a hand that has not read the connector, from docs.payu.in (2026): the consent
transactions of cards, UPI and net banking, "SI parameter JSON details", "Pre-debit notification",
"Recurring payment", the mandates' status, modification, cancellation and webhooks. They leave open:

- the words of refusals but the few below; `msg` and `message` both exist, as in the samples.
- whether a requestId can come twice: here a second one is "Invalid Data ".
- how many debits a cycle may have, and retries: nothing is counted here.
- whether debitDate must be the day of the debit: here it must.
- for how long before a card's debit its notice must be there: here 24 h, as RBI says.
- when a revoked UPI mandate is ("Request Initiated"): here at once. Net banking's waits for `drop`.
- the status of a cancelled eNACH mandate, which a webhook alone names: CANCEL_SUCCESS here.
- whether a UPI webhook is JSON or a form: the page says "over HTTP form", and shows JSON.
- whether authpayuid is text or a number: both are in the samples, and both here.
"""

import itertools
import json
from collections.abc import Callable
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal, InvalidOperation
from typing import Any
from urllib.parse import urlencode

from tests.acquirers.payu.standin import PayU, refused
from tests.acquirers.payu.standin_mandates import (
    UDFS,
    WORDS,
    Mandate,
    modify,
    told_bank,
    told_card,
    told_upi,
)
from tests.acquirers.payu.standin_payments import KEY, Transaction

IST = timezone(timedelta(hours=5, minutes=30))
CYCLES = {"ONCE", "DAILY", "WEEKLY", "MONTHLY", "YEARLY", "ADHOC"}
UPI_MAX = Decimal(15000)
DETAILS = ("billingCycle", "billingAmount", "billingCurrency", "paymentStartDate", "paymentEndDate")
STATUS = {"UPI": "upi_mandate_status", "CC": "check_mandate_status", "ENACH": "NB_mandate_status"}


class StandingPayU(PayU):
    """PayU on a free port, with standing instructions.

    now: the time that it believes. asks_customers: whether a modification waits for `approve`.
    """

    def __init__(self) -> None:
        super().__init__()
        self.now = datetime(2026, 11, 28, 10, tzinfo=IST)
        self.asks_customers = False
        self.mandates: dict[str, Mandate] = {}
        self._known: set[str] = set()
        self._invoices = itertools.count(1_000_001)

    # What customers and banks do.

    def consent(self, txnid: str) -> Mandate:
        """Let the customer agree: the transaction is paid, and its mandate stands."""
        one = self.transactions[txnid]
        details = json.loads(one.form["si_details"])
        self.pay(txnid)
        self.mandates[one.mihpayid] = made = Mandate(
            txnid,
            one.mihpayid,
            one.mode,
            details["billingCycle"].upper(),
            Decimal(str(details["billingAmount"])),
            date.fromisoformat(details["paymentStartDate"]),
            date.fromisoformat(details["paymentEndDate"]),
            intent=one.form.get("bankcode") == "INTENT",
            state="waiting" if one.mode == "ENACH" else "active",
        )
        return made

    def register(self, txnid: str, state: str = "active") -> None:
        """Let a bank register an eNACH mandate, or refuse it: failed."""
        assert self.mandate(txnid).state == "waiting"
        self.mandate(txnid).state = state

    def pause(self, txnid: str) -> None:
        """Let the customer pause a mandate in the UPI app."""
        assert (self.mandate(txnid).way, self.mandate(txnid).state) == ("UPI", "active")
        self.mandate(txnid).state, self.mandate(txnid).told = "paused", "MANDATE_PAUSE"

    def unpause(self, txnid: str) -> None:
        assert self.mandate(txnid).state == "paused"
        self.mandate(txnid).state, self.mandate(txnid).told = "active", "MANDATE_UNPAUSE"

    def revoke(self, txnid: str) -> None:
        """Let the customer, or the bank, end a mandate."""
        self.mandate(txnid).state, self.mandate(txnid).told = "revoked", "MANDATE_REVOKE"

    def drop(self, txnid: str) -> None:
        """Let the bank end an eNACH mandate that the merchant wants to end."""
        assert self.mandate(txnid).state == "revoking"
        self.mandate(txnid).state = "revoked"

    def approve(self, txnid: str) -> None:
        """Let the customer approve a modification with the PIN."""
        one = self.mandate(txnid)
        assert one.change
        modify(one)

    def mandate(self, txnid: str) -> Mandate:
        return self.mandates[self.transactions[txnid].mihpayid]

    def mandate_webhook(
        self, txnid: str, *, form: bool = False, **change: Any
    ) -> tuple[dict[str, str], bytes]:
        """Return headers and body of a webhook about a mandate, as it now is."""
        one = self.mandate(txnid)
        tell = {"UPI": told_upi, "CC": told_card, "ENACH": told_bank}[one.way]
        told = tell(one, self.now) | change
        if form:
            return {"content-type": "application/x-www-form-urlencoded"}, urlencode(told).encode()
        return {"content-type": "application/json"}, json.dumps(told).encode()

    # Its interface.

    def _begun(self, form: dict[str, str], mode: str) -> Transaction:
        if form.get("si") == "1":
            details = json.loads(form["si_details"])
            assert form.get("api_version") == "7"
            assert mode in WORDS
            assert not [name for name in DETAILS if not details.get(name)]
            assert details["billingCycle"].upper() in CYCLES
            assert details["billingCurrency"] == "INR"
            assert details["paymentStartDate"] <= details["paymentEndDate"]
            assert mode != "UPI" or Decimal(str(details["billingAmount"])) <= UPI_MAX
        return super()._begun(form, mode)

    def answers(self, var1: str, token: str, amount: str) -> dict[str, Callable[[], Any]]:
        commands = {
            "pre_debit_SI": self._notice,
            "si_transaction": self._debit,
            "upi_mandate_status": lambda asked: self._status(asked, "UPI"),
            "check_mandate_status": lambda asked: self._status(asked, "CC"),
            "NB_mandate_status": lambda asked: self._status(asked, "ENACH"),
            "upi_mandate_modify": self._modification,
            "upi_mandate_revoke": lambda asked: self._revocation(asked, upi=True),
            "mandate_revoke": lambda asked: self._revocation(asked, upi=False),
        }

        def of(handler: Callable[[dict[str, Any]], Any]) -> Callable[[], Any]:
            return lambda: handler(json.loads(var1))

        mine = {name: of(handler) for name, handler in commands.items()}
        return super().answers(var1, token, amount) | mine

    def _named(self, asked: dict[str, Any]) -> Mandate | None:
        """Find a mandate; its number is spelt in both ways."""
        return self.mandates.get(str(asked.get("authPayuId") or asked.get("authpayuid")))

    def _fresh(self, asked: dict[str, Any]) -> bool:
        number = str(asked.get("requestId") or "")
        known = number in self._known
        self._known.add(number)
        return bool(number) and not known

    def _notice(self, asked: dict[str, Any]) -> dict[str, Any]:
        action, one = "MANDATE_PRE_DEBIT", self._named(asked)
        if one is not None and one.state == "revoked":
            return {"status": "QC", "action": action, "message": "MANDATE HAS BEEN REVOKED"}
        if one is None or one.state != "active":
            return _no(action, "Mandate is not active")
        try:
            day, amount = date.fromisoformat(asked["debitDate"]), Decimal(str(asked["amount"]))
        except (KeyError, ValueError, InvalidOperation):
            return _no(action, "Invalid Data ")
        shown = str(asked.get("invoiceDisplayNumber") or "")
        if one.way == "ENACH" or (one.way == "CC" and not shown) or not self._fresh(asked):
            return _no(action, "Invalid Data ")
        done = {"status": 1, "action": action, "message": "Request Processed Successfully"}
        if asked.get("action") == "delete":
            one.notices.pop(str(day), None)
            return done
        notice = one.notices.get(str(day)) if asked.get("action") == "retrieve" else None
        if notice is None:
            notice = {
                "amount": amount,
                "at": self.now,
                "shown": shown,
                "invoice": next(self._invoices),
            }
            one.notices[str(day)] = notice
        invoice = {
            "invoiceid": str(notice["invoice"]),
            "approvedStatus": "na",
            "invoiceStatus": "unpaid",
            "amount": f"{notice['amount']:.2f}",
            "message": "Invoice Created Successfully",
        }
        return done if one.way == "UPI" else done | invoice

    def _debit(self, asked: dict[str, Any]) -> dict[str, Any]:
        one, txnid = self._named(asked), str(asked.get("txnid") or "")
        if one is None or not txnid or txnid in self.transactions:
            return {"status": 0, "msg": "Invalid Data "}
        form = {name: str(asked.get(name) or "") for name in ("phone", "email", *UDFS)}
        consent = self.transactions[one.txnid].form
        form |= {"txnid": txnid, "amount": str(asked.get("amount")), "key": KEY}
        form |= {name: consent[name] for name in ("productinfo", "firstname")}
        made = super()._begun(form, one.way)
        fault = self._fault(one, Decimal(form["amount"]), asked)
        if fault:
            self.end(txnid, "failed", "E1903", fault)
        elif one.way == "CC":
            self.pay(txnid)
        detail = {
            "authpayuid": one.number,
            "transactionid": txnid,
            "amount": form["amount"],
            "user_credentials": "",
            "card_token": "",
            "payuid": made.mihpayid,
            "status": made.unmapped,
            "field9": fault,
            **{name: form[name] for name in UDFS},
            "phone": form["phone"],
            "email": form["email"],
        }
        # The status says that the call went well, not the debit.
        return {
            "status": 1,
            "message": "Transaction Processed successfully",
            "details": {txnid: detail},
        }

    def _fault(self, one: Mandate, amount: Decimal, asked: dict[str, Any]) -> str:
        today = self.now.date()
        if one.state != "active" or not one.start <= today <= one.end:
            return "Mandate is not active"
        if not 0 < amount <= one.limit:
            return "Amount is more than the mandate's"
        notice = one.notices.get(str(today))
        if one.way != "ENACH" and (notice is None or notice["amount"] != amount):
            return "No pre-debit notification"
        short = one.way == "CC" or one.cycle in {"DAILY", "ADHOC"}
        if notice and self.now - notice["at"] < timedelta(hours=24 if short else 48):
            return "Pre-debit notification came too late"
        shown = str(asked.get("invoiceDisplayNumber"))
        return "Another invoice" if one.way == "CC" and notice and notice["shown"] != shown else ""

    def _status(self, asked: dict[str, Any], way: str) -> dict[str, Any]:
        one = self._named(asked)
        if one is None or one.way != way:
            if way == "CC":
                return {"status": 422, "code": "ER0816", "message": "SI is not valid"}
            return _no("check_mandate_status", "Consent is Not Mandated")
        midnight = " 00:00:00" if way == "UPI" else ""
        return {
            "status": WORDS[way][one.state],
            "action": "MANDATE_STATUS" if way == "UPI" else STATUS[way],
            "authpayuid": int(one.number) if way == "CC" else one.number,
            "amount": f"{one.limit:.2f}",
            "mandateStartDate": f"{one.start}{midnight}",
            "mandateEndDate": f"{one.end}{midnight}",
        }

    def _modification(self, asked: dict[str, Any]) -> dict[str, Any]:
        # The spaces are in the samples.
        action, one = " MANDATE_UPDATE ", self._named(asked)
        if not asked.get("authPayuId"):
            return _no(action, "authPayuId is mandatory ")
        if not asked.get("requestId"):
            return _no(action, "requestId is mandatory")
        change = {name: asked[name] for name in ("amount", "endDate") if asked.get(name)}
        if not change:
            return _no(action, "amount or endDate required to update")
        usable = one is not None and (one.way, one.state, one.intent) == ("UPI", "active", False)
        much = Decimal(str(change.get("amount", 1))) > UPI_MAX
        if one is None or not usable or much or not self._fresh(asked):
            return _no(action, "Invalid Data ")
        one.change = change
        done = "Mandate modify request processed successfully"
        if self.asks_customers:
            done = (
                "Mandate update pending at PG. Please wait for webhook or use "
                "upi_mandate_status service to confirm updated status"
            )
        else:
            modify(one)
        return {"status": 1, "action": "MANDATE_UPDATE", "message": done}

    def _revocation(self, asked: dict[str, Any], *, upi: bool) -> dict[str, Any]:
        action, one = "MANDATE_REVOKE", self._named(asked)
        if one is None or (one.way == "UPI") != upi or one.state not in {"active", "paused"}:
            return _no(action, "Mandate is not active")
        if not self._fresh(asked):
            return _no(action, "Invalid Data ")
        if one.way == "ENACH":
            one.state = "revoking"
        else:
            self.revoke(one.txnid)
        return {"status": 1, "action": action, "message": "Request Initiated"}

    def _given_back(self, mihpayid: str, token: str, amount: str) -> dict[str, Any]:
        """Refuse the refund of a debit by eNACH; 232 is its code."""
        for one in self.transactions.values():
            if one.mihpayid == mihpayid and one.mode == "ENACH":
                return refused(232, "Refund is not allowed", mihpayid)
        return super()._given_back(mihpayid, token, amount)


def _no(action: str, words: str) -> dict[str, Any]:
    return {"status": 0, "action": action, "message": words}
