<?php
/**
 * Plugin Name: Hundi payments for WooCommerce
 * Description: Customers pay on the payment page of your Hundi gateway.
 * Version: 0.1.0
 * Requires at least: 6.1
 * Requires PHP: 8.1
 * Requires Plugins: woocommerce
 * WC requires at least: 8.2
 * License: Apache-2.0
 * Text Domain: hundi-payments
 * Domain Path: /languages
 */

declare(strict_types=1);

defined('ABSPATH') || exit;

require_once __DIR__ . '/lib/autoload.php';
foreach (['Database', 'Site', 'Order', 'Pages', 'Renewals', 'Plugin'] as $name) {
    require_once __DIR__ . "/src/$name.php";
}

(new Hundi\WooCommerce\Plugin(__FILE__))->hook();
