<?php

declare(strict_types=1);

namespace Hundi\Laravel;

use Hundi\Notification;
use Hundi\PaymentRequest;
use Hundi\Transaction;

/** What your own code gives: bind a class of yours to this name. */
interface ShopBooks
{
    /** Return an order of your own books, or null. Amount and currency are compared with it. */
    public function order(string $orderId): ?PaymentRequest;

    /**
     * Do what an event asks for. It runs in the transaction of the event's mark: when this throws,
     * both are undone, and the gateway sends the event again.
     */
    public function handle(Notification $news): void;

    /**
     * Return the address of your page for a customer who comes back. told: null when the return is
     * not believed. Deliver on the notification, not on this.
     */
    public function afterReturn(string $orderId, ?Transaction $told): string;
}
