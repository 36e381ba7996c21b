// What the pages of partners' interfaces show in Go, from its own library.
package main

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/md5"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"
)

// [ask]

var env = os.Getenv

var own = map[string]string{
	"affiliate":     env("AFFILIATE"),
	"api-key":       env("API_KEY"),
	"processor-key": env("PROCESSOR_KEY"),
}

// post returns the reply of one call, which is JSON.
func post(path, body string, headers map[string]string) string {
	request, err := http.NewRequest("POST", env("BASE_URL")+"/gateway/ms"+path, strings.NewReader(body))
	if err != nil {
		log.Fatal(err)
	}
	request.Header.Set("content-type", "application/x-www-form-urlencoded")
	for name, value := range headers {
		request.Header.Set(name, value)
	}
	client := http.Client{Timeout: 30 * time.Second}
	answer, err := client.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer answer.Body.Close()
	reply, err := io.ReadAll(answer.Body)
	if err != nil {
		log.Fatal(err)
	}
	return string(reply)
}

func checksum(text string) string {
	return fmt.Sprintf("%x", sha256.Sum256([]byte(text+env("PARTNER_SECRET"))))
}

// ask calls an interface with the checksum of its values. pairs: names and values, in their order.
func ask(path string, keys map[string]string, pairs ...string) string {
	form, values := url.Values{}, ""
	for at := 0; at < len(pairs); at += 2 {
		form.Set(pairs[at], pairs[at+1])
		values += pairs[at+1]
	}
	headers := map[string]string{"checksum": checksum(values)}
	for name, value := range keys {
		headers[name] = value
	}
	return post(path, form.Encode(), headers)
}

// [end]

// [lead]

// seal encrypts for the partner; the text begins with its 16 characters of IV.
func seal(block cipher.Block, plain []byte) string {
	random := make([]byte, aes.BlockSize/2)
	if _, err := rand.Read(random); err != nil {
		log.Fatal(err)
	}
	iv := hex.EncodeToString(random)
	rest := aes.BlockSize - len(plain)%aes.BlockSize
	padded := append(plain, strings.Repeat(string(rune(rest)), rest)...)
	cipher.NewCBCEncrypter(block, []byte(iv)).CryptBlocks(padded, padded)
	return iv + base64.StdEncoding.EncodeToString(padded)
}

func open(block cipher.Block, sealed string) string {
	content, err := base64.StdEncoding.DecodeString(sealed[aes.BlockSize:])
	if err != nil || len(content) == 0 || len(content)%aes.BlockSize != 0 {
		log.Fatal("not sealed: ", sealed)
	}
	cipher.NewCBCDecrypter(block, []byte(sealed[:aes.BlockSize])).CryptBlocks(content, content)
	return string(content[:len(content)-int(content[len(content)-1])])
}

func sendLead() {
	named := fmt.Sprintf("%x", md5.Sum([]byte(env("AFFILIATE")+"~:~"+env("PARTNER_SECRET"))))
	block, err := aes.NewCipher([]byte(named))
	if err != nil {
		log.Fatal(err)
	}
	query := seal(block, []byte(env("LEAD")))
	body, err := json.Marshal(map[string]string{"query": query})
	if err != nil {
		log.Fatal(err)
	}
	var reply struct{ Query string }
	answer := post("/leads/api/createlead", string(body), map[string]string{
		"affiliate":     env("AFFILIATE"),
		"processor-key": env("PROCESSOR_KEY"),
		"checksum":      checksum(query + env("AFFILIATE")),
		"content-type":  "application/json",
	})
	if err := json.Unmarshal([]byte(answer), &reply); err != nil {
		log.Fatal(err)
	}
	fmt.Println(open(block, reply.Query))
}

// [end]

func tellSales() {
	// [entries]
	entry := map[string]string{
		"terminalid": env("TERMINALID"), "reference": env("REFERENCE"), "amount": "149.50", "table": "7",
	}
	body, err := json.Marshal(map[string]any{"mercid": env("MERCID"), "entries": []any{entry}})
	if err != nil {
		log.Fatal(err)
	}
	timestamp := fmt.Sprint(time.Now().Unix())
	mac := hmac.New(sha256.New, []byte(env("PARTNER_SECRET")))
	mac.Write([]byte(timestamp + "." + string(body)))
	fmt.Println(post("/pos/api/transaction-entries", string(body), map[string]string{
		"affiliate":    env("AFFILIATE"),
		"timestamp":    timestamp,
		"signature":    hex.EncodeToString(mac.Sum(nil)),
		"content-type": "application/json",
	}))
	// [end]
}

func main() {
	// [calculator]
	fmt.Println(ask("/baas/api/gst-calculator", own,
		"cost", "10000", "profit", "500", "gst", "100.50", "same_state", "Y"))
	// [end]

	// [registration]
	fmt.Println(ask("/baas/api/gst-verification", own, "gstin", env("GSTIN")))
	// [end]

	// [holder]
	consent := "I agree that my number is checked for opening an account."
	fmt.Println(ask("/baas/api/aadhaar-verification", own,
		"name", env("NAME"), "consentText", consent, "aadhaarNo", env("AADHAAR")))
	// [end]

	// [document]
	fmt.Println(ask("/baas/api/aadhaar-xml", own, "type", "otp", "aadhaarNo", env("AADHAAR")))
	// [end]

	// [cards]
	token := map[string]string{"token": env("CARD_TOKEN")}
	fmt.Println(ask("/cards/api/card-details", token, "entity_id", env("ENTITY_ID")))
	// [end]

	sendLead()

	// [sales]
	terminal := url.Values{
		"mercid": {env("MERCID")}, "terminalid": {env("TERMINALID")}, "uniqueid": {env("UNIQUEID")},
	}
	fmt.Println(post("/pos/api/transaction-detail-bulk", terminal.Encode(), nil))
	// [end]

	tellSales()
}
