<?php

// A front page that does what OpenCart's does with a route: /index.php of the shop, /admin.php of its staff.

declare(strict_types=1);

const DB_PREFIX = 'oc_';
const DIR_EXTENSION = __DIR__ . '/extension/';
define('STORE_SIDE', str_starts_with($_SERVER['REQUEST_URI'], '/admin.php') ? 'Admin' : 'Catalog');

require __DIR__ . '/engine.php';

$escaped = static function (array $given) use (&$escaped): array {
    return array_map(static fn ($each) => is_array($each) ? $escaped($each) : htmlspecialchars((string) $each, ENT_COMPAT, 'UTF-8'), $given);
};
mysqli_report(MYSQLI_REPORT_ERROR | MYSQLI_REPORT_STRICT);
$registry = new StoreRegistry();
$registry->set('db', new StoreDb(new mysqli('localhost', 'root', '', 'shop', 0, getenv('SOCKET'))));
$registry->set('config', new StoreConfig($registry->get('db')));
$registry->set('load', new StoreLoader($registry));
$registry->set('request', (object) ['get' => $escaped($_GET), 'post' => $escaped($_POST), 'server' => $_SERVER]);
// A session in a cookie, which a form of another site does not bring.
$session = json_decode(base64_decode($_COOKIE['store'] ?? ''), true) ?: [];
$registry->set('session', (object) ['data' => $session + ['user_token' => 'token', 'currency' => 'INR']]);
foreach (['Language', 'Response', 'Url', 'Log', 'Currency', 'Cart', 'User', 'Document'] as $name) {
    $class = "Store$name";
    $registry->set(strtolower($name), new $class());
}

[$route, $method] = explode('.', (string) $_GET['route']) + [1 => 'index'];
if ($route !== 'extension/hundi/payment/hundi') {
    exit("page $route");
}
if ($method === 'methods') {
    require DIR_EXTENSION . 'hundi/catalog/model/payment/hundi.php';
    exit(json_encode((new Opencart\Catalog\Model\Extension\Hundi\Payment\Hundi($registry))->getMethods()));
}
require DIR_EXTENSION . 'hundi/' . strtolower(STORE_SIDE) . '/controller/payment/hundi.php';
$class = 'Opencart\\' . STORE_SIDE . '\\Controller\\Extension\\Hundi\\Payment\\Hundi';
$answer = (new $class($registry))->{$method}();
echo $answer ?? $registry->get('response')->output;
