// The plain interface from Go's own library: what docs/v1.md shows, one call after another.
package main

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

// [ask]

// fields are a JSON object.
type fields = map[string]any

// ask makes one call and reads its answer into reply.
func ask(method, path string, body any, key string, reply any) (status int, err error) {
	content, err := json.Marshal(body)
	if err != nil {
		return 0, err
	}
	request, err := http.NewRequest(method, os.Getenv("BASE_URL")+"/v1/"+path, bytes.NewReader(content))
	if err != nil {
		return 0, err
	}
	request.Header.Set("authorization", "Bearer "+os.Getenv("BEARER_KEY"))
	request.Header.Set("content-type", "application/json")
	if key != "" {
		request.Header.Set("idempotency-key", key)
	}
	client := http.Client{Timeout: 30 * time.Second}
	answer, err := client.Do(request)
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	return answer.StatusCode, json.NewDecoder(answer.Body).Decode(reply)
}

// [end]

// [webhook]

// isOurs says whether the gateway signed a webhook within the past five minutes.
func isOurs(header http.Header, body []byte) bool {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(os.Getenv("WEBHOOK_KEY"), "whsec_"))
	stamp, wrong := strconv.ParseInt(header.Get("webhook-timestamp"), 10, 64)
	if err != nil || wrong != nil || len(key) < 24 {
		return false
	}
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%d.%s", header.Get("webhook-id"), stamp, body)
	expected := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	signed := false
	for _, given := range strings.Split(header.Get("webhook-signature"), " ") {
		signed = hmac.Equal([]byte(given), []byte(expected)) || signed
	}
	return signed && time.Since(time.Unix(stamp, 0)).Abs() <= 5*time.Minute
}

// [end]

func create() {
	// [create]
	buyer := fields{"email": "asha@example.in", "phone": "9876543210", "firstname": "Asha", "lastname": "Rao"}
	order := fields{"order_id": os.Getenv("NEW_ORDER_ID"), "amount_paise": 149950, "buyer": buyer}
	var created struct {
		PageURL string `json:"page_url"`
	}
	if _, err := ask("POST", "orders", order, "", &created); err != nil {
		log.Fatal(err)
	}
	fmt.Println(created.PageURL) // send the customer's browser there
	// [end]
}

func show() {
	// [show]
	var order struct {
		State       string `json:"state"`
		AmountPaise int64  `json:"amount_paise"`
	}
	if _, err := ask("GET", "orders/"+os.Getenv("ORDER_ID"), nil, "", &order); err != nil {
		log.Fatal(err)
	}
	deliver := order.State == "paid" && order.AmountPaise == 149950 // of your own books
	fmt.Println(order.State, order.AmountPaise)
	// [end]
	_ = deliver
}

func refusal() {
	// [refusal]
	wrong := fields{"transaction_id": os.Getenv("TRANSACTION_ID"), "amount_paise": "1499.50"}
	var problem struct{ Field string }
	status, err := ask("POST", "refunds", wrong, "wrong", &problem)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(status, problem.Field)
	// [end]
}

func refund() {
	// [refund]
	part := fields{"transaction_id": os.Getenv("TRANSACTION_ID"), "amount_paise": 100}
	name := os.Getenv("NEW_ORDER_ID") + "-R" // of your own books: sent again, it refunds once
	var refund struct {
		AmountPaise int64 `json:"amount_paise"`
	}
	status, err := ask("POST", "refunds", part, name, &refund)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(status, refund.AmountPaise)
	// [end]
}

func events() {
	// [events]
	var events struct {
		Items      []fields
		NextCursor string `json:"next_cursor"`
	}
	if _, err := ask("GET", "events", nil, "", &events); err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(events.Items))
	later := "events?cursor=" + events.NextCursor // keep it, and ask for this path next time
	// [end]
	_ = later
}

func main() {
	create()
	show()
	refusal()
	refund()
	events()
	header := http.Header{}
	for _, name := range []string{"webhook-id", "webhook-timestamp", "webhook-signature"} {
		header.Set(name, os.Getenv("HTTP_"+strings.ToUpper(strings.ReplaceAll(name, "-", "_"))))
	}
	body, err := io.ReadAll(os.Stdin)
	if err != nil {
		log.Fatal(err)
	}
	if isOurs(header, body) {
		fmt.Println("believed")
	} else {
		fmt.Println("not believed")
	}
}
