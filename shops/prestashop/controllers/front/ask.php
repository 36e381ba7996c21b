<?php

declare(strict_types=1);

use Hundi\PrestaShop\Site;

/** Asks about payments whose end was never told; for the system's cron. */
class HundiAskModuleFrontController extends ModuleFrontController
{
    public $ssl = true;

    public function postProcess(): void
    {
        $mayAsk = hash_equals(Site::settings()->jobToken(), (string) Tools::getValue('token'));
        http_response_code($mayAsk ? 200 : 403);
        if ($mayAsk) {
            Site::desk()->askOpen();
        }
        exit;
    }
}
