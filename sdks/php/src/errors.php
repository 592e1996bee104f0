<?php

declare(strict_types=1);

namespace Surety;

/** Base class of all errors of this package. */
class SuretyError extends \RuntimeException
{
}

/** An invalid call or option. Nothing was sent. */
final class UsageError extends SuretyError
{
}

/** Details of a failed call. */
final class CallReport
{
    public function __construct(
        public readonly string $operation,
        public readonly int $attempts,
        public readonly string $requestId,
        public readonly ?string $idempotencyKey,
        public readonly bool $mayHaveTakenEffect,
    ) {
    }
}

/** A call that did not succeed, after its last attempt. */
abstract class CallError extends SuretyError
{
    /** Which operation, such as `refunds.create`. */
    public readonly string $operation;
    /** How often the request was sent. */
    public readonly int $attempts;
    /** Quote it when you report a problem; it exists even without a response. */
    public readonly string $requestId;
    /** The key that every attempt carried. Calling again with it never repeats the effect. */
    public readonly ?string $idempotencyKey;
    /** Whether the request may have succeeded all the same. If so, call again with the same key. */
    public readonly bool $mayHaveTakenEffect;

    public function __construct(string $what, CallReport $report)
    {
        $times = $report->attempts > 1 ? ", {$report->attempts} attempts" : '';
        parent::__construct("{$report->operation}: $what (request {$report->requestId}$times)");
        $this->operation = $report->operation;
        $this->attempts = $report->attempts;
        $this->requestId = $report->requestId;
        $this->idempotencyKey = $report->idempotencyKey;
        $this->mayHaveTakenEffect = $report->mayHaveTakenEffect;
    }
}

/** No response: no connection, or a broken one. */
final class ConnectionFailed extends CallError
{
}

/** No response in time. */
final class TimedOut extends CallError
{
}

/** A response that is not the service's: a proxy's page, a redirect, a truncated body. */
final class UnexpectedAnswer extends CallError
{
    public function __construct(
        string $what,
        CallReport $report,
        public readonly int $status,
        /** `Retry-After` in seconds, if the response had it. */
        public readonly ?float $retryAfter,
    ) {
        parent::__construct($what, $report);
    }
}

/** An error response of the service (RFC 9457). Decide by `$problemCode`; `Code` has the known ones. */
abstract class ServiceProblem extends CallError
{
    /** The kind of problem, for programs. Stable. (`getCode()` is PHP's own, a number.) */
    public readonly string $problemCode;
    /** The same for every problem of this code. */
    public readonly string $title;
    /** What happened this time, for people. */
    public readonly string $detail;
    /** @var list<Model\Fault> Every fault found in the request, with its place. */
    public readonly array $errors;

    public function __construct(
        CallReport $report,
        public readonly int $status,
        /** The whole problem, with the code's own members, such as `refundable`. */
        public readonly Model\Problem $problem,
        /** `Retry-After` in seconds, if the service sent it. */
        public readonly ?float $retryAfter,
    ) {
        parent::__construct("$status {$problem->code}. {$problem->title}. {$problem->detail}", $report);
        $this->problemCode = $problem->code;
        $this->title = $problem->title;
        $this->detail = $problem->detail;
        $this->errors = $problem->errors ?? [];
    }

    /** @return class-string<ServiceProblem> */
    public static function familyOf(int $status): string
    {
        return match (true) {
            $status === 401 => Unauthorized::class,
            $status === 403 => Forbidden::class,
            $status === 404 => NotFound::class,
            $status === 409 => Conflict::class,
            $status === 429 => TooManyRequests::class,
            $status >= 500 => ServerFailure::class,
            default => BadRequest::class,
        };
    }
}

/** Status 400 and similar: the request is invalid. */
final class BadRequest extends ServiceProblem
{
}

/** Status 401: the API key is missing, mistyped or revoked. */
final class Unauthorized extends ServiceProblem
{
}

/** Status 403: the key is valid, but may not do this. */
final class Forbidden extends ServiceProblem
{
}

/** Status 404. Records of the other environment are not found either. */
final class NotFound extends ServiceProblem
{
}

/** Status 409: the request conflicts with an earlier one or with the record's state. */
final class Conflict extends ServiceProblem
{
}

/** Status 429. */
final class TooManyRequests extends ServiceProblem
{
}

/** Status 500 and above: the service failed. */
final class ServerFailure extends ServiceProblem
{
}

/** `Client::waitUntilSettled` reached its time limit. */
final class StillPending extends SuretyError
{
    public function __construct(public readonly Record $record, float $seconds)
    {
        parent::__construct("The record is still PENDING after $seconds s");
    }
}
