package hundi

import (
	"crypto/subtle"
	"strings"
)

const (
	statusSuccess   = 200
	statusPending   = 211
	statusUnknown   = 403
	typeRefund      = 340
	typeDispute     = 350
	detailOfExcess  = "EXCESS"
	statusAuthorise = "AUTHORIZE"
)

// Expected is what your own books have of an order. Currency: ISO 4217 letters, "" for INR.
type Expected struct {
	OrderID     string
	AmountPaise int64
	Currency    string
}

// IsRefund reports whether it is about a refund: the amount is the refund's, not the order's.
func (t Transaction) IsRefund() bool { return t.TransactionType == typeRefund }

// IsDispute reports whether it is about a dispute: the amount is what the customer's bank demands.
func (t Transaction) IsDispute() bool { return t.TransactionType == typeDispute }

// IsExcess reports whether it is about money that the order cannot keep, and that goes back.
func (t Transaction) IsExcess() bool { return t.DetailedStatus == detailOfExcess }

// IsPaid reports whether the money is captured: goods may be released.
func (t Transaction) IsPaid() bool {
	switch t.PaymentStatus {
	case "SUCCESS", "CAPTURE", "Mandate Approved":
		return t.StatusCode == statusSuccess && !t.IsRefund()
	}
	return false
}

// IsAuthorised reports whether the money is reserved and waits for capture or void.
func (t Transaction) IsAuthorised() bool {
	return t.StatusCode == statusSuccess && t.PaymentStatus == statusAuthorise
}

// IsVoided reports whether the authorisation was given up.
func (t Transaction) IsVoided() bool { return t.PaymentStatus == "VOIDED" }

// IsPending reports whether it may become paid without the customer: ask again later.
func (t Transaction) IsPending() bool {
	return (t.StatusCode == statusPending || t.StatusCode == statusUnknown) && !t.isAboutElse()
}

// IsFailed reports whether it ended unpaid. A late success is rare, and a notification reports it.
func (t Transaction) IsFailed() bool {
	return t.StatusCode != statusSuccess && !t.IsPending() && !t.isAboutElse()
}

// IsFinal reports whether it is paid or failed: asking again soon brings nothing new.
func (t Transaction) IsFinal() bool { return t.IsPaid() || t.IsFailed() }

func (t Transaction) isAboutElse() bool { return t.IsRefund() || t.IsExcess() || t.IsDispute() }

// Demand returns an error unless the record has this merchant, order, amount and currency.
func (t Transaction) Demand(merchantID string, expected Expected) error {
	currency := expected.Currency
	if currency == "" {
		currency = "INR"
	}
	if known, ok := currencies[currency]; ok {
		currency = known
	}
	for _, each := range [][3]string{
		{"merchant_id", merchantID, t.MerchantID},
		{"orderid", expected.OrderID, t.OrderID},
		{"amount", AmountText(expected.AmountPaise), AmountText(t.AmountPaise)},
		{"currency_code", currency, t.CurrencyCode},
	} {
		if each[1] != each[2] {
			return mismatch(each[0], each[1], each[2])
		}
	}
	return nil
}

// transactionOf returns a record as a transaction, once its ap_SecureHash is found to cover it.
func transactionOf(record *object, username string) (Transaction, error) {
	text := func(name string) string { return textOf(record.values[name]) }
	covered := []string{}
	for _, name := range strings.Fields("orderid ap_transactionid amount transaction_status message merchant_id") {
		covered = append(covered, text(name))
	}
	payer := ""
	if text("chmod") == "upi" {
		payer = text("customer_vpa")
	}
	received := text("ap_SecureHash")
	if received == "" {
		received = text("ap_securehash")
	}
	expected := secureHash(append(covered, username), payer)
	if subtle.ConstantTimeCompare([]byte(expected), []byte(strings.TrimSpace(received))) == 0 {
		return Transaction{}, untrusted(KindSecureHash, "ap_SecureHash does not cover the values beside it")
	}
	r := newReader(record)
	found := readTransaction(r)
	return found, r.err
}
