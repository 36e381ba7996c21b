<?php

// Everything comes from the environment; `path` is the beginning of the two addresses.
return [
    'base_url' => env('HUNDI_BASE_URL', ''),
    'merchant_id' => env('HUNDI_MERCHANT_ID', ''),
    'username' => env('HUNDI_USERNAME', ''),
    'password' => env('HUNDI_PASSWORD', ''),
    'api_secret' => env('HUNDI_API_SECRET', ''),
    'oauth_client_id' => env('HUNDI_OAUTH_CLIENT_ID', ''),
    'oauth_client_secret' => env('HUNDI_OAUTH_CLIENT_SECRET', ''),
    'webhook_keys' => array_filter(explode(',', env('HUNDI_WEBHOOK_KEYS', ''))),
    'path' => 'hundi',
];
