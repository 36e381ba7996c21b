<?php

declare(strict_types=1);

namespace Hundi\Laravel;

use Hundi\Notification;

/** Hands an event over once: its mark and the shop's effect are written together, or neither. */
interface EventStore
{
    /**
     * Return whether $handle ran now; false when it ran before.
     *
     * @param callable(): void $handle
     */
    public function handOver(Notification $news, callable $handle): bool;
}
