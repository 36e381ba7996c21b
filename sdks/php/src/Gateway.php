<?php

declare(strict_types=1);

namespace Hundi;

/** A gateway's addresses, and a caller's limits. */
final class Gateway
{
    public readonly string $baseUrl;
    public readonly string $paymentPageUrl;

    /**
     * baseUrl: the API host, `https://api.example.in`. paymentPageUrl: the host of the payment page,
     * by default the API host. shopOrigin: `https://shop.example`, for merchants that have registered
     * their domains. timeoutS: of one try. pausesS: seconds before each further try of a call that
     * cannot move money twice. allowPlainHttp: accept `http://` for another host than this machine.
     * allowPlainReplies: believe replies without an encrypted part.
     *
     * @param list<float> $pausesS
     */
    public function __construct(
        string $baseUrl,
        string $paymentPageUrl = '',
        public readonly string $shopOrigin = '',
        public readonly float $timeoutS = 10.0,
        public readonly array $pausesS = [0.2, 0.8],
        bool $allowPlainHttp = false,
        public readonly bool $allowPlainReplies = false,
    ) {
        $this->baseUrl = rtrim($baseUrl, '/');
        $this->paymentPageUrl = rtrim($paymentPageUrl === '' ? $baseUrl : $paymentPageUrl, '/');
        foreach ([$this->baseUrl, $this->paymentPageUrl] as $address) {
            self::check($address, $allowPlainHttp);
        }
    }

    private static function check(string $address, bool $allowPlainHttp): void
    {
        $parts = parse_url($address) ?: [];
        $scheme = $parts['scheme'] ?? '';
        $host = $parts['host'] ?? '';
        if (!in_array($scheme, ['http', 'https'], true) || $host === '' || isset($parts['query']) || isset($parts['fragment'])) {
            throw HundiException::configuration("not the address of a gateway: $address");
        }
        if ($scheme === 'http' && !$allowPlainHttp && !in_array($host, ['127.0.0.1', '[::1]', 'localhost'], true)) {
            throw HundiException::configuration("$address is not https");
        }
    }
}
