<?php

declare(strict_types=1);

namespace Surety\Tests;

abstract class TestCase
{
    /** @return array<string, mixed> */
    protected static function vectors(string $file): array
    {
        $text = file_get_contents(__DIR__ . "/../../../$file");
        return json_decode((string) $text, true, 512, JSON_THROW_ON_ERROR);
    }

    protected static function same(mixed $expected, mixed $actual, string $of = ''): void
    {
        if ($expected !== $actual) {
            throw new \Exception("$of\n  expected " . var_export($expected, true) . "\n  got      " . var_export($actual, true));
        }
    }

    protected static function ok(bool $holds, string $of = ''): void
    {
        self::same(true, $holds, $of);
    }

    /**
     * @template T of \Throwable
     * @param class-string<T> $class
     * @return T
     */
    protected static function throws(string $class, callable $run): \Throwable
    {
        try {
            $run();
        } catch (\Throwable $error) {
            if ($error instanceof $class) {
                return $error;
            }
            throw $error;
        }
        throw new \Exception("$class was not thrown");
    }

    /** What `$make` returns; null if it throws `UsageError`. */
    protected static function orNull(callable $make): mixed
    {
        try {
            return $make();
        } catch (\Surety\UsageError) {
            return null;
        }
    }
}
