<?php

declare(strict_types=1);

namespace Hundi\WooCommerce;

use Hundi\Buyer;
use Hundi\Money;
use Hundi\OrderMandate;
use Hundi\Shop\ShopOrder;
use Hundi\Transaction;

/**
 * A WooCommerce order. It is read and written by its own methods alone, so it does not matter
 * whether the shop keeps orders as posts or in tables of their own.
 */
final class Order implements ShopOrder
{
    public function __construct(public readonly \WC_Order $order)
    {
    }

    /** Return a decimal of WooCommerce's in whole paise, -1 for what is none. */
    public static function paise(mixed $decimal): int
    {
        return Money::paiseIn(number_format((float) $decimal, 2, '.', ''));
    }

    public function id(): string
    {
        return (string) $this->order->get_id();
    }

    public function amountPaise(): int
    {
        return self::paise($this->order->get_total());
    }

    public function currency(): string
    {
        return $this->order->get_currency();
    }

    public function buyer(): Buyer
    {
        $order = $this->order;
        return new Buyer(
            email: $order->get_billing_email(),
            phone: $order->get_billing_phone(),
            firstname: $order->get_billing_first_name(),
            lastname: $order->get_billing_last_name() ?: $order->get_billing_first_name(),
            address: trim($order->get_billing_address_1() . ' ' . $order->get_billing_address_2()),
            city: $order->get_billing_city(),
            state: $order->get_billing_state(),
            country: $order->get_billing_country(),
            pincode: $order->get_billing_postcode(),
        );
    }

    public function mandate(): ?OrderMandate
    {
        return Renewals::mandate($this->order);
    }

    public function isPaid(): bool
    {
        return $this->order->get_date_paid() !== null;
    }

    public function pay(Transaction $paid): void
    {
        $this->order->payment_complete($paid->transactionId);
        /* translators: 1: number of the payment, 2: how it was paid, 3: the bank's reference */
        $text = __('Hundi: paid, payment %1$s by %2$s, bank reference %3$s.', 'hundi-payments');
        $this->note(sprintf($text, $paid->transactionId, $paid->channel, $paid->rrn));
    }

    public function wait(Transaction $pending): void
    {
        if (!$this->order->has_status('on-hold')) {
            $text = __('Hundi: the bank has not answered yet; the order follows by itself.', 'hundi-payments');
            $this->order->update_status('on-hold', $text);
        }
    }

    public function fail(string $why): void
    {
        /* translators: %s: what the gateway says */
        $text = sprintf(__('Hundi: not paid, %s.', 'hundi-payments'), $why);
        $this->order->update_status('failed', $text);
    }

    public function review(string $why): void
    {
        $this->order->update_status('on-hold', $why);
    }

    public function giveBack(Transaction $refund): void
    {
        $made = wc_create_refund([
            'order_id' => $this->order->get_id(),
            'amount' => Money::text($refund->amountPaise),
            'reason' => sprintf(__('Refunded at the gateway, refund %s', 'hundi-payments'), $refund->refundId),
            'refund_payment' => false,
        ]);
        if (is_wp_error($made)) {
            $this->note("Hundi: refund $refund->refundId, $refund->amount: {$made->get_error_message()}");
        }
    }

    public function note(string $text): void
    {
        $this->order->add_order_note($text);
    }
}
