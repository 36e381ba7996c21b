package hundi

import "regexp"

var (
	// Eight groups of four letters are 24 bytes: with an empty key, everybody could sign.
	webhookKey = regexp.MustCompile(
		`\Awhsec_(?:[A-Za-z0-9+/]{4}){8,}(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?\z`)
	digitsOnly = regexp.MustCompile(`^[0-9]+$`)
)

// Credentials are those of one merchant. APISecret proves who is calling; the OAuth client obtains
// access tokens and nothing else; WebhookKeys sign what the gateway tells, newest first.
type Credentials struct {
	MerchantID        string
	Username          string
	Password          string
	APISecret         string
	OAuthClientID     string
	OAuthClientSecret string
	WebhookKeys       []string
}

// String shows the merchant id alone, so that no log line has a secret.
func (c Credentials) String() string { return "Credentials{MerchantID: " + c.MerchantID + "}" }

// GoString shows the merchant id alone.
func (c Credentials) GoString() string { return c.String() }

// derived are credentials that were checked, with what follows from them.
type derived struct {
	Credentials
	key        []byte
	privatekey string
}

func (c Credentials) derive() (*derived, error) {
	named := [][2]string{
		{"MerchantID", c.MerchantID}, {"Username", c.Username}, {"Password", c.Password},
		{"APISecret", c.APISecret}, {"OAuthClientID", c.OAuthClientID},
		{"OAuthClientSecret", c.OAuthClientSecret},
	}
	for _, each := range named {
		if each[1] == "" {
			return nil, configuration("the credential %s is empty", each[0])
		}
	}
	if len(c.WebhookKeys) == 0 {
		return nil, configuration("the credential WebhookKeys is empty")
	}
	for _, key := range c.WebhookKeys {
		if !webhookKey.MatchString(key) {
			return nil, configuration("one of WebhookKeys is not whsec_ and the base64 of 24 bytes or more")
		}
	}
	if !digitsOnly.MatchString(c.MerchantID) {
		return nil, configuration("MerchantID consists of digits")
	}
	return &derived{c, encryptionKey(c.Username, c.Password), privatekey(c.APISecret, c.Username, c.Password)}, nil
}
