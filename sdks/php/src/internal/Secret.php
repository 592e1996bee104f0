<?php

declare(strict_types=1);

namespace Surety\Internal;

/**
 * Holds a secret where `var_dump`, `print_r`, `var_export`, `json_encode` and casts find nothing: outside of the object.
 *
 * @internal
 */
final class Secret
{
    /** @var \WeakMap<Secret, mixed>|null */
    private static ?\WeakMap $values = null;

    public function __construct(#[\SensitiveParameter] mixed $value)
    {
        self::$values ??= new \WeakMap();
        self::$values[$this] = $value;
    }

    public function reveal(): mixed
    {
        return self::$values[$this] ?? null;
    }

    public function __clone()
    {
        throw new \LogicException('A secret cannot be cloned.');
    }

    public function __serialize(): array
    {
        throw new \LogicException('A secret cannot be serialised.');
    }
}
