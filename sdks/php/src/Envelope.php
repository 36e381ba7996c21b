<?php

declare(strict_types=1);

namespace Hundi;

/**
 * The cipher and the checksums. The cipher has no authentication tag, and a checksum has no key: none
 * of them proves anything by itself.
 */
final class Envelope
{
    private const BLOCK = 16;
    private const BASE64 = '~\A(?:[A-Za-z0-9+/]{4})*+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?\z~';

    /** Return the key: the 32 hex characters of md5(username~:~password). */
    public static function key(string $username, string $password): string
    {
        return md5("$username~:~$password");
    }

    /** Return IV and base64 of the ciphertext. iv: 16 printable ASCII characters, by default random. */
    public static function seal(string $key, string $plaintext, ?string $iv = null): string
    {
        $iv ??= bin2hex(random_bytes(self::BLOCK >> 1));
        if (preg_match('/\A[ -~]{16}\z/', $iv) !== 1) {
            throw new \InvalidArgumentException('an IV is 16 printable ASCII characters');
        }
        $sealed = openssl_encrypt($plaintext, 'aes-256-cbc', $key, OPENSSL_RAW_DATA, $iv);
        return $iv . base64_encode((string) $sealed);
    }

    /** Return the plaintext of a sealed message; a + that arrived as a space is repaired. */
    public static function open(string $key, string $encdata): string
    {
        [$iv, $ciphertext] = self::split($encdata)
            ?? self::split(strtr($encdata, [' ' => '+', "\r" => '', "\n" => '']))
            ?? throw new Unreadable();
        $found = openssl_decrypt($ciphertext, 'aes-256-cbc', $key, OPENSSL_RAW_DATA, $iv);
        return $found === false ? throw new Unreadable() : $found;
    }

    public static function openJson(string $key, string $encdata, int $valuesMax = Json::VALUES_MAX): JsonObject
    {
        return Json::parse(self::open($key, $encdata), $valuesMax);
    }

    /** @return ?array{string, string} */
    private static function split(string $encdata): ?array
    {
        [$iv, $encoded] = [substr($encdata, 0, self::BLOCK), substr($encdata, self::BLOCK)];
        if (preg_match('/\A[ -~]{16}\z/', $iv) !== 1 || preg_match(self::BASE64, $encoded) !== 1) {
            return null;
        }
        $ciphertext = (string) base64_decode($encoded, true);
        $isWhole = $ciphertext !== '' && strlen($ciphertext) % self::BLOCK === 0;
        return $isWhole ? [$iv, $ciphertext] : null;
    }

    /** Return the checksum that requests carry. day: YYYY-MM-DD, in India. */
    public static function checksum(JsonObject $fields, string $day): string
    {
        return hash('sha256', implode('', self::valuesByName($fields)) . $day);
    }

    /**
     * Return the CRC32 of older clients: by name and by value, as decimal and as hex.
     *
     * @return array<string, string>
     */
    public static function crc32Forms(JsonObject $fields): array
    {
        $values = self::valuesByName($fields);
        $byName = crc32(implode('', $values));
        sort($values, SORT_STRING);
        $byValue = crc32(implode('', $values));
        return [
            'crc32-by-key-decimal' => (string) $byName,
            'crc32-by-key-hex' => sprintf('%08x', $byName),
            'crc32-by-value-decimal' => (string) $byValue,
            'crc32-by-value-hex' => sprintf('%08x', $byValue),
        ];
    }

    /** Return the proof of the API secret. */
    public static function privatekey(string $secret, string $username, string $password): string
    {
        return hash('sha256', "$secret@$username:|:$password");
    }

    /**
     * Return the CRC32 of the values joined with colons.
     *
     * @param list<string> $values
     */
    public static function secureHash(array $values, string $payerVpa = ''): string
    {
        return (string) crc32(implode(':', $values) . ($payerVpa === '' ? '' : ":$payerVpa"));
    }

    /** @return list<string> */
    private static function valuesByName(JsonObject $fields): array
    {
        $names = $fields->names;
        sort($names, SORT_STRING);
        return array_map($fields->text(...), $names);
    }
}
