package hundi

import (
	"bufio"
	"context"
	"encoding/base64"
	"fmt"
	"net/url"
	"os"
	"sort"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestMain answers requests, one a line, where HUNDI_PEER is set: what vectors, random messages and
// a shop's life ask of an SDK.
func TestMain(m *testing.M) {
	if os.Getenv("HUNDI_PEER") == "" {
		os.Exit(m.Run())
	}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 16*1024*1024)
	for lines.Scan() {
		asked, err := parse(lines.Bytes(), replyValuesMax)
		if err != nil {
			panic(err)
		}
		given := asked.values["with"].(*object)
		fmt.Println(compact(answered(asked.values["do"].(string), given)))
	}
}

var (
	client *Client
	ctx    = context.Background()
)

func answered(do string, given *object) *object {
	answer := newObject()
	gives, err := answers[do](values{given})
	if err == nil {
		answer.set("gives", gives)
	} else {
		answer.set("refused", refused(err))
	}
	return answer
}

func refused(err error) *object {
	told := newObject()
	wrong, known := err.(*Error)
	if !known {
		told.set("kind", "unreadable")
		return told
	}
	told.set("kind", string(wrong.Kind))
	if wrong.Kind != KindInvalidRequest {
		told.set("code", wrong.Code)
		told.set("retry", string(wrong.Retry))
	}
	if wrong.Field != "" {
		told.set("field", wrong.Field)
		told.set("received", wrong.Received)
		told.set("allowed", wrong.Allowed)
	}
	return told
}

type values struct{ given *object }

func (v values) text(name string) string { return textOf(v.given.values[name]) }

func (v values) object(name string) *object { return v.given.values[name].(*object) }

func (v values) texts(name string) []string {
	found := []string{}
	for _, each := range v.given.values[name].([]any) {
		found = append(found, textOf(each))
	}
	return found
}

func (v values) number(name string) int64 {
	found, err := strconv.ParseInt(v.text(name), 10, 64)
	if err != nil {
		panic(err)
	}
	return found
}

func (v values) bytes(name string) []byte {
	found, err := base64.StdEncoding.DecodeString(v.text(name))
	if err != nil {
		panic(err)
	}
	return found
}

func (v values) key() []byte { return encryptionKey(v.text("username"), v.text("password")) }

func (v values) credentials() Credentials {
	own := values{v.object("credentials")}
	return Credentials{
		MerchantID: own.text("merchant_id"), Username: own.text("username"), Password: own.text("password"),
		APISecret: own.text("api_secret"), OAuthClientID: own.text("oauth_client_id"),
		OAuthClientSecret: own.text("oauth_client_secret"), WebhookKeys: own.texts("webhook_keys"),
	}
}

func (v values) derived() *derived {
	known, err := v.credentials().derive()
	if err != nil {
		panic(err)
	}
	return known
}

func (v values) callbacks() *Callbacks {
	made, err := NewCallbacks(v.credentials())
	if err != nil {
		panic(err)
	}
	made.Clock = func() time.Time { return time.Unix(v.number("now"), 0) }
	return made
}

func (v values) expected() Expected {
	return Expected{v.text("order_id"), v.number("amount_paise"), v.text("currency")}
}

func form(fields *object) url.Values {
	found := url.Values{}
	for _, name := range fields.names {
		found.Set(name, textOf(fields.values[name]))
	}
	return found
}

func of(pairs ...any) *object {
	found := newObject()
	for place := 0; place < len(pairs); place += 2 {
		found.set(pairs[place].(string), canonical(pairs[place+1]))
	}
	return found
}

func canonical(value any) any {
	switch known := value.(type) {
	case *int64:
		if known == nil {
			return ""
		}
		return strconv.FormatInt(*known, 10)
	case time.Time:
		if known.IsZero() {
			return ""
		}
		return strconv.FormatInt(known.Unix(), 10)
	case *object:
		return known
	}
	return fmt.Sprint(value)
}

func summary(t Transaction) *object {
	return of("transaction_id", t.TransactionID, "order_id", t.OrderID, "merchant_id", t.MerchantID,
		"amount_paise", t.AmountPaise, "status_code", t.StatusCode, "channel", t.Channel,
		"customer_name", t.CustomerName, "message", t.Message, "custom_var", t.CustomVar, "rrn", t.RRN,
		"refunded_paise", t.RefundedPaise, "created_at", t.CreatedAt, "at_risk", t.AtRisk,
		"is_paid", t.IsPaid(), "is_pending", t.IsPending(), "is_failed", t.IsFailed(),
		"is_authorised", t.IsAuthorised(), "is_voided", t.IsVoided(), "is_refund", t.IsRefund(),
		"is_final", t.IsFinal())
}

func compacted(found *object, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	return compact(found), nil
}

func with(about, more *object) *object {
	for _, name := range more.names {
		about.set(name, more.values[name])
	}
	return about
}

func read(kind string, r *reader) any {
	switch kind {
	case "money":
		return r.money("field")
	case "balance":
		return r.balance("field")
	case "money_or_none":
		return r.moneyOrNone("field")
	case "limit":
		return r.limit("field")
	case "moment":
		return r.moment("field")
	case "day":
		return r.day("field")
	case "whole":
		return r.whole("field")
	case "number":
		return r.number("field")
	case "record_time":
		return r.recordTime("field")
	}
	return r.yesOrNo("field")
}

func (v values) readAs(kind string) (any, error) {
	named := newObject()
	named.set("field", v.text("text"))
	r := newReader(named)
	found := canonical(read(kind, r))
	return found, r.err
}

var answers = map[string]func(values) (any, error){
	"key":  func(v values) (any, error) { return string(v.key()), nil },
	"seal": func(v values) (any, error) { return seal(v.key(), []byte(v.text("text")), v.text("iv")) },
	"open": func(v values) (any, error) {
		found, err := open(v.key(), v.text("encdata"))
		return base64.StdEncoding.EncodeToString(found), err
	},
	"open_json": func(v values) (any, error) {
		found, err := openJSON(v.key(), v.text("encdata"), valuesMax)
		return compacted(found, err)
	},
	"json": func(v values) (any, error) {
		found, err := parse(v.bytes("base64"), valuesMax)
		return compacted(found, err)
	},
	"checksum": func(v values) (any, error) {
		found := of("v4", checksumV4(v.object("fields"), v.text("day")))
		for name, sum := range crc32Forms(v.object("fields")) {
			found.set(name, sum)
		}
		return found, nil
	},
	"privatekey": func(v values) (any, error) {
		return privatekey(v.text("secret"), v.text("username"), v.text("password")), nil
	},
	"secure_hash": func(v values) (any, error) { return secureHash(v.texts("values"), v.text("payer_vpa")), nil },
	"envelope": func(v values) (any, error) {
		own, err := v.credentials().derive()
		if err != nil {
			return nil, err
		}
		found, err := sealed(own, v.object("fields"), v.text("day"), v.text("iv"))
		told := newObject()
		for name := range found {
			told.set(name, found.Get(name))
		}
		return told, err
	},
	"signature": func(v values) (any, error) {
		at, err := signedAt(v.texts("keys"),
			signedMessage{v.text("id"), v.text("timestamp"), v.text("signatures"), v.text("content")})
		if err == nil {
			err = checkAge(at, float64(v.number("now")), float64(v.number("tolerance")))
		}
		return strconv.FormatInt(at, 10), err
	},
	"paise": func(v values) (any, error) {
		found, err := Paise(v.text("text"))
		return canonical(found), err
	},
	"amount_text": func(v values) (any, error) { return AmountText(v.number("paise")), nil },
	"read":        func(v values) (any, error) { return v.readAs(v.text("kind")) },
	"record_time": func(v values) (any, error) { return v.readAs("record_time") },
	"return": func(v values) (any, error) {
		told, err := v.callbacks().ReadReturn(form(v.object("form")), v.expected())
		return with(of("webhook_id", told.WebhookID), summary(told.Transaction)), err
	},
	"notification": func(v values) (any, error) {
		header := func(name string) string {
			for _, each := range v.object("headers").names {
				if strings.EqualFold(each, name) {
					return textOf(v.object("headers").values[each])
				}
			}
			return ""
		}
		told, err := v.callbacks().ReadNotification(header, v.bytes("body"))
		about := of("webhook_id", told.WebhookID, "event", told.Event, "sent_at", told.SentAt)
		return with(about, summary(told.Transaction)), err
	},
	"reply": func(v values) (any, error) {
		found, err := readReply(v.derived(), v.bytes("body"), false)
		return compacted(found, err)
	},
	"speed": func(v values) (any, error) {
		key, text := encryptionKey("demo-user", "demo-pass"), []byte(strings.Repeat("x", 1024))
		started := time.Now()
		for round := int64(0); round < v.number("rounds"); round++ {
			sealed, _ := seal(key, text, "")
			if _, err := open(key, sealed); err != nil {
				return nil, err
			}
		}
		micros := float64(time.Since(started).Nanoseconds()) / 1000 / float64(v.number("rounds"))
		return fmt.Sprintf("%.1f", micros), nil
	},

	// A shop's life at a running gateway.
	"connect": func(v values) (any, error) {
		made, err := NewClient(v.credentials(), Gateway{
			BaseURL: v.text("base_url"), PaymentPageURL: v.text("payment_page_url"),
			Pauses: []time.Duration{time.Millisecond, time.Millisecond}, Timeout: 20 * time.Second,
		})
		client = made
		return "", err
	},
	"payment_form": func(v values) (any, error) {
		found, err := client.PaymentForm(ctx, PaymentRequest{
			OrderID: v.text("order_id"), AmountPaise: v.number("amount_paise"), Txnsubtype: v.text("txnsubtype"),
			Buyer: Buyer{Email: "asha@example.in", Phone: "+91 98765-43210", Firstname: "आशा", Lastname: "O'Brien"},
		})
		if err != nil {
			return nil, err
		}
		page, err := found.HTML(Page{})
		fields := newObject()
		for name := range found.Fields {
			fields.set(name, found.Fields.Get(name))
		}
		return of("action", found.ActionURL, "fields", fields, "html", page), err
	},
	"verify": func(v values) (any, error) {
		told, err := client.Verify(ctx, v.expected())
		return summary(told), err
	},
	"refund": func(v values) (any, error) {
		paise := v.number("amount_paise")
		items := []RefundItem{{TransactionID: v.text("transaction_id"), AmountPaise: &paise}}
		results, err := client.Refund(ctx, items, v.text("request_id"))
		if err != nil {
			return nil, err
		}
		return of("accepted", results[0].Accepted, "code", results[0].Code, "amount_paise", results[0].AmountPaise), nil
	},
	"generate_qr": func(v values) (any, error) {
		qr, err := client.GenerateQR(ctx, GenerateOrderRequest{
			OrderID: v.text("order_id"), AmountPaise: v.number("amount_paise"),
		})
		if err != nil {
			return nil, err
		}
		return of("text", qr.Text, "order_id", qr.OrderID, "png", string(qr.PNG[1:4])), nil
	},
	"validate_vpa": func(v values) (any, error) {
		found, err := client.ValidateVPA(ctx, v.text("address"))
		return of("address", found.Address, "is_registered", found.IsRegistered), err
	},
	"split": func(v values) (any, error) {
		share := v.number("share")
		split, err := client.Split(ctx, SplitRequest{
			TransactionID: v.text("transaction_id"), RRN: v.text("rrn"), RequestID: v.text("request_id"),
			Type: "percentage", PrimaryValue: 10000 - share,
			Parts: []SplitPart{{Identifier: v.text("identifier"), Value: share}},
		})
		return of("status", split.Status, "primary_paise", split.PrimaryPaise), err
	},
	"capture": func(v values) (any, error) {
		told, err := client.Capture(ctx, CaptureRequest{TransactionID: v.text("transaction_id")})
		return summary(told), err
	},
	"banks": func(values) (any, error) {
		banks, err := client.Banks(ctx, nil)
		seen := map[string]bool{}
		for _, bank := range banks {
			seen[bank.Channel] = true
		}
		found := []string{}
		for channel := range seen {
			found = append(found, channel)
		}
		sort.Strings(found)
		return strings.Join(found, " "), err
	},
	"create_link": func(v values) (any, error) {
		link, err := client.CreateLink(ctx, NewPaymentLink{
			Reference: v.text("reference"), AmountPaise: 5000, Description: "Tea",
		})
		if err != nil {
			return nil, err
		}
		again, err := client.Link(ctx, LinkName{Reference: v.text("reference")})
		return of("state", link.State, "same", link.LinkID == again.LinkID), err
	},
}
