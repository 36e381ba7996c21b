<?php

declare(strict_types=1);

namespace Hundi;

/**
 * A checked notification. It is delivered at least once: store the ids that you have handled. The
 * event is "" in the form notification; a newer gateway may have further words.
 */
final class Notification
{
    public function __construct(
        public readonly string $webhookId,
        public readonly \DateTimeImmutable $sentAt,
        public readonly string $event,
        public readonly Transaction $transaction,
    ) {
    }
}
