<?php

// What our extension calls of OpenCart 4, by its published interface; none of its code.

declare(strict_types=1);

namespace Opencart\System\Engine {
    /** Gives a controller or model what OpenCart keeps in its registry. */
    abstract class OfRegistry
    {
        public function __construct(protected \StoreRegistry $registry)
        {
        }

        public function __get(string $name): mixed
        {
            return $this->registry->get($name);
        }
    }

    class Controller extends OfRegistry
    {
    }

    class Model extends OfRegistry
    {
    }
}

namespace {
    final class StoreRegistry
    {
        /** @var array<string, object> */
        private array $parts = [];

        public function get(string $name): ?object
        {
            return $this->parts[$name] ?? null;
        }

        public function set(string $name, object $part): void
        {
            $this->parts[$name] = $part;
        }
    }

    final class StoreDb
    {
        public function __construct(private readonly \mysqli $db)
        {
        }

        public function query(string $sql): object
        {
            $found = $this->db->query($sql);
            $rows = $found instanceof \mysqli_result ? $found->fetch_all(MYSQLI_ASSOC) : [];
            return (object) ['rows' => $rows, 'row' => $rows[0] ?? [], 'num_rows' => count($rows)];
        }

        public function escape(string $text): string
        {
            return $this->db->real_escape_string($text);
        }

        public function countAffected(): int
        {
            return (int) $this->db->affected_rows;
        }
    }

    /** Settings, from a table that outlives a request. */
    final class StoreConfig
    {
        /** Those of a new OpenCart. */
        private const FIXED = ['config_language' => 'en-gb', 'config_processing_status' => ['5', '1', '2', '12', '3'], 'config_complete_status' => ['5', '3']];

        public function __construct(private readonly StoreDb $db)
        {
        }

        public function get(string $key): mixed
        {
            $sql = "SELECT value FROM oc_setting WHERE name = '{$this->db->escape($key)}'";
            return self::FIXED[$key] ?? $this->db->query($sql)->row['value'] ?? '';
        }
    }

    final class StoreLoader
    {
        public function __construct(private readonly StoreRegistry $registry)
        {
        }

        public function language(string $route, string $prefix = ''): void
        {
            $side = STORE_SIDE === 'Admin' ? 'admin' : 'catalog';
            $_ = [];
            require DIR_EXTENSION . "hundi/$side/language/en-gb/payment/hundi.php";
            $this->registry->get('language')->texts = $_;
        }

        public function model(string $route): void
        {
            $class = ['checkout/order' => StoreOrders::class, 'setting/setting' => StoreSettings::class, 'localisation/order_status' => StoreStatuses::class][$route];
            $this->registry->set('model_' . str_replace('/', '_', $route), new $class($this->registry));
        }

        public function controller(string $route): string
        {
            return "<!-- $route -->";
        }

        /** @param array<string, mixed> $data */
        public function view(string $route, array $data = []): string
        {
            return $route . ' ' . json_encode($data);
        }
    }

    final class StoreLanguage
    {
        /** @var array<string, string> */
        public array $texts = [];

        public function get(string $key): string
        {
            return $this->texts[$key] ?? $key;
        }
    }

    final class StoreResponse
    {
        public string $output = '';

        public function addHeader(string $header): void
        {
            header($header);
        }

        public function redirect(string $url, int $status = 302): void
        {
            header("Location: $url", true, $status);
            exit;
        }

        public function setOutput(string $output): void
        {
            $this->output = $output;
        }
    }

    final class StoreUrl
    {
        public function link(string $route, string $args = '', bool $js = false): string
        {
            return 'http://' . $_SERVER['HTTP_HOST'] . "/index.php?route=$route&$args";
        }
    }

    final class StoreLog
    {
        public function write(string $line): void
        {
            file_put_contents(__DIR__ . '/error.log', "$line\n", FILE_APPEND);
        }
    }

    final class StoreCurrency
    {
        public function format(float $number, string $currency, float $value = 0, bool $format = true): float|string
        {
            return round($number * ($value ?: 1), 2);
        }
    }

    final class StoreCart
    {
        public function hasSubscription(): bool
        {
            return isset($_GET['subscription']);
        }
    }

    final class StoreUser
    {
        public function hasPermission(string $key, string $value): bool
        {
            return !isset($_GET['guest']);
        }
    }

    final class StoreDocument
    {
        public function setTitle(string $title): void
        {
        }
    }

    final class StoreOrders extends Opencart\System\Engine\Model
    {
        public function addHistory(int $order_id, int $order_status_id, string $comment = '', bool $notify = false, bool $override = false): void
        {
            $this->db->query("UPDATE oc_order SET order_status_id = $order_status_id WHERE order_id = $order_id");
            $text = $this->db->escape($comment);
            $told = (int) $notify;
            $this->db->query("INSERT INTO oc_order_history SET order_id = $order_id, order_status_id = $order_status_id, notify = $told, comment = '$text', date_added = NOW()");
        }
    }

    final class StoreSettings extends Opencart\System\Engine\Model
    {
        /** @param array<string, mixed> $data */
        public function editSetting(string $code, array $data): void
        {
            $this->deleteSetting($code);
            foreach ($data as $name => $value) {
                if (str_starts_with($name, $code)) {
                    $this->db->query("INSERT INTO oc_setting SET name = '$name', value = '{$this->db->escape($value)}'");
                }
            }
        }

        public function deleteSetting(string $code): void
        {
            $this->db->query("DELETE FROM oc_setting WHERE name LIKE '{$this->db->escape($code)}%'");
        }
    }

    final class StoreStatuses extends Opencart\System\Engine\Model
    {
        /** @return list<array<string, mixed>> */
        public function getOrderStatuses(): array
        {
            return [['order_status_id' => 1, 'name' => 'Pending'], ['order_status_id' => 2, 'name' => 'Processing']];
        }
    }
}
