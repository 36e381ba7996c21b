<?php

declare(strict_types=1);

namespace Hundi\OpenCart;

use Hundi\Buyer;
use Hundi\Money;
use Hundi\OrderMandate;
use Hundi\Shop\ShopOrder;
use Hundi\Transaction;

/** An order of OpenCart, in the currency that the customer chose. */
final class Order implements ShopOrder
{
    /** @param array<string, mixed> $row */
    public function __construct(private array $row, private readonly object $registry)
    {
    }

    public function id(): string
    {
        return (string) $this->row['order_id'];
    }

    public function amountPaise(): int
    {
        $currency = $this->registry->get('currency');
        $value = (float) $this->row['currency_value'];
        $amount = $currency->format((float) $this->row['total'], $this->currency(), $value, false);
        return Money::paiseIn(number_format((float) $amount, 2, '.', ''));
    }

    public function currency(): string
    {
        return (string) $this->row['currency_code'];
    }

    public function buyer(): Buyer
    {
        $row = array_map(strval(...), array_filter($this->row, is_scalar(...)));
        return new Buyer(
            email: $row['email'],
            phone: $row['telephone'],
            firstname: $row['firstname'],
            lastname: $row['lastname'] ?: $row['firstname'],
            address: trim("{$row['payment_address_1']} {$row['payment_address_2']}"),
            city: $row['payment_city'],
            state: $row['payment_zone'],
            country: $row['payment_country'],
            pincode: $row['payment_postcode'],
        );
    }

    public function mandate(): ?OrderMandate
    {
        return null;
    }

    public function isPaid(): bool
    {
        // A new OpenCart counts "Pending" among what is being processed; here it waits for money.
        $waits = array_map($this->chosen(...), ['waiting', 'unpaid', 'review']);
        $config = $this->registry->get('config');
        $done = [...(array) $config->get('config_processing_status'), ...(array) $config->get('config_complete_status')];
        $paid = [$this->chosen('paid'), ...array_diff(array_map(intval(...), $done), $waits)];
        return in_array($this->status(), $paid, true);
    }

    public function pay(Transaction $paid): void
    {
        $this->become('paid', "Hundi: paid, payment $paid->transactionId by $paid->channel, bank reference $paid->rrn.", true);
    }

    public function wait(Transaction $pending): void
    {
        if ($this->status() === 0) {
            $this->become('waiting', 'Hundi: the bank has not answered yet; the order follows by itself.');
        }
    }

    public function fail(string $why): void
    {
        $this->become('unpaid', "Hundi: not paid, $why.");
    }

    public function review(string $why): void
    {
        $this->become('review', $why);
    }

    public function giveBack(Transaction $refund): void
    {
        $this->note("Hundi: refunded at the gateway, $refund->amount, refund $refund->refundId.");
    }

    public function note(string $text): void
    {
        $this->write($this->status(), $text, false);
    }

    private function status(): int
    {
        return (int) $this->row['order_status_id'];
    }

    private function become(string $what, string $text, bool $isToldCustomer = false): void
    {
        $this->write($this->chosen($what), $text, $isToldCustomer);
    }

    /** Return the status for what became of an order: the shop's choice, or that of a new OpenCart. */
    private function chosen(string $what): int
    {
        $saved = (int) $this->registry->get('config')->get(Site::CODE . "_{$what}_status_id");
        return $saved ?: Site::STATUSES[$what][1];
    }

    private function write(int $status, string $text, bool $isToldCustomer): void
    {
        // OpenCart shows a comment as it stands, to staff and customers; banks and servers wrote parts of it.
        $text = htmlspecialchars($text, ENT_QUOTES, 'UTF-8');
        $shop = $this->registry->get('model_checkout_order');
        if ($shop !== null && $status > 0) {
            $shop->addHistory((int) $this->row['order_id'], $status, $text, $isToldCustomer);
        } else {
            // The administration has no such model; a line of history moves no stock and sends nothing.
            $db = $this->registry->get('db');
            $sql = 'INSERT INTO `' . DB_PREFIX . 'order_history` SET order_id = %d, order_status_id = %d,'
                . " notify = 0, comment = '%s', date_added = NOW()";
            $db->query(sprintf($sql, $this->row['order_id'], $status, $db->escape($text)));
        }
        $this->row['order_status_id'] = $status;
    }
}
