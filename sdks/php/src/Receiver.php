<?php

declare(strict_types=1);

namespace Surety;

use Surety\Internal\Secret;

/** The result of claiming an event: yours alone, or held by another delivery, or done before. */
final class Claim
{
    private function __construct(
        /** `claimed`, `running` or `completed`. */
        public readonly string $state,
        private readonly ?\Closure $complete = null,
        private readonly ?\Closure $release = null,
    ) {
    }

    /** Do the work, then `complete`; if it failed and may be retried, `release`. */
    public static function claimed(callable $complete, callable $release): self
    {
        return new self('claimed', $complete(...), $release(...));
    }

    public static function running(): self
    {
        return new self('running');
    }

    public static function completed(): self
    {
        return new self('completed');
    }

    public function complete(): void
    {
        ($this->complete ?? static fn () => null)();
    }

    public function release(): void
    {
        ($this->release ?? static fn () => null)();
    }
}

/** Remembers processed events. Implement it on a table that all your processes share. */
interface DedupeStore
{
    /**
     * Claims an event atomically: of concurrent calls for one id, at most one gets `Claim::claimed`.
     *
     * A claim that is neither completed nor released must expire, so that a dead process does not hold its event. An expired
     * claim must not release that of its successor. Remember a completed event for at least ten days, which covers the retry
     * schedule. A requested resend can arrive later.
     */
    public function claim(string $eventId): Claim;
}

/**
 * A store in this process's memory: for tests, and for one long-running worker. Under PHP-FPM each request has a memory of
 * its own, so use a table there. Remembers an event for 10 days, which exceeds the retry schedule even if `Retry-After` delays
 * attempts.
 */
final class MemoryStore implements DedupeStore
{
    /** @var array<string, array{float, object}> In the order in which they expire. */
    private array $running = [];
    /** @var array<string, array{float, object}> In the order in which they expire. */
    private array $completed = [];
    private readonly \Closure $now;

    public function __construct(
        private readonly int $maxEvents = 100_000,
        private readonly float $rememberSeconds = 864_000,
        private readonly float $claimSeconds = 300,
        ?callable $now = null,
    ) {
        $this->now = $now === null ? static fn (): float => microtime(true) : $now(...);
    }

    public function claim(string $eventId): Claim
    {
        $now = ($this->now)();
        // PHP turns a key of digits into a number; the prefix keeps it a string.
        $key = "e$eventId";
        self::forget($this->running, $now, PHP_INT_MAX);
        self::forget($this->completed, $now, $this->maxEvents);
        if (isset($this->completed[$key])) {
            return Claim::completed();
        }
        // Full of active claims: better to have this event retried later than to run one twice.
        if (isset($this->running[$key]) || count($this->running) >= $this->maxEvents) {
            return Claim::running();
        }
        $mine = new \stdClass();
        $this->running[$key] = [$now + $this->claimSeconds, $mine];
        $release = function () use ($key, $mine): void {
            if (($this->running[$key][1] ?? null) === $mine) {
                unset($this->running[$key]);
            }
        };
        return Claim::claimed(function () use ($key, $mine, $release): void {
            $release();
            unset($this->completed[$key]);
            $this->completed[$key] = [($this->now)() + $this->rememberSeconds, $mine];
            self::forget($this->completed, ($this->now)(), $this->maxEvents);
        }, $release);
    }

    /** @param array<string, array{float, object}> $entries */
    private static function forget(array &$entries, float $now, int $most): void
    {
        foreach ($entries as $key => [$endsAt]) {
            if ($endsAt > $now && count($entries) <= $most) {
                return;
            }
            unset($entries[$key]);
        }
    }
}

/** The response to the sender. */
final class Answer
{
    /** @param array<string, string> $headers */
    public function __construct(
        /** `processed`, `duplicate`, `running`, `refused` or `failed`. */
        public readonly string $outcome,
        public readonly int $status,
        public readonly array $headers,
        public readonly string $body,
    ) {
    }

    /** Sends it as the response of this script. */
    public function send(): void
    {
        http_response_code($this->status);
        foreach ($this->headers as $name => $value) {
            header("$name: $value");
        }
        echo $this->body;
    }
}

/**
 * Verifies a delivery, runs `$onEvent` once per event, and returns the response that tells the sender whether to retry.
 * Errors go to `error_log`, or to `$onError` and `$onRefused`.
 */
final class Receiver
{
    private const RETRY_AFTER = ['retry-after' => '5'];

    private readonly Secret $secrets;
    private readonly \Closure $onEvent;
    private readonly \Closure $onRefused;
    private readonly \Closure $onError;

    /**
     * @param string|list<string>|null $secrets
     * @param callable(Event): void $onEvent
     * @param (callable(WebhookRefused): void)|null $onRefused
     * @param (callable(\Throwable, Event): void)|null $onError
     */
    public function __construct(
        #[\SensitiveParameter] string|array|null $secrets,
        callable $onEvent,
        private readonly DedupeStore $store,
        private readonly float $toleranceSeconds = 300,
        private readonly int $maxBodyBytes = 1_048_576,
        ?callable $onRefused = null,
        ?callable $onError = null,
    ) {
        $this->secrets = new Secret($secrets);
        $this->onEvent = $onEvent(...);
        // Rejections by unauthenticated senders must not fill the log; faults of one's own side are logged.
        $this->onRefused = $onRefused === null
            ? static fn (WebhookRefused $refused): bool => $refused->isOwnFault()
                && error_log("Webhook delivery refused ({$refused->reason}): {$refused->getMessage()}")
            : $onRefused(...);
        $this->onError = $onError === null
            ? static fn (\Throwable $error, Event $event): bool => error_log(
                "Webhook event {$event->id} ({$event->topic}) failed: " . get_class($error) . ': ' . $error->getMessage()
            )
            : $onError(...);
    }

    /** Handles the request that this script answers, and sends the response. */
    public function handle(): void
    {
        if (($_SERVER['REQUEST_METHOD'] ?? '') !== 'POST') {
            self::answer('refused', 405, ['message' => 'Deliveries are sent by POST.'], ['allow' => 'POST'])->send();
            return;
        }
        $headers = [];
        foreach ($_SERVER as $name => $value) {
            if (is_string($value) && str_starts_with((string) $name, 'HTTP_')) {
                $headers[str_replace('_', '-', substr((string) $name, 5))] = $value;
            }
        }
        $input = fopen('php://input', 'rb');
        $this->receive($headers, $input === false ? null : $input)->send();
    }

    /**
     * Handles a delivery in any framework. A stream is read no further than the bound.
     *
     * @param array<string, string|list<string>> $headers
     * @param string|resource|null $body
     */
    public function receive(array $headers, mixed $body): Answer
    {
        if (is_resource($body)) {
            $body = (string) stream_get_contents($body, $this->maxBodyBytes + 1);
        }
        if (is_string($body) && strlen($body) > $this->maxBodyBytes) {
            return self::answer('refused', 413, ['message' => "The body has more than {$this->maxBodyBytes} bytes."]);
        }
        try {
            $raw = is_string($body) ? $body : null;
            $event = Webhooks::verify($raw, $headers, $this->secrets->reveal(), $this->toleranceSeconds);
        } catch (WebhookRefused $refused) {
            ($this->onRefused)($refused);
            return $refused->isOwnFault()
                ? self::answer('refused', 500, ['reason' => $refused->reason])
                : self::answer('refused', 400, ['reason' => $refused->reason, 'message' => $refused->getMessage()]);
        }
        return $this->work($event);
    }

    private function work(Event $event): Answer
    {
        try {
            $claim = $this->store->claim($event->id);
        } catch (\Throwable $error) {
            ($this->onError)($error, $event);
            return self::answer('failed', 503, [], self::RETRY_AFTER);
        }
        if ($claim->state === 'completed') {
            return self::answer('duplicate', 200);
        }
        if ($claim->state !== 'claimed') {
            return self::answer('running', 503, [], self::RETRY_AFTER);
        }
        try {
            ($this->onEvent)($event);
        } catch (\Throwable $error) {
            $this->settle($claim->release(...), $event);
            ($this->onError)($error, $event);
            return self::answer('failed', 500);
        }
        $this->settle($claim->complete(...), $event);
        return self::answer('processed', 200);
    }

    private function settle(\Closure $step, Event $event): void
    {
        try {
            $step();
        } catch (\Throwable $error) {
            // A store that fails now does not change the event's outcome: the claim expires.
            ($this->onError)($error, $event);
        }
    }

    /**
     * @param array<string, string> $details
     * @param array<string, string> $headers
     */
    private static function answer(string $outcome, int $status, array $details = [], array $headers = []): Answer
    {
        $body = json_encode(['outcome' => $outcome] + $details, JSON_THROW_ON_ERROR | JSON_INVALID_UTF8_SUBSTITUTE);
        return new Answer($outcome, $status, ['content-type' => 'application/json'] + $headers, $body);
    }
}
