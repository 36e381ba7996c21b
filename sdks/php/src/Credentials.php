<?php

declare(strict_types=1);

namespace Hundi;

/**
 * A merchant's credentials. apiSecret proves who is calling; the OAuth client obtains access tokens
 * and nothing else; webhookKeys sign what the gateway tells, newest first.
 */
final class Credentials
{
    /** Eight groups of four letters are 24 bytes: with an empty key, everybody could sign. */
    private const WEBHOOK_KEY = '~\Awhsec_(?:[A-Za-z0-9+/]{4}){8,}(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?\z~';

    public readonly string $encryptionKey;
    public readonly string $privatekey;

    /** @param list<string> $webhookKeys */
    public function __construct(
        public readonly string $merchantId,
        public readonly string $username,
        string $password,
        public readonly string $apiSecret,
        public readonly string $oauthClientId,
        public readonly string $oauthClientSecret,
        public readonly array $webhookKeys,
    ) {
        $named = compact('merchantId', 'username', 'password', 'apiSecret', 'oauthClientId', 'oauthClientSecret', 'webhookKeys');
        foreach ($named as $name => $value) {
            if ($value === '' || $value === []) {
                throw HundiException::configuration("the credential $name is empty");
            }
        }
        foreach ($webhookKeys as $key) {
            if (preg_match(self::WEBHOOK_KEY, $key) !== 1) {
                throw HundiException::configuration('one of webhookKeys is not whsec_ and the base64 of 24 bytes or more');
            }
        }
        if (preg_match('/\A[0-9]+\z/', $merchantId) !== 1) {
            throw HundiException::configuration('merchantId consists of digits');
        }
        $this->encryptionKey = Envelope::key($username, $password);
        $this->privatekey = Envelope::privatekey($apiSecret, $username, $password);
    }

    /** @return array<string, string> */
    public function __debugInfo(): array
    {
        return ['merchantId' => $this->merchantId];
    }
}
