<?php

declare(strict_types=1);

namespace Hundi;

/** Strict JSON: no repeated key, bounded depth and values, numbers kept as they were written. */
final class Json
{
    public const VALUES_MAX = 512;
    public const REPLY_VALUES_MAX = 100_000;
    private const DEPTH_MAX = 16;
    private const NUMBER = '/\G-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?/';
    private const ESCAPES = [
        '"' => '"', '\\' => '\\', '/' => '/', 'b' => "\x08", 'f' => "\f", 'n' => "\n", 'r' => "\r", 't' => "\t",
    ];
    private int $at = 0;
    private int $depth = 0;
    private int $values = 0;

    private function __construct(private readonly string $text, private readonly int $valuesMax)
    {
    }

    /** Return the object in UTF-8 text. Throws Unreadable. */
    public static function parse(string $raw, int $valuesMax = self::VALUES_MAX): JsonObject
    {
        if (preg_match('//u', $raw) !== 1) {
            throw new Unreadable();
        }
        $parser = new self($raw, $valuesMax);
        $value = $parser->value();
        $parser->space();
        if ($parser->at < strlen($raw) || !$value instanceof JsonObject) {
            throw new Unreadable();
        }
        return $value;
    }

    private function value(): mixed
    {
        $this->space();
        return match ($this->text[$this->at] ?? '') {
            '{' => $this->object(),
            '[' => $this->list(),
            '"' => $this->string(),
            't' => $this->word('true', true),
            'f' => $this->word('false', false),
            'n' => $this->word('null', null),
            default => $this->number(),
        };
    }

    private function object(): JsonObject
    {
        $found = new JsonObject();
        $this->open();
        if (!$this->takes('}')) {
            do {
                $this->space();
                $name = ($this->text[$this->at] ?? '') === '"' ? $this->string() : throw new Unreadable();
                if (!$this->takes(':') || $found->has($name)) {
                    throw new Unreadable();
                }
                $found->set($name, $this->value());
            } while ($this->comma());
            $this->demand('}');
        }
        $this->depth--;
        return $found;
    }

    /** @return list<mixed> */
    private function list(): array
    {
        $found = [];
        $this->open();
        if (!$this->takes(']')) {
            do {
                $found[] = $this->value();
            } while ($this->comma());
            $this->demand(']');
        }
        $this->depth--;
        return $found;
    }

    private function string(): string
    {
        $found = '';
        $this->at++;
        while (true) {
            $length = strcspn($this->text, "\"\\\x00\x01\x02\x03\x04\x05\x06\x07\x08\t\n\x0b\f\r\x0e\x0f\x10\x11\x12\x13"
                . "\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f", $this->at);
            $found .= substr($this->text, $this->at, $length);
            $this->at += $length + 1;
            $sign = $this->text[$this->at - 1] ?? '';
            if ($sign === '"') {
                return $found;
            }
            if ($sign !== '\\') {
                throw new Unreadable();
            }
            $found .= $this->escape();
        }
    }

    private function escape(): string
    {
        $sign = $this->text[$this->at] ?? '';
        $this->at++;
        if (isset(self::ESCAPES[$sign])) {
            return self::ESCAPES[$sign];
        }
        $code = $sign === 'u' ? $this->code() : throw new Unreadable();
        if ($code >= 0xd800 && $code <= 0xdfff) {
            $isPair = $code <= 0xdbff && substr($this->text, $this->at, 2) === '\\u';
            $this->at += 2;
            $second = $isPair ? $this->code() : 0;
            if ($second < 0xdc00 || $second > 0xdfff) {
                throw new Unreadable();
            }
            $code = 0x10000 + (($code - 0xd800) << 10) + $second - 0xdc00;
        }
        return self::character($code);
    }

    private function code(): int
    {
        if (preg_match('/\G[0-9a-fA-F]{4}/', $this->text, $digits, 0, $this->at) !== 1) {
            throw new Unreadable();
        }
        $this->at += 4;
        return (int) hexdec($digits[0]);
    }

    private static function character(int $code): string
    {
        return match (true) {
            $code < 0x80 => chr($code),
            $code < 0x800 => chr(0xc0 | $code >> 6) . chr(0x80 | $code & 63),
            $code < 0x10000 => chr(0xe0 | $code >> 12) . chr(0x80 | $code >> 6 & 63) . chr(0x80 | $code & 63),
            default => chr(0xf0 | $code >> 18) . chr(0x80 | $code >> 12 & 63) . chr(0x80 | $code >> 6 & 63)
                . chr(0x80 | $code & 63),
        };
    }

    private function number(): JsonNumber
    {
        if (preg_match(self::NUMBER, $this->text, $found, 0, $this->at) !== 1) {
            throw new Unreadable();
        }
        $this->at += strlen($found[0]);
        return new JsonNumber($found[0]);
    }

    private function word(string $word, ?bool $value): ?bool
    {
        if (substr($this->text, $this->at, strlen($word)) !== $word) {
            throw new Unreadable();
        }
        $this->at += strlen($word);
        return $value;
    }

    private function open(): void
    {
        $this->at++;
        $this->count();
        if (++$this->depth > self::DEPTH_MAX) {
            throw new Unreadable();
        }
    }

    private function comma(): bool
    {
        if (!$this->takes(',')) {
            return false;
        }
        $this->count();
        return true;
    }

    private function count(): void
    {
        if (++$this->values > $this->valuesMax) {
            throw new Unreadable();
        }
    }

    private function demand(string $sign): void
    {
        if (!$this->takes($sign)) {
            throw new Unreadable();
        }
    }

    private function takes(string $sign): bool
    {
        $this->space();
        if (($this->text[$this->at] ?? '') !== $sign) {
            return false;
        }
        $this->at++;
        return true;
    }

    private function space(): void
    {
        $this->at += strspn($this->text, " \t\n\r", $this->at);
    }

    /** Return JSON without spaces, in the order of the names, numbers as they were written. */
    public static function compact(mixed $value): string
    {
        if ($value instanceof JsonNumber) {
            return $value->text;
        }
        if ($value instanceof JsonObject) {
            $pair = static fn (string $name): string => self::quoted($name) . ':' . self::compact($value->get($name));
            return '{' . implode(',', array_map($pair, $value->names)) . '}';
        }
        if (is_array($value)) {
            return '[' . implode(',', array_map(self::compact(...), $value)) . ']';
        }
        return is_string($value) ? self::quoted($value) : json_encode($value, JSON_THROW_ON_ERROR);
    }

    private static function quoted(string $text): string
    {
        $flags = JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_LINE_TERMINATORS;
        return json_encode($text, $flags | JSON_THROW_ON_ERROR);
    }

    /** Return a value as the text that a field counts as: a number is its text, null is empty. */
    public static function textOf(mixed $value): string
    {
        return match (true) {
            $value === null => '',
            is_string($value) => $value,
            default => self::compact($value),
        };
    }
}
