package hundi

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"sort"
	"strconv"
	"strings"
)

// checksumV4 returns the checksum that requests carry. day: YYYY-MM-DD, in India.
func checksumV4(fields *object, day string) string {
	return sha256Hex(strings.Join(valuesByName(fields), "") + day)
}

// crc32Forms returns the CRC32 of older clients: by name and by value, as decimal and as hex.
func crc32Forms(fields *object) map[string]string {
	values := valuesByName(fields)
	byName := crc32.ChecksumIEEE([]byte(strings.Join(values, "")))
	sort.Strings(values)
	byValue := crc32.ChecksumIEEE([]byte(strings.Join(values, "")))
	return map[string]string{
		"crc32-by-key-decimal":   decimal(byName),
		"crc32-by-key-hex":       fmt.Sprintf("%08x", byName),
		"crc32-by-value-decimal": decimal(byValue),
		"crc32-by-value-hex":     fmt.Sprintf("%08x", byValue),
	}
}

// privatekey returns the proof of the API secret.
func privatekey(secret, username, password string) string {
	return sha256Hex(secret + "@" + username + ":|:" + password)
}

// secureHash returns the CRC32 of the values joined with colons. It is no signature.
func secureHash(values []string, payerVPA string) string {
	text := strings.Join(values, ":")
	if payerVPA != "" {
		text += ":" + payerVPA
	}
	return decimal(crc32.ChecksumIEEE([]byte(text)))
}

func valuesByName(fields *object) []string {
	names := append([]string(nil), fields.names...)
	sort.Strings(names)
	for place, name := range names {
		names[place] = textOf(fields.values[name])
	}
	return names
}

func sha256Hex(text string) string {
	digest := sha256.Sum256([]byte(text))
	return hex.EncodeToString(digest[:])
}

func decimal(sum uint32) string { return strconv.FormatUint(uint64(sum), 10) }
