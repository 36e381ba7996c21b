<?php

declare(strict_types=1);

namespace Hundi\Shop;

use Hundi\Expected;

/** One payment that the shop began for an order: its own books, with which every answer is compared. */
final class Attempt
{
    public const BEGUN = 'begun';
    public const PAYING = 'paying';
    public const PAID = 'paid';
    public const FAILED = 'failed';

    public function __construct(
        public readonly string $reference,
        public readonly string $orderId,
        public readonly int $number,
        public readonly string $content,
        public readonly int $amountPaise,
        public readonly string $currency,
        public readonly string $transactionId,
        public readonly string $state,
    ) {
    }

    /** @param array<string, mixed> $row */
    public static function read(array $row): self
    {
        return new self(
            (string) $row['reference'],
            (string) $row['order_id'],
            (int) $row['number'],
            (string) $row['content'],
            (int) $row['amount_paise'],
            (string) $row['currency'],
            (string) $row['transaction_id'],
            (string) $row['state'],
        );
    }

    public function expected(): Expected
    {
        return new Expected($this->reference, $this->amountPaise, $this->currency);
    }

    public function isHandedOver(): bool
    {
        return $this->state === self::PAID;
    }
}
