<?php

declare(strict_types=1);

namespace Hundi;

/** A message with its signature (Standard Webhooks). */
final class Signature
{
    public function __construct(
        private readonly string $id,
        private readonly string $timestamp,
        private readonly string $signatures,
        private readonly string $content,
    ) {
    }

    /**
     * Return when the message was signed with one of the keys, in seconds since 1970.
     *
     * @param list<string> $keys
     */
    public function signedAt(array $keys): int
    {
        $isTime = preg_match('/\A[0-9]{1,11}\z/', $this->timestamp) === 1;
        if ($this->id === '' || $this->signatures === '' || !$isTime) {
            throw HundiException::untrusted(Kind::Signature, 'the webhook signature is missing');
        }
        $seconds = (int) $this->timestamp;
        foreach ($keys as $key) {
            $secret = (string) base64_decode(preg_replace('/^whsec_/', '', $key) ?? '');
            $mac = hash_hmac('sha256', "{$this->id}.$seconds.{$this->content}", $secret, true);
            foreach (explode(' ', $this->signatures) as $received) {
                if (hash_equals('v1,' . base64_encode($mac), $received)) {
                    return $seconds;
                }
            }
        }
        $message = 'the webhook signature was made with none of the keys';
        throw HundiException::untrusted(Kind::Signature, $message);
    }

    /** Throw for a message that was signed too long ago, or too far ahead of our clock. */
    public static function checkAge(int $signedAtS, float $nowS, int $toleranceS): void
    {
        $ageS = $nowS - $signedAtS;
        if (abs($ageS) > $toleranceS) {
            $message = sprintf('signed %.0f seconds ago; %d either way are accepted', $ageS, $toleranceS);
            throw HundiException::untrusted(Kind::Stale, $message);
        }
    }
}
