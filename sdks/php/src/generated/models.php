<?php
// Generated from the interface's definition by `vitest -u tests/sdks`. Do not edit.

declare(strict_types=1);

namespace Surety\Model;

use Surety\Record;
use Surety\Internal\Wire;

/**
 * Payload of `merchant.identity.consent_expired`: A grant expired: the next read of these fields fails.
 */
final class ConsentExpired extends Record
{
    /**
     * @param list<string> $fields
     * @param 'EXPIRED' $grantStatus
     * @param array<string, mixed> $raw
     */
    public function __construct(
        public readonly string $merchantId,
        public readonly string $serviceId,
        public readonly string $grantId,
        public readonly array $fields,
        public readonly string $at,
        public readonly string $grantStatus,
        array $raw = [],
    ) {
        parent::__construct($raw);
    }

    /** @param array<string, mixed> $raw */
    public static function of(array $raw): self
    {
        return new self(
            Wire::text($raw['merchantId'] ?? null),
            Wire::text($raw['serviceId'] ?? null),
            Wire::text($raw['grantId'] ?? null),
            Wire::many($raw['fields'] ?? null, static fn (mixed $it): string => Wire::text($it)),
            Wire::text($raw['at'] ?? null),
            Wire::text($raw['grantStatus'] ?? null),
            $raw,
        );
    }
}

/**
 * Payload of `merchant.identity.consent_granted`: A person lets the merchant read these fields.
 */
final class ConsentGranted extends Record
{
    /**
     * @param list<string> $fields
     * @param array<string, mixed> $raw
     */
    public function __construct(
        public readonly string $merchantId,
        public readonly string $serviceId,
        public readonly string $grantId,
        public readonly array $fields,
        public readonly string $grantedAt,
        public readonly string $expiresAt,
        public readonly ?string $dataRequestId,
        array $raw = [],
    ) {
        parent::__construct($raw);
    }

    /** @param array<string, mixed> $raw */
    public static function of(array $raw): self
    {
        return new self(
            Wire::text($raw['merchantId'] ?? null),
            Wire::text($raw['serviceId'] ?? null),
            Wire::text($raw['grantId'] ?? null),
            Wire::many($raw['fields'] ?? null, static fn (mixed $it): string => Wire::text($it)),
            Wire::text($raw['grantedAt'] ?? null),
            Wire::text($raw['expiresAt'] ?? null),
            isset($raw['dataRequestId']) ? Wire::text($raw['dataRequestId']) : null,
            $raw,
        );
    }
}

/**
 * Payload of `merchant.identity.consent_revoked`: A grant was revoked: the next read of these fields
 * fails.
 */
final class ConsentRevoked extends Record
{
    /**
     * @param list<string> $fields
     * @param 'REVOKED' $grantStatus
     * @param array<string, mixed> $raw
     */
    public function __construct(
        public readonly string $merchantId,
        public readonly string $serviceId,
        public readonly string $grantId,
        public readonly array $fields,
        public readonly string $at,
        public readonly string $grantStatus,
        array $raw = [],
    ) {
        parent::__construct($raw);
    }

    /** @param array<string, mixed> $raw */
    public static function of(array $raw): self
    {
        return new self(
            Wire::text($raw['merchantId'] ?? null),
            Wire::text($raw['serviceId'] ?? null),
            Wire::text($raw['grantId'] ?? null),
            Wire::many($raw['fields'] ?? null, static fn (mixed $it): string => Wire::text($it)),
            Wire::text($raw['at'] ?? null),
            Wire::text($raw['grantStatus'] ?? null),
            $raw,
        );
    }
}

/**
 * Consumer as the service returns it.
 */
final class Consumer extends Record
{
    /**
     * @param 'TEST'|'LIVE' $environment
     * @param array<string, mixed> $raw
     */
    public function __construct(
        public readonly string $userId,
        public readonly string $serviceId,
        public readonly string $environment,
        public readonly bool $phoneVerified,
        public readonly string $createdAt,
        public readonly ?string $externalId,
        public readonly ?string $displayName,
        public readonly ?string $country,
        public readonly ?string $email,
        public readonly ?bool $askLimits,
        array $raw = [],
    ) {
        parent::__construct($raw);
    }

    /** @param array<string, mixed> $raw */
    public static function of(array $raw): self
    {
        return new self(
            Wire::text($raw['userId'] ?? null),
            Wire::text($raw['serviceId'] ?? null),
            Wire::text($raw['environment'] ?? null),
            Wire::boolean($raw['phoneVerified'] ?? null),
            Wire::text($raw['createdAt'] ?? null),
            isset($raw['externalId']) ? Wire::text($raw['externalId']) : null,
            isset($raw['displayName']) ? Wire::text($raw['displayName']) : null,
            isset($raw['country']) ? Wire::text($raw['country']) : null,
            isset($raw['email']) ? Wire::text($raw['email']) : null,
            isset($raw['askLimits']) ? Wire::boolean($raw['askLimits']) : null,
            $raw,
        );
    }
}

/**
 * Payload of `merchant.identity.data_changed`: Fields that the merchant may read have new values. Read
 * them again; the event contains no values.
 */
final class DataChanged extends Record
{
    /**
     * @param list<string> $fields
     * @param array<string, mixed> $raw
     */
    public function __construct(
        public readonly string $merchantId,
        public readonly string $serviceId,
        public readonly array $fields,
        public readonly string $changedAt,
        array $raw = [],
    ) {
        parent::__construct($raw);
    }

    /** @param array<string, mixed> $raw */
    public static function of(array $raw): self
    {
        return new self(
            Wire::text($raw['merchantId'] ?? null),
            Wire::text($raw['serviceId'] ?? null),
            Wire::many($raw['fields'] ?? null, static fn (mixed $it): string => Wire::text($it)),
            Wire::text($raw['changedAt'] ?? null),
            $raw,
        );
    }
}

/**
 * DataRequest as the service returns it.
 */
final class DataRequest extends Record
{
    /**
     * @param list<string> $requestedFields
     * @param 'PENDING'|'APPROVED'|'DENIED'|'EXPIRED'|'CANCELLED' $status
     * @param list<string>|null $approvedFields
     * @param array<string, mixed> $raw
     */
    public function __construct(
        public readonly string $id,
        public readonly string $serviceId,
        public readonly array $requestedFields,
        public readonly string $status,
        public readonly string $createdAt,
        public readonly string $expiresAt,
        public readonly mixed $duration,
        public readonly ?array $approvedFields,
        public readonly ?string $grantId,
        public readonly ?string $decidedAt,
        public readonly ?string $consentUrl,
        array $raw = [],
    ) {
        parent::__construct($raw);
    }

    /** @param array<string, mixed> $raw */
    public static function of(array $raw): self
    {
        return new self(
            Wire::text($raw['id'] ?? null),
            Wire::text($raw['serviceId'] ?? null),
            Wire::many($raw['requestedFields'] ?? null, static fn (mixed $it): string => Wire::text($it)),
            Wire::text($raw['status'] ?? null),
            Wire::text($raw['createdAt'] ?? null),
            Wire::text($raw['expiresAt'] ?? null),
            $raw['duration'] ?? null,
            isset($raw['approvedFields']) ? Wire::many($raw['approvedFields'], static fn (mixed $it): string => Wire::text($it)) : null,
            isset($raw['grantId']) ? Wire::text($raw['grantId']) : null,
            isset($raw['decidedAt']) ? Wire::text($raw['decidedAt']) : null,
            isset($raw['consentUrl']) ? Wire::text($raw['consentUrl']) : null,
            $raw,
        );
    }
}

/**
 * Payload of `merchant.identity.request.approved`: A person approved a data request; `approvedFields`
 * may be fewer than were requested.
 */
final class DataRequestApproved extends Record
{
    /**
     * @param list<string> $requestedFields
     * @param list<string> $approvedFields
     * @param 'APPROVED' $status
     * @param array<string, mixed> $raw
     */
    public function __construct(
        public readonly string $merchantId,
        public readonly string $dataRequestId,
        public readonly string $serviceId,
        public readonly array $requestedFields,
        public readonly array $approvedFields,
        public readonly string $status,
        public readonly string $decidedAt,
        array $raw = [],
    ) {
        parent::__construct($raw);
    }

    /** @param array<string, mixed> $raw */
    public static function of(array $raw): self
    {
        return new self(
            Wire::text($raw['merchantId'] ?? null),
            Wire::text($raw['dataRequestId'] ?? null),
            Wire::text($raw['serviceId'] ?? null),
            Wire::many($raw['requestedFields'] ?? null, static fn (mixed $it): string => Wire::text($it)),
            Wire::many($raw['approvedFields'] ?? null, static fn (mixed $it): string => Wire::text($it)),
            Wire::text($raw['status'] ?? null),
            Wire::text($raw['decidedAt'] ?? null),
            $raw,
        );
    }
}

/**
 * Payload of `merchant.identity.request.denied`: A person denied a data request.
 */
final class DataRequestDenied extends Record
{
    /**
     * @param list<string> $requestedFields
     * @param 'DENIED' $status
     * @param array<string, mixed> $raw
     */
    public function __construct(
        public readonly string $merchantId,
        public readonly string $dataRequestId,
        public readonly string $serviceId,
        public readonly array $requestedFields,
        public readonly string $status,
        public readonly string $decidedAt,
        array $raw = [],
    ) {
        parent::__construct($raw);
    }

    /** @param array<string, mixed> $raw */
    public static function of(array $raw): self
    {
        return new self(
            Wire::text($raw['merchantId'] ?? null),
            Wire::text($raw['dataRequestId'] ?? null),
            Wire::text($raw['serviceId'] ?? null),
            Wire::many($raw['requestedFields'] ?? null, static fn (mixed $it): string => Wire::text($it)),
            Wire::text($raw['status'] ?? null),
            Wire::text($raw['decidedAt'] ?? null),
            $raw,
        );
    }
}

/**
 * Payload of `merchant.identity.request.expired`: A data request expired without a decision.
 */
final class DataRequestExpired extends Record
{
    /**
     * @param list<string> $requestedFields
     * @param 'EXPIRED' $status
     * @param array<string, mixed> $raw
     */
    public function __construct(
        public readonly string $merchantId,
        public readonly string $dataRequestId,
        public readonly string $serviceId,
        public readonly array $requestedFields,
        public readonly string $status,
        public readonly string $expiredAt,
        array $raw = [],
    ) {
        parent::__construct($raw);
    }

    /** @param array<string, mixed> $raw */
    public static function of(array $raw): self
    {
        return new self(
            Wire::text($raw['merchantId'] ?? null),
            Wire::text($raw['dataRequestId'] ?? null),
            Wire::text($raw['serviceId'] ?? null),
            Wire::many($raw['requestedFields'] ?? null, static fn (mixed $it): string => Wire::text($it)),
            Wire::text($raw['status'] ?? null),
            Wire::text($raw['expiredAt'] ?? null),
            $raw,
        );
    }
}

/**
 * Delivery as the service returns it.
 */
final class Delivery extends Record
{
    /**
     * @param 'PENDING'|'DELIVERED'|'FAILED' $status
     * @param list<DeliveryAttempt> $attempts
     * @param array<string, mixed> $raw
     */
    public function __construct(
        public readonly string $id,
        public readonly string $endpointId,
        public readonly string $status,
        public readonly array $attempts,
        public readonly string $createdAt,
        public readonly ?string $nextAttemptAt,
        array $raw = [],
    ) {
        parent::__construct($raw);
    }

    /** @param array<string, mixed> $raw */
    public static function of(array $raw): self
    {
        return new self(
            Wire::text($raw['id'] ?? null),
            Wire::text($raw['endpointId'] ?? null),
            Wire::text($raw['status'] ?? null),
            Wire::many($raw['attempts'] ?? null, static fn (mixed $it): DeliveryAttempt => DeliveryAttempt::of(Wire::object($it))),
            Wire::text($raw['createdAt'] ?? null),
            isset($raw['nextAttemptAt']) ? Wire::text($raw['nextAttemptAt']) : null,
            $raw,
        );
    }
}

/**
 * DeliveryAttempt as the service returns it.
 */
final class DeliveryAttempt extends Record
{
    /**
     * @param array<string, mixed> $raw
     */
    public function __construct(
        public readonly int $number,
        public readonly string $startedAt,
        public readonly int $durationMillis,
        public readonly ?int $responseStatus,
        public readonly ?string $responseBody,
        public readonly ?string $error,
        array $raw = [],
    ) {
        parent::__construct($raw);
    }

    /** @param array<string, mixed> $raw */
    public static function of(array $raw): self
    {
        return new self(
            Wire::integer($raw['number'] ?? null),
            Wire::text($raw['startedAt'] ?? null),
            Wire::integer($raw['durationMillis'] ?? null),
            isset($raw['responseStatus']) ? Wire::integer($raw['responseStatus']) : null,
            isset($raw['responseBody']) ? Wire::text($raw['responseBody']) : null,
            isset($raw['error']) ? Wire::text($raw['error']) : null,
            $raw,
        );
    }
}

/**
 * Payload of `endpoint.disabled`: An endpoint of the merchant was disabled. Its other endpoints get
 * this event.
 */
final class EndpointDisabled extends Record
{
    /**
     * @param array<string, mixed> $raw
     */
    public function __construct(
        public readonly string $merchantId,
        public readonly string $endpointId,
        public readonly string $disabledAt,
        public readonly ?string $reason,
        array $raw = [],
    ) {
        parent::__construct($raw);
    }

    /** @param array<string, mixed> $raw */
    public static function of(array $raw): self
    {
        return new self(
            Wire::text($raw['merchantId'] ?? null),
            Wire::text($raw['endpointId'] ?? null),
            Wire::text($raw['disabledAt'] ?? null),
            isset($raw['reason']) ? Wire::text($raw['reason']) : null,
            $raw,
        );
    }
}

/**
 * Event as the service returns it.
 */
final class Event extends Record
{
    /**
     * @param
     * 'transaction.settled'|'refund.completed'|'merchant.identity.consent_granted'|'merchant.identity.request.approved'|'merchant.identity.request.denied'|'merchant.identity.request.expired'|'merchant.identity.consent_revoked'|'merchant.identity.consent_expired'|'merchant.identity.data_changed'|'kyc.verification.completed'|'refund.failed'|'endpoint.disabled'
     * $topic
     * @param 'TEST'|'LIVE' $environment
     * @param array<string, mixed> $raw
     */
    public function __construct(
        public readonly string $id,
        public readonly string $topic,
        public readonly string $environment,
        public readonly string $occurredAt,
        public readonly string $version,
        public readonly string $sequence,
        public readonly mixed $payload,
        public readonly ?bool $test,
        array $raw = [],
    ) {
        parent::__construct($raw);
    }

    /** @param array<string, mixed> $raw */
    public static function of(array $raw): self
    {
        return new self(
            Wire::text($raw['id'] ?? null),
            Wire::text($raw['topic'] ?? null),
            Wire::text($raw['environment'] ?? null),
            Wire::text($raw['occurredAt'] ?? null),
            Wire::text($raw['version'] ?? null),
            Wire::text($raw['sequence'] ?? null),
            $raw['payload'] ?? null,
            isset($raw['test']) ? Wire::boolean($raw['test']) : null,
            $raw,
        );
    }
}

/**
 * EventType as the service returns it.
 */
final class EventType extends Record
{
    /**
     * @param
     * 'transaction.settled'|'refund.completed'|'merchant.identity.consent_granted'|'merchant.identity.request.approved'|'merchant.identity.request.denied'|'merchant.identity.request.expired'|'merchant.identity.consent_revoked'|'merchant.identity.consent_expired'|'merchant.identity.data_changed'|'kyc.verification.completed'|'refund.failed'|'endpoint.disabled'
     * $topic
     * @param array<string, mixed> $schema
     * @param array<string, mixed> $example
     * @param array<string, mixed> $raw
     */
    public function __construct(
        public readonly string $topic,
        public readonly string $description,
        public readonly string $version,
        public readonly bool $isDefault,
        public readonly array $schema,
        public readonly array $example,
        array $raw = [],
    ) {
        parent::__construct($raw);
    }

    /** @param array<string, mixed> $raw */
    public static function of(array $raw): self
    {
        return new self(
            Wire::text($raw['topic'] ?? null),
            Wire::text($raw['description'] ?? null),
            Wire::text($raw['version'] ?? null),
            Wire::boolean($raw['isDefault'] ?? null),
            Wire::mapping($raw['schema'] ?? null, static fn (mixed $it): mixed => $it),
            Wire::mapping($raw['example'] ?? null, static fn (mixed $it): mixed => $it),
            $raw,
        );
    }
}

/**
 * One thing wrong with a request, and where.
 */
final class Fault extends Record
{
    /**
     * @param array<string, mixed> $raw
     */
    public function __construct(
        public readonly string $detail,
        public readonly string $code,
        public readonly ?string $pointer,
        public readonly ?string $parameter,
        public readonly ?string $header,
        array $raw = [],
    ) {
        parent::__construct($raw);
    }

    /** @param array<string, mixed> $raw */
    public static function of(array $raw): self
    {
        return new self(
            Wire::text($raw['detail'] ?? null),
            Wire::text($raw['code'] ?? null),
            isset($raw['pointer']) ? Wire::text($raw['pointer']) : null,
            isset($raw['parameter']) ? Wire::text($raw['parameter']) : null,
            isset($raw['header']) ? Wire::text($raw['header']) : null,
            $raw,
        );
    }
}

/**
 * Grant as the service returns it.
 */
final class Grant extends Record
{
    /**
     * @param list<string> $fields
     * @param 'ACTIVE'|'REVOKED'|'EXPIRED' $status
     * @param 'REQUEST'|'HOST'|'OPERATOR' $origin
     * @param array<string, mixed> $raw
     */
    public function __construct(
        public readonly string $id,
        public readonly string $serviceId,
        public readonly array $fields,
        public readonly string $purpose,
        public readonly string $status,
        public readonly string $origin,
        public readonly string $grantedAt,
        public readonly string $expiresAt,
        public readonly ?string $dataRequestId,
        public readonly ?string $revokedAt,
        public readonly ?bool $oneTime,
        public readonly ?string $usedAt,
        array $raw = [],
    ) {
        parent::__construct($raw);
    }

    /** @param array<string, mixed> $raw */
    public static function of(array $raw): self
    {
        return new self(
            Wire::text($raw['id'] ?? null),
            Wire::text($raw['serviceId'] ?? null),
            Wire::many($raw['fields'] ?? null, static fn (mixed $it): string => Wire::text($it)),
            Wire::text($raw['purpose'] ?? null),
            Wire::text($raw['status'] ?? null),
            Wire::text($raw['origin'] ?? null),
            Wire::text($raw['grantedAt'] ?? null),
            Wire::text($raw['expiresAt'] ?? null),
            isset($raw['dataRequestId']) ? Wire::text($raw['dataRequestId']) : null,
            isset($raw['revokedAt']) ? Wire::text($raw['revokedAt']) : null,
            isset($raw['oneTime']) ? Wire::boolean($raw['oneTime']) : null,
            isset($raw['usedAt']) ? Wire::text($raw['usedAt']) : null,
            $raw,
        );
    }
}

/**
 * GrantReceipt as the service returns it.
 */
final class GrantReceipt extends Record
{
    /**
     * @param array<string, mixed> $raw
     */
    public function __construct(
        public readonly string $id,
        public readonly int $sequence,
        public readonly string $previousHash,
        public readonly string $hash,
        public readonly mixed $receipt,
        public readonly string $jws,
        array $raw = [],
    ) {
        parent::__construct($raw);
    }

    /** @param array<string, mixed> $raw */
    public static function of(array $raw): self
    {
        return new self(
            Wire::text($raw['id'] ?? null),
            Wire::integer($raw['sequence'] ?? null),
            Wire::text($raw['previousHash'] ?? null),
            Wire::text($raw['hash'] ?? null),
            $raw['receipt'] ?? null,
            Wire::text($raw['jws'] ?? null),
            $raw,
        );
    }
}

/**
 * Identity as the service returns it.
 */
final class Identity extends Record
{
    /**
     * @param array<string, mixed> $fields
     * @param array<string, 'never_requested'|'pending'|'denied'|'expired'|'revoked'> $notApproved
     * @param array<string, mixed> $raw
     */
    public function __construct(
        public readonly string $serviceId,
        public readonly array $fields,
        public readonly array $notApproved,
        array $raw = [],
    ) {
        parent::__construct($raw);
    }

    /** @param array<string, mixed> $raw */
    public static function of(array $raw): self
    {
        return new self(
            Wire::text($raw['serviceId'] ?? null),
            Wire::mapping($raw['fields'] ?? null, static fn (mixed $it): mixed => $it),
            Wire::mapping($raw['notApproved'] ?? null, static fn (mixed $it): string => Wire::text($it)),
            $raw,
        );
    }
}

/**
 * Payment as the service returns it.
 */
final class Payment extends Record
{
    /**
     * @param 'TEST'|'LIVE' $environment
     * @param numeric-string $amount
     * @param numeric-string $refundedAmount
     * @param 'WALLET'|'CARD'|'BANK_TRANSFER' $method
     * @param 'PENDING'|'SETTLED' $status
     * @param 'pending'|'decline'|'unavailable'|'no_wallet'|'no_balance'|null $refundOutcome
     * @param array<string, mixed> $raw
     */
    public function __construct(
        public readonly string $transactionId,
        public readonly string $merchantId,
        public readonly string $environment,
        public readonly string $amount,
        public readonly string $currency,
        public readonly string $refundedAmount,
        public readonly string $method,
        public readonly string $status,
        public readonly string $createdAt,
        public readonly ?string $reference,
        public readonly ?string $userId,
        public readonly ?string $serviceId,
        public readonly ?string $settledAt,
        public readonly ?string $refundOutcome,
        array $raw = [],
    ) {
        parent::__construct($raw);
    }

    /** @param array<string, mixed> $raw */
    public static function of(array $raw): self
    {
        return new self(
            Wire::text($raw['transactionId'] ?? null),
            Wire::text($raw['merchantId'] ?? null),
            Wire::text($raw['environment'] ?? null),
            Wire::amount($raw['amount'] ?? null),
            Wire::text($raw['currency'] ?? null),
            Wire::amount($raw['refundedAmount'] ?? null),
            Wire::text($raw['method'] ?? null),
            Wire::text($raw['status'] ?? null),
            Wire::text($raw['createdAt'] ?? null),
            isset($raw['reference']) ? Wire::text($raw['reference']) : null,
            isset($raw['userId']) ? Wire::text($raw['userId']) : null,
            isset($raw['serviceId']) ? Wire::text($raw['serviceId']) : null,
            isset($raw['settledAt']) ? Wire::text($raw['settledAt']) : null,
            isset($raw['refundOutcome']) ? Wire::text($raw['refundOutcome']) : null,
            $raw,
        );
    }
}

/**
 * RFC 9457 problem details.
 */
final class Problem extends Record
{
    /**
     * @param list<Fault>|null $errors
     * @param numeric-string|null $original
     * @param numeric-string|null $refunded
     * @param numeric-string|null $refundable
     * @param list<string>|null $allowed
     * @param array<string, mixed> $raw
     */
    public function __construct(
        public readonly string $type,
        public readonly string $title,
        public readonly int $status,
        public readonly string $detail,
        public readonly string $instance,
        public readonly string $code,
        public readonly string $requestId,
        public readonly ?array $errors,
        public readonly ?string $currency,
        public readonly ?string $original,
        public readonly ?string $refunded,
        public readonly ?string $refundable,
        public readonly ?string $merchantStatus,
        public readonly ?string $dataRequestStatus,
        public readonly ?array $allowed,
        public readonly ?string $field,
        public readonly ?int $limit,
        public readonly ?string $refundId,
        public readonly ?string $refundStatus,
        public readonly ?string $requiredScope,
        public readonly ?int $leftSeconds,
        array $raw = [],
    ) {
        parent::__construct($raw);
    }

    /** @param array<string, mixed> $raw */
    public static function of(array $raw): self
    {
        return new self(
            Wire::text($raw['type'] ?? null),
            Wire::text($raw['title'] ?? null),
            Wire::integer($raw['status'] ?? null),
            Wire::text($raw['detail'] ?? null),
            Wire::text($raw['instance'] ?? null),
            Wire::text($raw['code'] ?? null),
            Wire::text($raw['requestId'] ?? null),
            isset($raw['errors']) ? Wire::many($raw['errors'], static fn (mixed $it): Fault => Fault::of(Wire::object($it))) : null,
            isset($raw['currency']) ? Wire::text($raw['currency']) : null,
            isset($raw['original']) ? Wire::amount($raw['original']) : null,
            isset($raw['refunded']) ? Wire::amount($raw['refunded']) : null,
            isset($raw['refundable']) ? Wire::amount($raw['refundable']) : null,
            isset($raw['merchantStatus']) ? Wire::text($raw['merchantStatus']) : null,
            isset($raw['dataRequestStatus']) ? Wire::text($raw['dataRequestStatus']) : null,
            isset($raw['allowed']) ? Wire::many($raw['allowed'], static fn (mixed $it): string => Wire::text($it)) : null,
            isset($raw['field']) ? Wire::text($raw['field']) : null,
            isset($raw['limit']) ? Wire::integer($raw['limit']) : null,
            isset($raw['refundId']) ? Wire::text($raw['refundId']) : null,
            isset($raw['refundStatus']) ? Wire::text($raw['refundStatus']) : null,
            isset($raw['requiredScope']) ? Wire::text($raw['requiredScope']) : null,
            isset($raw['leftSeconds']) ? Wire::integer($raw['leftSeconds']) : null,
            $raw,
        );
    }
}

/**
 * Refund as the service returns it.
 */
final class Refund extends Record
{
    /**
     * @param numeric-string $amount
     * @param 'PENDING'|'COMPLETED'|'FAILED' $status
     * @param list<RefundItem>|null $items
     * @param array<string, mixed> $raw
     */
    public function __construct(
        public readonly string $merchantId,
        public readonly string $refundId,
        public readonly string $transactionId,
        public readonly string $amount,
        public readonly string $currency,
        public readonly string $status,
        public readonly ?string $reference,
        public readonly ?string $reason,
        public readonly ?string $serviceId,
        public readonly ?string $completedAt,
        public readonly ?string $merchantReference,
        public readonly ?array $items,
        array $raw = [],
    ) {
        parent::__construct($raw);
    }

    /** @param array<string, mixed> $raw */
    public static function of(array $raw): self
    {
        return new self(
            Wire::text($raw['merchantId'] ?? null),
            Wire::text($raw['refundId'] ?? null),
            Wire::text($raw['transactionId'] ?? null),
            Wire::amount($raw['amount'] ?? null),
            Wire::text($raw['currency'] ?? null),
            Wire::text($raw['status'] ?? null),
            isset($raw['reference']) ? Wire::text($raw['reference']) : null,
            isset($raw['reason']) ? Wire::text($raw['reason']) : null,
            isset($raw['serviceId']) ? Wire::text($raw['serviceId']) : null,
            isset($raw['completedAt']) ? Wire::text($raw['completedAt']) : null,
            isset($raw['merchantReference']) ? Wire::text($raw['merchantReference']) : null,
            isset($raw['items']) ? Wire::many($raw['items'], static fn (mixed $it): RefundItem => RefundItem::of(Wire::object($it))) : null,
            $raw,
        );
    }
}

/**
 * Payload of `refund.completed`: The customer's primary wallet has been credited.
 */
final class RefundCompleted extends Record
{
    /**
     * @param numeric-string $amount
     * @param 'COMPLETED' $status
     * @param array<string, mixed> $raw
     */
    public function __construct(
        public readonly string $merchantId,
        public readonly string $refundId,
        public readonly string $transactionId,
        public readonly string $amount,
        public readonly string $currency,
        public readonly string $status,
        public readonly string $completedAt,
        public readonly ?string $reference,
        public readonly ?string $reason,
        public readonly ?string $serviceId,
        public readonly ?string $merchantReference,
        array $raw = [],
    ) {
        parent::__construct($raw);
    }

    /** @param array<string, mixed> $raw */
    public static function of(array $raw): self
    {
        return new self(
            Wire::text($raw['merchantId'] ?? null),
            Wire::text($raw['refundId'] ?? null),
            Wire::text($raw['transactionId'] ?? null),
            Wire::amount($raw['amount'] ?? null),
            Wire::text($raw['currency'] ?? null),
            Wire::text($raw['status'] ?? null),
            Wire::text($raw['completedAt'] ?? null),
            isset($raw['reference']) ? Wire::text($raw['reference']) : null,
            isset($raw['reason']) ? Wire::text($raw['reason']) : null,
            isset($raw['serviceId']) ? Wire::text($raw['serviceId']) : null,
            isset($raw['merchantReference']) ? Wire::text($raw['merchantReference']) : null,
            $raw,
        );
    }
}

/**
 * Payload of `refund.failed`: The wallet declined a refund: the money is back with the merchant, and
 * the idempotency key can be used again.
 */
final class RefundFailed extends Record
{
    /**
     * @param numeric-string $amount
     * @param 'FAILED' $status
     * @param 'wallet_declined' $failureReason
     * @param array<string, mixed> $raw
     */
    public function __construct(
        public readonly string $merchantId,
        public readonly string $refundId,
        public readonly string $transactionId,
        public readonly string $amount,
        public readonly string $currency,
        public readonly string $status,
        public readonly string $failureReason,
        public readonly string $failedAt,
        public readonly ?string $reference,
        public readonly ?string $reason,
        public readonly ?string $serviceId,
        public readonly ?string $merchantReference,
        array $raw = [],
    ) {
        parent::__construct($raw);
    }

    /** @param array<string, mixed> $raw */
    public static function of(array $raw): self
    {
        return new self(
            Wire::text($raw['merchantId'] ?? null),
            Wire::text($raw['refundId'] ?? null),
            Wire::text($raw['transactionId'] ?? null),
            Wire::amount($raw['amount'] ?? null),
            Wire::text($raw['currency'] ?? null),
            Wire::text($raw['status'] ?? null),
            Wire::text($raw['failureReason'] ?? null),
            Wire::text($raw['failedAt'] ?? null),
            isset($raw['reference']) ? Wire::text($raw['reference']) : null,
            isset($raw['reason']) ? Wire::text($raw['reason']) : null,
            isset($raw['serviceId']) ? Wire::text($raw['serviceId']) : null,
            isset($raw['merchantReference']) ? Wire::text($raw['merchantReference']) : null,
            $raw,
        );
    }
}

/**
 * RefundItem as the service returns it.
 */
final class RefundItem extends Record
{
    /**
     * @param numeric-string $amount
     * @param array<string, mixed> $raw
     */
    public function __construct(
        public readonly string $amount,
        public readonly string $currency,
        public readonly ?string $reason,
        array $raw = [],
    ) {
        parent::__construct($raw);
    }

    /** @param array<string, mixed> $raw */
    public static function of(array $raw): self
    {
        return new self(
            Wire::amount($raw['amount'] ?? null),
            Wire::text($raw['currency'] ?? null),
            isset($raw['reason']) ? Wire::text($raw['reason']) : null,
            $raw,
        );
    }
}

/**
 * RequestEntry as the service returns it.
 */
final class RequestEntry extends Record
{
    /**
     * @param array<string, mixed> $raw
     */
    public function __construct(
        public readonly string $method,
        public readonly int $status,
        public readonly string $requestId,
        public readonly string $keyLast4,
        public readonly string $at,
        public readonly ?string $route,
        public readonly ?string $code,
        array $raw = [],
    ) {
        parent::__construct($raw);
    }

    /** @param array<string, mixed> $raw */
    public static function of(array $raw): self
    {
        return new self(
            Wire::text($raw['method'] ?? null),
            Wire::integer($raw['status'] ?? null),
            Wire::text($raw['requestId'] ?? null),
            Wire::text($raw['keyLast4'] ?? null),
            Wire::text($raw['at'] ?? null),
            isset($raw['route']) ? Wire::text($raw['route']) : null,
            isset($raw['code']) ? Wire::text($raw['code']) : null,
            $raw,
        );
    }
}

/**
 * Resend as the service returns it.
 */
final class Resend extends Record
{
    /**
     * @param array<string, mixed> $raw
     */
    public function __construct(
        public readonly string $eventId,
        public readonly int $scheduled,
        array $raw = [],
    ) {
        parent::__construct($raw);
    }

    /** @param array<string, mixed> $raw */
    public static function of(array $raw): self
    {
        return new self(
            Wire::text($raw['eventId'] ?? null),
            Wire::integer($raw['scheduled'] ?? null),
            $raw,
        );
    }
}

/**
 * TestClock as the service returns it.
 */
final class TestClock extends Record
{
    /**
     * @param array<string, mixed> $raw
     */
    public function __construct(
        public readonly string $now,
        public readonly int $advancedSeconds,
        array $raw = [],
    ) {
        parent::__construct($raw);
    }

    /** @param array<string, mixed> $raw */
    public static function of(array $raw): self
    {
        return new self(
            Wire::text($raw['now'] ?? null),
            Wire::integer($raw['advancedSeconds'] ?? null),
            $raw,
        );
    }
}

/**
 * TestMerchant as the service returns it.
 */
final class TestMerchant extends Record
{
    /**
     * @param 'TEST'|'LIVE' $environment
     * @param array<string, mixed> $raw
     */
    public function __construct(
        public readonly string $merchantId,
        public readonly string $environment,
        public readonly bool $refundsEnabled,
        array $raw = [],
    ) {
        parent::__construct($raw);
    }

    /** @param array<string, mixed> $raw */
    public static function of(array $raw): self
    {
        return new self(
            Wire::text($raw['merchantId'] ?? null),
            Wire::text($raw['environment'] ?? null),
            Wire::boolean($raw['refundsEnabled'] ?? null),
            $raw,
        );
    }
}

/**
 * Payload of `transaction.settled`: A payment to the merchant has settled.
 */
final class TransactionSettled extends Record
{
    /**
     * @param numeric-string $amount
     * @param 'SETTLED' $status
     * @param array<string, mixed> $raw
     */
    public function __construct(
        public readonly string $merchantId,
        public readonly string $transactionId,
        public readonly string $amount,
        public readonly string $currency,
        public readonly string $status,
        public readonly string $settledAt,
        public readonly ?string $reference,
        public readonly ?string $serviceId,
        array $raw = [],
    ) {
        parent::__construct($raw);
    }

    /** @param array<string, mixed> $raw */
    public static function of(array $raw): self
    {
        return new self(
            Wire::text($raw['merchantId'] ?? null),
            Wire::text($raw['transactionId'] ?? null),
            Wire::amount($raw['amount'] ?? null),
            Wire::text($raw['currency'] ?? null),
            Wire::text($raw['status'] ?? null),
            Wire::text($raw['settledAt'] ?? null),
            isset($raw['reference']) ? Wire::text($raw['reference']) : null,
            isset($raw['serviceId']) ? Wire::text($raw['serviceId']) : null,
            $raw,
        );
    }
}

/**
 * Verification as the service returns it.
 */
final class Verification extends Record
{
    /**
     * @param 'PENDING'|'REQUIRES_ACTION'|'VERIFIED'|'FAILED'|'ERROR' $status
     * @param 'bvn'|'nin'|'vnin'|'phone'|'nin_phone' $kind
     * @param array<string, mixed> $raw
     */
    public function __construct(
        public readonly string $reference,
        public readonly string $status,
        public readonly string $kind,
        public readonly string $serviceId,
        public readonly string $userId,
        public readonly VerificationChecks $checks,
        public readonly string $createdAt,
        public readonly ?string $providerReference,
        public readonly ?string $tier,
        public readonly ?string $failureReason,
        public readonly mixed $nextAction,
        public readonly ?string $provider,
        public readonly ?string $completedAt,
        array $raw = [],
    ) {
        parent::__construct($raw);
    }

    /** @param array<string, mixed> $raw */
    public static function of(array $raw): self
    {
        return new self(
            Wire::text($raw['reference'] ?? null),
            Wire::text($raw['status'] ?? null),
            Wire::text($raw['kind'] ?? null),
            Wire::text($raw['serviceId'] ?? null),
            Wire::text($raw['userId'] ?? null),
            VerificationChecks::of(Wire::object($raw['checks'] ?? null)),
            Wire::text($raw['createdAt'] ?? null),
            isset($raw['providerReference']) ? Wire::text($raw['providerReference']) : null,
            isset($raw['tier']) ? Wire::text($raw['tier']) : null,
            isset($raw['failureReason']) ? Wire::text($raw['failureReason']) : null,
            $raw['nextAction'] ?? null,
            isset($raw['provider']) ? Wire::text($raw['provider']) : null,
            isset($raw['completedAt']) ? Wire::text($raw['completedAt']) : null,
            $raw,
        );
    }
}

/**
 * VerificationChecks as the service returns it.
 */
final class VerificationChecks extends Record
{
    /**
     * @param 'MATCH'|'PARTIAL'|'NO_MATCH'|'NOT_CHECKED' $firstName
     * @param 'MATCH'|'PARTIAL'|'NO_MATCH'|'NOT_CHECKED' $lastName
     * @param 'MATCH'|'PARTIAL'|'NO_MATCH'|'NOT_CHECKED' $dateOfBirth
     * @param 'MATCH'|'PARTIAL'|'NO_MATCH'|'NOT_CHECKED' $selfie
     * @param array<string, mixed> $raw
     */
    public function __construct(
        public readonly string $firstName,
        public readonly string $lastName,
        public readonly string $dateOfBirth,
        public readonly string $selfie,
        array $raw = [],
    ) {
        parent::__construct($raw);
    }

    /** @param array<string, mixed> $raw */
    public static function of(array $raw): self
    {
        return new self(
            Wire::text($raw['first_name'] ?? null),
            Wire::text($raw['last_name'] ?? null),
            Wire::text($raw['date_of_birth'] ?? null),
            Wire::text($raw['selfie'] ?? null),
            $raw,
        );
    }
}

/**
 * Payload of `kyc.verification.completed`: A verification has ended. The payload is its record.
 */
final class VerificationCompleted extends Record
{
    /**
     * @param 'VERIFIED'|'FAILED'|'ERROR' $status
     * @param 'bvn'|'nin'|'vnin'|'phone'|'nin_phone' $kind
     * @param array<string, mixed> $raw
     */
    public function __construct(
        public readonly string $reference,
        public readonly string $status,
        public readonly string $kind,
        public readonly string $serviceId,
        public readonly string $userId,
        public readonly VerificationCompletedChecks $checks,
        public readonly string $createdAt,
        public readonly string $completedAt,
        public readonly ?string $providerReference,
        public readonly ?string $tier,
        public readonly ?string $failureReason,
        public readonly ?string $provider,
        array $raw = [],
    ) {
        parent::__construct($raw);
    }

    /** @param array<string, mixed> $raw */
    public static function of(array $raw): self
    {
        return new self(
            Wire::text($raw['reference'] ?? null),
            Wire::text($raw['status'] ?? null),
            Wire::text($raw['kind'] ?? null),
            Wire::text($raw['serviceId'] ?? null),
            Wire::text($raw['userId'] ?? null),
            VerificationCompletedChecks::of(Wire::object($raw['checks'] ?? null)),
            Wire::text($raw['createdAt'] ?? null),
            Wire::text($raw['completedAt'] ?? null),
            isset($raw['providerReference']) ? Wire::text($raw['providerReference']) : null,
            isset($raw['tier']) ? Wire::text($raw['tier']) : null,
            isset($raw['failureReason']) ? Wire::text($raw['failureReason']) : null,
            isset($raw['provider']) ? Wire::text($raw['provider']) : null,
            $raw,
        );
    }
}

/**
 * VerificationCompletedChecks as the service returns it.
 */
final class VerificationCompletedChecks extends Record
{
    /**
     * @param 'MATCH'|'PARTIAL'|'NO_MATCH'|'NOT_CHECKED' $firstName
     * @param 'MATCH'|'PARTIAL'|'NO_MATCH'|'NOT_CHECKED' $lastName
     * @param 'MATCH'|'PARTIAL'|'NO_MATCH'|'NOT_CHECKED' $dateOfBirth
     * @param 'MATCH'|'PARTIAL'|'NO_MATCH'|'NOT_CHECKED' $selfie
     * @param array<string, mixed> $raw
     */
    public function __construct(
        public readonly string $firstName,
        public readonly string $lastName,
        public readonly string $dateOfBirth,
        public readonly string $selfie,
        array $raw = [],
    ) {
        parent::__construct($raw);
    }

    /** @param array<string, mixed> $raw */
    public static function of(array $raw): self
    {
        return new self(
            Wire::text($raw['first_name'] ?? null),
            Wire::text($raw['last_name'] ?? null),
            Wire::text($raw['date_of_birth'] ?? null),
            Wire::text($raw['selfie'] ?? null),
            $raw,
        );
    }
}

/**
 * Whoami as the service returns it.
 */
final class Whoami extends Record
{
    /**
     * @param 'PENDING_REVIEW'|'ACTIVE'|'REJECTED'|'SUSPENDED'|'CLOSED' $status
     * @param 'TEST'|'LIVE' $environment
     * @param array<string, mixed> $raw
     */
    public function __construct(
        public readonly string $merchantId,
        public readonly string $name,
        public readonly string $status,
        public readonly string $environment,
        public readonly bool $sandboxAccess,
        public readonly bool $liveAccess,
        array $raw = [],
    ) {
        parent::__construct($raw);
    }

    /** @param array<string, mixed> $raw */
    public static function of(array $raw): self
    {
        return new self(
            Wire::text($raw['merchantId'] ?? null),
            Wire::text($raw['name'] ?? null),
            Wire::text($raw['status'] ?? null),
            Wire::text($raw['environment'] ?? null),
            Wire::boolean($raw['sandboxAccess'] ?? null),
            Wire::boolean($raw['liveAccess'] ?? null),
            $raw,
        );
    }
}
