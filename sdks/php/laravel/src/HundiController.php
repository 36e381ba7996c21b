<?php

declare(strict_types=1);

namespace Hundi\Laravel;

use Hundi\Callbacks;
use Hundi\Expected;
use Hundi\HundiException;
use Hundi\Kind;
use Hundi\PaymentRequest;
use Hundi\Transaction;
use Illuminate\Http\RedirectResponse;
use Illuminate\Http\Request;
use Illuminate\Http\Response;

/** The two addresses that the gateway knows. */
final class HundiController
{
    /** How the payment status of news about a subscription begins; its amount is the debit's. */
    private const MANDATE_NEWS = 'MANDATE ';

    public function __construct(
        private readonly Callbacks $callbacks,
        private readonly EventStore $store,
        private readonly ShopBooks $books,
    ) {
    }

    /** Hand an event over, once. */
    public function notification(Request $request): Response
    {
        $headers = array_map(static fn (array $values): string => (string) ($values[0] ?? ''), $request->headers->all());
        try {
            $news = $this->callbacks->readNotification($headers, $request->getContent());
            $order = $this->books->order($news->transaction->orderId);
            if ($order === null) {
                return self::text('the shop has no such order', 404);
            }
            if (self::hasAmountOfOrder($news->transaction)) {
                $news->transaction->demand($news->transaction->merchantId, self::expected($order));
            }
        } catch (HundiException $error) {
            return match (true) {
                $error->kind === Kind::Mismatch => self::text($error->getMessage(), 409),
                $error->kind->isUntrusted() => self::text($error->getMessage(), 400),
                default => throw $error,
            };
        }
        $isNew = $this->store->handOver($news, fn () => $this->books->handle($news));
        return self::text($isNew ? 'handled' : 'handled before');
    }

    /** Send a customer who comes back to the shop's page. */
    public function returned(Request $request): RedirectResponse|Response
    {
        $form = array_filter($request->request->all(), is_string(...));
        try {
            $orderId = $this->callbacks->claimedOrderId($form);
        } catch (HundiException $error) {
            return self::text($error->getMessage(), 400);
        }
        $order = $this->books->order($orderId);
        if ($order === null) {
            return self::text('no such order', 404);
        }
        return new RedirectResponse($this->books->afterReturn($orderId, $this->believed($form, $order)), 303);
    }

    /** @param array<string, string> $form */
    private function believed(array $form, PaymentRequest $order): ?Transaction
    {
        try {
            return $this->callbacks->readReturn($form, self::expected($order))->transaction;
        } catch (HundiException) {
            return null;
        }
    }

    /** In news of a refund, a dispute, an excess or a subscription the amount is of that. */
    private static function hasAmountOfOrder(Transaction $told): bool
    {
        $isOther = $told->isRefund() || $told->isDispute() || $told->isExcess();
        return !$isOther && !str_starts_with($told->paymentStatus, self::MANDATE_NEWS);
    }

    private static function expected(PaymentRequest $order): Expected
    {
        $currency = $order->currency === '' ? 'INR' : strtoupper($order->currency);
        return new Expected($order->orderId, $order->amountPaise, $currency);
    }

    private static function text(string $words, int $status = 200): Response
    {
        return new Response($words, $status, ['Content-Type' => 'text/plain; charset=utf-8']);
    }
}
