<?php

declare(strict_types=1);

namespace Surety\Internal;

/** @internal Method and path of an operation. */
final class Route
{
    public function __construct(
        public readonly string $method,
        public readonly string $path,
        /** Whether it takes an `Idempotency-Key`, so that a retry never repeats the effect. */
        public readonly bool $keyed,
    ) {
    }

    public function isRepeatable(): bool
    {
        return $this->method === 'GET' || $this->keyed;
    }
}

/** @internal Why one attempt did not succeed: `problem`, `unexpected`, `silence` or `timeout`. */
final class Failure
{
    public function __construct(
        public readonly string $kind,
        public readonly int $status = 0,
        /** The problem's code. */
        public readonly string $code = '',
        /** In seconds. */
        public readonly ?float $retryAfter = null,
        /** A success with a truncated body. */
        public readonly bool $garbled = false,
        /** Whether the request certainly never left. */
        public readonly bool $notSent = false,
        /** Whether the limit of the whole call was reached. */
        public readonly bool $deadline = false,
        /** Whether the problem lists faults of the request. */
        public readonly bool $faults = false,
    ) {
    }

    /**
     * Every 5xx leaves open whether the request took effect: a proxy's 524, for example, says only that the service has
     * not responded in time.
     */
    public function mayBeTransient(): bool
    {
        return $this->status === 408
            || $this->status >= 500
            || ($this->status === 409 && $this->code === 'idempotency_in_progress')
            || $this->garbled;
    }
}

/**
 * When a failed attempt is followed by another, and what it leaves open.
 *
 * @internal
 */
final class RetryPolicy
{
    private const BASE = 0.5;
    private const LARGEST = 8.0;
    /** A longer `Retry-After` is left to the caller. */
    private const LONGEST_RETRY_AFTER = 60.0;

    /**
     * Seconds before the next attempt; null for none. Full jitter below a doubling bound; never earlier than
     * `Retry-After`, and spread a little above it. `$random` is from 0 to 1.
     */
    public static function delay(Failure $failure, Route $route, int $attempts, float $random): ?float
    {
        if (!self::mayRetry($failure, $route)) {
            return null;
        }
        if ($failure->retryAfter === null) {
            return $random * min(self::LARGEST, self::BASE * 2 ** ($attempts - 1));
        }
        return $failure->retryAfter > self::LONGEST_RETRY_AFTER ? null : $failure->retryAfter + $random * self::BASE;
    }

    private static function mayRetry(Failure $failure, Route $route): bool
    {
        return match ($failure->kind) {
            'timeout' => !$failure->deadline && $route->isRepeatable(),
            'silence' => $failure->notSent || $route->isRepeatable(),
            // A request over its limit had no effect.
            default => $failure->status === 429 || ($route->isRepeatable() && $failure->mayBeTransient()),
        };
    }

    /** Whether a failed request had an effect: certainly not, or unknown. */
    public static function mayHaveTakenEffect(Failure $failure, Route $route): bool
    {
        return $route->method !== 'GET' && match ($failure->kind) {
            'timeout' => true,
            'silence' => !$failure->notSent,
            // An unreadable success may still be a success.
            default => $failure->mayBeTransient() || $failure->status < 300,
        };
    }

    /**
     * Whether a failure settles what earlier, lost responses left open. With an idempotency key a rejection does: had an
     * earlier attempt succeeded, its response would have been replayed. A refusal of the API key, the merchant or the
     * rate does not, nor one of the request's form: it comes before the idempotency key is looked up.
     */
    public static function settlesTheOutcome(Failure $failure, Route $route): bool
    {
        return $route->keyed && $failure->kind === 'problem' && !$failure->mayBeTransient() && !$failure->faults
            && !in_array($failure->status, [401, 403, 405, 406, 413, 415, 429], true)
            && !in_array($failure->code, ['invalid_json', 'route_not_found'], true);
    }

    /** `Retry-After` in seconds from now: seconds or a date (RFC 9110, 10.2.3). null if it is neither. */
    public static function readRetryAfter(?string $header, float $now): ?float
    {
        if ($header === null) {
            return null;
        }
        if (preg_match('/\A[0-9]{1,9}\z/', trim($header)) === 1) {
            return (float) trim($header);
        }
        $format = '!D, d M Y H:i:s \G\M\T';
        $date = \DateTimeImmutable::createFromFormat($format, $header, new \DateTimeZone('UTC'));
        // PHP carries the 99th of a month over into a later one.
        if ($date === false || $date->format('D, d M Y H:i:s \G\M\T') !== $header) {
            return null;
        }
        return max(0.0, $date->getTimestamp() - $now);
    }
}
