<?php

declare(strict_types=1);

namespace Hundi;

/** Amounts: whole paise, and their decimal texts. */
final class Money
{
    /** Return whole paise as decimal text with two places: 149950 is 1499.50. */
    public static function text(int $paise): string
    {
        return sprintf('%d.%02d', intdiv($paise, 100), $paise % 100);
    }

    /** Return decimal text in whole paise: plain decimals above zero, with at most two places. */
    public static function paise(string $text): int
    {
        $found = self::paiseIn($text);
        if ($found <= 0) {
            $allowed = 'a decimal above zero: at most 10 digits, then at most two places, as in 1499.50';
            throw HundiException::invalid('amount', Writer::shown($text), $allowed);
        }
        return $found;
    }

    /** Return the paise of decimal text, -1 for another text. */
    public static function paiseIn(string $text): int
    {
        if (preg_match('/\A([0-9]{1,10})(?:\.([0-9]{1,2}))?\z/', $text, $parts) !== 1) {
            return -1;
        }
        return (int) $parts[1] * 100 + (int) str_pad($parts[2] ?? '', 2, '0');
    }
}
