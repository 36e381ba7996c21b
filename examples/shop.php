<?php

// A whole shop in one file: one thing to buy, paid through a Hundi gateway.
//
//     MERCHANT=merchant.json GATEWAY=http://127.0.0.1:8080 php -S 127.0.0.1:9000 examples/shop.php
//
// `merchant.json` is what `hundi merchant add --json` printed; the merchant's addresses are `/return`
// and `/notifications` of this shop. Orders are kept in a file beside it: keep yours in a database.
// A shop of your own has composer's `vendor/autoload.php` (sdks/php/README.md).

declare(strict_types=1);

use Hundi\Buyer;
use Hundi\Callbacks;
use Hundi\Client;
use Hundi\Credentials;
use Hundi\Expected;
use Hundi\Gateway;
use Hundi\HundiException;
use Hundi\PaymentRequest;

require __DIR__ . '/../sdks/php/tests/autoload.php';

const PRICE_PAISE = 149_950;

$merchant = (string) getenv('MERCHANT');
$keys = json_decode((string) file_get_contents($merchant), true, flags: JSON_THROW_ON_ERROR);
$credentials = new Credentials(
    merchantId: $keys['merchant_id'],
    username: $keys['username'],
    password: $keys['password'],
    apiSecret: $keys['secret'],
    oauthClientId: $keys['client_id'],
    oauthClientSecret: $keys['client_secret'],
    webhookKeys: $keys['webhook_keys'],
);
$client = new Client($credentials, new Gateway(getenv('GATEWAY') ?: 'http://127.0.0.1:8080'));
$callbacks = new Callbacks($credentials);

/** Our own books: order id and how it stands. */
$book = "$merchant.orders";
$orders = is_file($book) ? json_decode((string) file_get_contents($book), true) : [];
$keep = function (string $orderId, string $state) use (&$orders, $book): void {
    $orders[$orderId] = $state;
    file_put_contents($book, json_encode($orders), LOCK_EX);
};
// Ask the gateway how an order stands; it must name our order id and our amount.
$ask = function (string $orderId) use ($client, $keep, &$orders): void {
    if (!isset($orders[$orderId])) {
        return;
    }
    $told = $client->verify(new Expected($orderId, PRICE_PAISE));
    $open = $told->isPending() ? 'waiting' : "not paid: $told->message";
    $keep($orderId, $told->isPaid() ? 'paid' : $open);
};

header('content-type: text/html; charset=utf-8');
try {
    switch ($_SERVER['REQUEST_METHOD'] . ' ' . $_SERVER['REQUEST_URI']) {
        case 'GET /':
            echo '<!doctype html><title>My shop</title><h1>My shop</h1><form method=post action=/buy>';
            echo '<button>Buy a handloom sari for ₹1,499.50</button></form><ul>';
            foreach ($orders as $orderId => $state) {
                echo "<li>$orderId: <b>", htmlspecialchars($state), '</b></li>';
            }
            echo '</ul>';
            break;
        case 'POST /buy':
            $orderId = 'order-' . hrtime(true);
            $keep($orderId, 'waiting');
            $buyer = new Buyer(firstname: 'Asha', lastname: 'Rao', email: 'asha@example.in', phone: '9876543210');
            echo $client->paymentForm(new PaymentRequest($orderId, PRICE_PAISE, $buyer))->html();
            break;
        case 'POST /return':
            // What the browser brings is a claim: ask the gateway before goods are released.
            $ask($callbacks->claimedOrderId($_POST));
            header('location: /', true, 303); // a reload sends nothing twice
            break;
        case 'POST /notifications':
            // The gateway's server tells us, also when the customer never comes back; it signs.
            $body = (string) file_get_contents('php://input');
            $ask($callbacks->readNotification(getallheaders(), $body)->transaction->orderId);
            echo 'Written down.';
            break;
        default:
            http_response_code(404);
            echo 'There is nothing here.';
    }
} catch (HundiException $error) {
    $isForged = $error->kind->isUntrusted();
    http_response_code($isForged ? 400 : 502);
    echo $isForged ? 'Not believed: ' : 'The gateway said: ', htmlspecialchars($error->getMessage());
}
