<?php

declare(strict_types=1);

namespace Surety;

/** The default of fields without which a call does the most, such as an amount: leaving one out must not be confused with a null that was not expected. */
enum Omit
{
    case Field;
}

/** How long one call may take and how often it may be tried. null: the client's own. */
final class CallOptions
{
    public function __construct(
        /** Seconds for one attempt. */
        public readonly ?float $timeout = null,
        /** Seconds for the whole call, with every attempt and wait. */
        public readonly ?float $deadline = null,
        /** Attempts after the first one. */
        public readonly ?int $maxRetries = null,
    ) {
    }

    /** @internal These options, with `$fallback` for what is omitted. Throws `UsageError` for an invalid number. */
    public function over(self $fallback): self
    {
        $options = new self(
            $this->timeout ?? $fallback->timeout,
            $this->deadline ?? $fallback->deadline,
            $this->maxRetries ?? $fallback->maxRetries,
        );
        foreach (['timeout', 'deadline'] as $name) {
            if (!($options->$name > 0 && $options->$name <= 86_400)) {
                throw new UsageError("$name must be a number of seconds above 0 and at most 86400.");
            }
        }
        if ($options->maxRetries < 0 || $options->maxRetries > 20) {
            throw new UsageError('maxRetries must be an integer from 0 to 20.');
        }
        return $options;
    }
}

/** A failed attempt, and in how many seconds the next one follows. */
final class Retry
{
    public function __construct(public readonly CallError $error, public readonly float $delay)
    {
    }
}

/** @internal Checks of what a client is made of. */
final class Setting
{
    public static function idempotencyKey(string $key): string
    {
        if (preg_match('/\A[\x20-\x7e]{1,255}\z/', $key) === 1 && trim($key) !== '') {
            return $key;
        }
        throw new UsageError('idempotencyKey must be 1 to 255 printable ASCII characters.');
    }

    /** An invalid key is rejected without being shown. */
    public static function apiKey(#[\SensitiveParameter] ?string $apiKey): string
    {
        if ($apiKey !== null && preg_match('/\Ask_(?:test|live)_[A-Za-z0-9_]+\z/', $apiKey) === 1) {
            return $apiKey;
        }
        $fault = ($apiKey ?? '') === '' ? 'is missing' : 'does not have that form';
        throw new UsageError("apiKey must be your backend's secret key, sk_test_… or sk_live_…; the given value $fault.");
    }

    /** The base address without a trailing slash and without `/v1`. The key crosses a network only under TLS. */
    public static function baseUrl(#[\SensitiveParameter] ?string $baseUrl): string
    {
        $refuse = static fn (string $why): UsageError => new UsageError(
            "baseUrl must be the service's url, such as https://pay.example/api; the given value $why."
        );
        $given = (string) $baseUrl;
        $isUrl = preg_match('~\A(https?)://([^/?#]*)([^?#]*)([?#].*)?\z~', $given, $match) === 1;
        if (!$isUrl || preg_match('/[^\x21-\x7e]/', $given) === 1) {
            throw $refuse('is not an absolute url');
        }
        [, $scheme, $authority, $path] = $match;
        if (str_contains($authority, '@')) {
            throw $refuse('has a user name or password');
        }
        if (preg_match('/\A(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::([0-9]{1,5}))?\z/', $authority, $host) !== 1) {
            throw $refuse('is not an absolute url');
        }
        if (($match[4] ?? '') !== '') {
            throw $refuse('has a query or a fragment');
        }
        $loopback = '/\A(?:localhost|.+\.localhost|127\.[0-9]+\.[0-9]+\.[0-9]+|\[::1\])\z/';
        if ($scheme === 'http' && preg_match($loopback, $host[1]) !== 1) {
            throw $refuse('is not https, which is required except for this machine');
        }
        return "$scheme://$authority" . rtrim((string) preg_replace('~/v1/*\z~', '', $path), '/');
    }
}
