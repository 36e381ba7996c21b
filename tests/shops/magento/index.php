<?php

// A front page that makes our classes as Magento's object manager does, and calls the action of an address.

declare(strict_types=1);

require __DIR__ . '/framework.php';
require __DIR__ . '/modules.php';
require __DIR__ . '/app/code/Hundi/Payments/registration.php';

spl_autoload_register(static function (string $class): void {
    $file = __DIR__ . '/app/code/' . str_replace('\\', '/', $class) . '.php';
    str_starts_with($class, 'Hundi\\Payments\\') && is_file($file) && require $file;
});

/** Makes what constructors ask for, each once. */
final class StoreObjects implements Magento\Framework\App\Config\ScopeConfigInterface, Magento\Framework\Encryption\EncryptorInterface, Magento\Framework\Message\ManagerInterface, Magento\Framework\UrlInterface, Psr\Log\LoggerInterface
{
    /** @var array<string, object> */
    private array $made = [];

    public function get(string $class): object
    {
        if (interface_exists($class)) {
            return $this;
        }
        $asked = (new ReflectionClass($class))->getConstructor()?->getParameters() ?? [];
        return $this->made[$class] ??= new $class(...array_map(fn ($each) => $this->get($each->getType()->getName()), $asked));
    }

    public function getValue($path, $scopeType = 'default', $scopeCode = null)
    {
        $sql = 'SELECT value FROM m2_core_config_data WHERE path = ?';
        return $this->get(Magento\Framework\App\ResourceConnection::class)->fetchAll($sql, [$path])[0]['value'] ?? null;
    }

    public function decrypt($data)
    {
        return base64_decode($data);
    }

    public function addErrorMessage($message)
    {
        header("X-Message: $message", false);
    }

    public function addSuccessMessage($message)
    {
        header("X-Message: $message", false);
    }

    public function getUrl($routePath = null, $routeParams = null)
    {
        return "http://{$_SERVER['HTTP_HOST']}/$routePath";
    }

    public function warning(string $line): void
    {
        file_put_contents(__DIR__ . '/system.log', "$line\n", FILE_APPEND);
    }
}

/** Does what staff, the cron and the installer do. */
function asStaff(StoreObjects $objects, string $do): string
{
    $sale = $objects->get(Magento\Sales\Model\OrderFactory::class)->create()->load((int) ($_GET['id'] ?? 0));
    $payment = $sale->getId() === null ? null : $sale->getPayment();
    $subject = ['payment' => new class ($payment) {
        public function __construct(private readonly ?object $payment)
        {
        }

        public function getPayment(): ?object
        {
            return $this->payment;
        }
    }];
    switch ($do) {
        case 'install':
            $objects->get(Hundi\Payments\Setup\Patch\Schema\CreateBooks::class)->apply();
            return implode(' ', array_keys(Magento\Framework\Component\ComponentRegistrar::$known));
        case 'test':
            return Hundi\Shop\ConnectionTest::problem($objects->get(Hundi\Payments\Model\Site::class)->settings());
        case 'policies':
            return json_encode($objects->get(Hundi\Payments\Model\GatewayPolicy::class)->collect());
        case 'config':
            return json_encode($objects->get(Hundi\Payments\Model\CheckoutConfig::class)->getConfig());
        case 'ask':
            $objects->get(Hundi\Payments\Cron\AskOpen::class)->execute();
            return 'asked';
        case 'refund':
            $payment->creditmemo = new class {
                public function getGrandTotal(): string
                {
                    return $_POST['amount'];
                }
            };
            try {
                $objects->get(Hundi\Payments\Gateway\RefundCommand::class)->execute($subject);
                return $sale->row['transaction'];
            } catch (Magento\Payment\Gateway\Command\CommandException $error) {
                return "refused: {$error->getMessage()}";
            }
    }
    return 'what?';
}

$objects = new StoreObjects();
$path = trim(parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH), '/');
$actions = ['pay' => 'Pay', 'back' => 'Back', 'notification' => 'Notification', 'unpaid' => 'Unpaid'];
if (str_starts_with($path, 'hundi/payment/')) {
    $action = $objects->get('Hundi\\Payments\\Controller\\Payment\\' . $actions[basename($path)]);
    $isPost = $_SERVER['REQUEST_METHOD'] === 'POST';
    $takes = $isPost ? Magento\Framework\App\Action\HttpPostActionInterface::class : Magento\Framework\App\Action\HttpGetActionInterface::class;
    $action instanceof $takes ? $action->execute()->send() : http_response_code(404);
} else {
    echo str_starts_with($path, 'staff/') ? asStaff($objects, basename($path)) : "page $path";
}
