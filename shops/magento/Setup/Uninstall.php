<?php

declare(strict_types=1);

namespace Hundi\Payments\Setup;

use Magento\Framework\Setup\ModuleContextInterface;
use Magento\Framework\Setup\SchemaSetupInterface;
use Magento\Framework\Setup\UninstallInterface;

/** Takes the settings away; the tables of payments stay with the orders that they prove. */
class Uninstall implements UninstallInterface
{
    public function uninstall(SchemaSetupInterface $setup, ModuleContextInterface $context): void
    {
        $setup->getConnection()->delete($setup->getTable('core_config_data'), ['path LIKE ?' => 'payment/hundi/%']);
    }
}
