<?php

declare(strict_types=1);

namespace Hundi\Shop;

/** The shop's own MySQL or MariaDB, with `?` for each value. A shop's plugin has the connection. */
interface Database
{
    /**
     * Run a statement and return how many rows it changed.
     *
     * @param list<string|int> $values
     */
    public function run(string $sql, array $values = []): int;

    /**
     * @param list<string|int> $values
     * @return list<array<string, mixed>>
     */
    public function rows(string $sql, array $values = []): array;
}
