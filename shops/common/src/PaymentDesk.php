<?php

declare(strict_types=1);

namespace Hundi\Shop;

use Hundi\HundiException;
use Hundi\Kind;
use Hundi\Notification;
use Hundi\PaymentForm;
use Hundi\PaymentRequest;
use Hundi\SubscriptionName;
use Hundi\Transaction;

/** Begins payments of a shop, and hands each over to the shop's order once, whoever brings the news. */
final class PaymentDesk
{
    private const ASK_AFTER_S = 600;
    private const ASK_UNTIL_S = 4 * 86400;
    private const ASK_AT_ONCE = 50;
    private const NEVER_MADE = ['skipped', 'missed', 'failed'];

    public function __construct(
        public readonly Settings $settings,
        public readonly Books $books,
        private readonly Shop $shop,
    ) {
    }

    /**
     * Return the form that takes the customer to the payment page, or null where money for this
     * order came in already. The same order as before opens the same payment again; a changed one
     * gets a number of its own, after a look at the one before.
     *
     * @throws HundiException when the gateway cannot be asked
     */
    public function begin(ShopOrder $order): ?PaymentForm
    {
        $reference = $this->books->locked($order->id(), fn (): string => $this->referenceFor($order));
        return $reference === ''
            ? null
            : $this->settings->client()->paymentForm($this->request($order, $reference));
    }

    /**
     * Take what the customer's browser brought back, and return the order it is about, or null when
     * it cannot be believed. The order's state comes from the gateway itself.
     *
     * @param array<string, string> $form such as $_POST
     */
    public function takeReturn(array $form): ?ShopOrder
    {
        try {
            $callbacks = $this->settings->callbacks();
            $attempt = $this->books->attempt($callbacks->claimedOrderId($form));
            if ($attempt === null) {
                $this->shop->log('A return names a payment that this shop has not begun.');
                return null;
            }
            $callbacks->readReturn($form, $attempt->expected());
            $this->ask($attempt->reference);
        } catch (HundiException $error) {
            $this->logged('A return', $error);
            if ($error->kind->isUntrusted() || !isset($attempt)) {
                return null;
            }
        } catch (Busy $error) {
            $this->shop->log($error->getMessage());
        }
        // Without an answer the order is as it was: the notification follows.
        return $this->shop->order($attempt->orderId);
    }

    /**
     * Take a notification and return the HTTP status to answer. It is done once, though it may come
     * again and again.
     *
     * @param array<string, string> $headers
     */
    public function takeNotification(array $headers, string $body): int
    {
        try {
            $told = $this->settings->callbacks()->readNotification($headers, $body);
            if (!$this->books->hasHeard($told->webhookId)) {
                $this->tell($told);
                $this->books->hear($told->webhookId);
            }
            return 200;
        } catch (HundiException $error) {
            $this->logged('A notification', $error);
            return $error->kind->isUntrusted() ? 400 : 503;
        } catch (Busy $error) {
            $this->shop->log($error->getMessage());
            return 503;
        }
    }

    /**
     * Ask the gateway what became of a payment, and tell the order.
     *
     * @throws HundiException when it cannot be asked, or tells of another order or amount
     */
    public function ask(string $reference): void
    {
        $attempt = $this->books->attempt($reference);
        if ($attempt !== null) {
            $this->books->locked($attempt->orderId, fn () => $this->askLocked($attempt));
        }
    }

    /** Ask about payments whose end was never told; for a job that runs again and again. */
    public function askOpen(?int $now = null): void
    {
        $now ??= time();
        $open = $this->books->open($now - self::ASK_UNTIL_S, $now - self::ASK_AFTER_S, self::ASK_AT_ONCE);
        foreach ($open as $reference) {
            try {
                $this->ask($reference);
            } catch (HundiException | Busy $error) {
                $this->logged("Asking about $reference", $error);
            }
        }
    }

    private function askLocked(Attempt $attempt): void
    {
        try {
            $found = $this->settings->client()->verify($attempt->expected());
        } catch (HundiException $error) {
            if ($error->kind === Kind::NotFound) {
                if ($attempt->isDebit()) {
                    $this->askDebit($attempt);
                }
                return; // the customer has not been at the payment page
            }
            throw $error;
        }
        // As they stand now that nobody else is at it.
        $this->handOver($this->books->attempt($attempt->reference) ?? $attempt, $found);
    }

    /** A debit that is not made has no order at the gateway: its subscription says what became of it. */
    private function askDebit(Attempt $attempt): void
    {
        [$transactionId, $period] = explode('-', $attempt->reference);
        $found = $this->settings->client()->subscription(new SubscriptionName($transactionId));
        foreach ($found->debits as $debit) {
            if ($debit->period === (int) $period && in_array($debit->state, self::NEVER_MADE, true)) {
                $this->shop->order($attempt->orderId)?->fail("the debit is $debit->state");
                $this->books->end($attempt->reference, Attempt::FAILED, '');
            }
        }
    }

    /** Return under which number an order is to be paid, "" where it is to be paid no more. */
    private function referenceFor(ShopOrder $order): string
    {
        $content = $this->contentOf($order);
        $last = $this->books->attempts($order->id())[0] ?? null;
        if ($last !== null && $last->content !== $content) {
            $this->askLocked($last);
        }
        foreach ($this->books->attempts($order->id()) as $attempt) {
            if ($attempt->isHandedOver()) {
                return '';
            }
        }
        if ($last !== null && $last->content === $content) {
            // One that ended unpaid is opened again, and may end again.
            $last->state === Attempt::FAILED && $this->books->end($last->reference, Attempt::BEGUN, '');
            return $last->reference;
        }
        $number = ($last === null ? 0 : $last->number) + 1;
        $reference = "{$this->settings->prefix()}-{$order->id()}-$number";
        $amount = $order->amountPaise();
        $this->books->begin(
            new Attempt($reference, $order->id(), $number, $content, $amount, $order->currency(), '', Attempt::BEGUN),
        );
        return $reference;
    }

    private function request(ShopOrder $order, string $reference): PaymentRequest
    {
        return new PaymentRequest(
            $reference,
            $order->amountPaise(),
            $order->buyer(),
            $order->currency(),
            subscription: $order->mandate(),
        );
    }

    private function contentOf(ShopOrder $order): string
    {
        $said = [$order->amountPaise(), $order->currency(), $order->buyer(), $order->mandate()];
        return hash('sha256', json_encode($said, JSON_THROW_ON_ERROR | JSON_INVALID_UTF8_SUBSTITUTE));
    }

    private function handOver(Attempt $attempt, Transaction $found): void
    {
        $order = $this->shop->order($attempt->orderId);
        if ($order === null) {
            $this->shop->log("The order of payment $attempt->reference is not there any more.");
            return;
        }
        if ($found->isPaid()) {
            $this->handOverPaid($attempt, $order, $found);
        } elseif ($attempt->isHandedOver() || $order->isPaid()) {
            return; // what this payment says does not unmake a paid order
        } elseif ($found->isPending() || $found->isAuthorised()) {
            $order->wait($found);
        } elseif ($found->isFailed() && $attempt->state !== Attempt::FAILED) {
            $order->fail($found->message);
            $this->books->end($attempt->reference, Attempt::FAILED, $found->transactionId);
        }
    }

    private function handOverPaid(Attempt $attempt, ShopOrder $order, Transaction $found): void
    {
        if ($attempt->isHandedOver()) {
            return;
        }
        $wasBegun = $attempt->state === Attempt::PAYING;
        $this->books->end($attempt->reference, Attempt::PAYING, $found->transactionId);
        if ($order->isPaid()) {
            // A process that ended between its two steps had told the order already.
            $wasBegun || $order->note("Hundi: payment $found->transactionId came in for an order that was paid already. Refund it.");
        } elseif ($order->amountPaise() !== $attempt->amountPaise || $order->currency() !== $attempt->currency) {
            $order->review("Hundi: payment $found->transactionId is about $found->amount, and the order has changed since.");
        } else {
            $order->pay($found);
        }
        $this->books->end($attempt->reference, Attempt::PAID, $found->transactionId);
    }

    private function tell(Notification $told): void
    {
        $about = $told->transaction;
        $attempt = $this->books->attempt($about->orderId);
        if ($attempt === null) {
            $this->shop->log("A notification is about $about->orderId, which this shop has not begun.");
        } elseif ($about->isRefund() || $about->isDispute() || $about->isExcess()) {
            $this->books->locked($attempt->orderId, fn () => $this->tellAboutElse($told, $attempt));
        } else {
            $this->ask($attempt->reference);
            $isOfMandate = preg_match('/\A(debit|mandate)_/', $told->event) === 1;
            array_map($this->ask(...), $isOfMandate ? $this->books->openDebits($about->transactionId) : []);
        }
    }

    private function tellAboutElse(Notification $told, Attempt $attempt): void
    {
        $order = $this->shop->order($attempt->orderId);
        $about = $told->transaction;
        if ($order === null || $this->books->hasHeard($told->webhookId)) {
            return; // nobody to tell, or another request was faster with the same message
        }
        $isDone = $told->event === 'refund_done';
        $was = $about->isRefund()
            ? $this->books->endRefund($about->refundRequestId, $isDone ? Refunds::DONE : Refunds::FAILED)
            : '';
        // Of a request whose answer never came, the shop has written nothing either.
        if ($isDone && in_array($was, ['', Refunds::ASKED], true)) {
            $order->giveBack($about);
        } else {
            $named = trim("$about->refundId $about->disputeId");
            $order->note(rtrim("Hundi: $told->event, $about->amount, $named", ', ') . '.');
        }
        // Beside what was done, so that the same message does it once.
        $this->books->hear($told->webhookId);
    }

    private function logged(string $about, \Throwable $error): void
    {
        $this->shop->log("$about: {$this->settings->told($error)}");
    }
}
