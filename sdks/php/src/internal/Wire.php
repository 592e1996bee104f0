<?php

declare(strict_types=1);

namespace Surety\Internal;

/** A response that is not of the shape that the interface has. */
final class WrongShape extends \Exception
{
}

/**
 * Reads values of a response.
 *
 * @internal
 */
final class Wire
{
    public static function text(mixed $value): string
    {
        return is_string($value) ? $value : throw new WrongShape('not a string');
    }

    /** @return numeric-string */
    public static function amount(mixed $value): string
    {
        $text = is_int($value) ? (string) $value : $value;
        return is_string($text) && is_numeric($text) ? $text : throw new WrongShape('not a number');
    }

    public static function integer(mixed $value): int
    {
        return is_int($value) ? $value : throw new WrongShape('not an integer');
    }

    public static function boolean(mixed $value): bool
    {
        return is_bool($value) ? $value : throw new WrongShape('not a boolean');
    }

    /** @return array<string, mixed> */
    public static function object(mixed $value): array
    {
        return $value instanceof \stdClass ? get_object_vars($value) : throw new WrongShape('not an object');
    }

    /**
     * @template T
     * @param callable(mixed): T $read
     * @return list<T>
     */
    public static function many(mixed $value, callable $read): array
    {
        return is_array($value) ? array_map($read, array_values($value)) : throw new WrongShape('not a list');
    }

    /**
     * @template T
     * @param callable(mixed): T $read
     * @return array<string, T>
     */
    public static function mapping(mixed $value, callable $read): array
    {
        return array_map($read, self::object($value));
    }
}
