package hundi

import (
	"fmt"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"
)

const (
	bodyBytesMax  = 256 * 1024
	formFieldsMax = 100
)

// Callbacks checks what the gateway tells one merchant. It keeps no state.
type Callbacks struct {
	credentials *derived
	// Tolerance and ReturnTolerance bound the age of a signature: of a notification (5 minutes),
	// and of a return (15 minutes: a customer may read the result before going back).
	Tolerance, ReturnTolerance time.Duration
	// Clock returns the present time.
	Clock func() time.Time
}

// Return is a checked return. The transaction may be older than what Verify knows.
type Return struct {
	WebhookID   string
	Transaction Transaction
}

// Notification is a checked notification. It is delivered at least once: store the ids that you
// have handled. Event is "" in the form notification; a newer gateway may have further words.
type Notification struct {
	WebhookID   string
	SentAt      time.Time
	Event       string
	Transaction Transaction
}

// NewCallbacks returns the checks of a merchant.
func NewCallbacks(credentials Credentials) (*Callbacks, error) {
	known, err := credentials.derive()
	if err != nil {
		return nil, err
	}
	return &Callbacks{known, 5 * time.Minute, 15 * time.Minute, time.Now}, nil
}

// ClaimedOrderID returns the order id that a return names, unchecked: only to find your own order.
func (c *Callbacks) ClaimedOrderID(form url.Values) (string, error) {
	response, err := responseIn(form)
	if err != nil {
		return "", err
	}
	record, err := c.recordOf(response)
	if err != nil {
		return "", err
	}
	return textOf(record.values["orderid"]), nil
}

// ReadReturn returns what the browser brought back, once everything about it is checked. Order,
// amount and currency are those of your own books.
func (c *Callbacks) ReadReturn(form url.Values, expected Expected) (Return, error) {
	response, err := responseIn(form)
	if err != nil {
		return Return{}, err
	}
	id := form.Get("webhook_id")
	at, err := signedAt(c.credentials.WebhookKeys,
		signedMessage{id, form.Get("webhook_timestamp"), form.Get("webhook_signature"), response})
	if err != nil {
		return Return{}, err
	}
	if err := c.checkAge(at, c.ReturnTolerance); err != nil {
		return Return{}, err
	}
	record, err := c.recordOf(response)
	if err != nil {
		return Return{}, err
	}
	found, err := c.transaction(record)
	if err != nil {
		return Return{}, err
	}
	return Return{id, found}, found.Demand(c.credentials.MerchantID, expected)
}

// ReadNotification returns a notification of any of the three forms. header returns a header of the
// request, whatever the case of its name, as http.Header.Get does; body is exactly what came.
// Answer 2xx when it returns no error, 4xx otherwise.
func (c *Callbacks) ReadNotification(header func(name string) string, body []byte) (Notification, error) {
	if len(body) > bodyBytesMax {
		return Notification{}, unreadable(fmt.Sprintf("the body is longer than %d bytes", bodyBytesMax))
	}
	if !utf8.Valid(body) {
		return Notification{}, unreadable("the body is not UTF-8")
	}
	id := header("webhook-id")
	at, err := signedAt(c.credentials.WebhookKeys,
		signedMessage{id, header("webhook-timestamp"), header("webhook-signature"), string(body)})
	if err != nil {
		return Notification{}, err
	}
	if err := c.checkAge(at, c.Tolerance); err != nil {
		return Notification{}, err
	}
	event, record, err := c.announced(string(body))
	if err != nil {
		return Notification{}, err
	}
	found, err := c.transaction(record)
	if err != nil {
		return Notification{}, err
	}
	return Notification{id, time.Unix(at, 0).UTC(), event, found}, nil
}

func (c *Callbacks) announced(body string) (string, *object, error) {
	if !strings.HasPrefix(strings.TrimSpace(body), "{") {
		record, err := formRecord(body)
		return "", record, err
	}
	envelope, err := parse([]byte(body), valuesMax)
	if err != nil {
		return "", nil, unreadable("the notification is no JSON object")
	}
	if response, isSealed := envelope.values["response"].(string); isSealed {
		if envelope, err = c.opened(response); err != nil {
			return "", nil, err
		}
	}
	record, err := recordIn(envelope)
	return textOf(envelope.values["event"]), record, err
}

func (c *Callbacks) recordOf(response string) (*object, error) {
	envelope, err := c.opened(response)
	if err != nil {
		return nil, err
	}
	return recordIn(envelope)
}

func (c *Callbacks) opened(response string) (*object, error) {
	found, err := openJSON(c.credentials.key, response, valuesMax)
	if err != nil {
		return nil, unreadable("response cannot be decrypted with this merchant's encryption key")
	}
	return found, nil
}

func (c *Callbacks) transaction(record *object) (Transaction, error) {
	found, err := transactionOf(record, c.credentials.Username)
	if KindOf(err) == KindUnreadableReply {
		return Transaction{}, unreadable(err.Error())
	}
	if err != nil {
		return Transaction{}, err
	}
	if found.MerchantID != c.credentials.MerchantID {
		return Transaction{}, mismatch("merchant_id", c.credentials.MerchantID, found.MerchantID)
	}
	return found, nil
}

func (c *Callbacks) checkAge(at int64, tolerance time.Duration) error {
	now := float64(c.Clock().UnixMilli()) / 1000
	return checkAge(at, now, tolerance.Seconds())
}

func responseIn(form url.Values) (string, error) {
	// A "+" that a form parser turned into a space would spoil the signature.
	response := strings.ReplaceAll(form.Get("response"), " ", "+")
	if response == "" || len(response) > bodyBytesMax {
		return "", unreadable("the form holds no field response, or one that is too long")
	}
	return response, nil
}

func recordIn(envelope *object) (*object, error) {
	record, isObject := envelope.values["data"].(*object)
	if !isObject {
		return nil, unreadable("the envelope holds no transaction record")
	}
	return record, nil
}

func formRecord(body string) (*object, error) {
	record, wrong := newObject(), unreadable("the notification is neither JSON nor a form")
	if body == "" {
		return record, nil
	}
	parts := strings.Split(body, "&")
	if len(parts) > formFieldsMax {
		return nil, wrong
	}
	for _, part := range parts {
		name, value, found := strings.Cut(part, "=")
		name, nameErr := url.QueryUnescape(name)
		value, valueErr := url.QueryUnescape(value)
		if !found || nameErr != nil || valueErr != nil {
			return nil, wrong
		}
		if known, isOld := formNames[name]; isOld {
			name = known
		}
		record.set(name, value)
	}
	return record, nil
}

func unreadable(message string) *Error { return untrusted(KindUnreadableCallback, message) }
