<?php

declare(strict_types=1);

namespace Hundi\WooCommerce;

use Automattic\WooCommerce\Utilities\FeaturesUtil;
use Hundi\HundiException;
use Hundi\Shop\Busy;
use Hundi\Shop\ConnectionTest;

/** What the plugin asks WordPress and WooCommerce to call. */
final class Plugin
{
    public const VERSION = '0.1.0';
    private const JOB = 'hundi_ask_open';
    private const EVERY_S = 900;
    private const FEATURES = ['custom_order_tables', 'cart_checkout_blocks'];

    public function __construct(private readonly string $file)
    {
    }

    public function hook(): void
    {
        register_activation_hook($this->file, [self::class, 'activate']);
        register_deactivation_hook($this->file, [self::class, 'deactivate']);
        add_action('init', fn () => load_plugin_textdomain('hundi-payments', false, dirname(plugin_basename($this->file)) . '/languages'));
        add_action('before_woocommerce_init', fn () => $this->declare());
        add_action('plugins_loaded', fn () => $this->begin());
        add_filter('cron_schedules', [self::class, 'schedules']);
        add_action(self::JOB, static fn () => Site::desk()->askOpen());
    }

    public static function activate(): void
    {
        Site::books()->create();
        wp_next_scheduled(self::JOB) || wp_schedule_event(time() + self::EVERY_S, 'hundi', self::JOB);
    }

    public static function deactivate(): void
    {
        wp_clear_scheduled_hook(self::JOB);
    }

    /**
     * @param array<string, array<string, mixed>> $known
     * @return array<string, array<string, mixed>>
     */
    public static function schedules(array $known): array
    {
        return $known + ['hundi' => ['interval' => self::EVERY_S, 'display' => 'Hundi']];
    }

    private function declare(): void
    {
        foreach (self::FEATURES as $feature) {
            FeaturesUtil::declare_compatibility($feature, $this->file, true);
        }
    }

    private function begin(): void
    {
        if (!class_exists(\WC_Payment_Gateway::class)) {
            return; // WooCommerce is not there, so there is nothing to pay for
        }
        require_once __DIR__ . '/Gateway.php';
        add_filter('woocommerce_payment_gateways', static fn (array $all): array => [...$all, Gateway::class]);
        add_action('woocommerce_blocks_payment_method_type_registration', $this->register(...));
        add_action('woocommerce_api_hundi_pay', [Pages::class, 'pay']);
        add_action('woocommerce_api_hundi_return', [Pages::class, 'comeBack']);
        add_action('woocommerce_api_hundi_notification', [Pages::class, 'listen']);
        add_action('before_woocommerce_pay', [Pages::class, 'sayUnpaid']);
        add_action('admin_post_hundi_test', [self::class, 'testConnection']);
        add_filter('woocommerce_cancel_unpaid_order', [self::class, 'mayCancel'], 10, 2);
        add_filter('woocommerce_order_actions', [self::class, 'actions'], 10, 2);
        add_action('woocommerce_order_action_hundi_ask', [self::class, 'ask']);
        Renewals::hook();
    }

    private function register(object $registry): void
    {
        require_once __DIR__ . '/BlockCheckout.php';
        $registry->register(new BlockCheckout($this->file, new Gateway()));
    }

    public static function testConnection(): void
    {
        if (!current_user_can('manage_woocommerce')) {
            wp_die(esc_html__('You may not do this.', 'hundi-payments'), '', ['response' => 403]);
        }
        check_admin_referer('hundi_test');
        $problem = ConnectionTest::problem(Site::settings());
        $said = $problem === '' ? __('The connection works.', 'hundi-payments') : $problem;
        set_transient('hundi_test_' . get_current_user_id(), $said, MINUTE_IN_SECONDS);
        wp_safe_redirect(admin_url('admin.php?page=wc-settings&tab=checkout&section=' . Site::METHOD));
        exit;
    }

    /** WooCommerce cancels orders that nobody paid in time: first the gateway is asked. */
    public static function mayCancel(bool $mayCancel, \WC_Order $order): bool
    {
        if (!$mayCancel || $order->get_payment_method() !== Site::METHOD) {
            return $mayCancel;
        }
        self::ask($order);
        $fresh = wc_get_order($order->get_id());
        return $fresh->has_status('pending');
    }

    /**
     * @param array<string, string> $actions
     * @return array<string, string>
     */
    public static function actions(array $actions, ?\WC_Order $order = null): array
    {
        $isOwn = $order !== null && $order->get_payment_method() === Site::METHOD;
        return $isOwn ? $actions + ['hundi_ask' => __('Ask Hundi about the payment', 'hundi-payments')] : $actions;
    }

    public static function ask(\WC_Order $order): void
    {
        $desk = Site::desk();
        foreach ($desk->books->attempts((string) $order->get_id()) as $attempt) {
            try {
                $desk->ask($attempt->reference);
            } catch (HundiException | Busy $error) {
                $order->add_order_note("Hundi: {$desk->settings->told($error)}");
            }
        }
    }
}
