<?php

declare(strict_types=1);

namespace Hundi\Laravel;

use Hundi\Notification;
use Illuminate\Database\ConnectionInterface;

/** Marks events in the table `hundi_events`, beside the shop's orders. */
final class TableStore implements EventStore
{
    public function __construct(private readonly ConnectionInterface $database)
    {
    }

    public function handOver(Notification $news, callable $handle): bool
    {
        return $this->database->transaction(function () use ($news, $handle): bool {
            $isNew = $this->database->table('hundi_events')->insertOrIgnore([
                'webhook_id' => $news->webhookId,
                'event' => $news->event,
                'order_id' => $news->transaction->orderId,
            ]) === 1;
            if ($isNew) {
                $handle();
            }
            return $isNew;
        });
    }
}
