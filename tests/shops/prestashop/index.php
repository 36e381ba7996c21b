<?php

// A front page that does what PrestaShop's dispatchers do with a module.

declare(strict_types=1);

const _PS_VERSION_ = '8.1.0';
const _DB_PREFIX_ = 'ps_';
const __PS_BASE_URI__ = '/';

mysqli_report(MYSQLI_REPORT_OFF);
require __DIR__ . '/engine.php';
require __DIR__ . '/modules/hundi/hundi.php';

$module = new Hundi();
$order = (int) ($_GET['order'] ?? 0);
$cart = new Cart(1, 1);
if (isset($_GET['staff'])) {
    exit(match ($_GET['staff']) {
        'page' => $module->getContent(),
        'install' => json_encode($module->install()),
        'uninstall' => json_encode($module->uninstall()),
        'panel' => $module->hookDisplayAdminOrderMainBottom(['id_order' => $order]),
        'options' => json_encode(array_column($module->hookPaymentOptions(['cart' => $cart]), 'set')),
        'detail' => $module->hookDisplayOrderDetail(['order' => new Order($order)]),
    });
}
if (($_GET['fc'] ?? '') !== 'module') {
    exit('page ' . ($_GET['controller'] ?? 'index'));
}
$name = $_GET['controller'];
require __DIR__ . "/modules/hundi/controllers/front/$name.php";
$class = 'Hundi' . ucfirst($name) . 'ModuleFrontController';
(new $class($module))->postProcess();
