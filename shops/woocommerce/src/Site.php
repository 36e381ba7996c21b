<?php

declare(strict_types=1);

namespace Hundi\WooCommerce;

use Hundi\Shop\Books;
use Hundi\Shop\PaymentDesk;
use Hundi\Shop\Settings;
use Hundi\Shop\Shop;
use Hundi\Shop\ShopOrder;

/** WooCommerce as the common part sees it. */
final class Site implements Shop
{
    public const METHOD = 'hundi';
    /** Where WooCommerce keeps the settings of this payment method. */
    public const OPTION = 'woocommerce_hundi_settings';

    public static function settings(): Settings
    {
        $saved = get_option(self::OPTION, []);
        return new Settings(is_array($saved) ? $saved : []);
    }

    public static function books(): Books
    {
        global $wpdb;
        return new Books(new Database(), $wpdb->prefix);
    }

    public static function desk(): PaymentDesk
    {
        return new PaymentDesk(self::settings(), self::books(), new self());
    }

    public function order(string $id): ?ShopOrder
    {
        $found = wc_get_order((int) $id);
        return $found instanceof \WC_Order ? new Order($found) : null;
    }

    public function log(string $line): void
    {
        wc_get_logger()->warning($line, ['source' => 'hundi-payments']);
    }
}
