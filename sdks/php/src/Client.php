<?php

declare(strict_types=1);

namespace Surety;

use Surety\Internal\Runtime;
use Surety\Internal\Secret;
use Surety\Internal\Send;
use Surety\Operation\AllOperations;

/**
 * The merchant interface under one API key. Every operation of `/v1` is a method of its group:
 * `$surety->refunds->create(...)`. Create one client and reuse it. Every failed call throws a `CallError`.
 */
final class Client extends AllOperations
{
    /**
     * @param string|null $apiKey Your secret key. It leaves the client only in the `Authorization` header.
     * @param string|null $baseUrl The service's base address, with or without `/v1`; https, except for this machine.
     * @param float $timeout Seconds for one attempt.
     * @param float $deadline Seconds for a whole call, with every attempt and wait.
     * @param int $maxRetries Attempts after the first one.
     * @param (callable(Retry): void)|null $onRetry Called with each failed attempt that will be retried.
     * @throws UsageError for invalid options
     */
    public function __construct(
        #[\SensitiveParameter] ?string $apiKey,
        ?string $baseUrl,
        float $timeout = 30.0,
        float $deadline = 120.0,
        int $maxRetries = 3,
        ?callable $onRetry = null,
        ?Runtime $runtime = null,
    ) {
        $patience = new CallOptions($timeout, $deadline, $maxRetries);
        parent::__construct(new Send(
            new Secret(Setting::apiKey($apiKey)),
            Setting::baseUrl($baseUrl),
            $patience->over($patience),
            $runtime ?? new Runtime(),
            $onRetry === null ? null : $onRetry(...),
        ));
    }

    /**
     * Reads a refund or a verification until it is no longer `PENDING`, at first each second, then less often:
     * `Client::waitUntilSettled(fn () => $surety->verifications->get($reference))`.
     *
     * @template T of Record
     * @param callable(): T $read
     * @param (callable(float): void)|null $sleep
     * @return T
     * @throws StillPending when the time is up
     */
    public static function waitUntilSettled(callable $read, float $timeout = 120.0, ?callable $sleep = null): Record
    {
        $sleep ??= static function (float $seconds): void {
            usleep((int) ($seconds * 1e6));
        };
        $waited = 0.0;
        for ($wait = 1.0;; $wait = min(15.0, $wait * 1.5)) {
            $record = $read();
            if (($record->status ?? null) !== 'PENDING') {
                return $record;
            }
            if ($waited + $wait > $timeout) {
                throw new StillPending($record, $timeout);
            }
            $sleep($wait);
            $waited += $wait;
        }
    }
}
