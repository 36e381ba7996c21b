<?php

declare(strict_types=1);

namespace Hundi;

/** An object of JSON. PHP's arrays would turn a name such as "7" into a number. */
final class JsonObject
{
    /** @var list<string> */
    public array $names = [];
    /** @var array<string, mixed> */
    private array $values = [];

    public function set(string $name, mixed $value): void
    {
        if (!$this->has($name)) {
            $this->names[] = $name;
        }
        $this->values["=$name"] = $value;
    }

    public function get(string $name): mixed
    {
        return $this->values["=$name"] ?? null;
    }

    public function has(string $name): bool
    {
        return array_key_exists("=$name", $this->values);
    }

    public function text(string $name): string
    {
        return Json::textOf($this->get($name));
    }
}
