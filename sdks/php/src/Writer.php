<?php

declare(strict_types=1);

namespace Hundi;

/** Writes the fields of requests, within the bounds that the gateway has. */
final class Writer
{
    private const RECEIVED_MAX = 64;
    private const PAISE_MAX = 999_999_999_999;
    private const CONTROL = '/[\x00-\x1f\x7f-\x{9f}\x{2028}-\x{202e}\x{2066}-\x{2069}]/u';
    private const MANY_DIGITS = '~[0-9](?:[\s.+_*/,|\~-]{0,3}[0-9]){11,}~';
    private const EMAIL = '/\A[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+\z/u';
    private const VPA = '/\A[A-Za-z0-9][A-Za-z0-9._-]{1,252}@[A-Za-z][A-Za-z0-9]{1,63}\z/';
    private const CHANNELS = [
        'btqr', 'cash', 'emi', 'enach', 'nb', 'payltr', 'pg', 'pgcc', 'pgdc', 'pp', 'ppc', 'remit', 'rtgs', 'upi', 'va',
    ];
    public readonly JsonObject $fields;

    public function __construct(private readonly string $shopOrigin = '')
    {
        $this->fields = new JsonObject();
    }

    /** Return a refused value as errors may show it: short, without controls or numbers of cards. */
    public static function shown(string $text): string
    {
        $short = self::first((string) preg_replace(self::MANY_DIGITS, '[digits]', $text));
        $escape = static fn (array $sign): string => sprintf('\\u%04x', self::codeOf($sign[0]));
        return self::first((string) preg_replace_callback(self::CONTROL, $escape, $short));
    }

    private static function codeOf(string $sign): int
    {
        return (int) hexdec(bin2hex((string) iconv('UTF-8', 'UCS-4BE', $sign)));
    }

    private static function first(string $text): string
    {
        preg_match('/\A.{0,' . self::RECEIVED_MAX . '}/us', $text, $found);
        return $found[0] ?? '(not UTF-8)';
    }

    private static function refused(string $name, string $received, string $allowed): HundiException
    {
        return HundiException::invalid($name, self::shown($received), $allowed);
    }

    /** @param callable(string): bool $isRight */
    private function checked(string $name, string $value, Rule $rule, string $allowed, callable $isRight): void
    {
        if ($value === '') {
            if ($rule === Rule::Optional || $rule === Rule::OptionalSecret) {
                return;
            }
            throw self::refused($name, '', 'a value: this field is required');
        }
        if (!$isRight($value)) {
            $isSecret = $rule === Rule::Secret || $rule === Rule::OptionalSecret;
            throw self::refused($name, $isSecret ? '(not shown)' : $value, $allowed);
        }
        $this->fields->set($name, $value);
    }

    public function constant(string $name, string $value): void
    {
        $this->fields->set($name, $value);
    }

    /** Write the shop's origin, for merchants that have registered their domains. */
    public function shop(string $name): void
    {
        if ($this->shopOrigin !== '') {
            $this->fields->set($name, base64_encode($this->shopOrigin));
        }
    }

    public function text(string $name, string $value, Rule $rule, int $lengthMax): void
    {
        $allowed = "at most $lengthMax characters, no control characters";
        $this->checked($name, $value, $rule, $allowed, static fn (string $text) => self::isFree($text, $lengthMax));
    }

    /** @param list<string> $beginnings */
    public function matching(string $name, string $value, Rule $rule, string $pattern, array $beginnings, string $allowed): void
    {
        $isRight = static function (string $text) use ($pattern, $beginnings): bool {
            foreach ($beginnings as $beginning) {
                if (str_starts_with($text, $beginning)) {
                    return false;
                }
            }
            return preg_match($pattern, $text) === 1;
        };
        $this->checked($name, $value, $rule, $allowed, $isRight);
    }

    /** @param list<string> $words */
    public function oneOf(string $name, string $value, Rule $rule, array $words): void
    {
        $isWord = static fn (string $text) => in_array($text, $words, true);
        $this->checked($name, $value, $rule, 'one of ' . implode(' ', $words), $isWord);
    }

    public function email(string $name, string $value, Rule $rule): void
    {
        $isEmail = static fn (string $text) => preg_match(self::EMAIL, $text) === 1 && self::isFree($text, 254);
        $this->checked($name, $value, $rule, 'an e-mail address of at most 254 characters', $isEmail);
    }

    public function phone(string $name, string $value, Rule $rule): void
    {
        $allowed = '8 to 15 digits; + - ( ) and spaces may stand between them';
        $isPhone = static fn (string $text) => preg_match('/\A[0-9]{8,15}\z/', str_replace(['+', '-', '(', ')', ' '], '', $text)) === 1;
        $this->checked($name, $value, $rule, $allowed, $isPhone);
    }

    public function customer(string $name, string $value, Rule $rule): void
    {
        $this->text($name, $value, $rule, 255);
    }

    public function vpa(string $name, string $value, Rule $rule): void
    {
        $isVpa = static fn (string $text) => strlen($text) < 256 && preg_match(self::VPA, $text) === 1;
        $this->checked($name, trim($value), $rule, 'a UPI address like name@bank', $isVpa);
    }

    public function currency(string $name, string $value): void
    {
        $letters = $value === '' ? 'INR' : $value;
        $number = Operations::CURRENCIES[$letters]
            ?? throw self::refused($name, $letters, 'an ISO 4217 code: INR, or one enabled for the merchant');
        $this->fields->set('currency_code', $number);
        $this->fields->set($name, $letters);
    }

    /** @param list<string> $codes */
    public function channels(string $name, array $codes): void
    {
        if ($codes === []) {
            return;
        }
        if (array_diff($codes, self::CHANNELS) !== []) {
            $allowed = 'channel codes joined by _ , each one of ' . implode(' ', self::CHANNELS);
            throw self::refused($name, implode('_', $codes), $allowed);
        }
        $this->fields->set($name, implode('_', $codes));
    }

    public function amount(string $name, ?int $value, Rule $rule): void
    {
        if ($value === null && $rule === Rule::Optional) {
            return;
        }
        if ($value === null || $value <= 0 || $value > self::PAISE_MAX) {
            throw self::refused($name, (string) $value, 'whole paise above zero, of at most 12 digits');
        }
        $this->fields->set($name, Money::text($value));
    }

    public function amountOrZero(string $name, int $value, Rule $rule): void
    {
        $value === 0 ? $this->fields->set($name, '0.00') : $this->amount($name, $value, $rule);
    }

    public function amountUnlessZero(string $name, int $value, Rule $rule): void
    {
        if ($value !== 0) {
            $this->amount($name, $value, $rule);
        }
    }

    public function count(string $name, ?int $value, Rule $rule, int $low, int $high): void
    {
        if ($value === null && $rule === Rule::Optional) {
            return;
        }
        if ($value === null || $value < $low || $value > $high) {
            throw self::refused($name, (string) $value, "a whole number from $low to $high");
        }
        $this->fields->set($name, (string) $value);
    }

    public function countUnlessZero(string $name, int $value, Rule $rule, int $low, int $high): void
    {
        if ($value !== 0) {
            $this->count($name, $value, $rule, $low, $high);
        }
    }

    /** Write the number of debits; without one a subscription with a calendar has no end. */
    public function debits(string $name, ?int $value, Rule $rule, int $endless, string $asPresented): void
    {
        if ($value !== null) {
            $this->count($name, $value, $rule, 1, $endless - 1);
        } elseif ($this->fields->get('sb_period') !== $asPresented) {
            $this->fields->set($name, (string) $endless);
        }
    }

    public function day(string $name, ?\DateTimeInterface $value, Rule $rule): void
    {
        if ($value !== null) {
            $this->fields->set($name, $value->format('m/d/Y'));
        }
    }

    public function document(string $name, string $content, Rule $rule, int $lengthMax): void
    {
        $text = base64_encode($content);
        if ($text === '' || strlen($text) > $lengthMax) {
            throw self::refused($name, '', 'a file of at most ' . intdiv($lengthMax, 4) * 3 . ' bytes');
        }
        $this->fields->set($name, $text);
    }

    /** @param list<object> $items */
    public function objects(string $name, array $items): void
    {
        if ($items === []) {
            throw self::refused($name, '', 'at least one');
        }
        $this->fields->set($name, $this->listOf($items));
    }

    /**
     * Write an array of messages, nothing for an empty one.
     *
     * @param list<object> $items
     */
    public function objectsUnlessEmpty(string $name, array $items): void
    {
        if ($items !== []) {
            $this->objects($name, $items);
        }
    }

    /**
     * Write an array in base64.
     *
     * @param list<object> $items
     */
    public function batch(string $name, array $items, int $itemsMax): void
    {
        if ($items === [] || count($items) > $itemsMax) {
            throw self::refused($name, count($items) . ' items', "1 to $itemsMax items");
        }
        $this->fields->set($name, base64_encode(Json::compact($this->listOf($items))));
    }

    public function atLeastOne(string ...$names): void
    {
        foreach ($names as $name) {
            if ($this->fields->has($name)) {
                return;
            }
        }
        throw self::refused($names[0], '', 'at least one of ' . implode(', ', $names));
    }

    /**
     * @param list<object> $items
     * @return list<JsonObject>
     */
    private function listOf(array $items): array
    {
        $list = [];
        foreach ($items as $item) {
            $inner = new self($this->shopOrigin);
            $item->write($inner);
            $list[] = $inner->fields;
        }
        return $list;
    }

    private static function isFree(string $text, int $lengthMax): bool
    {
        $length = preg_match_all('/./us', $text);
        return $length !== false && $length <= $lengthMax && preg_match(self::CONTROL, $text) === 0;
    }
}
