package hundi

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/md5"
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"strings"
)

const block = aes.BlockSize

// strict refuses what Go's decoder passes over: line breaks.
func strict(text string) bool { return !strings.ContainsAny(text, "\r\n") }

// encryptionKey returns the 32 hex characters of md5(username~:~password), as bytes.
func encryptionKey(username, password string) []byte {
	digest := md5.Sum([]byte(username + "~:~" + password))
	return []byte(hex.EncodeToString(digest[:]))
}

// seal returns the IV and base64 of the ciphertext. iv: 16 printable ASCII characters, "" for random
// ones. The cipher has no authentication tag: a message proves nothing by itself.
func seal(key, plaintext []byte, iv string) (string, error) {
	if iv == "" {
		random := make([]byte, block/2)
		if _, err := rand.Read(random); err != nil {
			return "", err
		}
		iv = hex.EncodeToString(random)
	}
	if !isIV(iv) {
		return "", errors.New("an IV is 16 printable ASCII characters")
	}
	made, err := aes.NewCipher(key)
	if err != nil {
		return "", err
	}
	size := block - len(plaintext)%block
	padded := append(append(make([]byte, 0, len(plaintext)+size), plaintext...), bytes.Repeat([]byte{byte(size)}, size)...)
	cipher.NewCBCEncrypter(made, []byte(iv)).CryptBlocks(padded, padded)
	return iv + base64.StdEncoding.EncodeToString(padded), nil
}

// open returns the plaintext of a sealed message; a + that arrived as a space is repaired. Its error
// gives no reason: that would help an attacker.
func open(key []byte, encdata string) ([]byte, error) {
	iv, ciphertext := split(encdata)
	if ciphertext == nil {
		iv, ciphertext = split(strings.NewReplacer(" ", "+", "\r", "", "\n", "").Replace(encdata))
	}
	made, err := aes.NewCipher(key)
	if ciphertext == nil || err != nil {
		return nil, errUnreadable
	}
	cipher.NewCBCDecrypter(made, iv).CryptBlocks(ciphertext, ciphertext)
	size := int(ciphertext[len(ciphertext)-1])
	if size < 1 || size > block {
		return nil, errUnreadable
	}
	text, padding := ciphertext[:len(ciphertext)-size], ciphertext[len(ciphertext)-size:]
	if !bytes.Equal(padding, bytes.Repeat([]byte{byte(size)}, size)) {
		return nil, errUnreadable
	}
	return text, nil
}

func openJSON(key []byte, encdata string, most int) (*object, error) {
	text, err := open(key, encdata)
	if err != nil {
		return nil, err
	}
	found, err := parse(text, most)
	if err != nil {
		return nil, errUnreadable
	}
	return found, nil
}

func split(encdata string) (iv, ciphertext []byte) {
	if len(encdata) <= block || !isIV(encdata[:block]) || !strict(encdata[block:]) {
		return nil, nil
	}
	ciphertext, err := base64.StdEncoding.DecodeString(encdata[block:])
	if err != nil || len(ciphertext) == 0 || len(ciphertext)%block != 0 {
		return nil, nil
	}
	return []byte(encdata[:block]), ciphertext
}

func isIV(text string) bool {
	for at := 0; at < len(text); at++ {
		if text[at] < ' ' || text[at] > '~' {
			return false
		}
	}
	return len(text) == block
}
