<?php

declare(strict_types=1);

namespace Surety\Internal;

use Surety\CallError;
use Surety\CallOptions;
use Surety\CallReport;
use Surety\ConnectionFailed;
use Surety\Omit;
use Surety\Model\Problem;
use Surety\Operation\Routes;
use Surety\Page;
use Surety\Pages;
use Surety\Record;
use Surety\Reply;
use Surety\Retry;
use Surety\ServiceProblem;
use Surety\Setting;
use Surety\TimedOut;
use Surety\UnexpectedAnswer;
use Surety\UsageError;

/** @internal What a call takes from its surroundings; tests replace it. */
final class Runtime
{
    public readonly \Closure $transport;
    public readonly \Closure $elapsed;
    public readonly \Closure $sleep;
    public readonly \Closure $random;

    public function __construct(
        ?\Closure $transport = null,
        ?\Closure $elapsed = null,
        ?\Closure $sleep = null,
        ?\Closure $random = null,
    ) {
        $this->transport = $transport ?? (new Http())(...);
        $this->elapsed = $elapsed ?? static fn (): float => hrtime(true) / 1e9;
        $this->sleep = $sleep ?? static function (float $seconds): void {
            usleep((int) ($seconds * 1e6));
        };
        $this->random = $random ?? static fn (): float => random_int(0, 1 << 30) / (1 << 30);
    }
}

/** @internal A success, or a failure and how it becomes an error. */
final class Outcome
{
    public function __construct(
        public readonly mixed $data,
        public readonly ?Failure $failure = null,
        /** @var (\Closure(CallReport): CallError)|null */
        public readonly ?\Closure $toError = null,
        public readonly ?string $requestId = null,
    ) {
    }
}

/**
 * Calls: one attempt after the other, as long as it makes sense.
 *
 * @internal
 */
final class Send
{
    public function __construct(
        private readonly Secret $apiKey,
        private readonly string $baseUrl,
        private readonly CallOptions $patience,
        private readonly Runtime $runtime,
        private readonly ?\Closure $onRetry,
    ) {
    }

    public function record(string $operation, callable $read, mixed ...$given): Record
    {
        return $this->call($operation, self::reading($read), ...$given);
    }

    /** @return list<Record> */
    public function records(string $operation, callable $read, mixed ...$given): array
    {
        $one = self::reading($read);
        $of = static fn (mixed $data, Reply $reply): array => Wire::many(
            Wire::object($data)['data'] ?? null,
            static fn (mixed $it): Record => $one($it, $reply)
        );
        return $this->call($operation, $of, ...$given);
    }

    /** @param array<string, mixed> $query */
    public function pages(string $operation, callable $read, array $query, mixed ...$given): Pages
    {
        $one = self::reading($read);
        $of = static function (mixed $data, Reply $reply) use ($one): Page {
            $page = Wire::object($data);
            $records = Wire::many($page['data'] ?? null, static fn (mixed $it): Record => $one($it, $reply));
            return new Page($records, isset($page['nextCursor']) ? Wire::text($page['nextCursor']) : null, $reply);
        };
        return new Pages(function (?string $cursor) use ($operation, $of, $query, $given): Page {
            $asked = $cursor === null ? $query : ['cursor' => $cursor] + $query;
            return $this->call($operation, $of, ...$given, query: $asked);
        });
    }

    private static function reading(callable $read): \Closure
    {
        return static function (mixed $data, Reply $reply) use ($read): Record {
            $record = $read(Wire::object($data));
            $record->reply = $reply;
            return $record;
        };
    }

    /**
     * @param array<string, string> $path
     * @param array<string, mixed> $query
     * @param array<string, mixed> $body
     */
    private function call(
        string $operation,
        \Closure $read,
        array $path = [],
        array $query = [],
        array $body = [],
        ?string $idempotencyKey = null,
        ?CallOptions $options = null,
    ): mixed {
        $route = new Route(...Routes::ALL[$operation]);
        $url = $this->baseUrl . self::path($route->path, $path) . self::query($query);
        // Written once: every attempt sends the same bytes.
        $payload = Json::body($body, Routes::AMOUNT_FIELDS, $route->keyed);
        $key = $route->keyed ? Setting::idempotencyKey($idempotencyKey ?? self::newId()) : null;
        $patience = ($options ?? new CallOptions())->over($this->patience);
        $endsAt = ($this->runtime->elapsed)() + $patience->deadline;
        $isOpen = false;
        for ($attempts = 1;; $attempts++) {
            $ownId = self::newId();
            $left = max(0.0, $endsAt - ($this->runtime->elapsed)());
            $deadline = $left <= $patience->timeout;
            $request = new Request(
                $route->method,
                $url,
                $this->headers($payload, $key, $ownId),
                $payload,
                $deadline ? $left : $patience->timeout,
                $route->isRepeatable(),
            );
            $limit = $deadline ? $patience->deadline : $patience->timeout;
            $outcome = $this->attempt($request, $read, new Reply(0, $ownId, $attempts, false, $key), $deadline, $limit);
            $failure = $outcome->failure;
            if ($failure === null) {
                return $outcome->data;
            }
            $isOpen = !RetryPolicy::settlesTheOutcome($failure, $route)
                && ($isOpen || RetryPolicy::mayHaveTakenEffect($failure, $route));
            $report = new CallReport($operation, $attempts, $outcome->requestId ?? $ownId, $key, $isOpen);
            $error = ($outcome->toError)($report);
            $delay = $attempts > $patience->maxRetries
                ? null
                : RetryPolicy::delay($failure, $route, $attempts, ($this->runtime->random)());
            if ($delay === null || ($this->runtime->elapsed)() + $delay >= $endsAt) {
                throw $error;
            }
            $this->tell(new Retry($error, $delay));
            ($this->runtime->sleep)($delay);
        }
    }

    private function tell(Retry $retry): void
    {
        try {
            if ($this->onRetry !== null) {
                ($this->onRetry)($retry);
            }
        } catch (\Throwable) {
            // A failing logger must not hide a refund's outcome from the caller.
        }
    }

    /** @return array<string, string> */
    private function headers(?string $body, ?string $key, string $requestId): array
    {
        return [
            'Accept' => 'application/json, application/problem+json',
            'Authorization' => 'Bearer ' . $this->apiKey->reveal(),
            'User-Agent' => 'Service-Client-PHP/1.0',
            'X-Request-Id' => $requestId,
            ...($body === null ? [] : ['Content-Type' => 'application/json']),
            ...($key === null ? [] : ['Idempotency-Key' => $key]),
        ];
    }

    private function attempt(Request $request, \Closure $read, Reply $own, bool $deadline, float $limit): Outcome
    {
        try {
            $response = ($this->runtime->transport)($request);
        } catch (NoAnswer $noAnswer) {
            if ($noAnswer->timedOut) {
                $what = "no response arrived within the $limit s that " . ($deadline ? 'a call' : 'an attempt') . ' may take';
                $failure = new Failure('timeout', deadline: $deadline);
                return new Outcome(null, $failure, static fn (CallReport $report) => new TimedOut($what, $report));
            }
            $said = str_replace($this->apiKey->reveal(), 'sk_…', $noAnswer->getMessage());
            $what = 'no response arrived: ' . ($said === '' ? 'the system does not say why' : $said);
            $failure = new Failure('silence', notSent: $noAnswer->notSent);
            return new Outcome(null, $failure, static fn (CallReport $report) => new ConnectionFailed($what, $report));
        }
        return self::readAnswer($response, $read, $own);
    }

    private static function readAnswer(Response $response, \Closure $read, Reply $own): Outcome
    {
        [$status, $headers] = [$response->status, $response->headers];
        $requestId = $headers['x-request-id'] ?? null;
        $waits = RetryPolicy::readRetryAfter($headers['retry-after'] ?? null, microtime(true));
        $succeeded = $status >= 200 && $status < 300;
        $unexpected = static fn (string $what, bool $garbled = false): Outcome => new Outcome(
            null,
            new Failure('unexpected', $status, retryAfter: $waits, garbled: $garbled),
            static fn (CallReport $report) => new UnexpectedAnswer($what, $report, $status, $waits),
            $requestId
        );
        if ($status >= 300 && $status < 400) {
            return $unexpected(
                'got a redirect, which is not followed because it would pass on the API key: check baseUrl'
            );
        }
        $mediaType = trim(explode(';', $headers['content-type'] ?? 'none')[0]);
        if (preg_match('~[/+]json\z~', $mediaType) !== 1) {
            $shown = substr($mediaType, 0, 100);
            return $unexpected(
                "got $status with a body of type $shown, which is not the service's: check baseUrl and any proxy in between"
            );
        }
        if ($response->body === null) {
            return $unexpected("got $status with a body that is too long", $succeeded);
        }
        try {
            $data = Json::parse($response->body);
            if ($succeeded) {
                $replayed = ($headers['idempotent-replayed'] ?? '') === 'true';
                $reply = new Reply($status, $requestId ?? $own->requestId, $own->attempts, $replayed, $own->idempotencyKey);
                return new Outcome($read($data, $reply));
            }
            $problem = Problem::of(Wire::object($data));
        } catch (NotJson | WrongShape) {
            return $succeeded
                ? $unexpected("got $status with an incomplete body", true)
                : $unexpected("got $status with JSON that is not a problem of the service");
        }
        $family = ServiceProblem::familyOf($status);
        return new Outcome(
            null,
            new Failure('problem', $status, $problem->code, $waits, faults: ($problem->errors ?? []) !== []),
            static fn (CallReport $report) => new $family($report, $status, $problem, $waits),
            $requestId
        );
    }

    /** @param array<string, string> $values */
    private static function path(string $path, array $values): string
    {
        return (string) preg_replace_callback('/\{(\w+)\}/', static function (array $match) use ($values): string {
            $value = $values[$match[1]] ?? '';
            // A dot segment would select another route, an empty one none.
            if (preg_match('/\A\.{0,2}\z/', $value) === 1) {
                throw new UsageError("$match[1] must be a record's id, as returned by the service.");
            }
            return rawurlencode($value);
        }, $path);
    }

    /** @param array<string, mixed> $query */
    private static function query(array $query): string
    {
        $asked = [];
        foreach ($query as $name => $value) {
            if ($value === []) {
                throw new UsageError("$name is empty: name something, or leave it out. Left out, it means all or the most.");
            }
            if ($value !== null && $value !== Omit::Field) {
                $asked[$name] = is_array($value) ? implode(',', $value) : (is_bool($value) ? var_export($value, true) : $value);
            }
        }
        return $asked === [] ? '' : '?' . http_build_query($asked, '', '&', PHP_QUERY_RFC3986);
    }

    private static function newId(): string
    {
        $bytes = bin2hex(random_bytes(16));
        return implode('-', [substr($bytes, 0, 8), substr($bytes, 8, 4), substr($bytes, 12, 4), substr($bytes, 16, 4), substr($bytes, 20)]);
    }
}
