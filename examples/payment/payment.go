// What docs/payment.md, callbacks.md and seamless.md show in Go.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/url"
	"os"
	"strings"

	hundi "hundi.example/go"
)

func headers() http.Header {
	header := http.Header{}
	for _, name := range []string{"webhook-id", "webhook-timestamp", "webhook-signature"} {
		header.Set(name, os.Getenv("HTTP_"+strings.ToUpper(strings.ReplaceAll(name, "-", "_"))))
	}
	return header
}

func main() {
	ctx := context.Background()
	credentials := hundi.Credentials{
		MerchantID:        os.Getenv("MERCHANT_ID"),
		Username:          os.Getenv("USERNAME"),
		Password:          os.Getenv("PASSWORD"),
		APISecret:         os.Getenv("API_SECRET"),
		OAuthClientID:     os.Getenv("OAUTH_CLIENT_ID"),
		OAuthClientSecret: os.Getenv("OAUTH_CLIENT_SECRET"),
		WebhookKeys:       []string{os.Getenv("WEBHOOK_KEY")},
	}
	gateway := hundi.Gateway{BaseURL: os.Getenv("BASE_URL"), PaymentPageURL: os.Getenv("PAYMENT_PAGE_URL")}
	client, err := hundi.NewClient(credentials, gateway)
	if err != nil {
		log.Fatal(err)
	}
	posted, err := url.ParseQuery(os.Getenv("POSTED"))
	if err != nil {
		log.Fatal(err)
	}
	header := headers()
	body, err := io.ReadAll(os.Stdin)
	if err != nil {
		log.Fatal(err)
	}

	// [form]
	buyer := hundi.Buyer{Firstname: "Asha", Lastname: "Rao", Email: "asha@example.in", Phone: "9876543210"}
	order := hundi.PaymentRequest{OrderID: os.Getenv("NEW_ORDER_ID"), AmountPaise: 149950, Buyer: buyer}
	form, err := client.PaymentForm(ctx, order)
	if err != nil {
		log.Fatal(err)
	}
	page, err := form.HTML(hundi.Page{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(page) // answer the customer's request with this document
	// [end]

	// [return]
	callbacks, err := hundi.NewCallbacks(credentials)
	if err != nil {
		log.Fatal(err)
	}
	// request.PostForm, and the order's id and amount of your own books
	own := hundi.Expected{OrderID: os.Getenv("ORDER_ID"), AmountPaise: 149950}
	back, err := callbacks.ReadReturn(posted, own)
	var refused *hundi.Error
	switch {
	case errors.As(err, &refused) && refused.IsUntrusted():
		fmt.Println("not believed") // money may still have moved: verify tells
	case err != nil:
		log.Fatal(err)
	case back.Transaction.IsPaid():
		fmt.Println("paid")
	default:
		fmt.Println("not paid yet")
	}
	// [end]

	// [notification]
	news, err := callbacks.ReadNotification(header.Get, body) // request.Header, and the raw bytes
	switch {
	case errors.As(err, &refused) && refused.IsUntrusted():
		fmt.Println("not believed") // answer 4xx
	case err != nil:
		log.Fatal(err)
	default:
		fmt.Println(news.Event, news.Transaction.OrderID, news.Transaction.AmountPaise)
	}
	// [end]

	// [seamless]
	step, err := client.BeginPayment(ctx, hundi.SeamlessRequest{
		OrderID: os.Getenv("NEW_ORDER_ID") + "-S", AmountPaise: 149950, Buyer: buyer,
		PayBy: "nb", BankCode: "HDFC",
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(step.Action) // redirect: send the customer's browser to step.RedirectURL
	// [end]
}
