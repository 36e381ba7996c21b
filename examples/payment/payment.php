<?php

// What docs/payment.md, callbacks.md and seamless.md show in PHP.

declare(strict_types=1);

use Hundi\Buyer;
use Hundi\Callbacks;
use Hundi\Client;
use Hundi\Credentials;
use Hundi\Expected;
use Hundi\Gateway;
use Hundi\HundiException;
use Hundi\PaymentRequest;
use Hundi\SeamlessRequest;

$credentials = new Credentials(
    merchantId: getenv('MERCHANT_ID'),
    username: getenv('USERNAME'),
    password: getenv('PASSWORD'),
    apiSecret: getenv('API_SECRET'),
    oauthClientId: getenv('OAUTH_CLIENT_ID'),
    oauthClientSecret: getenv('OAUTH_CLIENT_SECRET'),
    webhookKeys: [getenv('WEBHOOK_KEY')],
);
$client = new Client($credentials, new Gateway(getenv('BASE_URL'), getenv('PAYMENT_PAGE_URL')));
parse_str(getenv('POSTED'), $posted);
$headers = [];
foreach (['webhook-id', 'webhook-timestamp', 'webhook-signature'] as $name) {
    $headers[$name] = (string) getenv('HTTP_' . strtoupper(strtr($name, '-', '_')));
}
$body = (string) file_get_contents('php://stdin');

// [form]
$buyer = new Buyer(firstname: 'Asha', lastname: 'Rao', email: 'asha@example.in', phone: '9876543210');
$form = $client->paymentForm(new PaymentRequest(getenv('NEW_ORDER_ID'), 149950, $buyer));
echo $form->html(), "\n"; // answer the customer's request with this document
// [end]

// [return]
$callbacks = new Callbacks($credentials);
try {
    // $_POST, and the order's id and amount of your own books
    $back = $callbacks->readReturn($posted, new Expected(getenv('ORDER_ID'), 149950));
    echo $back->transaction->isPaid() ? "paid\n" : "not paid yet\n";
} catch (HundiException $error) {
    if (!$error->kind->isUntrusted()) {
        throw $error;
    }
    echo "not believed\n"; // money may still have moved: verify tells
}
// [end]

// [notification]
try {
    // getallheaders() and file_get_contents('php://input'), the raw bytes
    $news = $callbacks->readNotification($headers, $body);
    echo "$news->event {$news->transaction->orderId} {$news->transaction->amountPaise}\n";
} catch (HundiException $error) {
    if (!$error->kind->isUntrusted()) {
        throw $error;
    }
    echo "not believed\n"; // answer 4xx
}
// [end]

// [seamless]
$order = getenv('NEW_ORDER_ID') . '-S';
$step = $client->beginPayment(
    new SeamlessRequest(orderId: $order, amountPaise: 149950, buyer: $buyer, payBy: 'nb', bankCode: 'HDFC'),
);
echo $step->action, "\n"; // redirect: send the customer's browser to $step->redirectUrl
// [end]
