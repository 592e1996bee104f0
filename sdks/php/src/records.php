<?php

declare(strict_types=1);

namespace Surety;

/** The response that a record came in. */
final class Reply
{
    public function __construct(
        public readonly int $status,
        /** Quote it when you report a problem. */
        public readonly string $requestId,
        public readonly int $attempts,
        /** Whether it is a replay under the same idempotency key: nothing was done now. */
        public readonly bool $replayed,
        public readonly ?string $idempotencyKey,
    ) {
    }
}

/** A record of the service. Amounts are decimal strings, times ISO 8601. */
abstract class Record
{
    /** The response's metadata; null for a record within another one. */
    public ?Reply $reply = null;

    /** @param array<string, mixed> $raw The JSON that it was read from, with members that are newer than this package. */
    public function __construct(public readonly array $raw)
    {
    }
}
