<?php

// Takes the plugin's settings away. The tables of payments stay with the orders that they prove,
// unless HUNDI_REMOVE_BOOKS is defined in wp-config.php.

declare(strict_types=1);

defined('WP_UNINSTALL_PLUGIN') || exit;

require_once __DIR__ . '/lib/autoload.php';
foreach (['Database', 'Site'] as $name) {
    require_once __DIR__ . "/src/$name.php";
}

delete_option(Hundi\WooCommerce\Site::OPTION);
wp_clear_scheduled_hook('hundi_ask_open');
if (defined('HUNDI_REMOVE_BOOKS') && HUNDI_REMOVE_BOOKS) {
    Hundi\WooCommerce\Site::books()->drop();
}
