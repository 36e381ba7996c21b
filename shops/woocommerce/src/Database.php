<?php

declare(strict_types=1);

namespace Hundi\WooCommerce;

use Hundi\Shop\Database as ShopDatabase;

/** WordPress's database. */
final class Database implements ShopDatabase
{
    public function run(string $sql, array $values = []): int
    {
        global $wpdb;
        $changed = $wpdb->query($this->prepared($sql, $values));
        if ($changed === false) {
            throw new \RuntimeException("the shop's database refused a statement: {$wpdb->last_error}");
        }
        return (int) $changed;
    }

    public function rows(string $sql, array $values = []): array
    {
        global $wpdb;
        return $wpdb->get_results($this->prepared($sql, $values), ARRAY_A) ?: [];
    }

    /** @param list<string|int> $values */
    private function prepared(string $sql, array $values): string
    {
        global $wpdb;
        foreach ($values as $value) {
            $place = strpos($sql, '?');
            $sql = substr_replace($sql, is_int($value) ? '%d' : '%s', (int) $place, 1);
        }
        return $values === [] ? $sql : $wpdb->prepare($sql, $values);
    }
}
