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
    /** What stands for the content of an order that the gateway makes: a debit of a subscription. */
    private const DEBIT = 'debit';

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

    /** Return the payment of a subscription's period, which the gateway names by its first payment. */
    public static function debit(string $transactionId, int $period, string $orderId, int $amountPaise, string $currency): self
    {
        return new self("$transactionId-$period", $orderId, 1, self::DEBIT, $amountPaise, $currency, '', self::BEGUN);
    }

    public function isDebit(): bool
    {
        return $this->content === self::DEBIT;
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
