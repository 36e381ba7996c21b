<?php

declare(strict_types=1);

namespace Hundi\Payments\Model;

use Hundi\Shop\Database as ShopDatabase;
use Magento\Framework\App\ResourceConnection;

/** Magento's database. */
class Database implements ShopDatabase
{
    public function __construct(private readonly ResourceConnection $resource)
    {
    }

    public function run(string $sql, array $values = []): int
    {
        return $this->resource->getConnection()->query($sql, $values)->rowCount();
    }

    public function rows(string $sql, array $values = []): array
    {
        return $this->resource->getConnection()->fetchAll($sql, $values);
    }

    /** Return the prefix of this installation's tables. */
    public function prefix(): string
    {
        return substr($this->resource->getTableName('hundi_payments'), 0, -strlen('hundi_payments'));
    }
}
