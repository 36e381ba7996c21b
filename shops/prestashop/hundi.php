<?php

declare(strict_types=1);

if (!defined('_PS_VERSION_')) {
    exit;
}

require_once __DIR__ . '/lib/autoload.php';
foreach (['Database', 'Order', 'Site', 'Staff'] as $name) {
    require_once __DIR__ . "/src/$name.php";
}

use Hundi\Operations;
use Hundi\PrestaShop\Site;
use Hundi\PrestaShop\Staff;
use PrestaShop\PrestaShop\Core\Payment\PaymentOption;

/** The module as PrestaShop knows it. */
class Hundi extends PaymentModule
{
    private const HOOKS = ['paymentOptions', 'displayOrderDetail', 'displayAdminOrderMainBottom'];

    public function __construct()
    {
        $this->name = 'hundi';
        $this->tab = 'payments_gateways';
        $this->version = '0.1.0';
        $this->author = 'Hundi';
        $this->ps_versions_compliancy = ['min' => '8.0.0', 'max' => _PS_VERSION_];
        $this->controllers = ['pay', 'back', 'notification', 'ask'];
        $this->currencies = true;
        $this->currencies_mode = 'checkbox';
        $this->bootstrap = true;
        parent::__construct();
        $this->displayName = $this->trans('Hundi', [], 'Modules.Hundi.Admin');
        $this->description = $this->trans('Customers pay on the payment page of your Hundi gateway.', [], 'Modules.Hundi.Admin');
    }

    public function isUsingNewTranslationSystem(): bool
    {
        return true;
    }

    public function install(): bool
    {
        if (!parent::install() || !$this->registerHook(self::HOOKS)) {
            return false;
        }
        Site::books()->create();
        return Site::addState();
    }

    /** The tables of payments stay with the orders that they prove. */
    public function uninstall(): bool
    {
        Site::forget();
        return parent::uninstall();
    }

    /** The page of the settings. */
    public function getContent(): string
    {
        return (new Staff($this))->page();
    }

    /**
     * @param array<string, mixed> $params
     * @return list<PaymentOption>
     */
    public function hookPaymentOptions(array $params): array
    {
        $currency = new Currency($params['cart']->id_currency);
        if (!$this->active || Site::settings()->wrongField() !== '' || !isset(Operations::CURRENCIES[$currency->iso_code])) {
            return [];
        }
        $option = new PaymentOption();
        $option->setModuleName($this->name)
            ->setCallToActionText($this->trans('UPI, card or net banking', [], 'Modules.Hundi.Shop'))
            ->setAction(Site::page('pay'));
        return [$option];
    }

    /**
     * What a customer sees of an order that is not paid.
     *
     * @param array<string, mixed> $params
     */
    public function hookDisplayOrderDetail(array $params): string
    {
        $order = $params['order'];
        if ($order->module !== $this->name || $order->hasBeenPaid()) {
            return '';
        }
        $customer = new Customer($order->id_customer);
        $address = Site::page('pay', ['id_order' => $order->id, 'key' => $customer->secure_key]);
        $text = $this->trans('Pay this order', [], 'Modules.Hundi.Shop');
        return sprintf('<p><a class="btn btn-primary" href="%s">%s</a></p>', htmlspecialchars($address), htmlspecialchars($text));
    }

    /**
     * The panel for refunds on the order's screen.
     *
     * @param array<string, mixed> $params
     */
    public function hookDisplayAdminOrderMainBottom(array $params): string
    {
        return (new Staff($this))->orderPanel((int) $params['id_order']);
    }

    /** Return a text for the shop's staff, translated where the shop has a translation. */
    public function said(string $text): string
    {
        return $this->trans($text, [], 'Modules.Hundi.Admin');
    }
}
