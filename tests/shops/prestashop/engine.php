<?php

// What our module calls of PrestaShop 8, by its published interface; none of its code.

declare(strict_types=1);

namespace PrestaShop\PrestaShop\Core\Payment {
    final class PaymentOption
    {
        /** @var array<string, string> */
        public array $set = [];

        public function __call(string $name, array $arguments): self
        {
            $this->set[$name] = $arguments[0];
            return $this;
        }
    }
}

namespace {
    final class Db
    {
        private static ?self $only = null;
        private \mysqli $db;

        public static function getInstance(): self
        {
            if (self::$only === null) {
                self::$only = new self();
                self::$only->db = new \mysqli('localhost', 'root', '', 'presta', 0, getenv('SOCKET'));
            }
            return self::$only;
        }

        public function execute(string $sql, bool $use_cache = true): bool
        {
            return $this->db->query($sql) !== false;
        }

        public function executeS(string $sql, bool $array = true, bool $use_cache = true): array
        {
            return $this->db->query($sql)->fetch_all(MYSQLI_ASSOC);
        }

        public function escape(string $text, bool $html_ok = false, bool $bq_sql = false): string
        {
            return $this->db->real_escape_string($text);
        }

        public function Affected_Rows(): int
        {
            return (int) $this->db->affected_rows;
        }

        public function getMsgError(): string
        {
            return $this->db->error;
        }

        public function Insert_ID(): int
        {
            return (int) $this->db->insert_id;
        }
    }

    /** A row of a table that is named as its class. */
    abstract class ObjectModel
    {
        public $id;

        public function __construct(int|string|null $id = null)
        {
            $table = 'ps_' . strtolower(static::class);
            $found = $id ? Db::getInstance()->executeS("SELECT * FROM $table WHERE id = " . (int) $id) : [];
            foreach ($found[0] ?? [] as $name => $value) {
                $this->{$name} = $name === 'id' ? (int) $value : $value;
            }
        }

        public function save(): bool
        {
            $db = Db::getInstance();
            $pairs = [];
            foreach (get_object_vars($this) as $name => $value) {
                $pairs[] = "`$name` = " . ($value === null ? 'NULL' : "'{$db->escape((string) (is_array($value) ? json_encode($value) : $value))}'");
            }
            $done = $db->execute('REPLACE INTO ps_' . strtolower(static::class) . ' SET ' . implode(', ', $pairs));
            $this->id ??= $db->Insert_ID();
            return $done;
        }

        public function add(): bool
        {
            return $this->save();
        }

        public function update(): bool
        {
            return $this->save();
        }
    }

    final class OrderState extends ObjectModel
    {
        public $name;
        public $color;
        public $module_name;
        public $unremovable;
    }

    final class Customer extends ObjectModel
    {
        public $email;
        public $secure_key;
    }

    final class Address extends ObjectModel
    {
        public $firstname;
        public $lastname;
        public $phone;
        public $phone_mobile;
        public $address1;
        public $address2;
        public $city;
        public $country;
        public $postcode;
    }

    final class OrderPayment extends ObjectModel
    {
        public $order_reference;
        public $amount;
        public $transaction_id;
    }

    final class Currency
    {
        public string $iso_code = 'INR';

        public function __construct(public int|string|null $id)
        {
        }
    }

    final class Order extends ObjectModel
    {
        public $reference;
        public $id_customer;
        public $id_cart;
        public $id_currency;
        public $id_address_invoice;
        public $current_state;
        public $module;
        public $total_paid_tax_incl;
        public $note;
        public $paid_times;

        /** @return list<self> */
        public static function getByReference(string $reference): array
        {
            $rows = Db::getInstance()->executeS("SELECT id FROM ps_order WHERE reference = '$reference'");
            return array_map(static fn ($row) => new self($row['id']), $rows);
        }

        public function getOrdersTotalPaid(): float
        {
            return array_sum(array_map(static fn ($each) => (float) $each->total_paid_tax_incl, self::getByReference($this->reference)));
        }

        public function getCurrentState(): int
        {
            return (int) $this->current_state;
        }

        public function hasBeenPaid(): int
        {
            return (int) $this->paid_times;
        }

        public function setCurrentState(int $id_order_state, int $id_employee = 0): void
        {
            $this->current_state = $id_order_state;
            if ($id_order_state === Configuration::get('PS_OS_PAYMENT')) {
                $this->paid_times = (int) $this->paid_times + 1;
                $payment = new OrderPayment();
                $payment->order_reference = $this->reference;
                $payment->amount = $this->total_paid_tax_incl;
                $payment->add();
            }
            $this->update();
        }

        /** @return list<OrderPayment> */
        public function getOrderPaymentCollection(): array
        {
            $rows = Db::getInstance()->executeS("SELECT id FROM ps_orderpayment WHERE order_reference = '$this->reference'");
            return array_map(static fn ($row) => new OrderPayment($row['id']), $rows);
        }
    }

    /** The cart of the customer who is at the checkout. */
    final class Cart
    {
        public const BOTH = 3;
        public int $id_currency = 1;

        public function __construct(public int $id, public int $id_customer)
        {
        }

        public function orderExists(): bool
        {
            return Db::getInstance()->executeS("SELECT id FROM ps_order WHERE id_cart = $this->id") !== [];
        }

        public function getOrderTotal(bool $withTaxes, int $type): float
        {
            return 1499.5;
        }
    }

    final class Validate
    {
        public static function isLoadedObject(object $object): bool
        {
            return (int) $object->id > 0;
        }
    }

    final class Configuration
    {
        private const FIXED = ['PS_OS_PAYMENT' => 2, 'PS_OS_ERROR' => 8];

        public static function get(string $key): mixed
        {
            $found = Db::getInstance()->executeS("SELECT value FROM ps_configuration WHERE name = '$key'");
            return self::FIXED[$key] ?? $found[0]['value'] ?? false;
        }

        public static function updateValue(string $key, mixed $value): bool
        {
            $text = Db::getInstance()->escape((string) $value);
            return Db::getInstance()->execute("REPLACE INTO ps_configuration SET name = '$key', value = '$text'");
        }

        public static function deleteByName(string $key): bool
        {
            return Db::getInstance()->execute("DELETE FROM ps_configuration WHERE name = '$key'");
        }
    }

    final class Language
    {
        /** @return list<array<string, int>> */
        public static function getLanguages(bool $active = true): array
        {
            return [['id_lang' => 1]];
        }
    }

    final class PrestaShopLogger
    {
        public static function addLog(string $message, int $severity = 1, $code = null, $type = null, $id = null, bool $twice = false): bool
        {
            return file_put_contents(__DIR__ . '/shop.log', "$message\n", FILE_APPEND) !== false;
        }
    }

    final class Tools
    {
        public static function getValue(string $key, mixed $default = false): mixed
        {
            return $_POST[$key] ?? $_GET[$key] ?? $default;
        }

        public static function isSubmit(string $submit): bool
        {
            return isset($_POST[$submit]) || isset($_GET[$submit]);
        }

        public static function redirect(string $address): void
        {
            header("Location: /$address", true, 302);
            exit;
        }

        public static function getShopDomainSsl(bool $http = false): string
        {
            return 'http://' . $_SERVER['HTTP_HOST'];
        }

        public static function getAdminTokenLite(string $tab): string
        {
            return 'token';
        }
    }

    final class StoreLink
    {
        public function getModuleLink(string $module, string $controller, array $params = [], $ssl = null): string
        {
            $named = ['fc' => 'module', 'module' => $module, 'controller' => $controller] + $params;
            return Tools::getShopDomainSsl() . '/index.php?' . http_build_query($named);
        }

        public function getAdminLink(string $controller, bool $token = true, array $route = [], array $params = []): string
        {
            return '/index.php?' . http_build_query(['staff' => 'page'] + $params);
        }
    }

    final class Context
    {
        public StoreLink $link;
        public Cart $cart;

        public static function getContext(): self
        {
            static $only = null;
            if ($only === null) {
                $only = new self();
                $only->link = new StoreLink();
                $only->cart = new Cart((int) ($_COOKIE['cart'] ?? 0), (int) isset($_COOKIE['cart']));
            }
            return $only;
        }
    }

    final class HelperForm
    {
        public $module;
        public $submit_action;
        public $currentIndex;
        public $token;
        public $fields_value;

        public function generateForm(array $forms): string
        {
            $lines = '';
            foreach ($forms[0]['form']['input'] as $input) {
                $value = $input['type'] === 'password' ? '' : htmlspecialchars((string) $this->fields_value[$input['name']]);
                $lines .= "<p>{$input['label']} <input type=\"{$input['type']}\" name=\"{$input['name']}\" value=\"$value\"></p>";
            }
            return "<form>$lines</form>";
        }
    }

    abstract class PaymentModule
    {
        public $name;
        public $tab;
        public $version;
        public $author;
        public $ps_versions_compliancy;
        public $controllers;
        public $currencies;
        public $currencies_mode;
        public $bootstrap;
        public $displayName;
        public $description;
        public $active = true;
        public $currentOrder;

        public function __construct()
        {
        }

        public function install()
        {
            return true;
        }

        public function uninstall()
        {
            return true;
        }

        public function registerHook($hooks)
        {
            return true;
        }

        public function trans(string $text, array $parameters = [], ?string $domain = null): string
        {
            return $text;
        }

        public function getTranslator(): self
        {
            return $this;
        }

        public function displayConfirmation(string $text): string
        {
            return "<div class=\"success\">$text</div>";
        }

        public function displayError(string $text): string
        {
            return "<div class=\"error\">$text</div>";
        }

        public function validateOrder($cart, $state, $amount, $method = 'Unknown', $message = null, $vars = [], $currency = null, $noRound = false, $key = false)
        {
            // Sent in two parts: two orders with one reference, which are paid together.
            foreach ([(float) $amount - 499.5, 499.5] as $part) {
                $order = new Order();
                $order->reference = "REF$cart";
                $order->id_customer = 1;
                $order->id_cart = $cart;
                $order->id_currency = $currency;
                $order->id_address_invoice = 1;
                $order->current_state = $state;
                $order->module = $this->name;
                $order->total_paid_tax_incl = $part;
                $order->note = '';
                $order->paid_times = 0;
                $order->add();
                $this->currentOrder = $order->id;
            }
            return true;
        }
    }

    abstract class ModuleFrontController
    {
        public Context $context;

        public function __construct(public readonly PaymentModule $module)
        {
            $this->context = Context::getContext();
        }
    }

    final class Module
    {
        public static function getModuleIdByName(string $name): int
        {
            return 7;
        }
    }
}
