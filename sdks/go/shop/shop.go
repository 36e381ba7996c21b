// Package shop is a shop's end of the payment for net/http: it checks a notification, hands it over
// once, and sends a customer who comes back to the shop's page.
package shop

import (
	"context"
	"database/sql"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"

	hundi "hundi.example/go"
)

const (
	bodyBytesMax = 256 * 1024
	// How the payment status of news about a subscription begins; its amount is the debit's.
	mandateNews = "MANDATE "
)

// ErrNoOrder is what Books.Order returns for an order that your books do not have.
var ErrNoOrder = errors.New("the shop has no such order")

// Books is what your own code gives.
type Books struct {
	// Order returns an order of your own books, or ErrNoOrder. Amount and currency are compared
	// with it.
	Order func(ctx context.Context, orderID string) (hundi.PaymentRequest, error)
	// Handle does what an event asks for, in the store's transaction. When it returns an error, the
	// event's mark is undone too, and the gateway sends it again.
	Handle func(ctx context.Context, tx *sql.Tx, news hundi.Notification) error
	// AfterReturn returns the address of your page for a customer who comes back. told is nil when
	// the return is not believed. Deliver on the notification, not on this.
	AfterReturn func(orderID string, told *hundi.Transaction) string
	// Failed is told of errors that were answered with 500; nil for nobody.
	Failed func(request *http.Request, err error)
}

// EventStore hands an event over once: its mark and the shop's effect are written together, or
// neither. HandOver reports whether handle ran now.
type EventStore interface {
	HandOver(
		ctx context.Context, news hundi.Notification, handle func(*sql.Tx) error,
	) (isNew bool, err error)
}

// Shop has the handlers of one merchant. Keep one for the life of your process.
type Shop struct {
	Client    *hundi.Client
	Callbacks *hundi.Callbacks
	store     EventStore
	books     Books
}

// New returns a shop, or an error when credentials or addresses cannot work.
func New(credentials hundi.Credentials, gateway hundi.Gateway, store EventStore, books Books) (*Shop, error) {
	client, err := hundi.NewClient(credentials, gateway)
	if err != nil {
		return nil, err
	}
	callbacks, err := hundi.NewCallbacks(credentials)
	if err != nil {
		return nil, err
	}
	return &Shop{client, callbacks, store, books}, nil
}

// WritePaymentPage answers with the document that takes a customer to the payment page. Show it only
// to the customer whose order it is: it names the buyer.
func (s *Shop) WritePaymentPage(
	w http.ResponseWriter, r *http.Request, order hundi.PaymentRequest, page hundi.Page,
) error {
	form, err := s.Client.PaymentForm(r.Context(), order)
	if err != nil {
		return err
	}
	document, err := form.HTML(page)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	_, err = io.WriteString(w, document)
	return err
}

// Notification is the handler for the notification's address.
func (s *Shop) Notification(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, bodyBytesMax))
	if err != nil {
		http.Error(w, "the body cannot be read", http.StatusBadRequest)
		return
	}
	news, err := s.Callbacks.ReadNotification(r.Header.Get, body)
	if err == nil {
		err = s.demand(r.Context(), news.Transaction)
	}
	if err != nil {
		s.refuse(w, r, err)
		return
	}
	isNew, err := s.store.HandOver(r.Context(), news, func(tx *sql.Tx) error {
		return s.books.Handle(r.Context(), tx, news)
	})
	switch {
	case err != nil:
		s.fail(w, r, err)
	case isNew:
		io.WriteString(w, "handled")
	default:
		io.WriteString(w, "handled before")
	}
}

// Return is the handler for the address to which customers come back.
func (s *Shop) Return(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, 2*bodyBytesMax)
	if err := r.ParseForm(); err != nil {
		http.Error(w, "the form cannot be read", http.StatusBadRequest)
		return
	}
	orderID, err := s.Callbacks.ClaimedOrderID(r.PostForm)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	order, err := s.books.Order(r.Context(), orderID)
	if err != nil {
		s.refuse(w, r, err)
		return
	}
	http.Redirect(w, r, s.books.AfterReturn(orderID, s.believed(r.PostForm, order)), http.StatusSeeOther)
}

func (s *Shop) believed(form url.Values, order hundi.PaymentRequest) *hundi.Transaction {
	returned, err := s.Callbacks.ReadReturn(form, expected(order))
	if err != nil {
		return nil
	}
	return &returned.Transaction
}

func (s *Shop) demand(ctx context.Context, told hundi.Transaction) error {
	order, err := s.books.Order(ctx, told.OrderID)
	if err != nil || !hasAmountOfOrder(told) {
		return err
	}
	return told.Demand(told.MerchantID, expected(order))
}

func (s *Shop) refuse(w http.ResponseWriter, r *http.Request, err error) {
	var wrong *hundi.Error
	switch {
	case errors.Is(err, ErrNoOrder):
		http.Error(w, err.Error(), http.StatusNotFound)
	case errors.As(err, &wrong) && wrong.Kind == hundi.KindMismatch:
		http.Error(w, err.Error(), http.StatusConflict)
	case errors.As(err, &wrong) && wrong.IsUntrusted():
		http.Error(w, err.Error(), http.StatusBadRequest)
	default:
		s.fail(w, r, err)
	}
}

func (s *Shop) fail(w http.ResponseWriter, r *http.Request, err error) {
	if s.books.Failed != nil {
		s.books.Failed(r, err)
	}
	http.Error(w, "the event could not be handled", http.StatusInternalServerError)
}

// In news of a refund, a dispute, an excess or a subscription the amount is of that.
func hasAmountOfOrder(told hundi.Transaction) bool {
	return !(told.IsRefund() || told.IsDispute() || told.IsExcess() ||
		strings.HasPrefix(told.PaymentStatus, mandateNews))
}

func expected(order hundi.PaymentRequest) hundi.Expected {
	return hundi.Expected{
		OrderID:     order.OrderID,
		AmountPaise: order.AmountPaise,
		Currency:    strings.ToUpper(order.Currency),
	}
}
