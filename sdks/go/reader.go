package hundi

import (
	"encoding/base64"
	"strconv"
	"strings"
	"time"
)

// india is the zone of the times in a transaction record.
var india = time.FixedZone("IST", 5*3600+1800)

// reader reads the fields of a reply, and keeps the first error. A later gateway may send more.
type reader struct {
	values *object
	err    error
}

func newReader(value any) *reader {
	values, isObject := value.(*object)
	r := &reader{values: values}
	if !isObject {
		r.values = newObject()
		r.unreadable("data", "an object")
	}
	return r
}

func (r *reader) unreadable(name, allowed string) {
	if r.err == nil {
		r.err = noAnswer(KindUnreadableReply, "the reply's "+name+" cannot be read: it is not "+allowed)
	}
}

func (r *reader) words(name string) string {
	switch known := r.values.values[name].(type) {
	case nil:
		return ""
	case string:
		return known
	case number:
		return string(known)
	}
	r.unreadable(name, "text or a number")
	return ""
}

func (r *reader) wordsOr(name, usual string) string {
	if text := r.words(name); text != "" {
		return text
	}
	return usual
}

func (r *reader) name(name string) string {
	text := r.words(name)
	if text == "" {
		r.unreadable(name, "a value")
	}
	return text
}

func (r *reader) nameOr(name, usual string) string { return r.wordsOr(name, usual) }

func (r *reader) number(name string) string {
	if text := r.words(name); text != "0" {
		return text
	}
	return ""
}

func (r *reader) amountOf(name, text string, least int64) int64 {
	found := amountIn(text)
	if found < least {
		r.unreadable(name, "an amount with two places at most")
	}
	return found
}

func (r *reader) money(name string) int64 { return r.amountOf(name, r.words(name), 0) }

func (r *reader) moneyOr(name string, usual int64) int64 {
	if r.words(name) == "" {
		return usual
	}
	return r.money(name)
}

func (r *reader) moneyOrNone(name string) int64 { return r.moneyOr(name, 0) }

func (r *reader) balance(name string) int64 {
	text := r.words(name)
	if negative, found := strings.CutPrefix(text, "-"); found {
		return -r.amountOf(name, negative, 0)
	}
	return r.amountOf(name, text, 0)
}

func (r *reader) limit(name string) *int64 {
	if r.words(name) == "" {
		return nil
	}
	found := r.money(name)
	return &found
}

// amount reads an amount above zero.
func (r *reader) amount(name string) int64 { return r.amountOf(name, r.words(name), 1) }

// sum reads an amount of a transaction record, where a missing one is zero.
func (r *reader) sum(name string) int64 { return r.moneyOr(name, 0) }

func (r *reader) whole(name string) int64 {
	text := r.words(name)
	found, err := strconv.ParseInt(text, 10, 64)
	if err != nil || !digitsOnly.MatchString(text) {
		r.unreadable(name, "a whole number that is not below zero")
	}
	return found
}

func (r *reader) wholeOrNone(name string, none int64) *int64 {
	found := r.whole(name)
	if found == none {
		return nil
	}
	return &found
}

// integer reads a whole number of a transaction record, where a missing one is zero.
func (r *reader) integer(name string) int64 {
	if r.words(name) == "" {
		return 0
	}
	return r.whole(name)
}

func (r *reader) isOne(name string) bool { return r.words(name) == "1" }

func (r *reader) yesOrNo(name string) bool { return strings.EqualFold(r.name(name), "true") }

func (r *reader) flag(name string) bool { return r.values.values[name] == true }

// moment reads a time with its offset; the zero time for none.
func (r *reader) moment(name string) time.Time {
	return r.timeOf(name, "a time with its offset, ISO 8601", func(text string) (time.Time, error) {
		return time.Parse(time.RFC3339, text)
	})
}

// recordTime reads a time of a transaction record, on the Indian clock.
func (r *reader) recordTime(name string) time.Time {
	return r.timeOf(name, "a time written DD-MM-YYYY HH:MM:SS", func(text string) (time.Time, error) {
		return time.ParseInLocation("02-01-2006 15:04:05", text, india)
	})
}

func (r *reader) timeOf(name, allowed string, read func(string) (time.Time, error)) time.Time {
	text := r.words(name)
	if text == "" {
		return time.Time{}
	}
	found, err := read(text)
	if err != nil {
		r.unreadable(name, allowed)
	}
	return found
}

// day reads a day, YYYY-MM-DD, "" for none.
func (r *reader) day(name string) string {
	text := r.words(name)
	if _, err := time.Parse(time.DateOnly, text); text != "" && err != nil {
		r.unreadable(name, "a day, ISO 8601")
	}
	return text
}

func (r *reader) texts(name string) []string {
	value, known := r.values.values[name]
	list, isList := value.([]any)
	if known && !isList {
		r.unreadable(name, "an array of texts")
	}
	found := []string{}
	for _, each := range list {
		found = append(found, textOf(each))
	}
	return found
}

// pairs reads an object of texts, in its order.
func (r *reader) pairs(name string) [][2]string {
	value := r.values.values[name]
	if value == nil || value == "" {
		return nil
	}
	inner, isObject := value.(*object)
	if !isObject {
		r.unreadable(name, "an object of texts")
		return nil
	}
	found := [][2]string{}
	for _, key := range inner.names {
		found = append(found, [2]string{key, textOf(inner.values[key])})
	}
	return found
}

func (r *reader) bytes(name string) []byte {
	found, err := base64.StdEncoding.DecodeString(r.name(name))
	if err != nil {
		r.unreadable(name, "base64")
	}
	return found
}

func readObjects[Item any](r *reader, name string, read func(*reader) Item) []Item {
	list, isList := r.values.values[name].([]any)
	if !isList {
		r.unreadable(name, "an array of objects")
	}
	found := []Item{}
	for _, each := range list {
		inner := newReader(each)
		found = append(found, read(inner))
		if r.err == nil {
			r.err = inner.err
		}
	}
	return found
}

func readObjectsOrNone[Item any](r *reader, name string, read func(*reader) Item) []Item {
	if _, known := r.values.values[name]; !known {
		return nil
	}
	return readObjects(r, name, read)
}
