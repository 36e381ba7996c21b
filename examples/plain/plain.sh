# [ask]
# bash, curl and openssl
ask() { # method, path, and more for curl
  curl -s -X "$1" "$BASE_URL/v1/$2" -H "authorization: Bearer $BEARER_KEY" \
    -H 'content-type: application/json' "${@:3}"
}
# [end]

# [create]
ask POST orders --data '{"order_id": "'"$NEW_ORDER_ID"'", "amount_paise": 149950,
  "buyer": {"email": "asha@example.in", "phone": "9876543210",
    "firstname": "Asha", "lastname": "Rao"}}'
# send the customer's browser to the page_url of the answer
# [end]
echo
# [show]
ask GET "orders/$ORDER_ID"
# deliver when its state is "paid" and its amount_paise is that of your own books
# [end]
echo
# [refusal]
ask POST refunds -H 'idempotency-key: wrong' \
  --data '{"transaction_id": "'"$TRANSACTION_ID"'", "amount_paise": "1499.50"}'
# [end]
echo
# [refund]
ask POST refunds -H "idempotency-key: $NEW_ORDER_ID-R" \
  --data '{"transaction_id": "'"$TRANSACTION_ID"'", "amount_paise": 100}'
# [end]
echo
# [events]
ask GET events
# keep next_cursor, and later: ask GET "events?cursor=$next_cursor"
# [end]
echo
# [webhook]
# the headers of the webhook are in variables, as CGI has them; its body is the standard input
is_ours() {
  local key mac body
  body=$(cat; printf .) # keeps a newline at the end
  [ -n "${WEBHOOK_KEY#whsec_}" ] || return 1
  key=$(printf %s "${WEBHOOK_KEY#whsec_}" | openssl base64 -d -A | od -An -tx1 | tr -d ' \n')
  mac=$(printf %s "$HTTP_WEBHOOK_ID.$HTTP_WEBHOOK_TIMESTAMP.${body%.}" |
    openssl dgst -sha256 -mac HMAC -macopt "hexkey:$key" -binary | openssl base64 -A)
  case " $HTTP_WEBHOOK_SIGNATURE " in
  *" v1,$mac "*) ;;
  *) return 1 ;;
  esac
  local age=$(($(date +%s) - HTTP_WEBHOOK_TIMESTAMP))
  [ "${age#-}" -le 300 ]
}
# [end]
is_ours && echo '{"webhook": "believed"}' || echo '{"webhook": "not believed"}'
