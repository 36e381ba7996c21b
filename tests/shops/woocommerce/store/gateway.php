<?php

declare(strict_types=1);

/** A payment method, which a plugin extends. */
abstract class WC_Payment_Gateway extends WC_Settings_API
{
    public $enabled = 'yes';
    public $title = '';
    public $description = '';
    public $has_fields = false;
    public $method_title = '';
    public $method_description = '';
    public $supports = ['products'];

    public function init_settings()
    {
        parent::init_settings();
        $this->enabled = ($this->settings['enabled'] ?? 'no') === 'yes' ? 'yes' : 'no';
    }

    public function admin_options()
    {
        echo '<h2>' . esc_html($this->method_title) . '</h2>';
        parent::admin_options();
    }

    public function needs_setup()
    {
        return false;
    }

    public function is_available()
    {
        return $this->enabled === 'yes';
    }

    public function supports($feature)
    {
        return in_array($feature, $this->supports, true);
    }

    public function process_payment($order_id)
    {
        return [];
    }

    public function process_refund($order_id, $amount = null, $reason = '')
    {
        return false;
    }

    public function can_refund_order($order)
    {
        return $order && $this->supports('refunds');
    }
}

/** The shop itself, as `WC()` gives it. */
final class WooCommerce
{
    public $cart = null;

    public function api_request_url($request, $ssl = null)
    {
        return add_query_arg('wc-api', $request, trailingslashit(home_url()));
    }

    /** @return array<string, WC_Payment_Gateway> */
    public static function methods(): array
    {
        $found = [];
        foreach (apply_filters('woocommerce_payment_gateways', []) as $class) {
            $method = new $class();
            $found[$method->id] = $method;
        }
        return $found;
    }
}

function WC()
{
    static $shop = null;
    return $shop ??= new WooCommerce();
}
