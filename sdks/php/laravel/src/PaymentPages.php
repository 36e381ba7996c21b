<?php

declare(strict_types=1);

namespace Hundi\Laravel;

use Hundi\Client;
use Hundi\PaymentRequest;
use Illuminate\Http\Response;

/** Makes the document that takes a customer to the payment page. */
final class PaymentPages
{
    public function __construct(private readonly Client $client)
    {
    }

    /** Show it only to the customer whose order it is: it names the buyer. */
    public function pageOf(PaymentRequest $order, string $nonce = ''): Response
    {
        $page = $this->client->paymentForm($order)->html($nonce);
        return new Response($page, 200, ['Content-Type' => 'text/html; charset=utf-8', 'Cache-Control' => 'no-store']);
    }
}
