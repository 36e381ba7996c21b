<?php

declare(strict_types=1);

namespace Hundi;

/** What your own books have of an order. currency: ISO 4217 letters. */
final class Expected
{
    public function __construct(
        public readonly string $orderId,
        public readonly int $amountPaise,
        public readonly string $currency = 'INR',
    ) {
    }
}
