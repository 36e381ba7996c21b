<?php

declare(strict_types=1);

namespace Hundi\PrestaShop;

use Hundi\Shop\Database as ShopDatabase;
use Hundi\Shop\Statement;

/** PrestaShop's database. */
final class Database implements ShopDatabase
{
    public function run(string $sql, array $values = []): int
    {
        $db = \Db::getInstance();
        if (!$db->execute($this->filled($sql, $values), false)) {
            throw new \RuntimeException("the shop's database refused a statement: {$db->getMsgError()}");
        }
        return $db->Affected_Rows();
    }

    public function rows(string $sql, array $values = []): array
    {
        // The cache of the shop has what was true a moment ago.
        return \Db::getInstance()->executeS($this->filled($sql, $values), true, false) ?: [];
    }

    /** @param list<string|int> $values */
    private function filled(string $sql, array $values): string
    {
        $quote = static fn (string $text): string => "'" . \Db::getInstance()->escape($text, true, false) . "'";
        return Statement::filled($sql, $values, $quote);
    }
}
