<?php

declare(strict_types=1);

namespace Hundi;

/**
 * One operation. echoes: names that the reply repeats, whether leading zeros count for nothing, and
 * whether they are secret. list: the name of the list that the reply holds. bare: the name for one
 * that has none.
 */
final class Spec
{
    /** @param list<array{string, bool, bool}> $echoes */
    public function __construct(
        public readonly string $name,
        public readonly string $address,
        public readonly bool $asJson,
        public readonly bool $withToken,
        public readonly bool $repeats,
        public readonly array $echoes,
        public readonly string $list,
        public readonly string $bare,
    ) {
    }
}
