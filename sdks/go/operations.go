// Code generated from the table of operations; DO NOT EDIT.

package hundi

import (
	"context"
	"regexp"
	"time"
)

// Written from the table of operations by `make sdks-written`: change the table, not this file.

const paymentPage = "/gateway/pay/v4/"

// currencies are ISO 4217 letters and numbers.
var currencies = map[string]string{
	"INR": "356",
	"AED": "784",
	"AUD": "036",
	"CAD": "124",
	"EUR": "978",
	"GBP": "826",
	"SGD": "702",
	"USD": "840",
}

// formNames are the names of a form notification, and those of the record.
var formNames = map[string]string{
	"MERCID":                   "merchant_id",
	"TRANSACTIONID":            "orderid",
	"APTRANSACTIONID":          "ap_transactionid",
	"AMOUNT":                   "amount",
	"TRANSACTIONSTATUS":        "transaction_status",
	"TRANSACTIONPAYMENTSTATUS": "transaction_payment_status",
	"MESSAGE":                  "message",
	"CUSTOMVAR":                "customvar",
	"CHMOD":                    "chmod",
	"CURRENCYCODE":             "currency_code",
	"CUSTOMER":                 "customer_name",
	"CUSTOMERPHONE":            "customer_phone",
	"CUSTOMEREMAIL":            "customer_email",
	"CUSTOMERVPA":              "customer_vpa",
	"RRN":                      "rrn",
	"RISK":                     "risk",
	"TRANSACTIONTIME":          "transaction_time",
	"TRANSACTIONTYPE":          "transaction_type",
	"BANKNAME":                 "bank_name",
	"CARD_NUMBER":              "card_number",
	"CARDTYPE":                 "card_type",
	"SURCHARGE":                "surcharge_amount",
	"CARDCOUNTRY":              "card_country",
	"REASON":                   "bank_response_msg",
}

// codes are those of refusals.
var codes = map[string]struct {
	kind  Kind
	retry Retry
}{
	"101": {Kind("request_refused"), Retry("after_fix")},
	"102": {Kind("request_refused"), Retry("after_fix")},
	"103": {Kind("request_refused"), Retry("after_fix")},
	"104": {Kind("token_refused"), Retry("after_fix")},
	"105": {Kind("token_refused"), Retry("after_fix")},
	"106": {Kind("token_refused"), Retry("after_fix")},
	"108": {Kind("credentials_refused"), Retry("after_fix")},
	"110": {Kind("request_refused"), Retry("after_fix")},
	"111": {Kind("order_refused"), Retry("after_fix")},
	"112": {Kind("order_refused"), Retry("never")},
	"113": {Kind("not_enabled"), Retry("after_fix")},
	"120": {Kind("state_refused"), Retry("never")},
	"121": {Kind("state_refused"), Retry("after_fix")},
	"122": {Kind("order_refused"), Retry("after_fix")},
	"123": {Kind("refused"), Retry("later")},
	"124": {Kind("refused"), Retry("never")},
	"125": {Kind("refused"), Retry("never")},
	"130": {Kind("not_enabled"), Retry("never")},
	"131": {Kind("not_enabled"), Retry("later")},
	"413": {Kind("request_refused"), Retry("after_fix")},
	"429": {Kind("too_many_requests"), Retry("later")},
	"501": {Kind("credentials_refused"), Retry("after_fix")},
	"503": {Kind("not_found"), Retry("never")},
	"903": {Kind("credentials_refused"), Retry("after_fix")},
	"U04": {Kind("not_enabled"), Retry("after_fix")},
	"114": {Kind("refused"), Retry("after_fix")},
	"132": {Kind("refused"), Retry("later")},
	"140": {Kind("refused"), Retry("after_fix")},
	"141": {Kind("refused"), Retry("never")},
	"142": {Kind("refused"), Retry("after_fix")},
	"143": {Kind("refused"), Retry("after_fix")},
	"145": {Kind("refused"), Retry("never")},
	"144": {Kind("refused"), Retry("after_fix")},
	"146": {Kind("refused"), Retry("never")},
	"904": {Kind("refused"), Retry("after_fix")},
	"991": {Kind("refused"), Retry("later")},
	"992": {Kind("refused"), Retry("later")},
	"999": {Kind("gateway_fault"), Retry("later")},
}

var (
	pattern1 = regexp.MustCompile(`^[0-9]{1,20}$`)
	pattern2 = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,64}$`)
	pattern3 = regexp.MustCompile(`^[A-Za-z0-9]{6,18}$`)
	pattern4 = regexp.MustCompile(`^[A-Za-z]{4}0[A-Za-z0-9]{6}$`)
	pattern5 = regexp.MustCompile(`^[0-9]{1,15}-[a-z_]{1,40}$`)
	pattern6 = regexp.MustCompile(`^[0-9]{1,15}$`)
	pattern7 = regexp.MustCompile(`^[0-9]{1,19}-[0-9]{1,15}-[0-9]{1,9}$`)
)

// TokenRequest: A merchant's request for an access token.
type TokenRequest struct {
	// OAuth client id
	ClientID string
	// OAuth client secret
	ClientSecret string
	// The outer merchant_id
	MerchantID string
	// The token's purpose; empty: see the documentation
	Scope string
}

func writeTokenRequest(w *writer, asked *TokenRequest) {
	w.text("client_id", asked.ClientID, required, 20)
	w.text("client_secret", asked.ClientSecret, secret, 200)
	w.matching("merchant_id", asked.MerchantID, required, pattern1, nil, "1 to 20 digits")
	w.constant("grant_type", "client_credentials")
	w.oneOf("scope", asked.Scope, optional, "", "page", "operations")
}

// VerifyRequest: A transaction, by at least one of its references; all given ones must agree.
type VerifyRequest struct {
	// The merchant's own order id, unique for each merchant
	OrderID string
	// The gateway's transaction id
	TransactionID string
	// The bank's retrieval reference number
	RRN string
	// A refund's id, as its notification has it
	RefundID string
}

func writeVerifyRequest(w *writer, asked *VerifyRequest) {
	w.matching("orderid", asked.OrderID, optional, pattern2, nil, "1 to 64 characters of A-Z a-z 0-9 - _ .")
	w.matching("ap_transactionid", asked.TransactionID, optional, pattern1, nil, "1 to 20 digits")
	w.text("rrn", asked.RRN, optional, 35)
	w.matching("refund_id", asked.RefundID, optional, pattern1, nil, "1 to 20 digits")
	w.atLeastOne("orderid", "ap_transactionid", "rrn", "refund_id")
}

// BanksRequest: Which banks to list. channels: codes of `chmod`, such as `nb`; empty for all.
type BanksRequest struct {
	// Restricts the list to these channels
	Channels []string
}

func writeBanksRequest(w *writer, asked *BanksRequest) {
	w.channels("chmod", asked.Channels)
	w.shop("mer_dom")
}

// ValidateVpaRequest: A UPI address to look up.
type ValidateVpaRequest struct {
	// A UPI address
	Address string
}

func writeValidateVpaRequest(w *writer, asked *ValidateVpaRequest) {
	w.vpa("vpa", asked.Address, required)
}

// CaptureRequest: An authorisation to capture; without an amount, all of it.
type CaptureRequest struct {
	// The gateway's transaction id
	TransactionID string
	// Decimal above zero, at most two places, in the currency's units
	AmountPaise *int64
}

func writeCaptureRequest(w *writer, asked *CaptureRequest) {
	w.matching("ap_transactionid", asked.TransactionID, required, pattern1, nil, "1 to 20 digits")
	w.amount("amount", asked.AmountPaise, optional)
}

// VoidRequest: An authorisation to void.
type VoidRequest struct {
	// The gateway's transaction id
	TransactionID string
}

func writeVoidRequest(w *writer, asked *VoidRequest) {
	w.matching("ap_transactionid", asked.TransactionID, required, pattern1, nil, "1 to 20 digits")
}

// QrBuyer: The customer of a QR order, as far as the merchant describes them.
type QrBuyer struct {
	// At most 254 characters
	Email string
	// 8 to 15 digits; + - ( ) and spaces may stand between them
	Phone string
	// Any script
	Firstname string
	// Any script
	Lastname string
	// Any script
	Address string
	// Any script
	City string
	// Any script
	State string
	// Any script
	Country string
	// Postal code
	Pincode string
}

func writeQrBuyer(w *writer, asked *QrBuyer) {
	w.email("buyer_email", asked.Email, optional)
	w.phone("buyer_phone", asked.Phone, optional)
	w.text("buyer_firstname", asked.Firstname, optional, 100)
	w.text("buyer_lastname", asked.Lastname, optional, 100)
	w.text("buyer_address", asked.Address, optional, 255)
	w.text("buyer_city", asked.City, optional, 255)
	w.text("buyer_state", asked.State, optional, 255)
	w.text("buyer_country", asked.Country, optional, 255)
	w.text("buyer_pincode", asked.Pincode, optional, 16)
}

// PayerAccount: The one bank account that may pay an order by UPI.
type PayerAccount struct {
	// The number of the one bank account that may pay
	Number string
	// The IFSC of that account's branch, in any case
	IFSC string
}

func writePayerAccount(w *writer, asked *PayerAccount) {
	w.matching("upi_tpv_account", asked.Number, secret, pattern3, nil, "6 to 18 letters and digits, the number of a bank account")
	w.matching("upi_tpv_ifsc", asked.IFSC, required, pattern4, nil, "an IFSC: four letters, a zero, six letters or digits")
}

// OrderMandate: The customer's approval of later debits, in paise.
type OrderMandate struct {
	// Day, week, month, year, or A: debits that the merchant asks for
	Period string
	// Of each debit
	AmountPaise int64
	// Every how many periods; not for A
	Frequency *int64
	// MM/DD/YYYY, or DD/MM/YYYY by a setting: the first debit, within two years; not for A
	NextRun string
	// The most that one debit may be
	MaxAmountPaise *int64
	// How many debits; 999 without end; not for A
	RecurringCount *int64
	// Tries after a declined one
	RetryAttempts int64
}

func writeOrderMandate(w *writer, asked *OrderMandate) {
	w.oneOf("sb_period", asked.Period, required, "D", "W", "M", "Y", "A")
	w.amount("sb_amount", &asked.AmountPaise, required)
	w.constant("txnsubtype", "12")
	w.count("sb_frequency", asked.Frequency, optional, 1, 366)
	w.day("sb_nextrundate", asked.NextRun, optional)
	w.amount("sb_maxamount", asked.MaxAmountPaise, optional)
	w.debits("sb_recurringcount", asked.RecurringCount, optional, 999, "A")
	w.countUnlessZero("sb_retryattempts", &asked.RetryAttempts, optional, 0, 99)
	w.constant("sb_isrecurring", "1")
}

// GenerateOrderRequest: An order that is paid by one UPI QR.
type GenerateOrderRequest struct {
	// The merchant's own order id, unique for each merchant
	OrderID string
	// Decimal above zero, at most two places, in the currency's units
	AmountPaise int64
	// ISO 4217 letters, in any case
	Currency string
	Buyer    *QrBuyer
	// UPI, or Bharat QR
	Channels []string
	// Comes back unchanged
	Customvar    string
	PayerAccount *PayerAccount
	// A sale, or the first payment of a subscription
	Txnsubtype   string
	Subscription *OrderMandate
}

func writeGenerateOrderRequest(w *writer, asked *GenerateOrderRequest) {
	w.matching("orderid", asked.OrderID, required, pattern2, nil, "1 to 64 characters of A-Z a-z 0-9 - _ .")
	w.amount("amount", &asked.AmountPaise, required)
	w.currency("iso_currency", asked.Currency)
	if asked.Buyer != nil {
		writeQrBuyer(w, asked.Buyer)
	}
	w.channels("chmod", asked.Channels)
	w.text("customvar", asked.Customvar, optional, 4096)
	w.shop("mer_dom")
	if asked.PayerAccount != nil {
		writePayerAccount(w, asked.PayerAccount)
	}
	w.oneOf("txnsubtype", asked.Txnsubtype, optional, "2", "12")
	if asked.Subscription != nil {
		writeOrderMandate(w, asked.Subscription)
	}
}

// Buyer: The customer as the merchant describes them.
type Buyer struct {
	// At most 254 characters
	Email string
	// 8 to 15 digits; + - ( ) and spaces may stand between them
	Phone string
	// Any script
	Firstname string
	// Any script
	Lastname string
	// Any script
	Address string
	// Any script
	City string
	// Any script
	State string
	// Any script
	Country string
	// Postal code
	Pincode string
}

func writeBuyer(w *writer, asked *Buyer) {
	w.email("buyer_email", asked.Email, required)
	w.phone("buyer_phone", asked.Phone, required)
	w.text("buyer_firstname", asked.Firstname, required, 100)
	w.text("buyer_lastname", asked.Lastname, required, 100)
	w.text("buyer_address", asked.Address, optional, 255)
	w.text("buyer_city", asked.City, optional, 255)
	w.text("buyer_state", asked.State, optional, 255)
	w.text("buyer_country", asked.Country, optional, 255)
	w.text("buyer_pincode", asked.Pincode, optional, 16)
}

// CardFields: A card as it was sent, unchecked; without a readable form.
type CardFields struct {
	// Digits; never kept
	Number string
	// MM/YY
	Expiry string
	// Never kept
	Cvv string
	// Any script
	Holder string
}

func writeCardFields(w *writer, asked *CardFields) {
	w.text("card_number", asked.Number, secret, 40)
	w.text("card_expiry", asked.Expiry, secret, 40)
	w.text("card_cvv", asked.Cvv, secret, 40)
	w.text("card_holder", asked.Holder, optionalSecret, 40)
}

// SeamlessRequest: A payment that the merchant's server begins, by its customer's chosen way.
type SeamlessRequest struct {
	// The merchant's own order id, unique for each merchant
	OrderID string
	// Decimal above zero, at most two places, in the currency's units
	AmountPaise int64
	Buyer       Buyer
	// The channel
	PayBy string
	// ISO 4217 letters, in any case
	Currency string
	// Restricts the channels of this payment
	Channels []string
	// Comes back unchanged
	Customvar    string
	PayerAccount *PayerAccount
	// A sale, or an authorisation that is captured later
	Txnsubtype string
	// A UPI address
	VPA string
	// A code of the bank list: a bank, wallet or lender
	BankCode string
	Card     *CardFields
	// The address of the customer's device
	CustomerIP string
	// The customer's User-Agent
	CustomerAgent string
}

func writeSeamlessRequest(w *writer, asked *SeamlessRequest) {
	w.matching("orderid", asked.OrderID, required, pattern2, nil, "1 to 64 characters of A-Z a-z 0-9 - _ .")
	w.amount("amount", &asked.AmountPaise, required)
	writeBuyer(w, &asked.Buyer)
	w.oneOf("pay_by", asked.PayBy, required, "upi", "nb", "ppc", "payltr", "pg")
	w.currency("iso_currency", asked.Currency)
	w.channels("chmod", asked.Channels)
	w.text("customvar", asked.Customvar, optional, 4096)
	w.shop("mer_dom")
	if asked.PayerAccount != nil {
		writePayerAccount(w, asked.PayerAccount)
	}
	w.oneOf("txnsubtype", asked.Txnsubtype, optional, "2", "1")
	w.vpa("vpa", asked.VPA, optional)
	w.text("bank_code", asked.BankCode, optional, 255)
	if asked.Card != nil {
		writeCardFields(w, asked.Card)
	}
	w.text("customer_ip", asked.CustomerIP, optional, 255)
	w.text("customer_agent", asked.CustomerAgent, optional, 255)
}

// RefundItem: One refund, in paise; without an amount, of all that remains.
type RefundItem struct {
	// The gateway's transaction id
	TransactionID string
	// Decimal above zero, at most two places, in the currency's units
	AmountPaise *int64
	// Of this item alone: the same again refunds once
	RequestID string
}

func writeRefundItem(w *writer, asked *RefundItem) {
	w.matching("ap_transactionid", asked.TransactionID, required, pattern1, nil, "1 to 20 digits")
	w.amount("amount", asked.AmountPaise, optional)
	w.matching("refund_request_id", asked.RequestID, optional, pattern2, []string{"approval-", "console-", "link-"}, "1 to 64 characters of A-Z a-z 0-9 - _ .")
}

// RefundRequest: A batch of refunds.
type RefundRequest struct {
	// Base64 of a JSON array of refunds
	Items []RefundItem
	// Of the whole batch: the same again refunds nothing twice
	RequestID string
}

func writeRefundRequest(w *writer, asked *RefundRequest) {
	writeBatch(w, "transactions", asked.Items, 1000, writeRefundItem)
	w.constant("mode", "refund")
	w.matching("refund_request_id", asked.RequestID, optional, pattern2, []string{"approval-", "console-", "link-"}, "1 to 64 characters of A-Z a-z 0-9 - _ .")
}

// SubscriptionName: A subscription, by a name of the order that registered it; both names must
// agree.
type SubscriptionName struct {
	// The gateway's transaction id
	TransactionID string
	// Of the order that registered it
	OrderID string
}

func writeSubscriptionName(w *writer, asked *SubscriptionName) {
	w.matching("ap_transactionid", asked.TransactionID, optional, pattern1, nil, "1 to 20 digits")
	w.matching("orderid", asked.OrderID, optional, pattern2, nil, "1 to 64 characters of A-Z a-z 0-9 - _ .")
	w.atLeastOne("ap_transactionid", "orderid")
}

// SubscriptionsBefore: Subscriptions, newest first.
type SubscriptionsBefore struct {
	// Only those in this state
	State string
	// The ap_transactionid after which the page begins
	Before string
}

func writeSubscriptionsBefore(w *writer, asked *SubscriptionsBefore) {
	w.oneOf("state", asked.State, optional, "created", "active", "paused", "cancelled", "completed", "failed")
	w.matching("before", asked.Before, optional, pattern1, nil, "1 to 20 digits")
}

// SubscriptionCharge: A subscription, by the order that registered it, whose next debit is
// announced now.
type SubscriptionCharge struct {
	// The gateway's transaction id
	TransactionID string
	// Of the order that registered it
	OrderID string
	// Decimal above zero, at most two places, in the currency's units
	AmountPaise *int64
}

func writeSubscriptionCharge(w *writer, asked *SubscriptionCharge) {
	w.matching("ap_transactionid", asked.TransactionID, optional, pattern1, nil, "1 to 20 digits")
	w.matching("orderid", asked.OrderID, optional, pattern2, nil, "1 to 64 characters of A-Z a-z 0-9 - _ .")
	w.amount("sb_amount", asked.AmountPaise, optional)
	w.atLeastOne("ap_transactionid", "orderid")
}

// SubscriptionChange: New terms of a subscription, by its order, within what the customer approved.
type SubscriptionChange struct {
	// The gateway's transaction id
	TransactionID string
	// Of the order that registered it
	OrderID string
	// Decimal above zero, at most two places, in the currency's units
	AmountPaise *int64
	// How many debits in all
	Debits *int64
	// Tries after a declined one
	Retries *int64
}

func writeSubscriptionChange(w *writer, asked *SubscriptionChange) {
	w.matching("ap_transactionid", asked.TransactionID, optional, pattern1, nil, "1 to 20 digits")
	w.matching("orderid", asked.OrderID, optional, pattern2, nil, "1 to 64 characters of A-Z a-z 0-9 - _ .")
	w.amount("sb_amount", asked.AmountPaise, optional)
	w.count("sb_recurringcount", asked.Debits, optional, 1, 998)
	w.count("sb_retryattempts", asked.Retries, optional, 0, 99)
	w.atLeastOne("ap_transactionid", "orderid")
}

// SavedCardsOf: The customer whose saved cards to list, newest first.
type SavedCardsOf struct {
	// The merchant's own name of its customer
	CustomerID string
}

func writeSavedCardsOf(w *writer, asked *SavedCardsOf) {
	w.customer("UID", asked.CustomerID, required)
}

// SavedCardName: The saved card to delete.
type SavedCardName struct {
	// A saved card, as the record and the list name it
	Token string
}

func writeSavedCardName(w *writer, asked *SavedCardName) {
	w.text("token", asked.Token, secret, 255)
}

// NewLinkItem: A line of what a link is for. amount_paise: of all its pieces together.
type NewLinkItem struct {
	// What it is
	Description string
	// The amount of all of them together
	AmountPaise int64
	// How many
	Quantity int64
}

func writeNewLinkItem(w *writer, asked *NewLinkItem) {
	w.text("description", asked.Description, required, 100)
	w.amount("amount", &asked.AmountPaise, required)
	w.countUnlessZero("quantity", &asked.Quantity, optional, 1, 9999)
}

// NewPaymentLink: A new link, in paise. The same request under one reference makes one link.
type NewPaymentLink struct {
	// The merchant's own name of the link
	Reference string
	// Decimal above zero, at most two places, in the currency's units
	AmountPaise int64
	// Its purpose; the customer reads it
	Description string
	// The least of one part; without it the link is paid at once
	MinimumPaise int64
	// Days from now
	ValidDays int64
	// Whether money beyond the amount is refunded
	Surplus string
	// At most 254 characters
	CustomerEmail string
	// 8 to 15 digits; + - ( ) and spaces may stand between them
	CustomerPhone string
	// What it is for, line by line; their amounts add up to the amount
	Items []NewLinkItem
}

func writeNewPaymentLink(w *writer, asked *NewPaymentLink) {
	w.matching("link_reference", asked.Reference, required, pattern2, nil, "1 to 64 characters of A-Z a-z 0-9 - _ .")
	w.amount("amount", &asked.AmountPaise, required)
	w.text("description", asked.Description, required, 200)
	w.amountUnlessZero("minimum", &asked.MinimumPaise, optional)
	w.countUnlessZero("valid_days", &asked.ValidDays, optional, 1, 366)
	w.oneOf("surplus", asked.Surplus, optional, "refund", "keep")
	w.email("customer_email", asked.CustomerEmail, optional)
	w.phone("customer_phone", asked.CustomerPhone, optional)
	writeObjectsUnlessEmpty(w, "items", asked.Items, writeNewLinkItem)
}

// LinkName: A payment link, by one of its names; both must agree.
type LinkName struct {
	// As its creation and notifications name it
	LinkID string
	// The merchant's own name of the link
	Reference string
}

func writeLinkName(w *writer, asked *LinkName) {
	w.matching("link_id", asked.LinkID, optional, pattern1, nil, "1 to 20 digits")
	w.matching("link_reference", asked.Reference, optional, pattern2, nil, "1 to 64 characters of A-Z a-z 0-9 - _ .")
	w.atLeastOne("link_id", "link_reference")
}

// LinksBefore: Payment links, newest first.
type LinksBefore struct {
	// The link_id after which the page begins
	Before string
}

func writeLinksBefore(w *writer, asked *LinksBefore) {
	w.matching("before", asked.Before, optional, pattern1, nil, "1 to 20 digits")
}

// SettlementsBefore: Settlements, newest first.
type SettlementsBefore struct {
	// The last id that you have: the page begins after it
	Before string
}

func writeSettlementsBefore(w *writer, asked *SettlementsBefore) {
	w.matching("before", asked.Before, optional, pattern1, nil, "1 to 20 digits")
}

// SettlementName: The id of a settlement.
type SettlementName struct {
	// A settlement, as the list names it
	SettlementID string
}

func writeSettlementName(w *writer, asked *SettlementName) {
	w.matching("settlement_id", asked.SettlementID, required, pattern1, nil, "1 to 20 digits")
}

// SettlementItemsAfter: A settlement, whose items to list, oldest first. after: `next` of the page
// before.
type SettlementItemsAfter struct {
	// A settlement, as the list names it
	SettlementID string
	// The item_id after which the page begins
	After string
}

func writeSettlementItemsAfter(w *writer, asked *SettlementItemsAfter) {
	w.matching("settlement_id", asked.SettlementID, required, pattern1, nil, "1 to 20 digits")
	w.matching("after", asked.After, optional, pattern5, nil, "an item_id of this list")
}

// PayoutsBefore: Payouts, newest first. before: the last payout_id that you have, for those that
// are older.
type PayoutsBefore struct {
	// Only those in this state
	State string
	// The last id that you have: the page begins after it
	Before string
}

func writePayoutsBefore(w *writer, asked *PayoutsBefore) {
	w.oneOf("state", asked.State, optional, "waiting", "sent", "done", "refused", "returned", "reversed", "held_back")
	w.matching("before", asked.Before, optional, pattern1, nil, "1 to 20 digits")
}

// OwnTerms: No fields: the terms are the sender's own.
type OwnTerms struct {
}

func writeOwnTerms(w *writer, asked *OwnTerms) {
}

// SplitPart: One linked account's share. value: paise, or hundredths of a per cent; above zero.
type SplitPart struct {
	// A linked account of the merchant
	Identifier string
	// A per cent or an amount, above zero
	Value int64
}

func writeSplitPart(w *writer, asked *SplitPart) {
	w.matching("identifier", asked.Identifier, required, pattern2, nil, "1 to 64 characters of A-Z a-z 0-9 - _ .")
	w.amount("value", &asked.Value, required)
}

// SplitRequest: How a transaction is shared.
type SplitRequest struct {
	// The gateway's transaction id
	TransactionID string
	// The merchant's own id: the same again changes nothing
	RequestID string
	// What the values are
	Type string
	// The merchant's own share
	PrimaryValue int64
	Parts        []SplitPart
	// The bank's retrieval reference number
	RRN string
}

func writeSplitRequest(w *writer, asked *SplitRequest) {
	w.matching("ap_transactionid", asked.TransactionID, required, pattern1, nil, "1 to 20 digits")
	w.matching("split_request_id", asked.RequestID, required, pattern6, nil, "1 to 15 digits")
	w.oneOf("split_type", asked.Type, required, "percentage", "absolute")
	w.amountOrZero("primary_split_value", &asked.PrimaryValue, required)
	writeObjects(w, "splits", asked.Parts, writeSplitPart)
	w.text("rrn", asked.RRN, optional, 35)
}

// DisputesBefore: Disputes, newest first.
type DisputesBefore struct {
	// Only those in this state
	State string
	// The last id that you have: the page begins after it
	Before string
}

func writeDisputesBefore(w *writer, asked *DisputesBefore) {
	w.oneOf("state", asked.State, optional, "open", "under_review", "accepting", "expired", "won", "lost", "accepted", "partly_accepted", "closed")
	w.matching("before", asked.Before, optional, pattern1, nil, "1 to 20 digits")
}

// DisputeName: The id of a dispute.
type DisputeName struct {
	// A dispute, as the list and the news of it name it
	DisputeID string
}

func writeDisputeName(w *writer, asked *DisputeName) {
	w.matching("dispute_id", asked.DisputeID, required, pattern1, nil, "1 to 20 digits")
}

// NewEvidence: A document for the answer to a dispute.
type NewEvidence struct {
	// A dispute, as the list and the news of it name it
	DisputeID string
	// A whole PDF, PNG or JPEG of at most 1 MiB, in base64
	Content []byte
	// The document's name
	Name string
}

func writeNewEvidence(w *writer, asked *NewEvidence) {
	w.matching("dispute_id", asked.DisputeID, required, pattern1, nil, "1 to 20 digits")
	w.document("content", asked.Content, secret, 1398104)
	w.text("name", asked.Name, optional, 100)
}

// DisputeContest: The answer that contests a dispute: it needs a note or a document.
type DisputeContest struct {
	// A dispute, as the list and the news of it name it
	DisputeID string
	// What the bank is told
	Note string
}

func writeDisputeContest(w *writer, asked *DisputeContest) {
	w.matching("dispute_id", asked.DisputeID, required, pattern1, nil, "1 to 20 digits")
	w.text("note", asked.Note, optional, 1000)
}

// DisputeAcceptance: The answer that accepts a dispute, or only a part of it.
type DisputeAcceptance struct {
	// A dispute, as the list and the news of it name it
	DisputeID string
	// What is given up; all of it when left out
	AmountPaise *int64
	// What the bank is told
	Note string
}

func writeDisputeAcceptance(w *writer, asked *DisputeAcceptance) {
	w.matching("dispute_id", asked.DisputeID, required, pattern1, nil, "1 to 20 digits")
	w.amount("amount", asked.AmountPaise, optional)
	w.text("note", asked.Note, optional, 1000)
}

// NotificationsAfter: Notifications, in the order of their events.
type NotificationsAfter struct {
	// The next of the page before; empty for the present end
	After string
}

func writeNotificationsAfter(w *writer, asked *NotificationsAfter) {
	w.matching("after", asked.After, optional, pattern7, nil, "the next of this list")
}

// PaymentRequest: A payment to start.
type PaymentRequest struct {
	// The merchant's own order id, unique for each merchant
	OrderID string
	// Decimal above zero, at most two places, in the currency's units
	AmountPaise int64
	Buyer       Buyer
	// ISO 4217 letters, in any case
	Currency string
	// Restricts the channels of this payment
	Channels []string
	// Comes back unchanged
	Customvar    string
	PayerAccount *PayerAccount
	// 1 authorise, 2 sale, 3 MOTO, 7-11 EMI of 3/6/9/12/18 months, 12 subscription
	Txnsubtype   string
	Subscription *OrderMandate
	// The merchant's own name of its customer, whose cards are saved
	UID string
	// A saved card of that customer, to pay with
	SavedCard string
}

func writePaymentRequest(w *writer, asked *PaymentRequest) {
	w.matching("orderid", asked.OrderID, required, pattern2, nil, "1 to 64 characters of A-Z a-z 0-9 - _ .")
	w.amount("amount", &asked.AmountPaise, required)
	writeBuyer(w, &asked.Buyer)
	w.currency("iso_currency", asked.Currency)
	w.channels("chmod", asked.Channels)
	w.text("customvar", asked.Customvar, optional, 4096)
	w.shop("mer_dom")
	if asked.PayerAccount != nil {
		writePayerAccount(w, asked.PayerAccount)
	}
	w.oneOf("txnsubtype", asked.Txnsubtype, optional, "1", "2", "3", "7", "8", "9", "10", "11", "12")
	if asked.Subscription != nil {
		writeOrderMandate(w, asked.Subscription)
	}
	w.customer("UID", asked.UID, optional)
	w.text("token", asked.SavedCard, optionalSecret, 255)
}

// Transaction: One payment's transaction record; texts are empty where the record has none.
type Transaction struct {
	TransactionID    string
	OrderID          string
	MerchantID       string
	AmountPaise      int64
	Amount           string
	CurrencyCode     string
	StatusCode       int64
	PaymentStatus    string
	TransactionType  int64
	Channel          string
	Message          string
	BankMessage      string
	BankCode         string
	RRN              string
	UTR              string
	CustomerName     string
	CustomerEmail    string
	CustomerPhone    string
	CustomerVPA      string
	CardScheme       string
	CardNumber       string
	CardType         string
	CardCountry      string
	BankName         string
	CustomVar        string
	AtRisk           bool
	SurchargePaise   int64
	CreatedAt        time.Time
	DetailedStatus   string
	CapturedPaise    int64
	Refunds          int64
	RefundedPaise    int64
	RefundID         string
	RefundRequestID  string
	RefundStatus     string
	RefundRRN        string
	DisputeID        string
	DisputePhase     string
	DisputeStatus    string
	DisputeReason    string
	DisputeRespondBy time.Time
	SavedCard        string
	PaidAt           time.Time
	Attempts         int64
	EMIBank          string
	EMIMonths        int64
	EMIRate          string
	IsoCurrency      string
	INRPaise         int64
	INRRate          string
}

func readTransaction(r *reader) Transaction {
	return Transaction{
		TransactionID:    r.words("ap_transactionid"),
		OrderID:          r.words("orderid"),
		MerchantID:       r.words("merchant_id"),
		AmountPaise:      r.amount("amount"),
		Amount:           r.words("amount"),
		CurrencyCode:     r.words("currency_code"),
		StatusCode:       r.integer("transaction_status"),
		PaymentStatus:    r.words("transaction_payment_status"),
		TransactionType:  r.integer("transaction_type"),
		Channel:          r.words("chmod"),
		Message:          r.words("message"),
		BankMessage:      r.words("bank_response_msg"),
		BankCode:         r.words("bank_response_code"),
		RRN:              r.words("rrn"),
		UTR:              r.words("utr_no"),
		CustomerName:     r.words("customer_name"),
		CustomerEmail:    r.words("customer_email"),
		CustomerPhone:    r.words("customer_phone"),
		CustomerVPA:      r.words("customer_vpa"),
		CardScheme:       r.words("card_scheme"),
		CardNumber:       r.words("card_number"),
		CardType:         r.words("card_type"),
		CardCountry:      r.words("card_country"),
		BankName:         r.words("bank_name"),
		CustomVar:        r.words("customvar"),
		AtRisk:           r.isOne("risk"),
		SurchargePaise:   r.sum("surcharge_amount"),
		CreatedAt:        r.recordTime("transaction_time"),
		DetailedStatus:   r.words("detailed_status"),
		CapturedPaise:    r.sum("captured_amount"),
		Refunds:          r.integer("refunds_count"),
		RefundedPaise:    r.sum("refunds_total"),
		RefundID:         r.words("refund_id"),
		RefundRequestID:  r.words("refund_request_id"),
		RefundStatus:     r.words("refund_status"),
		RefundRRN:        r.words("refund_rrn"),
		DisputeID:        r.words("dispute_id"),
		DisputePhase:     r.words("dispute_phase"),
		DisputeStatus:    r.words("dispute_status"),
		DisputeReason:    r.words("dispute_reason"),
		DisputeRespondBy: r.recordTime("dispute_respond_by"),
		SavedCard:        r.words("token"),
		PaidAt:           r.recordTime("paid_at"),
		Attempts:         r.integer("attempts"),
		EMIBank:          r.words("emi_bank"),
		EMIMonths:        r.integer("emi_months"),
		EMIRate:          r.words("emi_rate"),
		IsoCurrency:      r.wordsOr("iso_currency", "INR"),
		INRPaise:         r.sum("inr_amount"),
		INRRate:          r.words("inr_rate"),
	}
}

// AccessToken: An access token.
type AccessToken struct {
	// Hex
	Token string
	// Seconds
	LifeS int64
	Scope string
}

func readAccessToken(r *reader) AccessToken {
	return AccessToken{
		Token: r.words("access_token"),
		LifeS: r.whole("expires_in"),
		Scope: r.words("scope"),
	}
}

// Bank: One bank of a channel, or a channel without banks: then code and name are "".
type Bank struct {
	Channel      string
	ChannelName  string
	Title        string
	Description  string
	Code         string
	Name         string
	Health       string
	MinimumPaise *int64
	MaximumPaise *int64
}

func readBank(r *reader) Bank {
	return Bank{
		Channel:      r.words("chmod"),
		ChannelName:  r.words("channel_name"),
		Title:        r.words("title"),
		Description:  r.words("description"),
		Code:         r.words("bank_code"),
		Name:         r.words("bank_name"),
		Health:       r.words("health"),
		MinimumPaise: r.limit("min_amount"),
		MaximumPaise: r.limit("max_amount"),
	}
}

// Banks: Every bank of every channel that is open.
type Banks struct {
	Banks []Bank
}

func readBanks(r *reader) Banks {
	return Banks{
		Banks: readObjects(r, "banks", readBank),
	}
}

// UpiAddress: A UPI address, and whether it is registered.
type UpiAddress struct {
	Address      string
	IsRegistered bool
	Name         string
	Status       string
	Message      string
}

func readUpiAddress(r *reader) UpiAddress {
	return UpiAddress{
		Address:      r.name("vpa"),
		IsRegistered: r.yesOrNo("valid"),
		Name:         r.words("vpa_name"),
		Status:       r.words("status"),
		Message:      r.words("message"),
	}
}

// QrData: A QR order.
type QrData struct {
	Text          string
	PNG           []byte
	TransactionID string
	OrderID       string
	MerchantID    string
	TextAgain     string
	Status        string
	ExpiresAt     time.Time
}

func readQrData(r *reader) QrData {
	return QrData{
		Text:          r.name("qr_string"),
		PNG:           r.bytes("qr_image"),
		TransactionID: r.name("ap_transactionid"),
		OrderID:       r.words("orderid"),
		MerchantID:    r.words("merchant_id"),
		TextAgain:     r.words("qrcode_string"),
		Status:        r.words("status"),
		ExpiresAt:     r.moment("expires_at"),
	}
}

// SeamlessData: The customer's next step, and the state of the order.
type SeamlessData struct {
	Action         string
	RedirectURL    string
	RedirectFields [][2]string
	Link           string
	TransactionID  string
	OrderID        string
	MerchantID     string
	AmountPaise    int64
	PayablePaise   int64
	SurchargePaise int64
	Currency       string
	StatusCode     int64
	PaymentStatus  string
	BankCode       string
	BankMessage    string
}

func readSeamlessData(r *reader) SeamlessData {
	return SeamlessData{
		Action:         r.words("next_action"),
		RedirectURL:    r.words("redirect_url"),
		RedirectFields: r.pairs("redirect_fields"),
		Link:           r.words("upi_link"),
		TransactionID:  r.name("ap_transactionid"),
		OrderID:        r.words("orderid"),
		MerchantID:     r.words("merchant_id"),
		AmountPaise:    r.moneyOrNone("amount"),
		PayablePaise:   r.moneyOrNone("payable_amount"),
		SurchargePaise: r.moneyOr("surcharge_amount", 0),
		Currency:       r.wordsOr("iso_currency", "INR"),
		StatusCode:     r.whole("transaction_status"),
		PaymentStatus:  r.words("transaction_payment_status"),
		BankCode:       r.words("bank_response_code"),
		BankMessage:    r.words("bank_response_msg"),
	}
}

// RefundResult: The gateway's answer to one item.
type RefundResult struct {
	TransactionID string
	AmountPaise   *int64
	Accepted      bool
	Message       string
	RefundID      string
	Mode          string
	Code          string
}

func readRefundResult(r *reader) RefundResult {
	return RefundResult{
		TransactionID: r.number("ap_transactionid"),
		AmountPaise:   r.limit("amount"),
		Accepted:      r.yesOrNo("success"),
		Message:       r.words("message"),
		RefundID:      r.number("refund_id"),
		Mode:          r.wordsOr("mode", "refund"),
		Code:          r.wordsOr("response_code", "00"),
	}
}

// RefundResults: The answers in the order of the items.
type RefundResults struct {
	Results []RefundResult
}

func readRefundResults(r *reader) RefundResults {
	return RefundResults{
		Results: readObjects(r, "transactions", readRefundResult),
	}
}

// SubscriptionDebit: One period of a subscription.
type SubscriptionDebit struct {
	Period             int64
	AmountPaise        int64
	State              string
	DebitAt            time.Time
	OrderTransactionID string
}

func readSubscriptionDebit(r *reader) SubscriptionDebit {
	return SubscriptionDebit{
		Period:             r.whole("period"),
		AmountPaise:        r.money("amount"),
		State:              r.name("state"),
		DebitAt:            r.moment("debit_at"),
		OrderTransactionID: r.words("ap_transactionid"),
	}
}

// Subscription: A subscription in its current state.
type Subscription struct {
	TransactionID string
	OrderID       string
	State         string
	AmountPaise   int64
	MaxPaise      int64
	Period        string
	Every         int64
	NextDebitOn   string
	DebitsMax     *int64
	Retries       int64
	ValidUntil    string
	Channel       string
	Umrn          string
	PayerVPA      string
	ManageURL     string
	Debits        []SubscriptionDebit
}

func readSubscription(r *reader) Subscription {
	return Subscription{
		TransactionID: r.name("ap_transactionid"),
		OrderID:       r.name("orderid"),
		State:         r.name("state"),
		AmountPaise:   r.money("sb_amount"),
		MaxPaise:      r.money("sb_maxamount"),
		Period:        r.name("sb_period"),
		Every:         r.whole("sb_frequency"),
		NextDebitOn:   r.day("sb_nextrundate"),
		DebitsMax:     r.wholeOrNone("sb_recurringcount", 999),
		Retries:       r.whole("sb_retryattempts"),
		ValidUntil:    r.day("valid_until"),
		Channel:       r.words("chmod"),
		Umrn:          r.words("umrn"),
		PayerVPA:      r.words("customer_vpa"),
		ManageURL:     r.words("manage_url"),
		Debits:        readObjects(r, "debits", readSubscriptionDebit),
	}
}

// Subscriptions: A page of subscriptions, newest first, without their debits.
type Subscriptions struct {
	Subscriptions []Subscription
}

func readSubscriptions(r *reader) Subscriptions {
	return Subscriptions{
		Subscriptions: readObjects(r, "subscriptions", readSubscription),
	}
}

// SavedCard: One card that a customer lets a merchant keep.
type SavedCard struct {
	Token      string
	CustomerID string
	Number     string
	Scheme     string
	Type       string
	Issuer     string
	SavedAt    time.Time
}

func readSavedCard(r *reader) SavedCard {
	return SavedCard{
		Token:      r.name("token"),
		CustomerID: r.name("UID"),
		Number:     r.name("card_number"),
		Scheme:     r.words("card_scheme"),
		Type:       r.words("card_type"),
		Issuer:     r.words("bank_name"),
		SavedAt:    r.moment("saved_at"),
	}
}

// SavedCards: The saved cards of one customer, newest first.
type SavedCards struct {
	Cards []SavedCard
}

func readSavedCards(r *reader) SavedCards {
	return SavedCards{
		Cards: readObjects(r, "cards", readSavedCard),
	}
}

// PaymentLinkItem: A line of what a link is for, in paise. amount_paise: of all its pieces
// together.
type PaymentLinkItem struct {
	Description string
	Quantity    int64
	AmountPaise int64
}

func readPaymentLinkItem(r *reader) PaymentLinkItem {
	return PaymentLinkItem{
		Description: r.name("description"),
		Quantity:    r.whole("quantity"),
		AmountPaise: r.money("amount"),
	}
}

// LinkPayment: A payment under a link, in paise, counted once it was paid.
type LinkPayment struct {
	OrderID       string
	TransactionID string
	AmountPaise   int64
	CountedPaise  int64
	ReturnedPaise int64
	PaidAt        time.Time
}

func readLinkPayment(r *reader) LinkPayment {
	return LinkPayment{
		OrderID:       r.name("orderid"),
		TransactionID: r.name("ap_transactionid"),
		AmountPaise:   r.money("amount"),
		CountedPaise:  r.money("counted_amount"),
		ReturnedPaise: r.money("returned_amount"),
		PaidAt:        r.moment("paid_at"),
	}
}

// PaymentLink: A payment link in its current state, in paise.
type PaymentLink struct {
	LinkID       string
	Reference    string
	URL          string
	State        string
	AmountPaise  int64
	PaidPaise    int64
	MinimumPaise int64
	Description  string
	Surplus      string
	CreatedAt    time.Time
	ValidUntil   time.Time
	Items        []PaymentLinkItem
	Payments     []LinkPayment
}

func readPaymentLink(r *reader) PaymentLink {
	return PaymentLink{
		LinkID:       r.name("link_id"),
		Reference:    r.name("link_reference"),
		URL:          r.name("url"),
		State:        r.name("state"),
		AmountPaise:  r.money("amount"),
		PaidPaise:    r.money("paid_amount"),
		MinimumPaise: r.moneyOrNone("minimum"),
		Description:  r.name("description"),
		Surplus:      r.name("surplus"),
		CreatedAt:    r.moment("created_at"),
		ValidUntil:   r.moment("valid_until"),
		Items:        readObjectsOrNone(r, "items", readPaymentLinkItem),
		Payments:     readObjectsOrNone(r, "payments", readLinkPayment),
	}
}

// PaymentLinks: A page of payment links, newest first, without their payments.
type PaymentLinks struct {
	Links []PaymentLink
}

func readPaymentLinks(r *reader) PaymentLinks {
	return PaymentLinks{
		Links: readObjects(r, "links", readPaymentLink),
	}
}

// SettlementShare: One bank account's share of a settlement.
type SettlementShare struct {
	Beneficiary string
	AmountPaise int64
	// Of the newest attempt to pay it out
	PayoutID    string
	PayoutState string
	UTR         string
}

func readSettlementShare(r *reader) SettlementShare {
	return SettlementShare{
		Beneficiary: r.name("beneficiary"),
		AmountPaise: r.money("amount"),
		PayoutID:    r.words("payout_id"),
		PayoutState: r.words("payout_state"),
		UTR:         r.words("utr"),
	}
}

// Settlement: What you were owed on one day, in whole paise.
type Settlement struct {
	SettlementID string
	Day          string
	Kind         string
	Items        int64
	// What the settlement before left, with its sign
	CarriedInPaise int64
	GrossPaise     int64
	// With its sign
	RefundsPaise int64
	// Disputes and corrections, with its sign
	OtherPaise int64
	// Of the items
	FeePaise int64
	// Of the items
	TaxPaise int64
	// Of settling at once
	InstantFeePaise int64
	// Of settling at once
	InstantTaxPaise      int64
	ReserveHeldPaise     int64
	ReserveReleasedPaise int64
	// To the merchant's own account
	NetPaise int64
	// To linked accounts
	SplitsPaise int64
	// What this one leaves, with its sign
	CarriedPaise int64
	Currency     string
	UTR          string
	Shares       []SettlementShare
}

func readSettlement(r *reader) Settlement {
	return Settlement{
		SettlementID:         r.name("settlement_id"),
		Day:                  r.day("settlement_day"),
		Kind:                 r.name("kind"),
		Items:                r.whole("items"),
		CarriedInPaise:       r.balance("carried_in_amount"),
		GrossPaise:           r.money("gross_amount"),
		RefundsPaise:         r.balance("refunds_amount"),
		OtherPaise:           r.balance("other_amount"),
		FeePaise:             r.money("fee_amount"),
		TaxPaise:             r.money("tax_amount"),
		InstantFeePaise:      r.money("instant_fee_amount"),
		InstantTaxPaise:      r.money("instant_tax_amount"),
		ReserveHeldPaise:     r.money("reserve_held_amount"),
		ReserveReleasedPaise: r.money("reserve_released_amount"),
		NetPaise:             r.money("net_amount"),
		SplitsPaise:          r.money("splits_amount"),
		CarriedPaise:         r.balance("carried_amount"),
		Currency:             r.nameOr("iso_currency", "INR"),
		UTR:                  r.words("utr"),
		Shares:               readObjectsOrNone(r, "shares", readSettlementShare),
	}
}

// Settlements: A page of settlements, newest first, without their shares.
type Settlements struct {
	Settlements []Settlement
}

func readSettlements(r *reader) Settlements {
	return Settlements{
		Settlements: readObjects(r, "settlements", readSettlement),
	}
}

// SettlementItem: One item of a settlement: gross less fee and tax is net.
type SettlementItem struct {
	ItemID        string
	Kind          string
	TransactionID string
	OrderID       string
	At            time.Time
	// With its sign
	GrossPaise int64
	FeePaise   int64
	TaxPaise   int64
	// With its sign
	NetPaise int64
	// Of the price plan
	Rule string
}

func readSettlementItem(r *reader) SettlementItem {
	return SettlementItem{
		ItemID:        r.name("item_id"),
		Kind:          r.name("kind"),
		TransactionID: r.words("ap_transactionid"),
		OrderID:       r.words("orderid"),
		At:            r.moment("at"),
		GrossPaise:    r.balance("gross_amount"),
		FeePaise:      r.money("fee_amount"),
		TaxPaise:      r.money("tax_amount"),
		NetPaise:      r.balance("net_amount"),
		Rule:          r.words("fee_rule"),
	}
}

// SettlementItems: A page of a settlement's items. next: the `after` of the next page, "" at the
// end.
type SettlementItems struct {
	Items []SettlementItem
	Next  string
}

func readSettlementItems(r *reader) SettlementItems {
	return SettlementItems{
		Items: readObjects(r, "items", readSettlementItem),
		Next:  r.words("next"),
	}
}

// Payout: One try to pay out a share of a settlement.
type Payout struct {
	PayoutID     string
	SettlementID string
	Beneficiary  string
	AmountPaise  int64
	Currency     string
	State        string
	Rail         string
	Account      string
	UTR          string
	Reason       string
	CreatedAt    time.Time
	SentAt       time.Time
	EndedAt      time.Time
}

func readPayout(r *reader) Payout {
	return Payout{
		PayoutID:     r.name("payout_id"),
		SettlementID: r.name("settlement_id"),
		Beneficiary:  r.name("beneficiary"),
		AmountPaise:  r.money("amount"),
		Currency:     r.nameOr("iso_currency", "INR"),
		State:        r.name("state"),
		Rail:         r.words("rail"),
		Account:      r.words("account"),
		UTR:          r.words("utr"),
		Reason:       r.words("reason"),
		CreatedAt:    r.moment("created_at"),
		SentAt:       r.moment("sent_at"),
		EndedAt:      r.moment("ended_at"),
	}
}

// Payouts: A page of payouts, newest first.
type Payouts struct {
	Payouts []Payout
}

func readPayouts(r *reader) Payouts {
	return Payouts{
		Payouts: readObjects(r, "payouts", readPayout),
	}
}

// NextSettlement: The next settlement, as far as it is known now, in paise.
type NextSettlement struct {
	// Empty when nothing waits
	Day string
	// Empty when nothing waits
	DueAt       time.Time
	Items       int64
	NetPaise    int64
	SplitsPaise int64
	// What would be left, with its sign
	CarriedPaise int64
	Currency     string
	Held         bool
}

func readNextSettlement(r *reader) NextSettlement {
	return NextSettlement{
		Day:          r.day("settlement_day"),
		DueAt:        r.moment("due_at"),
		Items:        r.whole("items"),
		NetPaise:     r.money("net_amount"),
		SplitsPaise:  r.money("splits_amount"),
		CarriedPaise: r.balance("carried_amount"),
		Currency:     r.nameOr("iso_currency", "INR"),
		Held:         r.flag("held"),
	}
}

// Price: One price. Empty tuples mean everything; None is no bound.
type Price struct {
	Rule         string
	Channels     []string
	Networks     []string
	NotNetworks  []string
	CardTypes    []string
	NotCardTypes []string
	// Itself left out
	AbovePaise *int64
	// Itself included
	UpToPaise    *int64
	BasisPoints  int64
	FixedPaise   int64
	MinimumPaise *int64
	MaximumPaise *int64
}

func readPrice(r *reader) Price {
	return Price{
		Rule:         r.name("rule"),
		Channels:     r.texts("channels"),
		Networks:     r.texts("networks"),
		NotNetworks:  r.texts("not_networks"),
		CardTypes:    r.texts("card_types"),
		NotCardTypes: r.texts("not_card_types"),
		AbovePaise:   r.limit("above_amount"),
		UpToPaise:    r.limit("up_to_amount"),
		BasisPoints:  r.money("percent"),
		FixedPaise:   r.money("fixed_amount"),
		MinimumPaise: r.limit("minimum_amount"),
		MaximumPaise: r.limit("maximum_amount"),
	}
}

// PriceList: The prices in force today.
type PriceList struct {
	PlanNo   int64
	FirstDay string
	Prices   []Price
}

func readPriceList(r *reader) PriceList {
	return PriceList{
		PlanNo:   r.whole("plan_no"),
		FirstDay: r.day("first_day"),
		Prices:   readObjects(r, "prices", readPrice),
	}
}

// BankAccount: An account that receives payouts.
type BankAccount struct {
	Beneficiary string
	Holder      string
	Account     string
	IFSC        string
	State       string
	AddedAt     time.Time
}

func readBankAccount(r *reader) BankAccount {
	return BankAccount{
		Beneficiary: r.name("beneficiary"),
		Holder:      r.words("holder"),
		Account:     r.name("account"),
		IFSC:        r.name("ifsc"),
		State:       r.name("state"),
		AddedAt:     r.moment("added_at"),
	}
}

// BankAccounts: The accounts that receive payouts.
type BankAccounts struct {
	Accounts []BankAccount
}

func readBankAccounts(r *reader) BankAccounts {
	return BankAccounts{
		Accounts: readObjects(r, "accounts", readBankAccount),
	}
}

// SplitShare: One linked account's share of the transaction. amount: decimal text with two places.
type SplitShare struct {
	Identifier  string
	AmountPaise int64
}

func readSplitShare(r *reader) SplitShare {
	return SplitShare{
		Identifier:  r.words("identifier"),
		AmountPaise: r.money("amount"),
	}
}

// SplitData: The current split.
type SplitData struct {
	RequestID     string
	Status        string
	TransactionID string
	PrimaryPaise  int64
	Shares        []SplitShare
}

func readSplitData(r *reader) SplitData {
	return SplitData{
		RequestID:     r.words("split_request_id"),
		Status:        r.words("status"),
		TransactionID: r.words("ap_transactionid"),
		PrimaryPaise:  r.money("primary_amount"),
		Shares:        readObjects(r, "splits", readSplitShare),
	}
}

// DisputePhase: One phase of a dispute, in paise of the payment's currency; fee and tax in paise of
// rupees.
type DisputePhase struct {
	Phase         string
	State         string
	AmountPaise   int64
	HeldPaise     int64
	TakenPaise    int64
	AcceptedPaise int64
	FeePaise      int64
	TaxPaise      int64
	Reason        string
	OpenedAt      time.Time
	RespondBy     time.Time
	AnsweredAt    time.Time
	SentAt        time.Time
	EndedAt       time.Time
}

func readDisputePhase(r *reader) DisputePhase {
	return DisputePhase{
		Phase:         r.name("phase"),
		State:         r.name("state"),
		AmountPaise:   r.money("amount"),
		HeldPaise:     r.money("held_amount"),
		TakenPaise:    r.money("taken_amount"),
		AcceptedPaise: r.money("accepted_amount"),
		FeePaise:      r.money("fee_amount"),
		TaxPaise:      r.money("tax_amount"),
		Reason:        r.words("reason"),
		OpenedAt:      r.moment("opened_at"),
		RespondBy:     r.moment("respond_by"),
		AnsweredAt:    r.moment("answered_at"),
		SentAt:        r.moment("sent_at"),
		EndedAt:       r.moment("ended_at"),
	}
}

// Evidence: A document for the answer to a dispute, without its content.
type Evidence struct {
	EvidenceID string
	Name       string
	Type       string
	Bytes      int64
	Sha256     string
	AddedAt    time.Time
	SentAt     time.Time
}

func readEvidence(r *reader) Evidence {
	return Evidence{
		EvidenceID: r.name("evidence_id"),
		Name:       r.words("name"),
		Type:       r.name("type"),
		Bytes:      r.whole("bytes"),
		Sha256:     r.name("sha256"),
		AddedAt:    r.moment("added_at"),
		SentAt:     r.moment("sent_at"),
	}
}

// Dispute: A dispute. order_id: "" for a payment in the archive.
type Dispute struct {
	Now           DisputePhase
	DisputeID     string
	TransactionID string
	OrderID       string
	Currency      string
	Phases        []DisputePhase
	Evidence      []Evidence
}

func readDispute(r *reader) Dispute {
	return Dispute{
		Now:           readDisputePhase(r),
		DisputeID:     r.name("dispute_id"),
		TransactionID: r.name("ap_transactionid"),
		OrderID:       r.words("orderid"),
		Currency:      r.name("iso_currency"),
		Phases:        readObjectsOrNone(r, "phases", readDisputePhase),
		Evidence:      readObjectsOrNone(r, "evidence", readEvidence),
	}
}

// Disputes: A page of disputes, newest first, without their phases and documents.
type Disputes struct {
	Disputes []Dispute
}

func readDisputes(r *reader) Disputes {
	return Disputes{
		Disputes: readObjects(r, "disputes", readDispute),
	}
}

// AnnouncedNotification: A notification as it is sent to your server, signed when it was read.
type AnnouncedNotification struct {
	WebhookID     string
	Event         string
	OrderID       string
	TransactionID string
	State         string
	CreatedAt     time.Time
	ContentType   string
	Timestamp     string
	Signature     string
	// The body of the request, signed when it was read
	Text string
}

func readAnnouncedNotification(r *reader) AnnouncedNotification {
	return AnnouncedNotification{
		WebhookID:     r.name("webhook_id"),
		Event:         r.words("event"),
		OrderID:       r.words("orderid"),
		TransactionID: r.words("ap_transactionid"),
		State:         r.words("state"),
		CreatedAt:     r.moment("created_at"),
		ContentType:   r.name("content_type"),
		Timestamp:     r.name("webhook_timestamp"),
		Signature:     r.name("webhook_signature"),
		Text:          r.name("body"),
	}
}

// AnnouncedPage: Notifications in the order of their events. next: the `after` of the next page.
type AnnouncedPage struct {
	Notifications []AnnouncedNotification
	Next          string
}

func readAnnouncedPage(r *reader) AnnouncedPage {
	return AnnouncedPage{
		Notifications: readObjects(r, "notifications", readAnnouncedNotification),
		Next:          r.name("next"),
	}
}

var tokenOperation = &operation{
	name: "token", address: "/gateway/pay/v4/api/oauth2/",
	asJSON: false, withToken: false, repeats: true,
	echoes: nil, list: "", bare: "",
}

var verifyOperation = &operation{
	name: "verify", address: "/gateway/pay/v4/api/verify/",
	asJSON: false, withToken: true, repeats: true,
	echoes: nil, list: "", bare: "",
}

var banksOperation = &operation{
	name: "banks", address: "/gateway/pay/v4/api/banks/",
	asJSON: false, withToken: true, repeats: true,
	echoes: nil, list: "", bare: "banks",
}

var validateVPAOperation = &operation{
	name: "validatevpa", address: "/gateway/pay/v4/api/validatevpa/",
	asJSON: true, withToken: true, repeats: true,
	echoes: nil, list: "", bare: "",
}

var captureOperation = &operation{
	name: "capture", address: "/gateway/pay/v4/api/capture/",
	asJSON: false, withToken: true, repeats: false,
	echoes: []echo{{"ap_transactionid", true, false}}, list: "", bare: "",
}

var voidOperation = &operation{
	name: "void", address: "/gateway/pay/v4/api/void/",
	asJSON: false, withToken: true, repeats: false,
	echoes: []echo{{"ap_transactionid", true, false}}, list: "", bare: "",
}

var generateQROperation = &operation{
	name: "generateorder", address: "/gateway/pay/v4/api/generateorder/",
	asJSON: true, withToken: true, repeats: true,
	echoes: []echo{{"orderid", false, false}}, list: "", bare: "",
}

var beginPaymentOperation = &operation{
	name: "seamless", address: "/gateway/pay/v4/api/seamless/",
	asJSON: true, withToken: true, repeats: false,
	echoes: []echo{{"orderid", false, false}}, list: "", bare: "",
}

var refundOperation = &operation{
	name: "refund", address: "/gateway/pay/v4/api/refund/",
	asJSON: true, withToken: true, repeats: true,
	echoes: nil, list: "", bare: "",
}

var subscriptionOperation = &operation{
	name: "subscription/status", address: "/gateway/pay/v4/api/subscription/status/",
	asJSON: false, withToken: true, repeats: true,
	echoes: []echo{{"ap_transactionid", true, false}, {"orderid", false, false}}, list: "", bare: "",
}

var subscriptionsOperation = &operation{
	name: "subscription/list", address: "/gateway/pay/v4/api/subscription/list/",
	asJSON: false, withToken: true, repeats: true,
	echoes: nil, list: "subscriptions", bare: "",
}

var chargeSubscriptionOperation = &operation{
	name: "subscription/charge", address: "/gateway/pay/v4/api/subscription/charge/",
	asJSON: false, withToken: true, repeats: false,
	echoes: []echo{{"ap_transactionid", true, false}, {"orderid", false, false}}, list: "", bare: "",
}

var changeSubscriptionOperation = &operation{
	name: "subscription/change", address: "/gateway/pay/v4/api/subscription/change/",
	asJSON: false, withToken: true, repeats: true,
	echoes: []echo{{"ap_transactionid", true, false}, {"orderid", false, false}}, list: "", bare: "",
}

var pauseSubscriptionOperation = &operation{
	name: "subscription/pause", address: "/gateway/pay/v4/api/subscription/pause/",
	asJSON: false, withToken: true, repeats: false,
	echoes: []echo{{"ap_transactionid", true, false}, {"orderid", false, false}}, list: "", bare: "",
}

var resumeSubscriptionOperation = &operation{
	name: "subscription/resume", address: "/gateway/pay/v4/api/subscription/resume/",
	asJSON: false, withToken: true, repeats: false,
	echoes: []echo{{"ap_transactionid", true, false}, {"orderid", false, false}}, list: "", bare: "",
}

var cancelSubscriptionOperation = &operation{
	name: "subscription/cancel", address: "/gateway/pay/v4/api/subscription/cancel/",
	asJSON: false, withToken: true, repeats: true,
	echoes: []echo{{"ap_transactionid", true, false}, {"orderid", false, false}}, list: "", bare: "",
}

var savedCardsOperation = &operation{
	name: "savedcards", address: "/gateway/pay/v4/api/savedcards/",
	asJSON: false, withToken: true, repeats: true,
	echoes: []echo{{"UID", false, false}}, list: "cards", bare: "",
}

var deleteSavedCardOperation = &operation{
	name: "savedcards/delete", address: "/gateway/pay/v4/api/savedcards/delete/",
	asJSON: false, withToken: true, repeats: false,
	echoes: []echo{{"token", false, true}}, list: "", bare: "",
}

var createLinkOperation = &operation{
	name: "link/create", address: "/gateway/pay/v4/api/link/create/",
	asJSON: false, withToken: true, repeats: true,
	echoes: []echo{{"link_reference", false, false}}, list: "", bare: "",
}

var linkOperation = &operation{
	name: "link/status", address: "/gateway/pay/v4/api/link/status/",
	asJSON: false, withToken: true, repeats: true,
	echoes: []echo{{"link_id", true, false}, {"link_reference", false, false}}, list: "", bare: "",
}

var linksOperation = &operation{
	name: "link/list", address: "/gateway/pay/v4/api/link/list/",
	asJSON: false, withToken: true, repeats: true,
	echoes: nil, list: "links", bare: "",
}

var cancelLinkOperation = &operation{
	name: "link/cancel", address: "/gateway/pay/v4/api/link/cancel/",
	asJSON: false, withToken: true, repeats: true,
	echoes: []echo{{"link_id", true, false}, {"link_reference", false, false}}, list: "", bare: "",
}

var settlementsOperation = &operation{
	name: "settlement/list", address: "/gateway/pay/v4/api/settlement/list/",
	asJSON: false, withToken: true, repeats: true,
	echoes: nil, list: "settlements", bare: "",
}

var settlementOperation = &operation{
	name: "settlement/status", address: "/gateway/pay/v4/api/settlement/status/",
	asJSON: false, withToken: true, repeats: true,
	echoes: []echo{{"settlement_id", true, false}}, list: "", bare: "",
}

var settlementItemsOperation = &operation{
	name: "settlement/items", address: "/gateway/pay/v4/api/settlement/items/",
	asJSON: false, withToken: true, repeats: true,
	echoes: nil, list: "", bare: "",
}

var payoutsOperation = &operation{
	name: "payout/list", address: "/gateway/pay/v4/api/payout/list/",
	asJSON: false, withToken: true, repeats: true,
	echoes: nil, list: "payouts", bare: "",
}

var nextSettlementOperation = &operation{
	name: "settlement/next", address: "/gateway/pay/v4/api/settlement/next/",
	asJSON: false, withToken: true, repeats: true,
	echoes: nil, list: "", bare: "",
}

var priceListOperation = &operation{
	name: "fees", address: "/gateway/pay/v4/api/fees/",
	asJSON: false, withToken: true, repeats: true,
	echoes: nil, list: "", bare: "",
}

var bankAccountsOperation = &operation{
	name: "bankaccount/list", address: "/gateway/pay/v4/api/bankaccount/list/",
	asJSON: false, withToken: true, repeats: true,
	echoes: nil, list: "accounts", bare: "",
}

var splitOperation = &operation{
	name: "split", address: "/gateway/neft/split_payout/transaction_level_split_config_api.php",
	asJSON: true, withToken: false, repeats: true,
	echoes: []echo{{"split_request_id", false, false}, {"ap_transactionid", true, false}}, list: "", bare: "",
}

var disputesOperation = &operation{
	name: "dispute/list", address: "/gateway/pay/v4/api/dispute/list/",
	asJSON: false, withToken: true, repeats: true,
	echoes: nil, list: "disputes", bare: "",
}

var disputeOperation = &operation{
	name: "dispute/status", address: "/gateway/pay/v4/api/dispute/status/",
	asJSON: false, withToken: true, repeats: true,
	echoes: []echo{{"dispute_id", true, false}}, list: "", bare: "",
}

var addEvidenceOperation = &operation{
	name: "dispute/evidence", address: "/gateway/pay/v4/api/dispute/evidence/",
	asJSON: true, withToken: true, repeats: true,
	echoes: nil, list: "", bare: "",
}

var contestDisputeOperation = &operation{
	name: "dispute/contest", address: "/gateway/pay/v4/api/dispute/contest/",
	asJSON: false, withToken: true, repeats: true,
	echoes: []echo{{"dispute_id", true, false}}, list: "", bare: "",
}

var acceptDisputeOperation = &operation{
	name: "dispute/accept", address: "/gateway/pay/v4/api/dispute/accept/",
	asJSON: false, withToken: true, repeats: true,
	echoes: []echo{{"dispute_id", true, false}}, list: "", bare: "",
}

var notificationsOperation = &operation{
	name: "notification/list", address: "/gateway/pay/v4/api/notification/list/",
	asJSON: false, withToken: true, repeats: true,
	echoes: nil, list: "", bare: "",
}

// Banks: Get bank list. Which banks to list. channels: codes of `chmod`, such as `nb`; empty for
// all. Safe to repeat. See docs/spec/payment-interfaces.md#banks.
func (c *Client) Banks(ctx context.Context, channels []string) ([]Bank, error) {
	reply, err := perform(ctx, c, banksOperation, writeBanksRequest, BanksRequest{Channels: channels}, readBanks)
	return reply.Banks, err
}

// ValidateVPA: Validate UPI address. A UPI address to look up. Raises TooManyRequestsError: the
// gateway limits these calls. See docs/spec/payment-interfaces.md#validatevpa.
func (c *Client) ValidateVPA(ctx context.Context, address string) (UpiAddress, error) {
	return perform(ctx, c, validateVPAOperation, writeValidateVpaRequest, ValidateVpaRequest{Address: address}, readUpiAddress)
}

// Capture: Capture an authorisation. An authorisation to capture; without an amount, all of it. See
// docs/spec/payment-interfaces.md#capture.
func (c *Client) Capture(ctx context.Context, asked CaptureRequest) (Transaction, error) {
	return performForTransaction(ctx, c, captureOperation, writeCaptureRequest, asked)
}

// Void: Void an authorisation. An authorisation to void. See docs/spec/payment-
// interfaces.md#capture.
func (c *Client) Void(ctx context.Context, transactionID string) (Transaction, error) {
	return performForTransaction(ctx, c, voidOperation, writeVoidRequest, VoidRequest{TransactionID: transactionID})
}

// GenerateQR: Generate UPI QR code. An order that is paid by one UPI QR. See docs/spec/payment-
// interfaces.md#generateorder.
func (c *Client) GenerateQR(ctx context.Context, asked GenerateOrderRequest) (QrData, error) {
	return perform(ctx, c, generateQROperation, writeGenerateOrderRequest, asked, readQrData)
}

// BeginPayment: Begin a payment from the merchant's server. A payment that the merchant's server
// begins, by its customer's chosen way. See docs/spec/payment-interfaces.md#seamless.
func (c *Client) BeginPayment(ctx context.Context, asked SeamlessRequest) (SeamlessData, error) {
	return perform(ctx, c, beginPaymentOperation, writeSeamlessRequest, asked, readSeamlessData)
}

// Subscription: Show a subscription. A subscription, by a name of the order that registered it;
// both names must agree. Safe to repeat. See docs/spec/payment-interfaces.md#subscription-
// operations.
func (c *Client) Subscription(ctx context.Context, asked SubscriptionName) (Subscription, error) {
	return perform(ctx, c, subscriptionOperation, writeSubscriptionName, asked, readSubscription)
}

// Subscriptions: List subscriptions. Subscriptions, newest first. Without their debits. Safe to
// repeat. See docs/spec/payment-interfaces.md#subscription-operations.
func (c *Client) Subscriptions(ctx context.Context, asked SubscriptionsBefore) ([]Subscription, error) {
	reply, err := perform(ctx, c, subscriptionsOperation, writeSubscriptionsBefore, asked, readSubscriptions)
	return reply.Subscriptions, err
}

// ChargeSubscription: Announce the next debit now. A subscription, by the order that registered it,
// whose next debit is announced now. The debit is made a day later, after its customer was
// notified. Never repeated here: after a TransportError ask `subscription`. Raises
// StateRefusedError (120) while another debit is announced. See docs/spec/payment-
// interfaces.md#subscription-operations.
func (c *Client) ChargeSubscription(ctx context.Context, asked SubscriptionCharge) (Subscription, error) {
	return perform(ctx, c, chargeSubscriptionOperation, writeSubscriptionCharge, asked, readSubscription)
}

// ChangeSubscription: Change a subscription. New terms of a subscription, by its order, within what
// the customer approved. Safe to repeat. See docs/spec/payment-interfaces.md#subscription-
// operations.
func (c *Client) ChangeSubscription(ctx context.Context, asked SubscriptionChange) (Subscription, error) {
	return perform(ctx, c, changeSubscriptionOperation, writeSubscriptionChange, asked, readSubscription)
}

// PauseSubscription: Pause a subscription. A subscription, by a name of the order that registered
// it; both names must agree. Nothing is debited meanwhile, or made up for later. Never repeated
// here: after a TransportError ask `subscription`. Raises StateRefusedError (120) unless active.
// See docs/spec/payment-interfaces.md#subscription-operations.
func (c *Client) PauseSubscription(ctx context.Context, asked SubscriptionName) (Subscription, error) {
	return perform(ctx, c, pauseSubscriptionOperation, writeSubscriptionName, asked, readSubscription)
}

// ResumeSubscription: Resume a subscription. A subscription, by a name of the order that registered
// it; both names must agree. Never repeated here; raises what `pause_subscription` raises. See
// docs/spec/payment-interfaces.md#subscription-operations.
func (c *Client) ResumeSubscription(ctx context.Context, asked SubscriptionName) (Subscription, error) {
	return perform(ctx, c, resumeSubscriptionOperation, writeSubscriptionName, asked, readSubscription)
}

// CancelSubscription: Cancel a subscription. A subscription, by a name of the order that registered
// it; both names must agree. It cannot be resumed. Safe to repeat. See docs/spec/payment-
// interfaces.md#subscription-operations.
func (c *Client) CancelSubscription(ctx context.Context, asked SubscriptionName) (Subscription, error) {
	return perform(ctx, c, cancelSubscriptionOperation, writeSubscriptionName, asked, readSubscription)
}

// SavedCards: List a customer's saved cards. The customer whose saved cards to list, newest first.
// Safe to repeat. See docs/spec/payment-interfaces.md#saved-cards.
func (c *Client) SavedCards(ctx context.Context, customerID string) ([]SavedCard, error) {
	reply, err := perform(ctx, c, savedCardsOperation, writeSavedCardsOf, SavedCardsOf{CustomerID: customerID}, readSavedCards)
	return reply.Cards, err
}

// DeleteSavedCard: Delete a saved card. The saved card to delete. It cannot be used to pay any
// more. Never repeated here: after a TransportError ask `saved_cards`. Raises NotFoundError for a
// card you do not have. See docs/spec/payment-interfaces.md#saved-cards.
func (c *Client) DeleteSavedCard(ctx context.Context, token string) (SavedCard, error) {
	return perform(ctx, c, deleteSavedCardOperation, writeSavedCardName, SavedCardName{Token: token}, readSavedCard)
}

// CreateLink: Make a payment link. A new link, in paise. The same request under one reference makes
// one link. Safe to repeat: the same reference makes one link. See docs/spec/payment-
// interfaces.md#payment-links.
func (c *Client) CreateLink(ctx context.Context, asked NewPaymentLink) (PaymentLink, error) {
	return perform(ctx, c, createLinkOperation, writeNewPaymentLink, asked, readPaymentLink)
}

// Link: Show a payment link. A payment link, by one of its names; both must agree. Safe to repeat.
// See docs/spec/payment-interfaces.md#payment-links.
func (c *Client) Link(ctx context.Context, asked LinkName) (PaymentLink, error) {
	return perform(ctx, c, linkOperation, writeLinkName, asked, readPaymentLink)
}

// Links: List payment links. Payment links, newest first. See docs/spec/payment-
// interfaces.md#payment-links.
func (c *Client) Links(ctx context.Context, before string) ([]PaymentLink, error) {
	reply, err := perform(ctx, c, linksOperation, writeLinksBefore, LinksBefore{Before: before}, readPaymentLinks)
	return reply.Links, err
}

// CancelLink: Cancel a payment link. A payment link, by one of its names; both must agree. It
// cannot be opened again. Safe to repeat. Raises StateRefusedError (120) for one that is paid. See
// docs/spec/payment-interfaces.md#payment-links.
func (c *Client) CancelLink(ctx context.Context, asked LinkName) (PaymentLink, error) {
	return perform(ctx, c, cancelLinkOperation, writeLinkName, asked, readPaymentLink)
}

// Settlements: List settlements. Settlements, newest first. Without their shares. Safe to repeat.
// See docs/spec/payment-interfaces.md#settlement-operations.
func (c *Client) Settlements(ctx context.Context, before string) ([]Settlement, error) {
	reply, err := perform(ctx, c, settlementsOperation, writeSettlementsBefore, SettlementsBefore{Before: before}, readSettlements)
	return reply.Settlements, err
}

// Settlement: Show a settlement. The id of a settlement. With the shares in which it was paid out.
// Safe to repeat. Raises NotFoundError for one that is not yours. See docs/spec/payment-
// interfaces.md#settlement-operations.
func (c *Client) Settlement(ctx context.Context, settlementID string) (Settlement, error) {
	return perform(ctx, c, settlementOperation, writeSettlementName, SettlementName{SettlementID: settlementID}, readSettlement)
}

// SettlementItems: List the items of a settlement. A settlement, whose items to list, oldest first.
// after: `next` of the page before. Safe to repeat. Raises NotFoundError. See docs/spec/payment-
// interfaces.md#settlement-operations.
func (c *Client) SettlementItems(ctx context.Context, asked SettlementItemsAfter) (SettlementItems, error) {
	return perform(ctx, c, settlementItemsOperation, writeSettlementItemsAfter, asked, readSettlementItems)
}

// Payouts: List payouts. Payouts, newest first. before: the last payout_id that you have, for those
// that are older. Safe to repeat. See docs/spec/payment-interfaces.md#settlement-operations.
func (c *Client) Payouts(ctx context.Context, asked PayoutsBefore) ([]Payout, error) {
	reply, err := perform(ctx, c, payoutsOperation, writePayoutsBefore, asked, readPayouts)
	return reply.Payouts, err
}

// NextSettlement: Show the next settlement. No fields: the terms are the sender's own. Payments of
// the last minutes may be missing. Safe to repeat. See docs/spec/payment-interfaces.md#terms-
// operations.
func (c *Client) NextSettlement(ctx context.Context) (NextSettlement, error) {
	return perform(ctx, c, nextSettlementOperation, writeOwnTerms, OwnTerms{}, readNextSettlement)
}

// PriceList: List the prices in force. No fields: the terms are the sender's own. Safe to repeat.
// See docs/spec/payment-interfaces.md#terms-operations.
func (c *Client) PriceList(ctx context.Context) (PriceList, error) {
	return perform(ctx, c, priceListOperation, writeOwnTerms, OwnTerms{}, readPriceList)
}

// BankAccounts: List the accounts that are paid out to. No fields: the terms are the sender's own.
// Safe to repeat. Only an operator changes them. See docs/spec/payment-interfaces.md#terms-
// operations.
func (c *Client) BankAccounts(ctx context.Context) ([]BankAccount, error) {
	reply, err := perform(ctx, c, bankAccountsOperation, writeOwnTerms, OwnTerms{}, readBankAccounts)
	return reply.Accounts, err
}

// Split: Configure split settlement. How a transaction is shared. See docs/spec/payment-
// interfaces.md#split.
func (c *Client) Split(ctx context.Context, asked SplitRequest) (SplitData, error) {
	return perform(ctx, c, splitOperation, writeSplitRequest, asked, readSplitData)
}

// Disputes: List disputes. Disputes, newest first. Without their phases and documents. Safe to
// repeat. See docs/spec/payment-interfaces.md#dispute-operations.
func (c *Client) Disputes(ctx context.Context, asked DisputesBefore) ([]Dispute, error) {
	reply, err := perform(ctx, c, disputesOperation, writeDisputesBefore, asked, readDisputes)
	return reply.Disputes, err
}

// Dispute: Show a dispute. The id of a dispute. Safe to repeat. Raises NotFoundError for one that
// is not yours. See docs/spec/payment-interfaces.md#dispute-operations.
func (c *Client) Dispute(ctx context.Context, disputeID string) (Dispute, error) {
	return perform(ctx, c, disputeOperation, writeDisputeName, DisputeName{DisputeID: disputeID}, readDispute)
}

// AddEvidence: Add a document to the answer to a dispute. A document for the answer to a dispute.
// The same document is kept once, so it is safe to repeat. Raises RefusedError (124) once it is
// answered or over. See docs/spec/payment-interfaces.md#dispute-operations.
func (c *Client) AddEvidence(ctx context.Context, asked NewEvidence) (Evidence, error) {
	return perform(ctx, c, addEvidenceOperation, writeNewEvidence, asked, readEvidence)
}

// ContestDispute: Contest a dispute. The answer that contests a dispute: it needs a note or a
// document. The bank decides. Safe to repeat: the same answer again changes nothing. Raises
// RefusedError (124) after another answer, or after the deadline; (125) where the acquirer takes
// this answer in its own dashboard alone. See docs/spec/payment-interfaces.md#dispute-operations.
func (c *Client) ContestDispute(ctx context.Context, asked DisputeContest) (Dispute, error) {
	return perform(ctx, c, contestDisputeOperation, writeDisputeContest, asked, readDispute)
}

// AcceptDispute: Accept a dispute, wholly or in part. The answer that accepts a dispute, or only a
// part of it. Repeats and raises as `contest_dispute` does. See docs/spec/payment-
// interfaces.md#dispute-operations.
func (c *Client) AcceptDispute(ctx context.Context, asked DisputeAcceptance) (Dispute, error) {
	return perform(ctx, c, acceptDisputeOperation, writeDisputeAcceptance, asked, readDispute)
}

// Notifications: List notifications. Notifications, in the order of their events. Each as it is
// sent. Safe to repeat. See docs/spec/payment-interfaces.md#notification-operations.
func (c *Client) Notifications(ctx context.Context, after string) (AnnouncedPage, error) {
	return perform(ctx, c, notificationsOperation, writeNotificationsAfter, NotificationsAfter{After: after}, readAnnouncedPage)
}
