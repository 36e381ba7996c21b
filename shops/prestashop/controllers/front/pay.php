<?php

declare(strict_types=1);

use Hundi\HundiException;
use Hundi\PrestaShop\Order as HundiOrder;
use Hundi\PrestaShop\Site;
use Hundi\Shop\Busy;

/** Makes the order of the cart, and sends the customer to the payment page. */
class HundiPayModuleFrontController extends ModuleFrontController
{
    public $ssl = true;

    public function postProcess(): void
    {
        $order = (int) Tools::getValue('id_order') > 0 ? $this->known() : $this->placed();
        if ($order === null) {
            Tools::redirect('index.php?controller=order&step=1');
            return;
        }
        $own = new HundiOrder($order);
        $desk = Site::desk();
        try {
            $form = $own->isPaid() ? null : $desk->begin($own);
        } catch (HundiException | Busy $error) {
            (new Site())->log("Order $order->id: {$desk->settings->told($error)}");
            http_response_code(503);
            $text = $this->module->getTranslator()->trans('The payment page cannot be reached. Nothing was charged; please try again.', [], 'Modules.Hundi.Shop');
            echo '<p>' . htmlspecialchars($text) . '</p>';
            exit;
        }
        if ($form === null) {
            Tools::redirect(self::confirmation($order));
            return;
        }
        header('Cache-Control: no-store');
        header('Referrer-Policy: origin');
        header('Content-Type: text/html; charset=utf-8');
        echo $form->html();
        exit;
    }

    /** Return the address where PrestaShop shows an order that was placed. */
    public static function confirmation(Order $order): string
    {
        $customer = new Customer($order->id_customer);
        $named = [
            'id_cart' => $order->id_cart,
            'id_module' => Module::getModuleIdByName(Site::MODULE),
            'id_order' => $order->id,
            'key' => $customer->secure_key,
        ];
        return 'index.php?controller=order-confirmation&' . http_build_query($named);
    }

    /** An order that was placed before: whoever has its key may pay it. */
    private function known(): ?Order
    {
        $order = new Order((int) Tools::getValue('id_order'));
        if (!Validate::isLoadedObject($order) || $order->module !== Site::MODULE) {
            return null;
        }
        $customer = new Customer($order->id_customer);
        return hash_equals($customer->secure_key, (string) Tools::getValue('key')) ? $order : null;
    }

    private function placed(): ?Order
    {
        $cart = $this->context->cart;
        $customer = new Customer($cart->id_customer);
        if (!$this->module->active || !Validate::isLoadedObject($customer) || $cart->orderExists()) {
            return null;
        }
        $total = (float) $cart->getOrderTotal(true, Cart::BOTH);
        $waiting = (int) Configuration::get(Site::WAITING);
        $currency = (int) $cart->id_currency;
        $this->module->validateOrder($cart->id, $waiting, $total, $this->module->displayName, null, [], $currency, false, $customer->secure_key);
        return new Order($this->module->currentOrder);
    }
}
