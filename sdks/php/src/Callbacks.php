<?php

declare(strict_types=1);

namespace Hundi;

/** Checks what the gateway tells one merchant: the browser's return and the notification. */
final class Callbacks
{
    private const BODY_BYTES_MAX = 256 * 1024;
    private const FORM_FIELDS_MAX = 100;

    /** @param ?\Closure(): float $clock returns seconds since 1970 */
    public function __construct(
        private readonly Credentials $credentials,
        private readonly int $toleranceS = 300,
        private readonly int $returnToleranceS = 900,
        private readonly ?\Closure $clock = null,
    ) {
    }

    /**
     * Return the order id that a return names, unchecked: use it only to find your own order.
     *
     * @param array<string, string> $form such as $_POST
     */
    public function claimedOrderId(array $form): string
    {
        return self::recordIn($this->opened(self::responseIn($form)))->text('orderid');
    }

    /**
     * Return what the browser brought back, once everything about it is checked. Order, amount and
     * currency are those of your own books.
     *
     * @param array<string, string> $form such as $_POST
     */
    public function readReturn(array $form, Expected $expected): CheckedReturn
    {
        $response = self::responseIn($form);
        $id = self::textIn($form, 'webhook_id');
        $signed = [self::textIn($form, 'webhook_timestamp'), self::textIn($form, 'webhook_signature')];
        $signature = new Signature($id, $signed[0], $signed[1], $response);
        $this->check($signature, $this->returnToleranceS);
        $found = $this->transaction(self::recordIn($this->opened($response)));
        $found->demand($this->credentials->merchantId, $expected);
        return new CheckedReturn($id, $found);
    }

    /**
     * Return a notification of any of the three forms. headers: names in any case, such as those of
     * getallheaders(). body: exactly what came. Answer 2xx when this returns, 4xx when it throws.
     *
     * @param array<string, string> $headers
     */
    public function readNotification(array $headers, string $body): Notification
    {
        if (strlen($body) > self::BODY_BYTES_MAX) {
            throw self::unreadable('the body is longer than ' . self::BODY_BYTES_MAX . ' bytes');
        }
        if (preg_match('//u', $body) !== 1) {
            throw self::unreadable('the body is not UTF-8');
        }
        $named = array_change_key_case($headers);
        $id = $named['webhook-id'] ?? '';
        $signature = new Signature($id, $named['webhook-timestamp'] ?? '', $named['webhook-signature'] ?? '', $body);
        $sentAt = new \DateTimeImmutable('@' . $this->check($signature, $this->toleranceS));
        if (!str_starts_with(ltrim($body), '{')) {
            return new Notification($id, $sentAt, '', $this->transaction(self::formRecord($body)));
        }
        $envelope = $this->envelopeIn($body);
        $transaction = $this->transaction(self::recordIn($envelope));
        return new Notification($id, $sentAt, $envelope->text('event'), $transaction);
    }

    private function check(Signature $signature, int $toleranceS): int
    {
        $at = $signature->signedAt($this->credentials->webhookKeys);
        Signature::checkAge($at, $this->clock === null ? microtime(true) : ($this->clock)(), $toleranceS);
        return $at;
    }

    private function envelopeIn(string $body): JsonObject
    {
        try {
            $envelope = Json::parse($body);
        } catch (Unreadable) {
            throw self::unreadable('the notification is no JSON object');
        }
        $response = $envelope->get('response');
        return is_string($response) ? $this->opened($response) : $envelope;
    }

    private function opened(string $response): JsonObject
    {
        try {
            return Envelope::openJson($this->credentials->encryptionKey, $response);
        } catch (Unreadable) {
            throw self::unreadable("response cannot be decrypted with this merchant's encryption key");
        }
    }

    private function transaction(JsonObject $record): Transaction
    {
        try {
            $found = Transaction::ofRecord($record, $this->credentials->username);
        } catch (HundiException $error) {
            throw $error->kind === Kind::UnreadableReply ? self::unreadable($error->getMessage()) : $error;
        }
        $own = $this->credentials->merchantId;
        if ($found->merchantId !== $own) {
            throw HundiException::mismatch('merchant_id', $own, $found->merchantId);
        }
        return $found;
    }

    /** @param array<string, string> $form */
    private static function responseIn(array $form): string
    {
        // A "+" that a form parser turned into a space would spoil the signature.
        $response = str_replace(' ', '+', self::textIn($form, 'response'));
        if ($response === '' || strlen($response) > self::BODY_BYTES_MAX) {
            throw self::unreadable('the form holds no field response, or one that is too long');
        }
        return $response;
    }

    /**
     * Return a field's text, "" where a browser sent an array (`response[]=`).
     *
     * @param array<string, mixed> $form
     */
    private static function textIn(array $form, string $name): string
    {
        return is_string($form[$name] ?? null) ? $form[$name] : '';
    }

    private static function recordIn(JsonObject $envelope): JsonObject
    {
        $record = $envelope->get('data');
        $isRecord = $record instanceof JsonObject;
        return $isRecord ? $record : throw self::unreadable('the envelope holds no transaction record');
    }

    private static function formRecord(string $body): JsonObject
    {
        $record = new JsonObject();
        $parts = $body === '' ? [] : explode('&', $body);
        foreach ($parts as $part) {
            if (count($parts) > self::FORM_FIELDS_MAX || !str_contains($part, '=')) {
                throw self::unreadable('the notification is neither JSON nor a form');
            }
            [$name, $value] = array_map(urldecode(...), explode('=', $part, 2));
            $record->set(Operations::FORM_NAMES[$name] ?? $name, $value);
        }
        return $record;
    }

    private static function unreadable(string $message): HundiException
    {
        return HundiException::untrusted(Kind::UnreadableCallback, $message);
    }
}
