package hundi

import (
	"encoding/base64"
	"fmt"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// rule says whether a field has to be there, and whether a refusal may repeat it.
type rule int

const (
	optional rule = iota
	required
	secret
	optionalSecret
)

const (
	receivedMax = 64
	paiseMax    = 999_999_999_999
)

var (
	amountPattern = regexp.MustCompile(`^([0-9]{1,10})(?:\.([0-9]{1,2}))?$`)
	emailPattern  = regexp.MustCompile(`^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+$`)
	phonePattern  = regexp.MustCompile(`^[0-9]{8,15}$`)
	vpaPattern    = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{1,252}@[A-Za-z][A-Za-z0-9]{1,63}$`)
	control       = regexp.MustCompile("[\\x00-\\x1f\\x7f-\\x{9f}\\x{2028}-\\x{202e}\\x{2066}-\\x{2069}]")
	manyDigits    = regexp.MustCompile(`[0-9](?:[\s.+_*/,|~-]{0,3}[0-9]){11,}`)
	phoneMarks    = strings.NewReplacer("+", "", "-", "", "(", "", ")", "", " ", "")
	channelCodes  = strings.Fields("pg pgcc pgdc nb ppc pp upi btqr emi payltr va enach cash rtgs remit")
)

// shown returns a refused value as errors may show it: short, without controls or numbers of cards.
func shown(text string) string {
	short := firstRunes(manyDigits.ReplaceAllString(strings.ToValidUTF8(text, "\ufffd"), "[digits]"))
	return firstRunes(control.ReplaceAllStringFunc(short, func(sign string) string {
		known, _ := utf8.DecodeRuneInString(sign)
		return fmt.Sprintf(`\u%04x`, known)
	}))
}

func firstRunes(text string) string {
	if runes := []rune(text); len(runes) > receivedMax {
		return string(runes[:receivedMax])
	}
	return text
}

// AmountText returns whole paise as decimal text with two places: 149950 is 1499.50.
func AmountText(paise int64) string { return fmt.Sprintf("%d.%02d", paise/100, paise%100) }

// Paise returns decimal text in whole paise: plain decimals above zero, with at most two places.
func Paise(text string) (int64, error) {
	found := amountIn(text)
	if found <= 0 {
		return 0, invalid("amount", shown(text),
			"a decimal above zero: at most 10 digits, then at most two places, as in 1499.50")
	}
	return found, nil
}

// amountIn returns the paise of decimal text, -1 for another text.
func amountIn(text string) int64 {
	parts := amountPattern.FindStringSubmatch(text)
	if parts == nil {
		return -1
	}
	found, _ := strconv.ParseInt(parts[1]+(parts[2] + "00")[:2], 10, 64)
	return found
}

// writer collects the fields of a request within the gateway's bounds, and keeps the first refusal.
type writer struct {
	fields *object
	shopOf string
	err    error
}

func newWriter(shopOrigin string) *writer { return &writer{fields: newObject(), shopOf: shopOrigin} }

func (w *writer) refuse(name, received, allowed string) {
	if w.err == nil {
		w.err = invalid(name, shown(received), allowed)
	}
}

func (w *writer) checked(name, value string, r rule, allowed string, isRight bool) {
	switch {
	case value == "" && (r == required || r == secret):
		w.refuse(name, "", "a value: this field is required")
	case value == "":
	case isRight:
		w.fields.set(name, value)
	case r == required || r == optional:
		w.refuse(name, value, allowed)
	default:
		w.refuse(name, "(not shown)", allowed)
	}
}

func (w *writer) constant(name, value string) { w.fields.set(name, value) }

// shop writes the shop's origin, for merchants that have registered their domains.
func (w *writer) shop(name string) {
	if w.shopOf != "" {
		w.fields.set(name, base64.StdEncoding.EncodeToString([]byte(w.shopOf)))
	}
}

func (w *writer) text(name, value string, r rule, lengthMax int) {
	allowed := fmt.Sprintf("at most %d characters, no control characters", lengthMax)
	w.checked(name, value, r, allowed, isFree(value, lengthMax))
}

func (w *writer) matching(name, value string, r rule, pattern *regexp.Regexp, refused []string, allowed string) {
	isRight := pattern.MatchString(value)
	for _, beginning := range refused {
		isRight = isRight && !strings.HasPrefix(value, beginning)
	}
	w.checked(name, value, r, allowed, isRight)
}

func (w *writer) oneOf(name, value string, r rule, words ...string) {
	w.checked(name, value, r, "one of "+strings.Join(words, " "), isAmong(words, value))
}

func (w *writer) email(name, value string, r rule) {
	isRight := emailPattern.MatchString(value) && isFree(value, 254)
	w.checked(name, value, r, "an e-mail address of at most 254 characters", isRight)
}

func (w *writer) phone(name, value string, r rule) {
	allowed := "8 to 15 digits; + - ( ) and spaces may stand between them"
	w.checked(name, value, r, allowed, phonePattern.MatchString(phoneMarks.Replace(value)))
}

func (w *writer) customer(name, value string, r rule) { w.text(name, value, r, 255) }

func (w *writer) vpa(name, value string, r rule) {
	value = strings.TrimSpace(value)
	isRight := len(value) < 256 && vpaPattern.MatchString(value)
	w.checked(name, value, r, "a UPI address like name@bank", isRight)
}

func (w *writer) currency(name, letters string) {
	if letters == "" {
		letters = "INR"
	}
	known, ok := currencies[letters]
	if !ok {
		w.refuse(name, letters, "an ISO 4217 code: INR, or one enabled for the merchant")
		return
	}
	w.fields.set("currency_code", known)
	w.fields.set(name, letters)
}

func (w *writer) channels(name string, chosen []string) {
	if len(chosen) == 0 {
		return
	}
	for _, code := range chosen {
		if !isAmong(channelCodes, code) {
			known := append([]string(nil), channelCodes...)
			sort.Strings(known)
			allowed := "channel codes joined by _ , each one of " + strings.Join(known, " ")
			w.refuse(name, strings.Join(chosen, "_"), allowed)
			return
		}
	}
	w.fields.set(name, strings.Join(chosen, "_"))
}

func (w *writer) amount(name string, value *int64, r rule) {
	if value == nil && r == optional {
		return
	}
	if value == nil || *value <= 0 || *value > paiseMax {
		w.refuse(name, shownNumber(value), "whole paise above zero, of at most 12 digits")
		return
	}
	w.fields.set(name, AmountText(*value))
}

func (w *writer) amountOrZero(name string, value *int64, r rule) {
	if *value == 0 {
		w.fields.set(name, "0.00")
		return
	}
	w.amount(name, value, r)
}

func (w *writer) amountUnlessZero(name string, value *int64, r rule) {
	if *value != 0 {
		w.amount(name, value, r)
	}
}

func (w *writer) count(name string, value *int64, r rule, low, high int64) {
	if value == nil && r == optional {
		return
	}
	if value == nil || *value < low || *value > high {
		w.refuse(name, shownNumber(value), fmt.Sprintf("a whole number from %d to %d", low, high))
		return
	}
	w.fields.set(name, strconv.FormatInt(*value, 10))
}

func (w *writer) countUnlessZero(name string, value *int64, r rule, low, high int64) {
	if *value != 0 {
		w.count(name, value, r, low, high)
	}
}

// debits writes their number; without one a subscription with a calendar has no end.
func (w *writer) debits(name string, value *int64, r rule, endless int64, asPresented string) {
	if value != nil {
		w.count(name, value, r, 1, endless-1)
	} else if w.fields.values["sb_period"] != asPresented {
		w.fields.set(name, strconv.FormatInt(endless, 10))
	}
}

// day writes a day, YYYY-MM-DD.
func (w *writer) day(name, value string, r rule) {
	if value == "" && r == optional {
		return
	}
	found, err := time.Parse(time.DateOnly, value)
	if err != nil {
		w.refuse(name, value, "a date that exists, written YYYY-MM-DD")
		return
	}
	w.fields.set(name, found.Format("01/02/2006"))
}

func (w *writer) document(name string, content []byte, _ rule, lengthMax int) {
	text := base64.StdEncoding.EncodeToString(content)
	if text == "" || len(text) > lengthMax {
		w.refuse(name, "", fmt.Sprintf("a file of at most %d bytes", lengthMax/4*3))
		return
	}
	w.fields.set(name, text)
}

func (w *writer) atLeastOne(names ...string) {
	for _, name := range names {
		if _, written := w.fields.values[name]; written {
			return
		}
	}
	w.refuse(names[0], "", "at least one of "+strings.Join(names, ", "))
}

func writeObjects[Item any](w *writer, name string, items []Item, write func(*writer, *Item)) {
	if len(items) == 0 {
		w.refuse(name, "", "at least one")
		return
	}
	w.fields.set(name, listOf(w, items, write))
}

func writeObjectsUnlessEmpty[Item any](w *writer, name string, items []Item, write func(*writer, *Item)) {
	if len(items) > 0 {
		writeObjects(w, name, items, write)
	}
}

// writeBatch writes an array in base64.
func writeBatch[Item any](w *writer, name string, items []Item, most int, write func(*writer, *Item)) {
	if len(items) == 0 || len(items) > most {
		w.refuse(name, fmt.Sprintf("%d items", len(items)), fmt.Sprintf("1 to %d items", most))
		return
	}
	w.fields.set(name, base64.StdEncoding.EncodeToString([]byte(compact(listOf(w, items, write)))))
}

func listOf[Item any](w *writer, items []Item, write func(*writer, *Item)) []any {
	list := []any{}
	for place := range items {
		inner := newWriter(w.shopOf)
		write(inner, &items[place])
		if w.err == nil {
			w.err = inner.err
		}
		list = append(list, inner.fields)
	}
	return list
}

func isFree(text string, lengthMax int) bool {
	return utf8.ValidString(text) && utf8.RuneCountInString(text) <= lengthMax && !control.MatchString(text)
}

func isAmong(words []string, text string) bool {
	for _, word := range words {
		if word == text {
			return true
		}
	}
	return false
}

func shownNumber(value *int64) string {
	if value == nil {
		return ""
	}
	return strconv.FormatInt(*value, 10)
}
