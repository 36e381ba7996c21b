<?php

declare(strict_types=1);

namespace Hundi\WooCommerce;

use Hundi\HundiException;
use Hundi\Operations;
use Hundi\Shop\Busy;
use Hundi\Shop\Refunds;
use Hundi\Shop\Settings;

/** The payment method in WooCommerce's checkout and settings. */
final class Gateway extends \WC_Payment_Gateway
{
    private const SUPPORTS = [
        'products', 'refunds', 'subscriptions', 'multiple_subscriptions', 'subscription_cancellation',
        'subscription_suspension', 'subscription_reactivation', 'subscription_date_changes',
    ];
    private const PHONE_DIGITS = [8, 15];

    public function __construct()
    {
        $this->id = Site::METHOD;
        $this->has_fields = false;
        $this->method_title = __('Hundi', 'hundi-payments');
        $this->method_description = __('Customers pay on the payment page of your Hundi gateway.', 'hundi-payments');
        $this->supports = self::SUPPORTS;
        $this->init_form_fields();
        $this->init_settings();
        $this->title = $this->get_option('title');
        $this->description = $this->get_option('description');
        add_action("woocommerce_update_options_payment_gateways_$this->id", [$this, 'process_admin_options']);
    }

    public function init_form_fields(): void
    {
        $this->form_fields = [
            'enabled' => [
                'title' => __('Enabled', 'hundi-payments'),
                'type' => 'checkbox',
                'label' => __('Customers can choose Hundi', 'hundi-payments'),
                'default' => 'no',
            ],
            'title' => [
                'title' => __('Title', 'hundi-payments'),
                'type' => 'text',
                'default' => __('UPI, card or net banking', 'hundi-payments'),
            ],
            'description' => [
                'title' => __('Description', 'hundi-payments'),
                'type' => 'textarea',
                'default' => __('You pay on the next page.', 'hundi-payments'),
            ],
        ];
        foreach (Settings::FIELDS as $name => [$label, $help, $isSecret]) {
            $this->form_fields[$name] = [
                'title' => __($label, 'hundi-payments'),
                'type' => $isSecret ? 'hundi_secret' : 'text',
                'description' => __($help, 'hundi-payments'),
                'default' => $name === 'prefix' ? 'WC' : '',
            ];
        }
    }

    /**
     * A secret goes in, and no page shows it again.
     *
     * @param string $key
     * @param array<string, string> $data
     */
    public function generate_hundi_secret_html($key, $data): string
    {
        $name = esc_attr($this->get_field_key($key));
        $saved = $this->get_option($key) === '' ? '' : __('saved; type another one to change it', 'hundi-payments');
        return sprintf(
            '<tr valign="top"><th scope="row" class="titledesc"><label for="%1$s">%2$s</label></th><td class="forminp">'
            . '<input type="password" id="%1$s" name="%1$s" value="" placeholder="%3$s" autocomplete="off">'
            . '<p class="description">%4$s</p></td></tr>',
            $name,
            esc_html($data['title']),
            esc_attr($saved),
            esc_html($data['description']),
        );
    }

    /**
     * @param string $key
     * @param string|null $value
     */
    public function validate_hundi_secret_field($key, $value): string
    {
        $typed = trim((string) $value);
        return $typed === '' ? (string) $this->get_option($key) : $typed;
    }

    public function admin_options(): void
    {
        parent::admin_options();
        $texts = [
            'return' => __('Success and failure address', 'hundi-payments'),
            'notification' => __('Notification address', 'hundi-payments'),
        ];
        echo '<h3>' . esc_html__('Addresses to enter in the console of the gateway', 'hundi-payments') . '</h3><dl>';
        foreach ($texts as $page => $text) {
            echo '<dt>' . esc_html($text) . '</dt><dd><code>' . esc_html(Pages::address($page)) . '</code></dd>';
        }
        $test = wp_nonce_url(admin_url('admin-post.php?action=hundi_test'), 'hundi_test');
        $said = get_transient('hundi_test_' . get_current_user_id());
        echo '</dl><p><a class="button" id="hundi-test" href="' . esc_url($test) . '">'
            . esc_html__('Test the saved connection', 'hundi-payments') . '</a></p>'
            . ($said === false ? '' : '<p id="hundi-test-result" role="status">' . esc_html($said) . '</p>');
    }

    public function is_available(): bool
    {
        return parent::is_available()
            && !$this->needs_setup()
            && isset(Operations::CURRENCIES[get_woocommerce_currency()]);
    }

    public function needs_setup(): bool
    {
        return Site::settings()->wrongField() !== '';
    }

    /**
     * @param int $order_id
     * @return array<string, string>
     */
    public function process_payment($order_id): array
    {
        $order = wc_get_order($order_id);
        $digits = strlen(preg_replace('/[^0-9]/', '', $order->get_billing_phone()));
        if ($digits < self::PHONE_DIGITS[0] || $digits > self::PHONE_DIGITS[1]) {
            wc_add_notice(__('Please enter your phone number: your bank asks for it.', 'hundi-payments'), 'error');
            return ['result' => 'failure'];
        }
        return ['result' => 'success', 'redirect' => Pages::payAddress($order)];
    }

    /**
     * @param int $order_id
     * @param float|string|null $amount
     * @param string $reason
     * @return bool|\WP_Error
     */
    public function process_refund($order_id, $amount = null, $reason = '')
    {
        $order = (new Site())->order((string) $order_id);
        $paise = $order === null ? -1 : ($amount === null ? $order->amountPaise() : Order::paise($amount));
        if ($paise <= 0) {
            return new \WP_Error('hundi', __('The amount has to be above zero.', 'hundi-payments'));
        }
        $desk = Site::desk();
        try {
            $refund = (new Refunds($desk))->refund($order, $paise);
        } catch (HundiException | Busy $error) {
            return new \WP_Error('hundi', $desk->settings->told($error));
        }
        /* translators: %s: number of the refund */
        $order->note(sprintf(__('Hundi: refund %s is begun.', 'hundi-payments'), $refund));
        return true;
    }
}
