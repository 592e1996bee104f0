<?php

declare(strict_types=1);

namespace Surety\Internal;

use Surety\Amount;
use Surety\Omit;
use Surety\UsageError;

/** The text is not JSON, or is larger than any document of the service. */
final class NotJson extends \Exception
{
}

/**
 * JSON within bounds, and without floats.
 *
 * @internal
 */
final class Json
{
    /** As json_decode counts it, which takes what is in the innermost bracket for a level: 64 brackets. */
    private const MAX_DEPTH = 65;
    private const MAX_PARTS = 100_000;
    private const STRINGS = '/"(?:[^"\\\\]++|\\\\.)*+"/s';

    /** Reads JSON: objects are `stdClass`, numbers with decimals or too large for an int are strings. */
    public static function parse(string $text): mixed
    {
        if (str_starts_with($text, "\u{FEFF}")) {
            $text = substr($text, 3);
        }
        $bare = preg_replace(self::STRINGS, '', $text);
        if ($bare === null) {
            throw new NotJson();
        }
        $parts = substr_count($bare, ',') + substr_count($bare, '[') + substr_count($bare, '{');
        if ($parts > self::MAX_PARTS) {
            throw new NotJson();
        }
        try {
            // First as it is, so that the second reading meets JSON alone.
            $value = json_decode($text, false, self::MAX_DEPTH, JSON_THROW_ON_ERROR | JSON_BIGINT_AS_STRING);
            if (strpbrk($bare, '.eE') === false) {
                return $value;
            }
            $exact = preg_replace_callback(
                '/"(?:[^"\\\\]++|\\\\.)*+"|-?[0-9]++(?:\.[0-9]++)?+(?:[eE][+-]?[0-9]++)?+/s',
                static fn (array $match): string =>
                    $match[0][0] !== '"' && strpbrk($match[0], '.eE') !== false ? "\"$match[0]\"" : $match[0],
                $text
            );
            return json_decode($exact ?? '', false, self::MAX_DEPTH, JSON_THROW_ON_ERROR | JSON_BIGINT_AS_STRING);
        } catch (\JsonException) {
            throw new NotJson();
        }
    }

    /**
     * Writes JSON. The fields named in `$amountFields` are amounts, and become numbers without a float in between.
     *
     * @param list<string> $amountFields
     */
    public static function write(mixed $value, array $amountFields): string
    {
        if (is_array($value)) {
            $members = [];
            $isList = array_is_list($value);
            foreach ($value as $name => $member) {
                $text = !$isList && in_array($name, $amountFields, true)
                    ? Amount::number($member)
                    : self::write($member, $amountFields);
                $members[] = $isList ? $text : self::scalar((string) $name) . ":$text";
            }
            return $isList ? '[' . implode(',', $members) . ']' : '{' . implode(',', $members) . '}';
        }
        if ($value === null || is_string($value) || is_bool($value) || is_int($value)) {
            return self::scalar($value);
        }
        throw new UsageError('A ' . get_debug_type($value) . ' cannot be sent as JSON: pass a time as a string.');
    }

    private static function scalar(string|bool|int|null $value): string
    {
        try {
            return json_encode($value, JSON_THROW_ON_ERROR | JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES);
        } catch (\JsonException) {
            throw new UsageError('A string of the request is not UTF-8.');
        }
    }

    /**
     * A request's body; null if it has no field, unless the route needs one: its answer then names what is missing.
     *
     * @param array<string, mixed> $body
     * @param list<string> $amountFields
     */
    public static function body(array $body, array $amountFields, bool $required = false): ?string
    {
        $given = [];
        foreach ($body as $name => $value) {
            if ($value === Omit::Field || ($value === null && !in_array($name, $amountFields, true))) {
                continue;
            }
            $given[$name] = $value;
        }
        if ($given === []) {
            return $required ? '{}' : null;
        }
        return self::write($given, $amountFields);
    }
}
