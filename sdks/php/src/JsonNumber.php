<?php

declare(strict_types=1);

namespace Hundi;

/** A number as it was written: checksums cover its text. */
final class JsonNumber
{
    public function __construct(public readonly string $text)
    {
    }
}
