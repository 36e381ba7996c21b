<?php

declare(strict_types=1);

/** Addresses of the shop that our plugin hooks into, and a few by which the tests look into it. */
final class StorePages
{
    private const SALE = ['total' => '1499.50', 'currency' => 'INR', 'payment_method' => 'hundi'];

    public static function route(): void
    {
        foreach (['wc-api' => 'api', 'wc-ajax' => 'checkout', 'order-pay' => 'payAgain', 'order-received' => 'received', 'blocks' => 'blocks', 'store' => 'look'] as $name => $page) {
            if (isset($_GET[$name])) {
                self::{$page}((string) $_GET[$name]);
                exit;
            }
        }
    }

    private static function api(string $request): void
    {
        do_action('woocommerce_api_' . strtolower(sanitize_key($request)));
        status_header(400);
    }

    /** The classic checkout. */
    private static function checkout(): void
    {
        $typed = wp_unslash($_POST);
        wp_send_json(self::placed(array_intersect_key($typed, array_flip(preg_grep('/^billing_/', array_keys($typed))))));
    }

    /** @param array<string, mixed> $billing */
    private static function placed(array $billing): array
    {
        $method = WooCommerce::methods()['hundi'];
        if (!$method->is_available()) {
            return ['result' => 'failure', 'messages' => 'Invalid payment method.'];
        }
        $order = WC_Order::create($billing + self::SALE);
        $result = $method->process_payment($order->get_id());
        return $result + ['messages' => implode(' ', $GLOBALS['store_notices'] ?? []), 'order_id' => $order->get_id()];
    }

    public static function registerBlockCheckout(): void
    {
        register_rest_route('wc/store/v1', '/checkout', [
            'methods' => 'POST',
            'permission_callback' => '__return_true',
            'callback' => self::placeByBlocks(...),
        ]);
    }

    private static function placeByBlocks(WP_REST_Request $request): WP_REST_Response
    {
        if (!isset(StoreBlockMethods::active()[$request['payment_method']])) {
            return new WP_REST_Response(['code' => 'woocommerce_rest_checkout_payment_method_disabled'], 400);
        }
        $billing = [];
        foreach ($request['billing_address'] as $name => $value) {
            $billing["billing_$name"] = $value;
        }
        $placed = self::placed($billing);
        return new WP_REST_Response(['order_id' => $placed['order_id'], 'payment_result' => [
            'payment_status' => $placed['result'],
            'redirect_url' => $placed['redirect'] ?? '',
        ]]);
    }

    /** The page of the checkout made of blocks: what it gives to the browser about payment methods. */
    private static function blocks(): void
    {
        foreach (StoreBlockMethods::active() as $name => $method) {
            foreach ($method->get_payment_method_script_handles() as $handle) {
                $script = wp_scripts()->registered[$handle];
                echo "<script src=\"{$script->src}\"></script>";
            }
            echo '<code>' . esc_html(wp_json_encode([$name => $method->get_payment_method_data()])) . '</code>';
        }
    }

    private static function payAgain(): void
    {
        do_action('before_woocommerce_pay');
        echo '<h1>Pay for order</h1>';
    }

    private static function received(string $id): void
    {
        echo '<h1>Order received: ' . esc_html(wc_get_order((int) $id)->all()['status']) . '</h1>';
    }

    /** What a test does in the shop as its staff, its clock and its other plugins would. */
    private static function look(string $do): void
    {
        $order = wc_get_order((int) ($_GET['id'] ?? 0));
        $given = wp_unslash($_POST);
        wp_send_json(match ($do) {
            'order' => $order->all(),
            'new' => WC_Order::create($given + self::SALE)->all(),
            'change' => $order->change($given),
            'ask' => do_action('woocommerce_order_action_hundi_ask', $order),
            'may-cancel' => apply_filters('woocommerce_cancel_unpaid_order', true, $order),
            'actions' => apply_filters('woocommerce_order_actions', [], $order),
            'renew' => do_action('woocommerce_scheduled_subscription_payment_hundi', (float) $order->get_total(), $order),
            'end' => do_action('woocommerce_subscription_cancelled_hundi', $order),
            'job' => do_action('hundi_ask_open'),
            'features' => Automattic\WooCommerce\Utilities\FeaturesUtil::$declared,
            'scheduled' => wp_next_scheduled('hundi_ask_open') !== false,
            'nonce' => wp_create_nonce($given['of']),
        });
    }

    public static function registerSettings(): void
    {
        add_menu_page('WooCommerce', 'WooCommerce', 'manage_options', 'wc-settings', static function (): void {
            if ($_SERVER['REQUEST_METHOD'] === 'POST') {
                check_admin_referer('woocommerce-settings');
                WooCommerce::methods();
                do_action('woocommerce_update_options_payment_gateways_hundi');
            }
            echo '<form method="post" action="">';
            wp_nonce_field('woocommerce-settings');
            WooCommerce::methods()['hundi']->admin_options();
            echo '</form>';
        });
    }

    public static function refund(): void
    {
        check_ajax_referer('order-item', 'security');
        $made = wc_create_refund([
            'order_id' => absint($_POST['order_id']),
            'amount' => wp_unslash($_POST['refund_amount']),
            'reason' => wp_unslash($_POST['refund_reason'] ?? ''),
            'refund_payment' => $_POST['api_refund'] === 'true',
        ]);
        is_wp_error($made) ? wp_send_json_error(['error' => $made->get_error_message()]) : wp_send_json_success();
    }
}
