package hundi

import (
	"context"
	"net/url"
	"strings"
)

// Client is a merchant's connection to the gateway. Keep one for the life of your process; it may be
// shared between goroutines.
type Client struct {
	calls *calls
}

// NewClient returns a client, or an error when credentials or addresses cannot work.
func NewClient(credentials Credentials, gateway Gateway) (*Client, error) {
	known, err := credentials.derive()
	if err != nil {
		return nil, err
	}
	made, err := newCalls(known, gateway)
	if err != nil {
		return nil, err
	}
	return &Client{made}, nil
}

// PaymentForm returns the form that takes the customer to the payment page. Render it at once: its
// token is valid for some minutes. The same order again reopens the same payment.
func (c *Client) PaymentForm(ctx context.Context, order PaymentRequest) (PaymentForm, error) {
	w := newWriter(c.calls.gateway.ShopOrigin)
	writePaymentRequest(w, &order)
	if w.err != nil {
		return PaymentForm{}, w.err
	}
	held, err := c.calls.token(ctx, ScopePage, "")
	if err != nil {
		return PaymentForm{}, err
	}
	fields, err := c.calls.envelope(w.fields)
	if err != nil {
		return PaymentForm{}, err
	}
	return PaymentForm{withToken(c.calls.gateway.PaymentPageURL+paymentPage, held), fields}, nil
}

// AccessToken returns an access token, for requests made without this client.
func (c *Client) AccessToken(ctx context.Context, scope Scope) (string, error) {
	return c.calls.token(ctx, scope, "")
}

// Verify returns the state of a payment. Order id, amount and currency are those of your own books,
// and are always compared with the answer.
func (c *Client) Verify(ctx context.Context, expected Expected) (Transaction, error) {
	return c.VerifyBy(ctx, VerifyRequest{OrderID: expected.OrderID}, expected)
}

// VerifyBy looks a payment up by other names, and compares it as Verify does.
func (c *Client) VerifyBy(ctx context.Context, asked VerifyRequest, expected Expected) (Transaction, error) {
	w := newWriter("")
	writeVerifyRequest(w, &asked)
	found, err := c.transaction(ctx, verifyOperation, w)
	if err != nil {
		return Transaction{}, err
	}
	return found, found.Demand(c.calls.credentials.MerchantID, expected)
}

// Refund gives money back. requestID is an id of your own books: the same id with the same items
// never refunds twice, so you may repeat this after KindUnreachable. An accepted refund is begun.
func (c *Client) Refund(ctx context.Context, items []RefundItem, requestID string) ([]RefundResult, error) {
	if requestID == "" {
		return nil, invalid("refund_request_id", "", "an id of your own books: it makes a retry safe")
	}
	asked := RefundRequest{Items: items, RequestID: requestID}
	reply, err := perform(ctx, c, refundOperation, writeRefundRequest, asked, readRefundResults)
	if err != nil {
		return nil, err
	}
	isAnswered := len(reply.Results) == len(items)
	for place := 0; isAnswered && place < len(items); place++ {
		isAnswered = reply.Results[place].TransactionID == strings.TrimLeft(items[place].TransactionID, "0")
	}
	if !isAnswered {
		return nil, noAnswer(KindUnreadableReply, "the reply to refund does not answer each item")
	}
	return reply.Results, nil
}

// Err returns why a refund was refused, or nil when it is begun.
func (r RefundResult) Err() error {
	if r.Accepted {
		return nil
	}
	return refusal(r.Code, r.Message, "")
}

func (c *Client) transaction(ctx context.Context, o *operation, w *writer) (Transaction, error) {
	if w.err != nil {
		return Transaction{}, w.err
	}
	data, err := c.calls.perform(ctx, o, w.fields)
	if err != nil {
		return Transaction{}, err
	}
	record, isObject := data.(*object)
	if !isObject {
		return Transaction{}, noAnswer(KindUnreadableReply, "the reply holds no transaction record")
	}
	return transactionOf(record, c.calls.credentials.Username)
}

// performForTransaction performs an operation that the transaction record answers.
func performForTransaction[Request any](
	ctx context.Context, c *Client, o *operation, write func(*writer, *Request), asked Request,
) (Transaction, error) {
	w := newWriter("")
	write(w, &asked)
	found, err := c.transaction(ctx, o, w)
	own := c.calls.credentials.MerchantID
	if err == nil && found.MerchantID != own {
		return Transaction{}, mismatch("merchant_id", own, found.MerchantID)
	}
	return found, err
}

func perform[Request, Reply any](
	ctx context.Context, c *Client, o *operation,
	write func(*writer, *Request), asked Request, read func(*reader) Reply,
) (Reply, error) {
	var none Reply
	w := newWriter(c.calls.gateway.ShopOrigin)
	write(w, &asked)
	if w.err != nil {
		return none, w.err
	}
	data, err := c.calls.perform(ctx, o, w.fields)
	if err != nil {
		return none, err
	}
	if o.bare != "" {
		named := newObject()
		named.set(o.bare, data)
		data = named
	}
	r := newReader(data)
	reply := read(r)
	if r.err != nil {
		return none, r.err
	}
	return reply, nil
}

// PaymentForm is the form that a customer's browser posts to reach the payment page. Never store or
// log it: the address carries an access token.
type PaymentForm struct {
	ActionURL string
	Fields    url.Values
}
