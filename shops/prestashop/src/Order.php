<?php

declare(strict_types=1);

namespace Hundi\PrestaShop;

use Hundi\Buyer;
use Hundi\Money;
use Hundi\OrderMandate;
use Hundi\Shop\ShopOrder;
use Hundi\Transaction;

/** An order of PrestaShop; one that is sent in parts is several orders with one reference, paid together. */
final class Order implements ShopOrder
{
    public function __construct(public readonly \Order $order)
    {
    }

    public function id(): string
    {
        return (string) $this->order->id;
    }

    public function amountPaise(): int
    {
        return Money::paiseIn(number_format((float) $this->order->getOrdersTotalPaid(), 2, '.', ''));
    }

    public function currency(): string
    {
        return (new \Currency($this->order->id_currency))->iso_code;
    }

    public function buyer(): Buyer
    {
        $address = new \Address($this->order->id_address_invoice);
        $customer = new \Customer($this->order->id_customer);
        return new Buyer(
            email: $customer->email,
            phone: $address->phone ?: $address->phone_mobile,
            firstname: $address->firstname,
            lastname: $address->lastname ?: $address->firstname,
            address: trim("$address->address1 $address->address2"),
            city: (string) $address->city,
            country: (string) $address->country,
            pincode: (string) $address->postcode,
        );
    }

    public function mandate(): ?OrderMandate
    {
        return null;
    }

    public function isPaid(): bool
    {
        return (bool) $this->order->hasBeenPaid();
    }

    public function pay(Transaction $paid): void
    {
        foreach ($this->together() as $order) {
            $order->setCurrentState((int) \Configuration::get('PS_OS_PAYMENT'));
            foreach ($order->getOrderPaymentCollection() as $payment) {
                if ((string) $payment->transaction_id === '') {
                    $payment->transaction_id = $paid->transactionId;
                    $payment->update();
                }
            }
        }
        $this->note("Hundi: paid, payment $paid->transactionId by $paid->channel, bank reference $paid->rrn.");
    }

    public function wait(Transaction $pending): void
    {
        $this->become(Site::WAITING);
    }

    public function fail(string $why): void
    {
        $this->become('PS_OS_ERROR');
        $this->note("Hundi: not paid, $why.");
    }

    public function review(string $why): void
    {
        $this->become(Site::WAITING);
        $this->note($why);
    }

    public function giveBack(Transaction $refund): void
    {
        $this->note("Hundi: refunded at the gateway, $refund->amount, refund $refund->refundId.");
    }

    /** The note of the order's screen. */
    public function note(string $text): void
    {
        $fresh = new \Order($this->order->id);
        $fresh->note = trim("$fresh->note\n$text");
        $fresh->update();
    }

    private function become(string $state): void
    {
        $id = (int) \Configuration::get($state);
        foreach ($this->together() as $order) {
            if ((int) $order->getCurrentState() !== $id) {
                $order->setCurrentState($id);
            }
        }
    }

    /** @return iterable<\Order> */
    private function together(): iterable
    {
        return \Order::getByReference($this->order->reference);
    }
}
