# [ask]
# bash, curl and openssl
digest() { openssl dgst -sha256 -r | cut -d ' ' -f 1; }
own=(-H "affiliate: $AFFILIATE" -H "api-key: $API_KEY" -H "processor-key: $PROCESSOR_KEY")
ask() { # path, the values one after the other, and more for curl
  curl -s "$BASE_URL/gateway/ms$1" -H "checksum: $(printf %s "$2$PARTNER_SECRET" | digest)" "${@:3}"
}
# [end]

# [calculator]
ask /baas/api/gst-calculator "10000500100.50Y" "${own[@]}" \
  --data cost=10000 --data profit=500 --data gst=100.50 --data same_state=Y
# [end]
echo
# [registration]
ask /baas/api/gst-verification "$GSTIN" "${own[@]}" --data "gstin=$GSTIN"
# [end]
echo
# [holder]
consent="I agree that my number is checked for opening an account."
ask /baas/api/aadhaar-verification "$NAME$consent$AADHAAR" "${own[@]}" \
  --data-urlencode "name=$NAME" --data-urlencode "consentText=$consent" --data "aadhaarNo=$AADHAAR"
# [end]
echo
# [document]
ask /baas/api/aadhaar-xml "otp$AADHAAR" "${own[@]}" --data type=otp --data "aadhaarNo=$AADHAAR"
# [end]
echo
# [cards]
ask /cards/api/card-details "$ENTITY_ID" -H "token: $CARD_TOKEN" --data "entity_id=$ENTITY_ID"
# [end]
echo
# [lead]
hex() { printf %s "$1" | od -An -tx1 | tr -d ' \n'; }
key=$(printf %s "$AFFILIATE~:~$PARTNER_SECRET" | openssl dgst -md5 -r | cut -d ' ' -f 1)
iv=$(openssl rand -hex 8)
query=$iv$(printf %s "$LEAD" |
  openssl enc -aes-256-cbc -K "$(hex "$key")" -iv "$(hex "$iv")" -base64 -A)
reply=$(ask /leads/api/createlead "$query$AFFILIATE" -H "affiliate: $AFFILIATE" \
  -H "processor-key: $PROCESSOR_KEY" -H 'content-type: application/json' --data '{"query": "'"$query"'"}' |
  grep -o '"query": *"[^"]*"' | cut -d '"' -f 4 | sed 's:\\/:/:g')
printf %s "${reply:16}" |
  openssl enc -d -aes-256-cbc -K "$(hex "$key")" -iv "$(hex "${reply:0:16}")" -base64 -A
# [end]
echo
# [sales]
curl -s "$BASE_URL/gateway/ms/pos/api/transaction-detail-bulk" \
  --data "mercid=$MERCID" --data "terminalid=$TERMINALID" --data "uniqueid=$UNIQUEID"
# [end]
echo
# [entries]
timestamp=$(date +%s)
body='{"mercid": "'"$MERCID"'", "entries": [{"terminalid": "'"$TERMINALID"'", "reference": "'"$REFERENCE"'",
  "amount": "149.50", "table": "7"}]}'
signature=$(printf %s "$timestamp.$body" | openssl dgst -sha256 -hmac "$PARTNER_SECRET" -r | cut -d ' ' -f 1)
curl -s "$BASE_URL/gateway/ms/pos/api/transaction-entries" -H "affiliate: $AFFILIATE" \
  -H "timestamp: $timestamp" -H "signature: $signature" -H 'content-type: application/json' --data "$body"
# [end]
echo
