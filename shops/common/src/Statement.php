<?php

declare(strict_types=1);

namespace Hundi\Shop;

/** Puts values into a statement, for shops whose database has no parameters. */
final class Statement
{
    /**
     * @param list<string|int> $values
     * @param callable(string): string $quote returns a text safely, with its quotation marks
     */
    public static function filled(string $sql, array $values, callable $quote): string
    {
        $parts = explode('?', $sql);
        $text = array_shift($parts);
        foreach ($parts as $place => $part) {
            $value = $values[$place];
            $text .= (is_int($value) ? (string) $value : $quote($value)) . $part;
        }
        return $text;
    }
}
