<?php

declare(strict_types=1);

namespace Surety;

/**
 * A delivery was rejected. `$reason` is stable: `missing_headers`, `invalid_timestamp`, `signature_mismatch`,
 * `timestamp_too_old`, `timestamp_too_new`, `event_id_mismatch`, `topic_mismatch`, `invalid_json`, and on your own side
 * `body_not_raw`, `invalid_secret`. The message is for a log and has no secret and no payload.
 */
final class WebhookRefused extends SuretyError
{
    public function __construct(public readonly string $reason, string $message)
    {
        parent::__construct($message);
    }

    public function isOwnFault(): bool
    {
        return in_array($this->reason, ['body_not_raw', 'invalid_secret'], true);
    }
}

/** A verified delivery. `$payload` is of its topic's class; for a topic newer than this package it is null. */
final class Event
{
    public function __construct(
        /** The same in every attempt and at every endpoint: what to deduplicate by. Signed. */
        public readonly string $id,
        public readonly string $topic,
        public readonly ?Record $payload,
        /** The payload's JSON, also of an unknown topic; objects are `stdClass`. */
        public readonly mixed $raw,
        /** When this attempt was signed. Signed. */
        public readonly \DateTimeImmutable $timestamp,
        /** From a header that no signature covers; null if it is missing or has another value. */
        public readonly ?string $environment,
        /** A requested sample: nothing happened. From a header that no signature covers. */
        public readonly bool $test,
        /** 1 for the first attempt. From a header that no signature covers. */
        public readonly ?int $attempt,
    ) {
    }

    public function isKnown(): bool
    {
        return $this->payload !== null;
    }
}

/** A delivery with a valid signature and time. Its body has not been parsed. */
final class SignedDelivery
{
    public function __construct(
        public readonly string $id,
        public readonly \DateTimeImmutable $timestamp,
        public readonly string $body,
    ) {
    }
}
