package hundi

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
)

// Retry says whether the same call can succeed if it is made again.
type Retry string

const (
	// RetryNever : the same call will always be refused.
	RetryNever Retry = "never"
	// RetryAfterFix : a corrected call can succeed.
	RetryAfterFix Retry = "after_fix"
	// RetryLater : the same call can succeed after a while.
	RetryLater Retry = "later"
)

// Kind says what an error is about. That of a refusal by the gateway follows from its code.
type Kind string

// The kinds of errors.
const (
	KindConfiguration      Kind = "configuration"
	KindWrongKey           Kind = "wrong_key"
	KindInvalidRequest     Kind = "invalid_request"
	KindUnreachable        Kind = "unreachable"
	KindUnreadableReply    Kind = "unreadable_reply"
	KindOutcomeUnknown     Kind = "outcome_unknown"
	KindRefused            Kind = "refused"
	KindRequestRefused     Kind = "request_refused"
	KindTokenRefused       Kind = "token_refused"
	KindCredentialsRefused Kind = "credentials_refused"
	KindOrderRefused       Kind = "order_refused"
	KindNotEnabled         Kind = "not_enabled"
	KindStateRefused       Kind = "state_refused"
	KindNotFound           Kind = "not_found"
	KindTooManyRequests    Kind = "too_many_requests"
	KindGatewayFault       Kind = "gateway_fault"
	KindUnreadableCallback Kind = "unreadable_callback"
	KindSignature          Kind = "signature"
	KindStale              Kind = "stale"
	KindSecureHash         Kind = "secure_hash"
	KindMismatch           Kind = "mismatch"
)

// Error is every error of this package. Code is the gateway's response code, or "". ReferenceID is
// for the gateway's operator. Field, Received and Allowed say what is wrong with which field.
type Error struct {
	Kind        Kind
	Retry       Retry
	Message     string
	Code        string
	ReferenceID string
	Field       string
	Received    string
	Allowed     string
	Cause       error
}

func (e *Error) Error() string {
	text := "hundi: " + e.Message
	if e.Code != "" {
		text += " [" + e.Code + "]"
	}
	if e.ReferenceID != "" {
		text += " (reference " + e.ReferenceID + ")"
	}
	return text
}

// Unwrap returns the error behind this one.
func (e *Error) Unwrap() error { return e.Cause }

// IsUntrusted reports whether a reply, return or notification must not be believed. Ask Verify.
func (e *Error) IsUntrusted() bool {
	switch e.Kind {
	case KindUnreadableCallback, KindSignature, KindStale, KindSecureHash, KindMismatch:
		return true
	}
	return false
}

// KindOf returns the kind of an error, "" for one of another package.
func KindOf(err error) Kind {
	var found *Error
	if errors.As(err, &found) {
		return found.Kind
	}
	return ""
}

func configuration(format string, values ...any) *Error {
	return &Error{Kind: KindConfiguration, Retry: RetryAfterFix, Message: fmt.Sprintf(format, values...)}
}

func invalid(field, received, allowed string) *Error {
	got := "it is missing"
	if received != "" {
		got = "received " + strconv.Quote(received)
	}
	return &Error{
		Kind: KindInvalidRequest, Retry: RetryAfterFix,
		Message: field + ": " + got + ", allowed is " + allowed,
		Field:   field, Received: received, Allowed: allowed,
	}
}

func noAnswer(kind Kind, message string) *Error {
	return &Error{Kind: kind, Retry: RetryLater, Message: message}
}

// outcomeUnknown is the error of a call that may have moved money: ask, do not repeat it.
func outcomeUnknown(operation string, cause *Error) *Error {
	message := operation + " may have been done: ask, do not repeat it (" + cause.Message + ")"
	return &Error{
		Kind: KindOutcomeUnknown, Retry: RetryNever, Message: message,
		ReferenceID: cause.ReferenceID, Cause: cause,
	}
}

func untrusted(kind Kind, message string) *Error {
	return &Error{Kind: kind, Retry: RetryNever, Message: message}
}

func mismatch(field, expected, received string) *Error {
	found := untrusted(KindMismatch, fmt.Sprintf("%s: expected %q, received %q", field, expected, received))
	found.Field, found.Received, found.Allowed = field, received, expected
	return found
}

var (
	fieldSentence = regexp.MustCompile(
		`(?s)^([^:\s]+): (?:received (?:'(.*)'|"(.*)")|it is missing), allowed is (.+)$`)
	errUnreadable = errors.New("the message cannot be opened")
)

// refusal returns the error of a refusing reply.
func refusal(code, message, referenceID string) *Error {
	found := &Error{
		Kind: KindRefused, Retry: RetryAfterFix, Message: message, Code: code, ReferenceID: referenceID,
	}
	if declared, known := codes[code]; known {
		found.Kind, found.Retry = declared.kind, declared.retry
	}
	if message == "" {
		found.Message = "the gateway gave no reason"
	}
	if parts := fieldSentence.FindStringSubmatch(message); parts != nil {
		found.Field, found.Received, found.Allowed = parts[1], parts[2]+parts[3], parts[4]
	}
	return found
}
