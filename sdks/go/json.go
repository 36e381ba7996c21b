package hundi

import (
	"errors"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

const (
	depthMax       = 16
	valuesMax      = 512
	replyValuesMax = 100_000
)

var errJSON = errors.New("the text is not one JSON object that is accepted")

// number is a JSON number as it was written: checksums cover its text.
type number string

// object keeps the order of its names.
type object struct {
	names  []string
	values map[string]any
}

func newObject() *object { return &object{values: map[string]any{}} }

func (o *object) set(name string, value any) {
	if _, known := o.values[name]; !known {
		o.names = append(o.names, name)
	}
	o.values[name] = value
}

// parse returns the object in UTF-8 text: no repeated key, bounded depth and values.
func parse(raw []byte, most int) (*object, error) {
	if !utf8.Valid(raw) {
		return nil, errJSON
	}
	p := parser{text: string(raw), most: most}
	value, ok := p.value()
	p.space()
	found, isObject := value.(*object)
	if !ok || p.at < len(p.text) || !isObject {
		return nil, errJSON
	}
	return found, nil
}

type parser struct {
	text                    string
	at, depth, values, most int
}

func (p *parser) value() (any, bool) {
	p.space()
	if p.at >= len(p.text) {
		return nil, false
	}
	switch p.text[p.at] {
	case '{':
		return p.object()
	case '[':
		return p.array()
	case '"':
		return p.string()
	case 't':
		return true, p.word("true")
	case 'f':
		return false, p.word("false")
	case 'n':
		return nil, p.word("null")
	}
	return p.number()
}

func (p *parser) object() (any, bool) {
	found := newObject()
	if !p.open() {
		return nil, false
	}
	if p.takes('}') {
		p.depth--
		return found, true
	}
	for {
		p.space()
		name, ok := p.string()
		if !ok || !p.takes(':') {
			return nil, false
		}
		if _, twice := found.values[name.(string)]; twice {
			return nil, false
		}
		value, ok := p.value()
		if !ok {
			return nil, false
		}
		found.set(name.(string), value)
		if more, ok := p.comma(); !ok {
			return nil, false
		} else if !more {
			p.depth--
			return found, p.takes('}')
		}
	}
}

func (p *parser) array() (any, bool) {
	found := []any{}
	if !p.open() {
		return nil, false
	}
	if p.takes(']') {
		p.depth--
		return found, true
	}
	for {
		value, ok := p.value()
		if !ok {
			return nil, false
		}
		found = append(found, value)
		if more, ok := p.comma(); !ok {
			return nil, false
		} else if !more {
			p.depth--
			return found, p.takes(']')
		}
	}
}

func (p *parser) string() (any, bool) {
	if p.at >= len(p.text) || p.text[p.at] != '"' {
		return "", false
	}
	p.at++
	start := p.at
	var built strings.Builder
	for p.at < len(p.text) {
		switch sign := p.text[p.at]; {
		case sign == '"':
			built.WriteString(p.text[start:p.at])
			p.at++
			return built.String(), true
		case sign < 0x20:
			return "", false
		case sign == '\\':
			built.WriteString(p.text[start:p.at])
			if !p.escape(&built) {
				return "", false
			}
			start = p.at
		default:
			p.at++
		}
	}
	return "", false
}

func (p *parser) escape(built *strings.Builder) bool {
	p.at += 2
	if p.at > len(p.text) {
		return false
	}
	sign := p.text[p.at-1]
	if place := strings.IndexByte(`"\/bfnrt`, sign); place >= 0 {
		built.WriteByte("\"\\/\b\f\n\r\t"[place])
		return true
	}
	if sign != 'u' {
		return false
	}
	first, ok := p.hex()
	if !ok {
		return false
	}
	if utf16.IsSurrogate(first) {
		if !strings.HasPrefix(p.text[p.at:], `\u`) {
			return false
		}
		p.at += 2
		second, ok := p.hex()
		if first = utf16.DecodeRune(first, second); !ok || first == utf8.RuneError {
			return false
		}
	}
	built.WriteRune(first)
	return true
}

func (p *parser) hex() (rune, bool) {
	if p.at+4 > len(p.text) {
		return 0, false
	}
	found, err := strconv.ParseUint(p.text[p.at:p.at+4], 16, 32)
	p.at += 4
	return rune(found), err == nil
}

func (p *parser) number() (any, bool) {
	start := p.at
	p.sign("-")
	if !p.sign("0") && !p.digits() {
		return nil, false
	}
	if place := p.at; p.sign(".") && !p.digits() {
		p.at = place
	}
	if place := p.at; p.sign("eE") {
		p.sign("+-")
		if !p.digits() {
			p.at = place
		}
	}
	return number(p.text[start:p.at]), true
}

func (p *parser) sign(signs string) bool {
	if p.at < len(p.text) && strings.IndexByte(signs, p.text[p.at]) >= 0 {
		p.at++
		return true
	}
	return false
}

func (p *parser) digits() bool {
	start := p.at
	for p.sign("0123456789") {
	}
	return p.at > start
}

func (p *parser) word(word string) bool {
	if !strings.HasPrefix(p.text[p.at:], word) {
		return false
	}
	p.at += len(word)
	return true
}

func (p *parser) open() bool {
	p.at++
	p.depth++
	p.values++
	return p.depth <= depthMax && p.values <= p.most
}

// comma returns whether another value follows, and whether there may be one.
func (p *parser) comma() (more, ok bool) {
	if !p.takes(',') {
		return false, true
	}
	p.values++
	return true, p.values <= p.most
}

func (p *parser) takes(sign byte) bool {
	p.space()
	return p.sign(string(sign))
}

func (p *parser) space() {
	for p.sign(" \t\n\r") {
	}
}

// compact returns JSON without spaces, in the order of the names, numbers as they were written.
func compact(value any) string {
	var built strings.Builder
	write(&built, value)
	return built.String()
}

func write(built *strings.Builder, value any) {
	switch known := value.(type) {
	case nil:
		built.WriteString("null")
	case bool:
		built.WriteString(strconv.FormatBool(known))
	case number:
		built.WriteString(string(known))
	case string:
		quote(built, known)
	case []any:
		built.WriteByte('[')
		for place, each := range known {
			if place > 0 {
				built.WriteByte(',')
			}
			write(built, each)
		}
		built.WriteByte(']')
	case *object:
		built.WriteByte('{')
		for place, name := range known.names {
			if place > 0 {
				built.WriteByte(',')
			}
			quote(built, name)
			built.WriteByte(':')
			write(built, known.values[name])
		}
		built.WriteByte('}')
	}
}

func quote(built *strings.Builder, text string) {
	built.WriteByte('"')
	start := 0
	for at := 0; at < len(text); at++ {
		sign := text[at]
		if sign >= 0x20 && sign != '"' && sign != '\\' {
			continue
		}
		built.WriteString(text[start:at])
		start = at + 1
		if place := strings.IndexByte("\"\\\b\f\n\r\t", sign); place >= 0 {
			built.WriteByte('\\')
			built.WriteByte(`"\bfnrt`[place])
		} else {
			built.WriteString(`\u00`)
			built.WriteByte("0123456789abcdef"[sign>>4])
			built.WriteByte("0123456789abcdef"[sign&15])
		}
	}
	built.WriteString(text[start:])
	built.WriteByte('"')
}

// textOf returns a value as the text that a field counts as: a number is its text, null is empty.
func textOf(value any) string {
	switch known := value.(type) {
	case nil:
		return ""
	case string:
		return known
	}
	return compact(value)
}
