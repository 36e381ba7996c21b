<?php

declare(strict_types=1);

namespace Hundi\Shop;

use Hundi\Buyer;
use Hundi\OrderMandate;
use Hundi\Transaction;

/** An order as the shop has it. What it does is written at once. */
interface ShopOrder
{
    public function id(): string;

    /** What the customer owes by the shop's own books. */
    public function amountPaise(): int;

    /** ISO 4217 letters. */
    public function currency(): string;

    public function buyer(): Buyer;

    /** Return what is debited later, for an order that begins a subscription. */
    public function mandate(): ?OrderMandate;

    /** Whether the shop has it as paid, by whatever means. */
    public function isPaid(): bool;

    /** It is paid: the goods may be released. */
    public function pay(Transaction $paid): void;

    /** It may become paid without the customer. */
    public function wait(Transaction $pending): void;

    /** It ended unpaid; the customer may try again. */
    public function fail(string $why): void;

    /** Money came, and a person has to look before goods are released. */
    public function review(string $why): void;

    /** Money went back that the shop did not ask for, such as a refund in the gateway's console. */
    public function giveBack(Transaction $refund): void;

    /** A line for the shop's staff. */
    public function note(string $text): void;
}
