// A whole shop in one file: one thing to buy, paid through a Hundi gateway.
//
//	go -C sdks/go run ../../examples/shop.go merchant.json http://127.0.0.1:8080 9000
//
// merchant.json, with its whole path, is what `hundi merchant add --json` printed; the merchant's
// addresses are /return and /notifications of this shop. Orders are kept in memory: keep yours in a
// database.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"log"
	"net/http"
	"os"
	"sync"
	"time"

	hundi "hundi.example/go"
)

const pricePaise = 149950

var buyer = hundi.Buyer{
	Firstname: "Asha", Lastname: "Rao", Email: "asha@example.in", Phone: "9876543210",
}

type shop struct {
	client    *hundi.Client
	callbacks *hundi.Callbacks
	guard     sync.Mutex
	// orders are our own books: order id and how it stands.
	orders map[string]string
}

func (s *shop) page(w http.ResponseWriter, _ *http.Request) error {
	s.guard.Lock()
	defer s.guard.Unlock()
	fmt.Fprint(w, "<!doctype html><title>My shop</title><h1>My shop</h1>",
		"<form method=post action=/buy><button>Buy a handloom sari for ₹1,499.50</button></form><ul>")
	for id, state := range s.orders {
		fmt.Fprintf(w, "<li>%s: <b>%s</b></li>", id, html.EscapeString(state))
	}
	fmt.Fprint(w, "</ul>")
	return nil
}

func (s *shop) buy(w http.ResponseWriter, r *http.Request) error {
	orderID := fmt.Sprintf("order-%d", time.Now().UnixNano())
	s.keep(orderID, "waiting")
	form, err := s.client.PaymentForm(r.Context(), hundi.PaymentRequest{
		OrderID: orderID, AmountPaise: pricePaise, Buyer: buyer,
	})
	if err != nil {
		return err
	}
	page, err := form.HTML(hundi.Page{})
	fmt.Fprint(w, page)
	return err
}

// takeReturn takes a claim of the browser: it asks the gateway before goods are released.
func (s *shop) takeReturn(w http.ResponseWriter, r *http.Request) error {
	if err := r.ParseForm(); err != nil {
		return err
	}
	orderID, err := s.callbacks.ClaimedOrderID(r.PostForm)
	if err == nil {
		err = s.ask(r, orderID)
	}
	if err == nil {
		http.Redirect(w, r, "/", http.StatusSeeOther) // a reload sends nothing twice
	}
	return err
}

// takeNotification hears the gateway's server, also when the customer never comes back; it signs.
func (s *shop) takeNotification(w http.ResponseWriter, r *http.Request) error {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
	if err != nil {
		return err
	}
	told, err := s.callbacks.ReadNotification(r.Header.Get, body)
	if err == nil {
		err = s.ask(r, told.Transaction.OrderID)
	}
	if err == nil {
		fmt.Fprint(w, "Written down.")
	}
	return err
}

// ask asks the gateway how an order stands; it must name our order id and our amount.
func (s *shop) ask(r *http.Request, orderID string) error {
	s.guard.Lock()
	_, isOurs := s.orders[orderID]
	s.guard.Unlock()
	if !isOurs {
		return nil
	}
	told, err := s.client.Verify(r.Context(), hundi.Expected{OrderID: orderID, AmountPaise: pricePaise})
	if err != nil {
		return err
	}
	switch {
	case told.IsPaid():
		s.keep(orderID, "paid")
	case told.IsPending():
		s.keep(orderID, "waiting")
	default:
		s.keep(orderID, "not paid: "+told.Message)
	}
	return nil
}

func (s *shop) keep(orderID, state string) {
	s.guard.Lock()
	defer s.guard.Unlock()
	s.orders[orderID] = state
}

func answered(act func(http.ResponseWriter, *http.Request) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("content-type", "text/html; charset=utf-8")
		err := act(w, r)
		var known *hundi.Error
		switch {
		case err == nil:
		case errors.As(err, &known) && known.IsUntrusted():
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprint(w, "Not believed: ", html.EscapeString(err.Error()))
		default:
			w.WriteHeader(http.StatusBadGateway)
			fmt.Fprint(w, "The gateway said: ", html.EscapeString(err.Error()))
		}
	}
}

func main() {
	path, gateway, port := os.Args[1], "http://127.0.0.1:8080", "9000"
	if len(os.Args) > 3 {
		gateway, port = os.Args[2], os.Args[3]
	}
	var keys struct {
		MerchantID   string   `json:"merchant_id"`
		Username     string   `json:"username"`
		Password     string   `json:"password"`
		Secret       string   `json:"secret"`
		ClientID     string   `json:"client_id"`
		ClientSecret string   `json:"client_secret"`
		WebhookKeys  []string `json:"webhook_keys"`
	}
	text, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(text, &keys)
	}
	if err != nil {
		log.Fatal(err)
	}
	credentials := hundi.Credentials{
		MerchantID: keys.MerchantID, Username: keys.Username, Password: keys.Password,
		APISecret: keys.Secret, OAuthClientID: keys.ClientID, OAuthClientSecret: keys.ClientSecret,
		WebhookKeys: keys.WebhookKeys,
	}
	client, err := hundi.NewClient(credentials, hundi.Gateway{BaseURL: gateway})
	if err != nil {
		log.Fatal(err)
	}
	callbacks, err := hundi.NewCallbacks(credentials)
	if err != nil {
		log.Fatal(err)
	}
	s := &shop{client: client, callbacks: callbacks, orders: map[string]string{}}
	http.HandleFunc("GET /{$}", answered(s.page))
	http.HandleFunc("POST /buy", answered(s.buy))
	http.HandleFunc("POST /return", answered(s.takeReturn))
	http.HandleFunc("POST /notifications", answered(s.takeNotification))
	fmt.Printf("Open http://127.0.0.1:%s/\n", port)
	log.Fatal(http.ListenAndServe("127.0.0.1:"+port, nil))
}
