<?php

declare(strict_types=1);

namespace Hundi\OpenCart;

use Hundi\Shop\Database as ShopDatabase;
use Hundi\Shop\Statement;

/** OpenCart's database. */
final class Database implements ShopDatabase
{
    public function __construct(private readonly object $db)
    {
    }

    public function run(string $sql, array $values = []): int
    {
        $this->db->query($this->filled($sql, $values));
        return $this->db->countAffected();
    }

    public function rows(string $sql, array $values = []): array
    {
        return $this->db->query($this->filled($sql, $values))->rows;
    }

    /** @param list<string|int> $values */
    private function filled(string $sql, array $values): string
    {
        return Statement::filled($sql, $values, fn (string $text): string => "'{$this->db->escape($text)}'");
    }
}
