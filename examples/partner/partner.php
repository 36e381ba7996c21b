<?php

// What the pages of partners' interfaces show in PHP, from its own library.

declare(strict_types=1);

// [ask]
/** @param list<string> $headers  Return the reply of one call, which is JSON. */
function post(string $path, string $body, array $headers): string
{
    $call = curl_init(getenv('BASE_URL') . "/gateway/ms$path");
    curl_setopt_array($call, [
        CURLOPT_POSTFIELDS => $body,
        CURLOPT_HTTPHEADER => $headers,
        CURLOPT_RETURNTRANSFER => true,
        CURLOPT_TIMEOUT => 30,
    ]);
    return (string) curl_exec($call);
}

/** Call an interface with the checksum of its values. */
function ask(string $path, array $parameters, ?array $keys = null): string
{
    $keys ??= [
        'affiliate: ' . getenv('AFFILIATE'),
        'api-key: ' . getenv('API_KEY'),
        'processor-key: ' . getenv('PROCESSOR_KEY'),
    ];
    $checksum = hash('sha256', implode('', $parameters) . getenv('PARTNER_SECRET'));
    return post($path, http_build_query($parameters), [...$keys, "checksum: $checksum"]);
}
// [end]

// [calculator]
$asked = ['cost' => '10000', 'profit' => '500', 'gst' => '100.50', 'same_state' => 'Y'];
echo ask('/baas/api/gst-calculator', $asked), "\n";
// [end]

// [registration]
echo ask('/baas/api/gst-verification', ['gstin' => getenv('GSTIN')]), "\n";
// [end]

// [holder]
$consent = 'I agree that my number is checked for opening an account.';
$holder = ['name' => getenv('NAME'), 'consentText' => $consent, 'aadhaarNo' => getenv('AADHAAR')];
echo ask('/baas/api/aadhaar-verification', $holder), "\n";
// [end]

// [document]
echo ask('/baas/api/aadhaar-xml', ['type' => 'otp', 'aadhaarNo' => getenv('AADHAAR')]), "\n";
// [end]

// [cards]
$token = ['token: ' . getenv('CARD_TOKEN')];
echo ask('/cards/api/card-details', ['entity_id' => getenv('ENTITY_ID')], $token), "\n";
// [end]

// [lead]
$key = md5(getenv('AFFILIATE') . '~:~' . getenv('PARTNER_SECRET'));
$iv = bin2hex(random_bytes(8));
$query = $iv . openssl_encrypt(getenv('LEAD'), 'aes-256-cbc', $key, 0, $iv);
$checksum = hash('sha256', $query . getenv('AFFILIATE') . getenv('PARTNER_SECRET'));
$reply = post('/leads/api/createlead', json_encode(['query' => $query]), [
    'affiliate: ' . getenv('AFFILIATE'),
    'processor-key: ' . getenv('PROCESSOR_KEY'),
    "checksum: $checksum",
    'content-type: application/json',
]);
$sealed = json_decode($reply, true)['query'];
echo openssl_decrypt(substr($sealed, 16), 'aes-256-cbc', $key, 0, substr($sealed, 0, 16)), "\n";
// [end]

// [sales]
$terminal = ['mercid' => getenv('MERCID'), 'terminalid' => getenv('TERMINALID'), 'uniqueid' => getenv('UNIQUEID')];
echo post('/pos/api/transaction-detail-bulk', http_build_query($terminal), []), "\n";
// [end]

// [entries]
$entry = ['terminalid' => getenv('TERMINALID'), 'reference' => getenv('REFERENCE'), 'amount' => '149.50', 'table' => '7'];
$body = json_encode(['mercid' => getenv('MERCID'), 'entries' => [$entry]]);
$timestamp = time();
echo post('/pos/api/transaction-entries', $body, [
    'affiliate: ' . getenv('AFFILIATE'),
    "timestamp: $timestamp",
    'signature: ' . hash_hmac('sha256', "$timestamp.$body", getenv('PARTNER_SECRET')),
    'content-type: application/json',
]), "\n";
// [end]
