<?php

declare(strict_types=1);

namespace Hundi;

/** A checked return. The transaction may be older than what `verify` knows. */
final class CheckedReturn
{
    public function __construct(
        public readonly string $webhookId,
        public readonly Transaction $transaction,
    ) {
    }
}
