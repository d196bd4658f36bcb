#!/bin/sh
# A payment from a shell, with curl and openssl: the requests are the same in PHP, Python or Go.
# In one terminal:  npx malipo sandbox
# In another:       eval "$(npx malipo env)" && sh examples/shell/payment.sh approve
set -eu

# What the customer does: approve, cancel, wrong-pin.
customer=${1:-approve}
phone=${2:-0712345678}
receiver=${RECEIVER_URL:-http://127.0.0.1:3000/webhooks}
order=ORDER-$$

# Sends a request to the service: call METHOD PATH [BODY].
call() {
  curl -sS -X "$1" "$MALIPO_BASE_URL$2" \
    -H "X-API-Key: $MALIPO_API_KEY" -H "Content-Type: application/json" ${3:+-d "$3"}
}
# Drives the sandbox: drive METHOD PATH [BODY]. The service itself has nothing like it.
drive() {
  curl -sS -X "$1" "${MALIPO_BASE_URL%/api/v1}/_sandbox/api$2" ${3:+-d "$3"}
}
# A text field of the JSON on standard input.
field() {
  sed -E -n 's/.*"'"$1"'":"(([^"\\]|\\.)*)".*/\1/p' | sed -E 's/\\(.)/\1/g'
}

echo "1. Register a receiver."
webhook='{"name":"shell","url":"'"$receiver"'","events":["payment.completed","payment.failed"]}'
id=$(call POST /webhooks/register "$webhook" | field id)
trap 'call DELETE "/webhooks/$id" > /dev/null' EXIT

echo "2. Ask for a payment. A fault takes the response away."
drive POST /faults '{"kind":"lostResponse","endpoint":"mobileMoney.initiate"}' > /dev/null
payment='{"amount":100,"phone":"'"$phone"'","account_reference":"'"$order"'"}'
if answer=$(call POST /mobile-money/payment/initiate "$payment" 2> /dev/null); then
  reference=$(echo "$answer" | field reference)
else
  # The phone may ring already. To send it again would ask the customer twice: look first.
  echo "   The response was lost. Is there a payment for $order?"
  reference=$(call GET /payments | tr '{' '\n' | grep "\"account_reference\":\"$order\"" | field reference)
fi
echo "   The payment is $reference."

echo "3. The customer: $customer."
drive POST "/phones/$phone/$customer" > /dev/null

echo "4. Wait for its final status."
status=pending
while [ "$status" = pending ]; do
  sleep 0.2
  status=$(call GET "/payments/$reference" | field status)
done
echo "   $reference is $status."

echo "5. Verify the webhook: HMAC-SHA256 over the raw body, in lowercase hex."
delivery=
while [ -z "$(echo "$delivery" | field signature)" ]; do
  sleep 0.2
  delivery=$(drive GET "/deliveries?limit=1")
done
body=$(printf '%s' "$delivery" | field body)
signature=$(printf '%s' "$delivery" | field signature)
expected=$(printf '%s' "$body" | openssl dgst -sha256 -hmac "$MALIPO_WEBHOOK_SECRET" | sed 's/.*= *//')
[ "$signature" = "$expected" ] || {
  echo "   The signature does not match."
  exit 2
}
echo "   $(echo "$body" | field event) is genuine."
[ "$status" = completed ]
