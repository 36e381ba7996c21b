<?php

declare(strict_types=1);

namespace Hundi;

/** What a shop asks of a transaction. */
trait TransactionStates
{
    /** It is about a refund: the amount is the refund's, not the order's. */
    public function isRefund(): bool
    {
        return $this->transactionType === 340;
    }

    /** It is about a dispute: the amount is what the customer's bank demands. */
    public function isDispute(): bool
    {
        return $this->transactionType === 350;
    }

    /** It is about money that the order cannot keep, and that goes back. */
    public function isExcess(): bool
    {
        return $this->detailedStatus === 'EXCESS';
    }

    /** The money is captured: goods may be released. */
    public function isPaid(): bool
    {
        $isCaptured = in_array($this->paymentStatus, ['SUCCESS', 'CAPTURE', 'Mandate Approved'], true);
        return $this->statusCode === 200 && $isCaptured && !$this->isRefund();
    }

    /** The money is reserved and waits for capture or void. */
    public function isAuthorised(): bool
    {
        return $this->statusCode === 200 && $this->paymentStatus === 'AUTHORIZE';
    }

    public function isVoided(): bool
    {
        return $this->paymentStatus === 'VOIDED';
    }

    /** It may become paid without the customer: tell them to wait, then ask again. */
    public function isPending(): bool
    {
        return in_array($this->statusCode, [211, 403], true) && !$this->isAboutElse();
    }

    /** It ended unpaid. A late success is rare, and a notification reports it. */
    public function isFailed(): bool
    {
        return !($this->statusCode === 200 || $this->isPending() || $this->isAboutElse());
    }

    /** It is paid or failed: asking again soon brings nothing new. */
    public function isFinal(): bool
    {
        return $this->isPaid() || $this->isFailed();
    }

    private function isAboutElse(): bool
    {
        return $this->isRefund() || $this->isExcess() || $this->isDispute();
    }

    /** Throw unless the record has this merchant, order, amount and currency. */
    public function demand(string $merchantId, Expected $expected): void
    {
        $pairs = [
            ['merchant_id', $merchantId, $this->merchantId],
            ['orderid', $expected->orderId, $this->orderId],
            ['amount', Money::text($expected->amountPaise), Money::text($this->amountPaise)],
            ['currency_code', Operations::CURRENCIES[$expected->currency] ?? $expected->currency, $this->currencyCode],
        ];
        foreach ($pairs as [$field, $wanted, $received]) {
            if ($wanted !== $received) {
                throw HundiException::mismatch($field, $wanted, $received);
            }
        }
    }

    /** Return a record as a transaction, once its `ap_SecureHash` is found to cover it. */
    public static function ofRecord(JsonObject $record, string $username): self
    {
        $covered = ['orderid', 'ap_transactionid', 'amount', 'transaction_status', 'message', 'merchant_id'];
        $values = [...array_map($record->text(...), $covered), $username];
        $payer = $record->text('chmod') === 'upi' ? $record->text('customer_vpa') : '';
        $received = $record->text('ap_SecureHash') ?: $record->text('ap_securehash');
        if (!hash_equals(Envelope::secureHash($values, $payer), trim($received))) {
            throw HundiException::untrusted(Kind::SecureHash, 'ap_SecureHash does not cover the values beside it');
        }
        return self::read(Reader::of($record));
    }
}
