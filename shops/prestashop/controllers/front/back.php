<?php

declare(strict_types=1);

use Hundi\PrestaShop\Order as HundiOrder;
use Hundi\PrestaShop\Site;

require_once __DIR__ . '/pay.php';

/** Takes the customer back. The browser then comes with GET, so that it brings the shop's cookies. */
class HundiBackModuleFrontController extends ModuleFrontController
{
    public $ssl = true;

    public function postProcess(): void
    {
        $found = Site::desk()->takeReturn(array_map(strval(...), array_filter($_POST, is_scalar(...))));
        if (!$found instanceof HundiOrder) {
            http_response_code(400);
            $text = $this->module->getTranslator()->trans('We could not read what came back. If you have paid, your order will be confirmed as soon as the gateway tells us.', [], 'Modules.Hundi.Shop');
            echo '<p>' . htmlspecialchars($text) . '</p>';
            exit;
        }
        // The confirmation shows an unpaid order's state, too, with the button to pay it.
        header('Location: ' . Tools::getShopDomainSsl(true) . __PS_BASE_URI__ . HundiPayModuleFrontController::confirmation($found->order), true, 303);
        exit;
    }
}
