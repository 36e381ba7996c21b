<?php

declare(strict_types=1);

namespace Hundi\Payments\Setup\Patch\Schema;

use Hundi\Payments\Model\Site;
use Magento\Framework\Setup\Patch\SchemaPatchInterface;

/** Makes the tables of payments, refunds and notifications. */
class CreateBooks implements SchemaPatchInterface
{
    public function __construct(private readonly Site $site)
    {
    }

    public function apply(): self
    {
        $this->site->books()->create();
        return $this;
    }

    public static function getDependencies(): array
    {
        return [];
    }

    public function getAliases(): array
    {
        return [];
    }
}
