<?php

declare(strict_types=1);

namespace Hundi\Shop;

use Hundi\Callbacks;
use Hundi\Client;
use Hundi\Credentials;
use Hundi\Gateway;
use Hundi\HundiException;
use Hundi\Kind;

/** What a shop's owner types in, and what is made of it. */
final class Settings
{
    /** Each field: its label, what to put in, and whether it is a secret. A shop's form is made of them. */
    public const FIELDS = [
        'gateway_url' => ['Address of the gateway', 'https://api.example.in; for tests, that of your own gateway.', false],
        'page_url' => ['Address of the payment page', 'Empty where it is the same.', false],
        'merchant_id' => ['Merchant ID', 'Digits; under Keys in the console.', false],
        'username' => ['Username', 'Under Keys in the console.', false],
        'password' => ['Password', 'Of the same page; it is shown once.', true],
        'api_secret' => ['API secret', 'It proves that your shop is calling.', true],
        'client_id' => ['OAuth client', 'It obtains access tokens.', false],
        'client_secret' => ['OAuth client secret', 'It is shown once.', true],
        'webhook_key' => ['Webhook key', 'Begins with whsec_. During a rotation both, with a space between them.', true],
        'prefix' => ['Prefix of order numbers', 'Letters, digits and hyphens; another one for each shop of the same merchant.', false],
    ];
    private const OPTIONAL = ['page_url' => true];
    private const PREFIX = '/\A[A-Za-z0-9][A-Za-z0-9-]{0,15}\z/';
    private const SECRET_BYTES_MIN = 4;

    /** @var array<string, string> */
    private readonly array $values;

    /** @param array<string, mixed> $typed by the names of FIELDS */
    public function __construct(#[\SensitiveParameter] array $typed)
    {
        $values = [];
        foreach (array_keys(self::FIELDS) as $name) {
            $values[$name] = trim((string) ($typed[$name] ?? ''));
        }
        $this->values = $values;
    }

    /** @return array<string, string> */
    public function __debugInfo(): array
    {
        return ['merchant_id' => $this->values['merchant_id']];
    }

    public function prefix(): string
    {
        return $this->values['prefix'];
    }

    /** Return the label of a field that is missing or cannot be what it should be, or "". */
    public function wrongField(): string
    {
        foreach (self::FIELDS as $name => [$label]) {
            if ($this->values[$name] === '' && !isset(self::OPTIONAL[$name])) {
                return $label;
            }
        }
        return preg_match(self::PREFIX, $this->prefix()) === 1 ? '' : self::FIELDS['prefix'][0];
    }

    /** @throws HundiException when a credential is missing or has another form */
    public function credentials(): Credentials
    {
        $value = $this->values;
        return new Credentials(
            $value['merchant_id'],
            $value['username'],
            $value['password'],
            $value['api_secret'],
            $value['client_id'],
            $value['client_secret'],
            preg_split('/\s+/', $value['webhook_key'], -1, PREG_SPLIT_NO_EMPTY) ?: [],
        );
    }

    public function client(): Client
    {
        return new Client($this->credentials(), new Gateway($this->values['gateway_url'], $this->values['page_url']));
    }

    public function callbacks(): Callbacks
    {
        return new Callbacks($this->credentials());
    }

    /** Return scheme, host and port of the payment page, "" before there is one. */
    public function paymentOrigin(): string
    {
        $parts = parse_url($this->values['page_url'] ?: $this->values['gateway_url']) ?: [];
        $port = isset($parts['port']) ? ":{$parts['port']}" : '';
        return isset($parts['scheme'], $parts['host']) ? "{$parts['scheme']}://{$parts['host']}$port" : '';
    }

    /** Return what an address must carry that starts the job which asks about open payments. */
    public function jobToken(): string
    {
        return substr(hash_hmac('sha256', 'ask open payments', $this->values['api_secret']), 0, 32);
    }

    /** Return an error's text without any of the secrets and without what a customer typed, for a log or a screen. */
    public function told(\Throwable $error): string
    {
        $text = $error->getMessage();
        $isTyped = $error instanceof HundiException && $error->kind === Kind::InvalidRequest && $error->received !== '';
        return $this->masked($isTyped ? str_replace($error->received, '[value]', $text) : $text);
    }

    private function masked(string $text): string
    {
        foreach (self::FIELDS as $name => [, , $isSecret]) {
            $parts = $isSecret ? preg_split('/\s+/', $this->values[$name], -1, PREG_SPLIT_NO_EMPTY) : [];
            foreach ($parts ?: [] as $part) {
                $text = strlen($part) < self::SECRET_BYTES_MIN ? $text : str_replace($part, '[secret]', $text);
            }
        }
        return $text;
    }
}
