<?php

declare(strict_types=1);

use Hundi\PrestaShop\Site;

/** Takes a notification. */
class HundiNotificationModuleFrontController extends ModuleFrontController
{
    public $ssl = true;

    public function postProcess(): void
    {
        http_response_code(Site::desk()->takeNotification(getallheaders(), (string) file_get_contents('php://input')));
        exit;
    }
}
