<?php

// The plain interface from PHP's own library: what docs/v1.md shows, one call after another.

declare(strict_types=1);

// [ask]
/** @return array{int, array<string, mixed>} the status and the answer of one call */
function ask(string $method, string $path, ?array $body = null, string ...$headers): array
{
    $call = curl_init(getenv('BASE_URL') . "/v1/$path");
    curl_setopt_array($call, [
        CURLOPT_CUSTOMREQUEST => $method,
        CURLOPT_RETURNTRANSFER => true,
        CURLOPT_TIMEOUT => 30,
        CURLOPT_HTTPHEADER => [
            'authorization: Bearer ' . getenv('BEARER_KEY'),
            'content-type: application/json',
            ...$headers,
        ],
    ]);
    if ($body !== null) {
        curl_setopt($call, CURLOPT_POSTFIELDS, json_encode($body, JSON_THROW_ON_ERROR));
    }
    $answer = json_decode((string) curl_exec($call), true, flags: JSON_THROW_ON_ERROR);
    return [curl_getinfo($call, CURLINFO_RESPONSE_CODE), $answer];
}
// [end]

// [create]
$buyer = ['email' => 'asha@example.in', 'phone' => '9876543210', 'firstname' => 'Asha', 'lastname' => 'Rao'];
$order = ['order_id' => getenv('NEW_ORDER_ID'), 'amount_paise' => 149950, 'buyer' => $buyer];
[$status, $created] = ask('POST', 'orders', $order);
echo $created['page_url'], "\n"; // send the customer's browser there
// [end]

// [show]
[$status, $order] = ask('GET', 'orders/' . getenv('ORDER_ID'));
$deliver = $order['state'] === 'paid' && $order['amount_paise'] === 149950; // of your own books
echo "{$order['state']} {$order['amount_paise']}\n";
// [end]

// [refusal]
$wrong = ['transaction_id' => getenv('TRANSACTION_ID'), 'amount_paise' => '1499.50'];
[$status, $problem] = ask('POST', 'refunds', $wrong, 'idempotency-key: wrong');
echo "$status {$problem['field']}\n";
// [end]

// [refund]
$part = ['transaction_id' => getenv('TRANSACTION_ID'), 'amount_paise' => 100];
$name = getenv('NEW_ORDER_ID') . '-R'; // of your own books: sent again, it refunds once
[$status, $refund] = ask('POST', 'refunds', $part, "idempotency-key: $name");
echo "$status {$refund['amount_paise']}\n";
// [end]

// [events]
[$status, $events] = ask('GET', 'events');
echo count($events['items']), "\n";
$later = "events?cursor={$events['next_cursor']}"; // keep it, and ask for this path next time
// [end]

// [webhook]
/** Return whether the gateway signed a webhook within the past five minutes. */
function isOurs(array $headers, string $body): bool
{
    $key = base64_decode(substr((string) getenv('WEBHOOK_KEY'), strlen('whsec_')));
    ['webhook-id' => $id, 'webhook-timestamp' => $stamp] = $headers;
    $mac = base64_encode(hash_hmac('sha256', "$id.$stamp.$body", $key, true));
    $isSigned = false;
    foreach (explode(' ', $headers['webhook-signature']) as $given) {
        $isSigned = hash_equals("v1,$mac", $given) || $isSigned;
    }
    return strlen($key) >= 24 && $isSigned && abs(time() - (int) $stamp) <= 300;
}
// [end]
$headers = [];
foreach (['webhook-id', 'webhook-timestamp', 'webhook-signature'] as $name) {
    $headers[$name] = (string) getenv('HTTP_' . strtoupper(strtr($name, '-', '_')));
}
echo isOurs($headers, (string) file_get_contents('php://stdin')) ? 'believed' : 'not believed', "\n";
