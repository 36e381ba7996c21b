<?php

declare(strict_types=1);

namespace Hundi\Payments\Model;

use Hundi\Buyer;
use Hundi\Money;
use Hundi\OrderMandate;
use Hundi\Shop\ShopOrder;
use Hundi\Transaction;
use Magento\Sales\Model\Order as Sale;
use Magento\Sales\Model\Order\Email\Sender\OrderSender;

/** An order of Magento, in the currency that the customer saw. */
class Order implements ShopOrder
{
    public function __construct(public readonly Sale $sale, private readonly ?OrderSender $mails = null)
    {
    }

    /** Return an amount of Magento in whole paise, -1 for what is none. */
    public static function paise(float|string|null $amount): int
    {
        return Money::paiseIn(number_format((float) $amount, 2, '.', ''));
    }

    public function id(): string
    {
        return (string) $this->sale->getId();
    }

    public function amountPaise(): int
    {
        return self::paise($this->sale->getGrandTotal());
    }

    public function currency(): string
    {
        return (string) $this->sale->getOrderCurrencyCode();
    }

    public function buyer(): Buyer
    {
        $address = $this->sale->getBillingAddress();
        return new Buyer(
            email: (string) $this->sale->getCustomerEmail(),
            phone: (string) $address->getTelephone(),
            firstname: (string) $address->getFirstname(),
            lastname: (string) ($address->getLastname() ?: $address->getFirstname()),
            address: implode(' ', (array) $address->getStreet()),
            city: (string) $address->getCity(),
            state: (string) $address->getRegion(),
            country: (string) $address->getCountryId(),
            pincode: (string) $address->getPostcode(),
        );
    }

    public function mandate(): ?OrderMandate
    {
        return null;
    }

    public function isPaid(): bool
    {
        return (float) $this->sale->getTotalPaid() > 0;
    }

    public function pay(Transaction $paid): void
    {
        $about = "payment $paid->transactionId by $paid->channel, bank reference $paid->rrn";
        if ($this->sale->isCanceled()) {
            // Its stock is given back; only a person knows whether there is still some.
            $this->review("Hundi: $about came in after the order was cancelled. Refund it, or make the order anew.");
            return;
        }
        $payment = $this->sale->getPayment();
        $payment->setTransactionId($paid->transactionId);
        $payment->setIsTransactionClosed(true);
        $payment->registerCaptureNotification($this->sale->getBaseGrandTotal(), true);
        $this->note("Hundi: paid, $about.");
        // The mail about the order, which was held back when it was placed.
        $this->sale->setCanSendNewEmailFlag(true);
        $this->mails?->send($this->sale);
    }

    public function wait(Transaction $pending): void
    {
        // The order waits already: it is placed as "pending payment".
    }

    public function fail(string $why): void
    {
        if ($this->sale->canCancel()) {
            $this->sale->cancel();
        }
        $this->note("Hundi: not paid, $why.");
    }

    public function review(string $why): void
    {
        if ($this->sale->canHold()) {
            $this->sale->hold();
        }
        $this->note($why);
    }

    public function giveBack(Transaction $refund): void
    {
        $this->note("Hundi: refunded at the gateway, $refund->amount, refund $refund->refundId.");
    }

    public function note(string $text): void
    {
        $this->sale->addCommentToStatusHistory($text);
        $this->sale->save();
    }
}
