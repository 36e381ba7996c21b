<?php
/**
 * Plugin Name: WooCommerce
 * Description: What our plugin calls of WooCommerce, by its published interface; none of its code.
 * Version: 9.0
 */

declare(strict_types=1);

defined('ABSPATH') || exit;

require_once __DIR__ . '/store/features.php';
require_once __DIR__ . '/store/settings.php';
require_once __DIR__ . '/store/gateway.php';
require_once __DIR__ . '/store/order.php';
require_once __DIR__ . '/store/functions.php';
require_once __DIR__ . '/store/subscriptions.php';
require_once __DIR__ . '/store/pages.php';

// Whoever may manage the site may manage the shop.
add_filter('user_has_cap', static fn (array $all): array => $all + ['manage_woocommerce' => $all['manage_options'] ?? false]);
register_activation_hook(__FILE__, [WC_Order::class, 'createTable']);
add_action('plugins_loaded', static fn () => do_action('before_woocommerce_init'), -1);
add_action('parse_request', [StorePages::class, 'route'], 0);
add_action('rest_api_init', [StorePages::class, 'registerBlockCheckout']);
add_action('admin_menu', [StorePages::class, 'registerSettings']);
add_action('wp_ajax_woocommerce_refund_line_items', [StorePages::class, 'refund']);
