<?php

declare(strict_types=1);

namespace Hundi\WooCommerce;

use Automattic\WooCommerce\Blocks\Payments\Integrations\AbstractPaymentMethodType;

/** The payment method in the checkout made of blocks. */
final class BlockCheckout extends AbstractPaymentMethodType
{
    private const SCRIPT = 'hundi-payments-blocks';
    private const DEPENDS_ON = ['wc-blocks-registry', 'wc-settings', 'wp-element', 'wp-html-entities', 'wp-i18n'];

    protected $name = Site::METHOD;

    public function __construct(private readonly string $file, private readonly Gateway $gateway)
    {
    }

    public function initialize(): void
    {
        $this->settings = get_option(Site::OPTION, []);
    }

    public function is_active(): bool
    {
        return $this->gateway->is_available();
    }

    /** @return list<string> */
    public function get_payment_method_script_handles(): array
    {
        $address = plugins_url('assets/blocks.js', $this->file);
        wp_register_script(self::SCRIPT, $address, self::DEPENDS_ON, Plugin::VERSION, true);
        wp_set_script_translations(self::SCRIPT, 'hundi-payments');
        return [self::SCRIPT];
    }

    /** @return array<string, mixed> what the script reads; no setting but these goes to a browser */
    public function get_payment_method_data(): array
    {
        return [
            'title' => $this->gateway->title,
            'description' => $this->gateway->description,
            'supports' => array_values(array_filter($this->gateway->supports, $this->gateway->supports(...))),
        ];
    }
}
