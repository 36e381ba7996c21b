<?php

declare(strict_types=1);

namespace Hundi\Shop;

use Hundi\Client;
use Hundi\HundiException;
use Hundi\RefundItem;

/** Gives money back by the shop's books: a repeated click never refunds twice. */
final class Refunds
{
    /** Sent, and its answer never came: the same request is sent again. */
    public const ASKED = 'asked';
    public const ACCEPTED = 'accepted';
    public const REFUSED = 'refused';
    public const DONE = 'done';
    public const FAILED = 'failed';

    public function __construct(private readonly PaymentDesk $desk)
    {
    }

    /**
     * Give an amount of a paid order back, and return the gateway's number of the refund. It is
     * begun then; a notification tells its end. seen: how many refunds the form's page has counted,
     * so that a form which is sent twice refunds once; null where the shop itself sees to that.
     *
     * @throws HundiException when the gateway refuses it, or does not answer
     */
    public function refund(ShopOrder $order, int $amountPaise, ?int $seen = null): string
    {
        return $this->desk->books->locked($order->id(), fn (): string => $this->refundLocked($order, $amountPaise, $seen));
    }

    /** Return how many refunds of an order were asked for, for the form of the next one. */
    public function count(ShopOrder $order): int
    {
        $paid = $this->paidAttempt($order);
        return $paid === null ? 0 : count($this->desk->books->refunds($paid->reference));
    }

    private function refundLocked(ShopOrder $order, int $amountPaise, ?int $seen): string
    {
        $paid = $this->paidAttempt($order) ?? throw HundiException::configuration('no payment of this order came in by Hundi');
        $requestId = $this->requestId($paid, $amountPaise, $seen);
        $items = [new RefundItem($paid->transactionId, $amountPaise)];
        try {
            [$result] = $this->desk->settings->client()->refund($items, $requestId);
        } catch (HundiException $error) {
            if (!$error->kind->hasNoAnswer()) {
                $this->desk->books->endRefund($requestId, self::REFUSED);
            }
            throw $error;
        }
        $refusal = Client::refundError($result);
        $this->desk->books->endRefund($requestId, $refusal === null ? self::ACCEPTED : self::REFUSED);
        if ($refusal !== null) {
            throw $refusal;
        }
        return $result->refundId;
    }

    private function paidAttempt(ShopOrder $order): ?Attempt
    {
        foreach ($this->desk->books->attempts($order->id()) as $attempt) {
            if ($attempt->isHandedOver()) {
                return $attempt;
            }
        }
        return null;
    }

    /** Return the id of a request that had no answer, or a new one. */
    private function requestId(Attempt $paid, int $amountPaise, ?int $seen): string
    {
        $known = $this->desk->books->refunds($paid->reference);
        foreach ($known as $refund) {
            if ($refund['state'] === self::ASKED && (int) $refund['amount_paise'] === $amountPaise) {
                return (string) $refund['request_id'];
            }
        }
        if ($seen !== null && $seen !== count($known)) {
            throw HundiException::configuration('another refund was asked for since this page was loaded: load it again');
        }
        $requestId = "$paid->reference-R" . (count($known) + 1);
        $this->desk->books->beginRefund($requestId, $paid->reference, $amountPaise);
        return $requestId;
    }
}
