<?php

// Features that a plugin declares, and payment methods of the checkout made of blocks.

declare(strict_types=1);

namespace Automattic\WooCommerce\Utilities {
    final class FeaturesUtil
    {
        /** @var array<string, bool> */
        public static array $declared = [];

        public static function declare_compatibility(string $feature, string $file, bool $positive = true): bool
        {
            self::$declared[$feature] = $positive && did_action('before_woocommerce_init') === 1;
            return true;
        }
    }
}

namespace Automattic\WooCommerce\Blocks\Payments\Integrations {
    abstract class AbstractPaymentMethodType
    {
        protected $name = '';
        protected $settings = [];

        abstract public function initialize();

        public function get_name()
        {
            return $this->name;
        }

        public function is_active()
        {
            return true;
        }

        public function get_payment_method_script_handles()
        {
            return [];
        }

        public function get_payment_method_data()
        {
            return [];
        }
    }
}

namespace {
    use Automattic\WooCommerce\Blocks\Payments\Integrations\AbstractPaymentMethodType;

    final class StoreBlockMethods
    {
        /** @var array<string, AbstractPaymentMethodType> */
        private array $known = [];

        public function register(AbstractPaymentMethodType $method): void
        {
            $this->known[$method->get_name()] = $method;
        }

        /** @return array<string, AbstractPaymentMethodType> */
        public static function active(): array
        {
            $registry = new self();
            do_action('woocommerce_blocks_payment_method_type_registration', $registry);
            foreach ($registry->known as $method) {
                $method->initialize();
            }
            return array_filter($registry->known, static fn ($method) => $method->is_active());
        }
    }
}
