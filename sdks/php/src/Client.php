<?php

declare(strict_types=1);

namespace Hundi;

/** A merchant's connection to the gateway. */
final class Client extends Operations
{
    private readonly Calls $calls;

    public function __construct(private readonly Credentials $credentials, Gateway $gateway)
    {
        $this->calls = new Calls($credentials, $gateway);
    }

    /**
     * Return the form that takes the customer to the payment page. Render it at once: its token is
     * valid for some minutes. The same order again reopens the same payment.
     */
    public function paymentForm(PaymentRequest $order): PaymentForm
    {
        $writer = new Writer($this->calls->gateway->shopOrigin);
        $order->write($writer);
        $page = $this->calls->gateway->paymentPageUrl . self::PAYMENT_PAGE;
        $action = Calls::withToken($page, $this->calls->token('page'));
        return new PaymentForm($action, $this->calls->envelope($writer->fields));
    }

    /** Return an access token of a scope, `page` or `operations`, for requests made without this client. */
    public function accessToken(string $scope = 'operations'): string
    {
        return $this->calls->token($scope);
    }

    /**
     * Return the state of a payment. Order id, amount and currency are those of your own books, and
     * are always compared with the answer. by: looks it up by another name.
     */
    public function verify(Expected $expected, ?VerifyRequest $by = null): Transaction
    {
        $asked = $by ?? new VerifyRequest(orderId: $expected->orderId);
        $found = $this->transaction(self::spec('verify'), $asked);
        $found->demand($this->credentials->merchantId, $expected);
        return $found;
    }

    /**
     * Give money back. requestId is an id of your own books: the same id with the same items never
     * refunds twice, so you may repeat this after Kind::Unreachable. An accepted refund is begun.
     *
     * @param list<RefundItem> $items
     * @return list<RefundResult>
     */
    public function refund(array $items, string $requestId): array
    {
        if ($requestId === '') {
            $allowed = 'an id of your own books: it makes a retry safe';
            throw HundiException::invalid('refund_request_id', '', $allowed);
        }
        $asked = new RefundRequest($items, requestId: $requestId);
        $results = $this->perform(self::spec('refund'), $asked, RefundResults::read(...))->results;
        $named = array_map(static fn (RefundItem $item) => ltrim($item->transactionId, '0'), $items);
        $answered = array_map(static fn (RefundResult $result) => $result->transactionId, $results);
        if ($named !== $answered) {
            throw HundiException::noAnswer(Kind::UnreadableReply, 'the reply to refund does not answer each item');
        }
        return $results;
    }

    /** Return why an item of a refund was refused, or null when its refund is begun. */
    public static function refundError(RefundResult $result): ?HundiException
    {
        return $result->accepted ? null : HundiException::refusal($result->code, $result->message, '');
    }

    protected function perform(Spec $operation, object $asked, callable $read): mixed
    {
        $writer = new Writer($this->calls->gateway->shopOrigin);
        $asked->write($writer);
        $data = $this->calls->perform($operation, $writer->fields);
        return $read($operation->bare === '' ? Reader::of($data) : Reader::ofList($operation->bare, $data));
    }

    protected function performForTransaction(Spec $operation, object $asked): Transaction
    {
        $found = $this->transaction($operation, $asked);
        $own = $this->credentials->merchantId;
        if ($found->merchantId !== $own) {
            throw HundiException::mismatch('merchant_id', $own, $found->merchantId);
        }
        return $found;
    }

    private function transaction(Spec $operation, object $asked): Transaction
    {
        $writer = new Writer();
        $asked->write($writer);
        $data = $this->calls->perform($operation, $writer->fields);
        if (!$data instanceof JsonObject) {
            throw HundiException::noAnswer(Kind::UnreadableReply, 'the reply holds no transaction record');
        }
        return Transaction::ofRecord($data, $this->credentials->username);
    }
}
