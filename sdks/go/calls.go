package hundi

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

const (
	replyBytesMax = 2 * 1024 * 1024
	tokenSpareS   = 60
	formType      = "application/x-www-form-urlencoded"
)

// Scope is what a token opens. A page's token passes through customers' browsers.
type Scope string

// The scopes of tokens.
const (
	ScopePage       Scope = "page"
	ScopeOperations Scope = "operations"
)

// Gateway has a gateway's addresses, and a caller's limits.
type Gateway struct {
	// BaseURL is the API host, https://api.example.in.
	BaseURL string
	// PaymentPageURL is the host of the payment page, by default the API host.
	PaymentPageURL string
	// ShopOrigin is https://shop.example, for merchants that have registered their domains.
	ShopOrigin string
	// Timeout bounds one try; 10 seconds where it is zero.
	Timeout time.Duration
	// Pauses before each further try of a call that cannot move money twice; 0.2 and 0.8 seconds
	// where it is nil.
	Pauses []time.Duration
	// AllowPlainHTTP accepts http:// for another host than this machine.
	AllowPlainHTTP bool
	// AllowPlainReplies believes replies without an encrypted part.
	AllowPlainReplies bool
	// Transport carries the requests; http.DefaultTransport where it is nil.
	Transport http.RoundTripper
	// Clock returns the present time; time.Now where it is nil.
	Clock func() time.Time
}

// operation is one operation: where it is sent and how, and what its reply repeats of the request.
type operation struct {
	name, address              string
	asJSON, withToken, repeats bool
	echoes                     []echo
	// list is the name of the list that the reply holds; bare the name for one without a name.
	list, bare string
}

type echo struct {
	name               string
	isNumber, isSecret bool
}

type token struct {
	text    string
	renewAt time.Time
}

type calls struct {
	credentials *derived
	gateway     Gateway
	http        *http.Client
	turns       map[Scope]*sync.Mutex
	guard       sync.Mutex
	tokens      map[Scope]token
}

func newCalls(credentials *derived, gateway Gateway) (*calls, error) {
	if gateway.PaymentPageURL == "" {
		gateway.PaymentPageURL = gateway.BaseURL
	}
	for _, address := range []string{gateway.BaseURL, gateway.PaymentPageURL} {
		if err := checkAddress(address, gateway.AllowPlainHTTP); err != nil {
			return nil, err
		}
	}
	gateway.BaseURL = strings.TrimRight(gateway.BaseURL, "/")
	gateway.PaymentPageURL = strings.TrimRight(gateway.PaymentPageURL, "/")
	if gateway.Timeout == 0 {
		gateway.Timeout = 10 * time.Second
	}
	if gateway.Pauses == nil {
		gateway.Pauses = []time.Duration{200 * time.Millisecond, 800 * time.Millisecond}
	}
	if gateway.Clock == nil {
		gateway.Clock = time.Now
	}
	// A redirect would carry the token to another host.
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &calls{
		credentials: credentials, gateway: gateway,
		http:   &http.Client{Transport: gateway.Transport, Timeout: gateway.Timeout, CheckRedirect: stay},
		turns:  map[Scope]*sync.Mutex{ScopePage: {}, ScopeOperations: {}},
		tokens: map[Scope]token{},
	}, nil
}

func checkAddress(address string, allowPlainHTTP bool) error {
	found, err := url.Parse(address)
	if err != nil || found.Hostname() == "" || found.RawQuery != "" || found.Fragment != "" ||
		(found.Scheme != "https" && found.Scheme != "http") {
		return configuration("not the address of a gateway: %q", address)
	}
	isHere := isAmong([]string{"127.0.0.1", "::1", "localhost"}, found.Hostname())
	if found.Scheme == "http" && !allowPlainHTTP && !isHere {
		return configuration("%q is not https", address)
	}
	return nil
}

// perform returns the data of an operation's reply, compared with the request.
func (c *calls) perform(ctx context.Context, o *operation, payload *object) (any, error) {
	envelope, err := c.ask(ctx, o, payload)
	if err != nil {
		return nil, err
	}
	data := envelope.values["data"]
	for _, record := range o.subjects(data) {
		for _, each := range o.echoes {
			if err := each.compare(payload, record); err != nil {
				return nil, err
			}
		}
	}
	return data, nil
}

func (o *operation) subjects(data any) []*object {
	if whole, isObject := data.(*object); isObject && o.list != "" {
		data = whole.values[o.list]
	}
	list, isList := data.([]any)
	if !isList {
		list = []any{data}
	}
	found := []*object{}
	for _, each := range list {
		if record, isObject := each.(*object); isObject {
			found = append(found, record)
		}
	}
	return found
}

func (e echo) compare(payload, record *object) error {
	expected, received := textOf(payload.values[e.name]), textOf(record.values[e.name])
	if e.isNumber {
		expected, received = strings.TrimLeft(expected, "0"), strings.TrimLeft(received, "0")
	}
	switch {
	case expected == "" || expected == received:
		return nil
	case e.isSecret:
		return mismatch(e.name, "the one asked for", "another")
	}
	return mismatch(e.name, expected, received)
}

// token returns a usable token; while one is fetched, others wait for it. rejected: a refused one.
func (c *calls) token(ctx context.Context, scope Scope, rejected string) (string, error) {
	c.turns[scope].Lock()
	defer c.turns[scope].Unlock()
	c.guard.Lock()
	held, known := c.tokens[scope]
	c.guard.Unlock()
	if known && held.text != rejected && time.Now().Before(held.renewAt) {
		return held.text, nil
	}
	w := newWriter("")
	writeTokenRequest(w, &TokenRequest{
		ClientID: c.credentials.OAuthClientID, ClientSecret: c.credentials.OAuthClientSecret,
		MerchantID: c.credentials.MerchantID, Scope: string(scope),
	})
	if w.err != nil {
		return "", w.err
	}
	form, err := c.envelope(w.fields)
	if err != nil {
		return "", err
	}
	form.Del("privatekey")
	askedAt := time.Now()
	envelope, err := c.exchange(ctx, tokenOperation, tokenOperation.address, form)
	if err != nil {
		return "", err
	}
	r := newReader(envelope.values["data"])
	issued := readAccessToken(r)
	if r.err != nil {
		return "", r.err
	}
	// Half of a very short life: a longer spare would make every token old at once.
	life := issued.LifeS - min(tokenSpareS, issued.LifeS/2)
	c.guard.Lock()
	c.tokens[scope] = token{issued.Token, askedAt.Add(time.Duration(life) * time.Second)}
	c.guard.Unlock()
	return issued.Token, nil
}

func (c *calls) envelope(fields *object) (url.Values, error) {
	return sealed(c.credentials, fields, c.gateway.Clock().In(india).Format(time.DateOnly), "")
}

// sealed returns the outer fields of a request whose business fields are sealed.
func sealed(credentials *derived, fields *object, day, iv string) (url.Values, error) {
	// Whoever holds a message can change its first 16 bytes: they hold the name of a field that
	// nobody reads. Its value keeps them from computing the checksum.
	pairs := []any{}
	for _, name := range fields.names {
		pairs = append(pairs, []any{name, fields.values[name]})
	}
	mac := hmac.New(sha256.New, []byte(credentials.APISecret))
	mac.Write([]byte(compact(pairs)))
	whole := newObject()
	whole.set("request_seal", hex.EncodeToString(mac.Sum(nil)))
	for _, name := range fields.names {
		whole.set(name, fields.values[name])
	}
	encdata, err := seal(credentials.key, []byte(compact(whole)), iv)
	if err != nil {
		return nil, err
	}
	return url.Values{
		"merchant_id": {credentials.MerchantID},
		"privatekey":  {credentials.privatekey},
		"encdata":     {encdata},
		"checksum":    {checksumV4(whole, day)},
	}, nil
}

func (c *calls) ask(ctx context.Context, o *operation, payload *object) (*object, error) {
	form, err := c.envelope(payload)
	if err != nil {
		return nil, err
	}
	if !o.withToken {
		return c.exchange(ctx, o, o.address, form)
	}
	held, err := c.token(ctx, ScopeOperations, "")
	if err != nil {
		return nil, err
	}
	envelope, err := c.exchange(ctx, o, withToken(o.address, held), form)
	if KindOf(err) != KindTokenRefused {
		return envelope, err
	}
	// Once: the gateway may have forgotten tokens. A refused fresh one is a real refusal.
	fresh, err := c.token(ctx, ScopeOperations, held)
	if err != nil {
		return nil, err
	}
	return c.exchange(ctx, o, withToken(o.address, fresh), form)
}

func (c *calls) exchange(ctx context.Context, o *operation, address string, form url.Values) (*object, error) {
	body, kind := form.Encode(), formType
	if o.asJSON {
		body, kind = jsonOf(form), "application/json"
	}
	for try := 0; ; try++ {
		envelope, err := c.send(ctx, address, body, kind)
		var wrong *Error
		if err == nil || !errors.As(err, &wrong) || !wrong.hasNoAnswer() {
			return envelope, err
		}
		if !o.repeats {
			return nil, outcomeUnknown(o.name, wrong)
		}
		if try == len(c.gateway.Pauses) || ctx.Err() != nil {
			return nil, wrong
		}
		select {
		case <-time.After(c.gateway.Pauses[try]):
		case <-ctx.Done():
			return nil, wrong
		}
	}
}

func (e *Error) hasNoAnswer() bool {
	return e.Kind == KindUnreachable || e.Kind == KindUnreadableReply || e.Kind == KindGatewayFault
}

func (c *calls) send(ctx context.Context, address, body, kind string) (*object, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.gateway.BaseURL+address, strings.NewReader(body))
	if err != nil {
		return nil, configuration("not the address of a gateway: %q", c.gateway.BaseURL)
	}
	request.Header.Set("Content-Type", kind)
	request.Header.Set("Accept-Encoding", "identity")
	request.Header.Set("User-Agent", "hundi-go/0.1.0")
	response, err := c.http.Do(request)
	if err != nil {
		return nil, c.unreachable(err)
	}
	defer response.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(response.Body, replyBytesMax+1))
	if err != nil {
		return nil, c.unreachable(err)
	}
	if len(raw) > replyBytesMax {
		message := fmt.Sprintf("the reply is longer than %d bytes", replyBytesMax)
		return nil, noAnswer(KindUnreadableReply, message)
	}
	return readReply(c.credentials, raw, c.gateway.AllowPlainReplies)
}

func (c *calls) unreachable(err error) *Error {
	// Its text names the address, and with it the token.
	var named *url.Error
	if errors.As(err, &named) {
		err = named.Err
	}
	return noAnswer(KindUnreachable, fmt.Sprintf("no answer from %s: %v", c.gateway.BaseURL, err))
}

// readReply returns the opened envelope of a reply, or the error of a refusal.
func readReply(credentials *derived, body []byte, allowPlain bool) (*object, error) {
	envelope, err := parse(body, replyValuesMax)
	if err != nil {
		return nil, noAnswer(KindUnreadableReply, "an answer that is not the gateway's")
	}
	response, isSealed := envelope.values["response"].(string)
	if isSealed {
		opened, err := openJSON(credentials.key, response, replyValuesMax)
		if err != nil {
			return nil, wrongKey(envelope)
		}
		envelope = opened
	}
	if envelope.values["status_code"] != "200" {
		return nil, refusalIn(envelope)
	}
	if !isSealed && !allowPlain {
		return nil, configuration("the reply is not encrypted; set reply_format to both, or AllowPlainReplies")
	}
	return envelope, nil
}

func wrongKey(plain *object) *Error {
	found := configuration("the reply is encrypted under another key: username or password is wrong")
	found.Kind = KindWrongKey
	// The plain part beside it proves nothing, but it is the hint a developer needs.
	if plain.values["status_code"] == "400" {
		hint := refusalIn(plain)
		found.Message += "; beside it stands: " + hint.Message
		found.Code, found.Retry, found.ReferenceID = hint.Code, hint.Retry, hint.ReferenceID
	}
	return found
}

func refusalIn(envelope *object) *Error {
	code := textOf(envelope.values["error_code"])
	if code == "" {
		code = textOf(envelope.values["response_code"])
	}
	return refusal(code, textOf(envelope.values["message"]), textOf(envelope.values["request_id"]))
}

func jsonOf(form url.Values) string {
	var built bytes.Buffer
	whole := newObject()
	for name := range form {
		whole.set(name, form.Get(name))
	}
	built.WriteString(compact(whole))
	return built.String()
}

func withToken(address, text string) string { return address + "?token=" + url.QueryEscape(text) }
