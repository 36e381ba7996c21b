<?php

declare(strict_types=1);

namespace Hundi;

/** Reads the fields of replies; a later gateway may send more of them. */
final class Reader
{
    private const CLOCK = '(?:[01][0-9]|2[0-3]):[0-5][0-9]';

    private function __construct(private readonly JsonObject $values)
    {
    }

    public static function of(mixed $value): self
    {
        return $value instanceof JsonObject ? new self($value) : throw self::unreadable('data', 'an object');
    }

    /** Read a list that travels without a name of its own. */
    public static function ofList(string $name, mixed $value): self
    {
        $named = new JsonObject();
        $named->set($name, $value);
        return new self($named);
    }

    private static function unreadable(string $name, string $allowed): HundiException
    {
        return HundiException::noAnswer(Kind::UnreadableReply, "the reply's $name cannot be read: it is not $allowed");
    }

    public function words(string $name): string
    {
        $value = $this->values->get($name);
        return match (true) {
            $value === null => '',
            is_string($value) => $value,
            $value instanceof JsonNumber => $value->text,
            default => throw self::unreadable($name, 'text or a number'),
        };
    }

    public function wordsOr(string $name, string $usual): string
    {
        $text = $this->words($name);
        return $text === '' ? $usual : $text;
    }

    public function name(string $name): string
    {
        $text = $this->words($name);
        return $text === '' ? throw self::unreadable($name, 'a value') : $text;
    }

    public function nameOr(string $name, string $usual): string
    {
        return $this->wordsOr($name, $usual);
    }

    public function number(string $name): string
    {
        $text = $this->words($name);
        return $text === '0' ? '' : $text;
    }

    private static function amountIn(string $name, string $text, int $least): int
    {
        $found = Money::paiseIn($text);
        return $found < $least ? throw self::unreadable($name, 'an amount with two places at most') : $found;
    }

    public function money(string $name): int
    {
        return self::amountIn($name, $this->words($name), 0);
    }

    public function moneyOr(string $name, int $usual): int
    {
        return $this->words($name) === '' ? $usual : $this->money($name);
    }

    public function moneyOrNone(string $name): int
    {
        return $this->moneyOr($name, 0);
    }

    public function balance(string $name): int
    {
        $text = $this->words($name);
        $isBelow = str_starts_with($text, '-');
        return $isBelow ? -self::amountIn($name, substr($text, 1), 0) : self::amountIn($name, $text, 0);
    }

    public function limit(string $name): ?int
    {
        return $this->words($name) === '' ? null : $this->money($name);
    }

    /** Read an amount above zero. */
    public function amount(string $name): int
    {
        return self::amountIn($name, $this->words($name), 1);
    }

    /** Read an amount of a transaction record, where a missing one is zero. */
    public function sum(string $name): int
    {
        return $this->moneyOr($name, 0);
    }

    public function whole(string $name): int
    {
        $text = $this->words($name);
        $isWhole = preg_match('/\A[0-9]{1,18}\z/', $text) === 1;
        return $isWhole ? (int) $text : throw self::unreadable($name, 'a whole number that is not below zero');
    }

    public function wholeOrNone(string $name, int $none): ?int
    {
        $found = $this->whole($name);
        return $found === $none ? null : $found;
    }

    /** Read a whole number of a transaction record, where a missing one is zero. */
    public function integer(string $name): int
    {
        return $this->words($name) === '' ? 0 : $this->whole($name);
    }

    public function isOne(string $name): bool
    {
        return $this->words($name) === '1';
    }

    public function yesOrNo(string $name): bool
    {
        return strtolower($this->name($name)) === 'true';
    }

    public function flag(string $name): bool
    {
        return $this->values->get($name) === true;
    }

    public function moment(string $name): ?\DateTimeImmutable
    {
        $clock = self::CLOCK;
        $form = "/\\A(\\d{4}-\\d\\d-\\d\\d)T$clock(?::[0-5][0-9](?:\\.[0-9]+)?)?(?:Z|[+-]$clock)\\z/";
        return $this->timeOf($name, 'a time with its offset, ISO 8601', $form, static fn (array $parts) => [$parts[1], $parts[0]]);
    }

    /** Read a time of a transaction record, on the Indian clock. */
    public function recordTime(string $name): ?\DateTimeImmutable
    {
        $form = '/\A(\d\d)-(\d\d)-(\d{4}) (' . self::CLOCK . ':[0-5][0-9])\z/';
        $read = static fn (array $parts) => [
            "$parts[3]-$parts[2]-$parts[1]", "$parts[3]-$parts[2]-$parts[1]T$parts[4]+05:30",
        ];
        return $this->timeOf($name, 'a time written DD-MM-YYYY HH:MM:SS', $form, $read);
    }

    public function day(string $name): ?\DateTimeImmutable
    {
        $read = static fn (array $parts) => [$parts[0], "$parts[0]T00:00:00+05:30"];
        return $this->timeOf($name, 'a day, ISO 8601', '/\A\d{4}-\d\d-\d\d\z/', $read);
    }

    /** @param callable(array<string>): array{string, string} $read returns the day, and the whole time */
    private function timeOf(string $name, string $allowed, string $form, callable $read): ?\DateTimeImmutable
    {
        $text = $this->words($name);
        if ($text === '') {
            return null;
        }
        [$day, $whole] = preg_match($form, $text, $parts) === 1 ? $read($parts) : ['0000-00-00', ''];
        [$year, $month, $date] = array_map(intval(...), explode('-', $day));
        return checkdate($month, $date, $year) ? new \DateTimeImmutable($whole) : throw self::unreadable($name, $allowed);
    }

    /** @return list<string> */
    public function texts(string $name): array
    {
        $value = $this->values->get($name) ?? [];
        return is_array($value) ? array_map(Json::textOf(...), $value) : throw self::unreadable($name, 'an array of texts');
    }

    /**
     * Read an object of texts, in its order.
     *
     * @return array<string, string>
     */
    public function pairs(string $name): array
    {
        $value = $this->values->get($name);
        if ($value === null || $value === '') {
            return [];
        }
        if (!$value instanceof JsonObject) {
            throw self::unreadable($name, 'an object of texts');
        }
        return array_combine($value->names, array_map($value->text(...), $value->names));
    }

    public function bytes(string $name): string
    {
        $found = base64_decode($this->name($name), true);
        return $found === false ? throw self::unreadable($name, 'base64') : $found;
    }

    /**
     * @template Item
     * @param callable(self): Item $read
     * @return list<Item>
     */
    public function objects(string $name, callable $read): array
    {
        $list = $this->values->get($name);
        if (!is_array($list)) {
            throw self::unreadable($name, 'an array of objects');
        }
        return array_map(static fn (mixed $each) => $read(self::of($each)), $list);
    }

    /**
     * @template Item
     * @param callable(self): Item $read
     * @return list<Item>
     */
    public function objectsOrNone(string $name, callable $read): array
    {
        return $this->values->has($name) ? $this->objects($name, $read) : [];
    }
}
