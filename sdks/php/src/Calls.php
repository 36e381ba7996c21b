<?php

declare(strict_types=1);

namespace Hundi;

/** Sends requests and reads replies: token, envelope, tries that never move money twice. */
final class Calls
{
    private const REPLY_BYTES_MAX = 2 * 1024 * 1024;
    private const TOKEN_SPARE_S = 60;
    /** @var array<string, array{string, float}> */
    private array $tokens = [];

    public function __construct(public readonly Credentials $credentials, public readonly Gateway $gateway)
    {
    }

    /** Return the data of an operation's reply, compared with the request. */
    public function perform(Spec $operation, JsonObject $payload): mixed
    {
        $data = $this->ask($operation, $payload)->get('data');
        foreach (self::subjects($operation, $data) as $record) {
            foreach ($operation->echoes as [$name, $isNumber, $isSecret]) {
                self::compare($name, $isNumber, $isSecret, $payload->text($name), $record->text($name));
            }
        }
        return $data;
    }

    /** @return list<JsonObject> */
    private static function subjects(Spec $operation, mixed $data): array
    {
        if ($operation->list !== '' && $data instanceof JsonObject) {
            $data = $data->get($operation->list);
        }
        $isObject = static fn (mixed $each) => $each instanceof JsonObject;
        return array_values(array_filter(is_array($data) ? $data : [$data], $isObject));
    }

    private static function compare(string $name, bool $isNumber, bool $isSecret, string $expected, string $received): void
    {
        $isSame = $isNumber ? ltrim($expected, '0') === ltrim($received, '0') : $expected === $received;
        if ($expected === '' || $isSame) {
            return;
        }
        throw $isSecret
            ? HundiException::mismatch($name, 'the one asked for', 'another')
            : HundiException::mismatch($name, $expected, $received);
    }

    /** Return a usable token of a scope, `page` or `operations`. rejected: one that was refused. */
    public function token(string $scope, string $rejected = ''): string
    {
        [$held, $renewAt] = $this->tokens[$scope] ?? ['', 0.0];
        if ($held !== '' && $held !== $rejected && self::ticks() < $renewAt) {
            return $held;
        }
        $writer = new Writer();
        $own = $this->credentials;
        (new TokenRequest($own->oauthClientId, $own->oauthClientSecret, $own->merchantId, scope: $scope))->write($writer);
        $form = $this->envelope($writer->fields);
        unset($form['privatekey']);
        $askedAt = self::ticks();
        $operation = Operations::spec('access_token');
        $issued = AccessToken::read(Reader::of($this->exchange($operation, $operation->address, $form)->get('data')));
        // Half of a very short life: a longer spare would make every token old at once.
        $lifeS = $issued->lifeS - min(self::TOKEN_SPARE_S, $issued->lifeS / 2);
        $this->tokens[$scope] = [$issued->token, $askedAt + $lifeS];
        return $issued->token;
    }

    private static function ticks(): float
    {
        return hrtime(true) / 1e9;
    }

    /** @return array<string, string> the outer fields of a request */
    public function envelope(JsonObject $fields): array
    {
        $today = new \DateTimeImmutable('now', new \DateTimeZone('+05:30'));
        return self::sealed($this->credentials, $fields, $today->format('Y-m-d'));
    }

    /** @return array<string, string> the outer fields of a request whose business fields are sealed */
    public static function sealed(Credentials $credentials, JsonObject $fields, string $day, ?string $iv = null): array
    {
        // Whoever holds a message can change its first 16 bytes: they hold the name of a field that
        // nobody reads. Its value keeps them from computing the checksum.
        $pairs = array_map(static fn (string $name) => [$name, $fields->get($name)], $fields->names);
        $whole = new JsonObject();
        $whole->set('request_seal', hash_hmac('sha256', Json::compact($pairs), $credentials->apiSecret));
        foreach ($fields->names as $name) {
            $whole->set($name, $fields->get($name));
        }
        return [
            'merchant_id' => $credentials->merchantId,
            'privatekey' => $credentials->privatekey,
            'encdata' => Envelope::seal($credentials->encryptionKey, Json::compact($whole), $iv),
            'checksum' => Envelope::checksum($whole, $day),
        ];
    }

    private function ask(Spec $operation, JsonObject $payload): JsonObject
    {
        $form = $this->envelope($payload);
        if (!$operation->withToken) {
            return $this->exchange($operation, $operation->address, $form);
        }
        $held = $this->token('operations');
        try {
            return $this->exchange($operation, self::withToken($operation->address, $held), $form);
        } catch (HundiException $error) {
            if ($error->kind !== Kind::TokenRefused) {
                throw $error;
            }
            // Once: the gateway may have forgotten tokens. A refused fresh one is a real refusal.
            $fresh = $this->token('operations', $held);
            return $this->exchange($operation, self::withToken($operation->address, $fresh), $form);
        }
    }

    /** @param array<string, string> $form */
    private function exchange(Spec $operation, string $address, array $form): JsonObject
    {
        for ($try = 0; ; $try++) {
            try {
                $body = $this->send($operation, $address, $form);
                return self::readReply($this->credentials, $body, $this->gateway->allowPlainReplies);
            } catch (HundiException $error) {
                if (!$error->kind->hasNoAnswer()) {
                    throw $error;
                }
                if (!$operation->repeats) {
                    throw HundiException::outcomeUnknown($operation->name, $error);
                }
                $pauseS = $this->gateway->pausesS[$try] ?? throw $error;
                usleep((int) ($pauseS * 1e6));
            }
        }
    }

    /** @param array<string, string> $form */
    private function send(Spec $operation, string $address, array $form): string
    {
        $found = '';
        $isTooLong = false;
        $take = static function (\CurlHandle $curl, string $chunk) use (&$found, &$isTooLong): int {
            $isTooLong = strlen($found) + strlen($chunk) > self::REPLY_BYTES_MAX;
            $found .= $isTooLong ? '' : $chunk;
            return $isTooLong ? 0 : strlen($chunk);
        };
        $type = $operation->asJson ? 'application/json' : 'application/x-www-form-urlencoded';
        $curl = curl_init($this->gateway->baseUrl . $address);
        curl_setopt_array($curl, [
            CURLOPT_POST => true,
            CURLOPT_POSTFIELDS => $operation->asJson ? json_encode($form, JSON_THROW_ON_ERROR) : http_build_query($form),
            CURLOPT_HTTPHEADER => ["Content-Type: $type", 'User-Agent: hundi-php/0.1.0', 'Expect:'],
            CURLOPT_TIMEOUT_MS => (int) ($this->gateway->timeoutS * 1000),
            CURLOPT_WRITEFUNCTION => $take,
            // A redirect would carry the token to another host.
            CURLOPT_FOLLOWLOCATION => false,
            // A reused connection that breaks off would make curl send the request again.
            CURLOPT_FORBID_REUSE => true,
            CURLOPT_PROTOCOLS => CURLPROTO_HTTP | CURLPROTO_HTTPS,
        ]);
        $isAnswered = curl_exec($curl) !== false;
        $reason = curl_error($curl);
        if ($isTooLong) {
            throw HundiException::noAnswer(Kind::UnreadableReply, 'the reply is longer than ' . self::REPLY_BYTES_MAX . ' bytes');
        }
        if (!$isAnswered) {
            throw HundiException::noAnswer(Kind::Unreachable, "no answer from {$this->gateway->baseUrl}: $reason");
        }
        return $found;
    }

    /** Return the opened envelope of a reply; throw the error of a refusal. */
    public static function readReply(Credentials $credentials, string $body, bool $allowPlain): JsonObject
    {
        try {
            $envelope = Json::parse($body, Json::REPLY_VALUES_MAX);
        } catch (Unreadable) {
            throw HundiException::noAnswer(Kind::UnreadableReply, "an answer that is not the gateway's");
        }
        $response = $envelope->get('response');
        if (is_string($response)) {
            $envelope = self::opened($credentials, $response, $envelope);
        }
        if ($envelope->get('status_code') !== '200') {
            throw self::refusal($envelope);
        }
        if (!is_string($response) && !$allowPlain) {
            $message = 'the reply is not encrypted; set reply_format to both, or allowPlainReplies';
            throw HundiException::configuration($message);
        }
        return $envelope;
    }

    private static function opened(Credentials $credentials, string $response, JsonObject $plain): JsonObject
    {
        try {
            return Envelope::openJson($credentials->encryptionKey, $response, Json::REPLY_VALUES_MAX);
        } catch (Unreadable) {
            // The plain part beside it proves nothing, but it is the hint a developer needs.
            throw HundiException::wrongKey($plain->get('status_code') === '400' ? self::refusal($plain) : null);
        }
    }

    private static function refusal(JsonObject $envelope): HundiException
    {
        $code = $envelope->text('error_code') ?: $envelope->text('response_code');
        return HundiException::refusal($code, $envelope->text('message'), $envelope->text('request_id'));
    }

    public static function withToken(string $address, string $token): string
    {
        return $address . '?' . http_build_query(['token' => $token]);
    }
}
