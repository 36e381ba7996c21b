<?php

declare(strict_types=1);

namespace Hundi\Shop;

/** What the plugin keeps in the shop's database: payments, refunds, and the notifications it has handled. */
final class Books
{
    private const LOCK_S = 20;
    private const TABLES = [
        'hundi_payments' => 'reference VARCHAR(64) NOT NULL PRIMARY KEY, order_id VARCHAR(64) NOT NULL,'
            . ' number INT NOT NULL, content CHAR(64) NOT NULL, amount_paise BIGINT NOT NULL,'
            . ' currency CHAR(3) NOT NULL, transaction_id VARCHAR(20) NOT NULL, state VARCHAR(10) NOT NULL,'
            . ' begun_at BIGINT NOT NULL, UNIQUE KEY hundi_order (order_id, number)',
        'hundi_refunds' => 'request_id VARCHAR(64) NOT NULL PRIMARY KEY, reference VARCHAR(64) NOT NULL,'
            . ' amount_paise BIGINT NOT NULL, state VARCHAR(10) NOT NULL, KEY hundi_reference (reference)',
        'hundi_events' => 'webhook_id VARCHAR(190) NOT NULL PRIMARY KEY, heard_at BIGINT NOT NULL',
    ];

    public function __construct(private readonly Database $database, private readonly string $prefix)
    {
    }

    public function create(): void
    {
        foreach (self::TABLES as $table => $columns) {
            $this->database->run("CREATE TABLE IF NOT EXISTS {$this->prefix}$table ($columns)");
        }
    }

    public function drop(): void
    {
        foreach (array_keys(self::TABLES) as $table) {
            $this->database->run("DROP TABLE IF EXISTS {$this->prefix}$table");
        }
    }

    /**
     * Do something while no other request of the shop does it for the same order.
     *
     * @template Result
     * @param callable(): Result $do
     * @return Result
     */
    public function locked(string $orderId, callable $do): mixed
    {
        $name = 'hundi-' . substr(hash('sha256', $this->prefix . $orderId), 0, 32);
        [$got] = $this->database->rows('SELECT GET_LOCK(?, ' . self::LOCK_S . ') AS held', [$name]);
        if ((int) $got['held'] !== 1) {
            throw new Busy("order $orderId is being worked on by another request");
        }
        try {
            return $do();
        } finally {
            $this->database->rows('SELECT RELEASE_LOCK(?) AS released', [$name]);
        }
    }

    /** Return the attempts of an order, newest first. @return list<Attempt> */
    public function attempts(string $orderId): array
    {
        $sql = "SELECT * FROM {$this->prefix}hundi_payments WHERE order_id = ? ORDER BY number DESC";
        return array_map(Attempt::read(...), $this->database->rows($sql, [$orderId]));
    }

    public function attempt(string $reference): ?Attempt
    {
        $sql = "SELECT * FROM {$this->prefix}hundi_payments WHERE reference = ?";
        $found = $this->database->rows($sql, [$reference]);
        return $found === [] ? null : Attempt::read($found[0]);
    }

    /** Return references that were begun in a span of time and have not ended. @return list<string> */
    public function open(int $after, int $before, int $limit): array
    {
        $sql = "SELECT reference FROM {$this->prefix}hundi_payments WHERE state IN (?, ?)"
            . " AND begun_at BETWEEN ? AND ? ORDER BY begun_at LIMIT $limit";
        $found = $this->database->rows($sql, [Attempt::BEGUN, Attempt::PAYING, $after, $before]);
        return array_map(static fn (array $row): string => (string) $row['reference'], $found);
    }

    /** Return references of a subscription's debits that have not ended. @return list<string> */
    public function openDebits(string $transactionId): array
    {
        $sql = "SELECT reference FROM {$this->prefix}hundi_payments WHERE reference LIKE ? AND state = ?";
        $found = $this->database->rows($sql, ["$transactionId-%", Attempt::BEGUN]);
        return array_map(static fn (array $row): string => (string) $row['reference'], $found);
    }

    public function begin(Attempt $attempt): void
    {
        $sql = "INSERT INTO {$this->prefix}hundi_payments (reference, order_id, number, content, amount_paise,"
            . ' currency, transaction_id, state, begun_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)';
        $this->database->run($sql, [
            $attempt->reference, $attempt->orderId, $attempt->number, $attempt->content,
            $attempt->amountPaise, $attempt->currency, $attempt->transactionId, $attempt->state, time(),
        ]);
    }

    public function end(string $reference, string $state, string $transactionId): void
    {
        $sql = "UPDATE {$this->prefix}hundi_payments SET state = ?, transaction_id = ? WHERE reference = ?";
        $this->database->run($sql, [$state, $transactionId, $reference]);
    }

    /** Return the refunds of an attempt. @return list<array<string, mixed>> */
    public function refunds(string $reference): array
    {
        return $this->database->rows("SELECT * FROM {$this->prefix}hundi_refunds WHERE reference = ?", [$reference]);
    }

    public function beginRefund(string $requestId, string $reference, int $amountPaise): void
    {
        $sql = "INSERT INTO {$this->prefix}hundi_refunds (request_id, reference, amount_paise, state)"
            . ' VALUES (?, ?, ?, ?)';
        $this->database->run($sql, [$requestId, $reference, $amountPaise, Refunds::ASKED]);
    }

    /** Change a refund's state, and return the one before, "" of a refund that the shop did not ask for. */
    public function endRefund(string $requestId, string $state): string
    {
        $known = $this->database->rows("SELECT state FROM {$this->prefix}hundi_refunds WHERE request_id = ?", [$requestId]);
        $this->database->run("UPDATE {$this->prefix}hundi_refunds SET state = ? WHERE request_id = ?", [$state, $requestId]);
        return (string) ($known[0]['state'] ?? '');
    }

    public function hasHeard(string $webhookId): bool
    {
        $sql = "SELECT 1 AS heard FROM {$this->prefix}hundi_events WHERE webhook_id = ?";
        return $this->database->rows($sql, [$webhookId]) !== [];
    }

    public function hear(string $webhookId): void
    {
        $sql = "INSERT IGNORE INTO {$this->prefix}hundi_events (webhook_id, heard_at) VALUES (?, ?)";
        $this->database->run($sql, [$webhookId, time()]);
    }
}
