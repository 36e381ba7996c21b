package hundi

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

var unixSeconds = regexp.MustCompile(`^[0-9]{1,11}$`)

// signedMessage is a message with its signature (Standard Webhooks).
type signedMessage struct{ id, timestamp, signatures, content string }

// signedAt returns when a message was signed with one of the keys, in seconds since 1970.
func signedAt(keys []string, message signedMessage) (int64, error) {
	if message.id == "" || message.signatures == "" || !unixSeconds.MatchString(message.timestamp) {
		return 0, untrusted(KindSignature, "the webhook signature is missing")
	}
	seconds, _ := strconv.ParseInt(message.timestamp, 10, 64)
	signed := fmt.Sprintf("%s.%d.%s", message.id, seconds, message.content)
	for _, key := range keys {
		secret, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(key, "whsec_"))
		if err != nil {
			continue
		}
		mac := hmac.New(sha256.New, secret)
		mac.Write([]byte(signed))
		expected := []byte("v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)))
		for _, received := range strings.Split(message.signatures, " ") {
			if hmac.Equal(expected, []byte(received)) {
				return seconds, nil
			}
		}
	}
	return 0, untrusted(KindSignature, "the webhook signature was made with none of the keys")
}

// checkAge refuses a message that was signed too long ago, or too far ahead of our clock.
func checkAge(signedAtS int64, nowS, toleranceS float64) error {
	age := nowS - float64(signedAtS)
	if math.Abs(age) > toleranceS {
		return untrusted(KindStale, fmt.Sprintf("signed %.0f seconds ago; %.0f either way are accepted", age, toleranceS))
	}
	return nil
}
