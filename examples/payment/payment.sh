# What docs/payment.md, callbacks.md and seamless.md show for a shell. docs/sdk.md has the connection.
hex() { printf %s "$1" | od -An -tx1 | tr -d ' \n'; }
digest() { openssl dgst "-$1" -r | cut -d ' ' -f 1; }
key=$(printf %s "$USERNAME~:~$PASSWORD" | digest md5)
privatekey=$(printf %s "$API_SECRET@$USERNAME:|:$PASSWORD" | digest sha256)
seal() {
  iv=$(openssl rand -hex 8)
  printf %s "$iv"
  printf %s "$1" | openssl enc -aes-256-cbc -K "$(hex "$key")" -iv "$(hex "$iv")" -base64 -A
}
token_for() { # the scope: page or operations
  local asked='{"client_id": "'"$OAUTH_CLIENT_ID"'", "client_secret": "'"$OAUTH_CLIENT_SECRET"'",
    "merchant_id": "'"$MERCHANT_ID"'", "grant_type": "client_credentials", "scope": "'"$1"'"}'
  curl -s "$BASE_URL/gateway/pay/v4/api/oauth2/" \
    --data-urlencode "merchant_id=$MERCHANT_ID" \
    --data-urlencode "encdata=$(seal "$asked")" |
    grep -o '"access_token":"[0-9a-f]*"' | cut -d '"' -f 4
}
token=$(token_for operations) page_token=$(token_for page)

# [form]
# page_token is a token of the scope page. A browser posts this form; a shell shows where it leads.
checksum=$(printf %s "1499.50asha@example.inAshaRao9876543210356INR$NEW_ORDER_ID$(date -u +%F)" |
  digest sha256) # the values in the order of their names, and the day
curl -s -o /dev/null -w '%{redirect_url}' "$PAYMENT_PAGE_URL/pay/v4/?token=$page_token" \
  --data-urlencode "merchant_id=$MERCHANT_ID" \
  --data-urlencode "privatekey=$privatekey" \
  --data-urlencode "checksum=$checksum" \
  --data-urlencode "encdata=$(seal '{"orderid": "'"$NEW_ORDER_ID"'", "amount": "1499.50",
    "currency_code": "356", "iso_currency": "INR", "buyer_email": "asha@example.in",
    "buyer_phone": "9876543210", "buyer_firstname": "Asha", "buyer_lastname": "Rao"}')"
# [end]
echo

field() { # of the browser's form, decoded
  local raw
  raw=$(tr '&' '\n' <<<"$POSTED" | sed -n "s/^$1=//p" | tr + ' ')
  printf '%b' "${raw//%/\\x}"
}
return_id=$(field webhook_id) return_timestamp=$(field webhook_timestamp)
return_signature=$(field webhook_signature) response=$(field response)

# [return]
# response, return_id, return_timestamp and return_signature are fields of the browser's form
is_signed() { # id, timestamp, signatures, content
  local secret mac
  [ -n "${WEBHOOK_KEY#whsec_}" ] || return 1
  secret=$(printf %s "${WEBHOOK_KEY#whsec_}" | openssl base64 -d -A | od -An -tx1 | tr -d ' \n')
  mac=$(printf %s "$1.$2.$4" |
    openssl dgst -sha256 -mac HMAC -macopt "hexkey:$secret" -binary | openssl base64 -A)
  case " $3 " in *" v1,$mac "*) ;; *) return 1 ;; esac
  [ $(($(date +%s) - $2)) -le 900 ] # a notification is signed anew when it is sent: 300
}
opened() { # what seal made
  printf %s "${1:16}" | openssl enc -d -aes-256-cbc -K "$(hex "$key")" -iv "$(hex "${1:0:16}")" -base64 -A
}
if is_signed "$return_id" "$return_timestamp" "$return_signature" "$response"; then
  opened "$response" # compare merchant_id, orderid and amount in it with your own books
else
  echo "not believed" # money may still have moved: verify tells
fi
# [end]
echo

# [notification]
# the headers are in variables, as CGI has them; the body is the standard input
body=$(cat; printf .) body=${body%.}
if is_signed "$HTTP_WEBHOOK_ID" "$HTTP_WEBHOOK_TIMESTAMP" "$HTTP_WEBHOOK_SIGNATURE" "$body"; then
  # in the form json-encrypted
  opened "$(grep -o '"response": *"[^"]*"' <<<"$body" | cut -d '"' -f 4 | sed 's:\\/:/:g')"
else
  echo "not believed" # answer 4xx
fi
# [end]
echo

# [seamless]
checksum=$(printf %s "1499.50HDFCasha@example.inAshaRao9876543210356INR$NEW_ORDER_ID-Snb$(date -u +%F)" |
  digest sha256)
curl -s "$BASE_URL/gateway/pay/v4/api/seamless/?token=$token" \
  --data-urlencode "merchant_id=$MERCHANT_ID" \
  --data-urlencode "privatekey=$privatekey" \
  --data-urlencode "checksum=$checksum" \
  --data-urlencode "encdata=$(seal '{"orderid": "'"$NEW_ORDER_ID-S"'", "amount": "1499.50",
    "currency_code": "356", "iso_currency": "INR", "buyer_email": "asha@example.in",
    "buyer_phone": "9876543210", "buyer_firstname": "Asha", "buyer_lastname": "Rao",
    "pay_by": "nb", "bank_code": "HDFC"}')"
# [end]
echo
