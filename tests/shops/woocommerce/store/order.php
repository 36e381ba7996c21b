<?php

declare(strict_types=1);

/** An order in a table of its own, as with high-performance order storage; it is no post. */
class WC_Order
{
    private const PAYABLE = ['pending', 'failed'];
    private const MAY_COMPLETE = ['on-hold', 'pending', 'failed', 'cancelled'];
    /** While it is completed, mails are sent and stock is written. */
    private const MAILS_US = 200_000;
    private const BEGUN = ['status' => 'pending', 'notes' => [], 'refunds' => [], 'completions' => [], 'date_paid' => null, 'transaction_id' => ''];

    /** @param array<string, mixed> $data */
    private function __construct(private readonly int $id, private array $data)
    {
    }

    public static function table(): string
    {
        global $wpdb;
        return "{$wpdb->prefix}wc_orders";
    }

    public static function createTable(): void
    {
        global $wpdb;
        $wpdb->query('CREATE TABLE IF NOT EXISTS ' . self::table() . ' (id INT AUTO_INCREMENT PRIMARY KEY, data LONGTEXT NOT NULL)');
    }

    /** @param array<string, mixed> $data */
    public static function create(array $data): self
    {
        global $wpdb;
        $order = $data + self::BEGUN + ['key' => 'wc_order_' . wp_generate_password(13, false)];
        $wpdb->insert(self::table(), ['data' => wp_json_encode($order)]);
        return new self((int) $wpdb->insert_id, $order);
    }

    public static function find(int $id): ?self
    {
        global $wpdb;
        $data = $wpdb->get_var($wpdb->prepare('SELECT data FROM ' . self::table() . ' WHERE id = %d', $id));
        return $data === null ? null : new self($id, json_decode($data, true));
    }

    /**
     * Write some fields, and no others: another request may write at the same time.
     *
     * @param array<string, mixed> $changes
     */
    public function change(array $changes): void
    {
        $this->write('JSON_MERGE_PATCH(data, %s)', wp_json_encode($changes));
    }

    /** Add a note or a refund to the order's list of them. */
    public function append(string $list, mixed $entry): void
    {
        $this->write("JSON_ARRAY_APPEND(data, '$.$list', JSON_EXTRACT(%s, '$'))", wp_json_encode($entry));
    }

    private function write(string $how, string $json): void
    {
        global $wpdb;
        $wpdb->query($wpdb->prepare('UPDATE ' . self::table() . " SET data = $how WHERE id = %d", $json, $this->id));
        $this->data = self::find($this->id)->data;
    }

    /** @return array<string, mixed> */
    public function all(): array
    {
        return $this->data + ['id' => $this->id, 'completed' => count($this->data['completions'])];
    }

    public function __call(string $name, array $arguments): string
    {
        $field = substr($name, strlen('get_'));
        $isText = str_starts_with($name, 'get_billing_');
        return $isText ? (string) ($this->data[$field] ?? '') : throw new BadMethodCallException($name);
    }

    public function get_id()
    {
        return $this->id;
    }

    public function get_parent_id()
    {
        return (int) ($this->data['parent'] ?? 0);
    }

    public function get_total()
    {
        return $this->data['total'];
    }

    public function get_total_refunded()
    {
        return array_sum(array_column($this->data['refunds'], 'amount'));
    }

    public function get_currency()
    {
        return $this->data['currency'];
    }

    public function get_order_key()
    {
        return $this->data['key'];
    }

    public function get_payment_method()
    {
        return $this->data['payment_method'];
    }

    public function get_date_paid()
    {
        return $this->data['date_paid'] === null ? null : new DateTime($this->data['date_paid']);
    }

    public function get_transaction_id()
    {
        return $this->data['transaction_id'];
    }

    public function has_status($status)
    {
        return in_array($this->data['status'], (array) $status, true);
    }

    public function needs_payment()
    {
        return $this->has_status(self::PAYABLE) && (float) $this->data['total'] > 0;
    }

    public function update_status($new_status, $note = '', $manual = false)
    {
        $this->change(['status' => $new_status]);
        return $note === '' || (bool) $this->add_order_note($note);
    }

    public function payment_complete($transaction_id = '')
    {
        if (!$this->has_status(self::MAY_COMPLETE)) {
            return false;
        }
        usleep(self::MAILS_US);
        $this->append('completions', $transaction_id);
        $this->change(['status' => 'processing', 'transaction_id' => $transaction_id, 'date_paid' => gmdate('c')]);
        return true;
    }

    public function add_order_note($note, $is_customer_note = 0, $added_by_user = false)
    {
        $this->append('notes', $note);
        return count($this->data['notes']);
    }

    public function get_checkout_order_received_url()
    {
        return home_url("/?order-received={$this->id}&key={$this->data['key']}");
    }

    public function get_checkout_payment_url($on_checkout = false)
    {
        return home_url("/?order-pay={$this->id}&pay_for_order=true&key={$this->data['key']}");
    }
}
