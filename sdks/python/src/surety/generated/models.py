# Generated from the interface's definition by `vitest -u tests/sdks`. Do not edit.
"""Records that the service returns and delivers."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any, ClassVar, Literal, Mapping, Optional, Tuple

from .. import _record as wire
from .._record import Record, Reader


@dataclass(frozen=True, repr=False)
class ConsentExpired(Record):
    """Payload of `merchant.identity.consent_expired`: A grant expired: the next read of these
    fields fails.
    """

    merchant_id: str
    service_id: str
    grant_id: str
    fields: Tuple[str, ...]
    at: str
    grant_status: Literal["EXPIRED"]

    FIELDS: ClassVar[Tuple[Tuple[str, str, Reader], ...]] = (
        ("merchant_id", "merchantId", wire.text),
        ("service_id", "serviceId", wire.text),
        ("grant_id", "grantId", wire.text),
        ("fields", "fields", wire.many(wire.text)),
        ("at", "at", wire.text),
        ("grant_status", "grantStatus", wire.text),
    )


@dataclass(frozen=True, repr=False)
class ConsentGranted(Record):
    """Payload of `merchant.identity.consent_granted`: A person lets the merchant read these
    fields.
    """

    merchant_id: str
    service_id: str
    grant_id: str
    fields: Tuple[str, ...]
    granted_at: str
    expires_at: str
    data_request_id: Optional[str] = None

    FIELDS: ClassVar[Tuple[Tuple[str, str, Reader], ...]] = (
        ("merchant_id", "merchantId", wire.text),
        ("service_id", "serviceId", wire.text),
        ("grant_id", "grantId", wire.text),
        ("fields", "fields", wire.many(wire.text)),
        ("granted_at", "grantedAt", wire.text),
        ("expires_at", "expiresAt", wire.text),
        ("data_request_id", "dataRequestId", wire.text),
    )


@dataclass(frozen=True, repr=False)
class ConsentRevoked(Record):
    """Payload of `merchant.identity.consent_revoked`: A grant was revoked: the next read of these
    fields fails.
    """

    merchant_id: str
    service_id: str
    grant_id: str
    fields: Tuple[str, ...]
    at: str
    grant_status: Literal["REVOKED"]

    FIELDS: ClassVar[Tuple[Tuple[str, str, Reader], ...]] = (
        ("merchant_id", "merchantId", wire.text),
        ("service_id", "serviceId", wire.text),
        ("grant_id", "grantId", wire.text),
        ("fields", "fields", wire.many(wire.text)),
        ("at", "at", wire.text),
        ("grant_status", "grantStatus", wire.text),
    )


@dataclass(frozen=True, repr=False)
class Consumer(Record):
    """Consumer as the service returns it."""

    user_id: str
    service_id: str
    environment: Literal["TEST", "LIVE"]
    phone_verified: bool
    created_at: str
    external_id: Optional[str] = None
    display_name: Optional[str] = None
    country: Optional[str] = None
    email: Optional[str] = None
    ask_limits: Optional[bool] = None

    FIELDS: ClassVar[Tuple[Tuple[str, str, Reader], ...]] = (
        ("user_id", "userId", wire.text),
        ("service_id", "serviceId", wire.text),
        ("environment", "environment", wire.text),
        ("phone_verified", "phoneVerified", wire.boolean),
        ("created_at", "createdAt", wire.text),
        ("external_id", "externalId", wire.text),
        ("display_name", "displayName", wire.text),
        ("country", "country", wire.text),
        ("email", "email", wire.text),
        ("ask_limits", "askLimits", wire.boolean),
    )


@dataclass(frozen=True, repr=False)
class DataChanged(Record):
    """Payload of `merchant.identity.data_changed`: Fields that the merchant may read have new
    values. Read them again; the event contains no values.
    """

    merchant_id: str
    service_id: str
    fields: Tuple[str, ...]
    changed_at: str

    FIELDS: ClassVar[Tuple[Tuple[str, str, Reader], ...]] = (
        ("merchant_id", "merchantId", wire.text),
        ("service_id", "serviceId", wire.text),
        ("fields", "fields", wire.many(wire.text)),
        ("changed_at", "changedAt", wire.text),
    )


@dataclass(frozen=True, repr=False)
class DataRequest(Record):
    """DataRequest as the service returns it."""

    id: str
    service_id: str
    requested_fields: Tuple[str, ...]
    status: Literal["PENDING", "APPROVED", "DENIED", "EXPIRED", "CANCELLED"]
    created_at: str
    expires_at: str
    duration: Optional[Any] = None
    approved_fields: Optional[Tuple[str, ...]] = None
    grant_id: Optional[str] = None
    decided_at: Optional[str] = None
    consent_url: Optional[str] = None

    FIELDS: ClassVar[Tuple[Tuple[str, str, Reader], ...]] = (
        ("id", "id", wire.text),
        ("service_id", "serviceId", wire.text),
        ("requested_fields", "requestedFields", wire.many(wire.text)),
        ("status", "status", wire.text),
        ("created_at", "createdAt", wire.text),
        ("expires_at", "expiresAt", wire.text),
        ("duration", "duration", wire.anything),
        ("approved_fields", "approvedFields", wire.many(wire.text)),
        ("grant_id", "grantId", wire.text),
        ("decided_at", "decidedAt", wire.text),
        ("consent_url", "consentUrl", wire.text),
    )


@dataclass(frozen=True, repr=False)
class DataRequestApproved(Record):
    """Payload of `merchant.identity.request.approved`: A person approved a data request;
    `approvedFields` may be fewer than were requested.
    """

    merchant_id: str
    data_request_id: str
    service_id: str
    requested_fields: Tuple[str, ...]
    approved_fields: Tuple[str, ...]
    status: Literal["APPROVED"]
    decided_at: str

    FIELDS: ClassVar[Tuple[Tuple[str, str, Reader], ...]] = (
        ("merchant_id", "merchantId", wire.text),
        ("data_request_id", "dataRequestId", wire.text),
        ("service_id", "serviceId", wire.text),
        ("requested_fields", "requestedFields", wire.many(wire.text)),
        ("approved_fields", "approvedFields", wire.many(wire.text)),
        ("status", "status", wire.text),
        ("decided_at", "decidedAt", wire.text),
    )


@dataclass(frozen=True, repr=False)
class DataRequestDenied(Record):
    """Payload of `merchant.identity.request.denied`: A person denied a data request."""

    merchant_id: str
    data_request_id: str
    service_id: str
    requested_fields: Tuple[str, ...]
    status: Literal["DENIED"]
    decided_at: str

    FIELDS: ClassVar[Tuple[Tuple[str, str, Reader], ...]] = (
        ("merchant_id", "merchantId", wire.text),
        ("data_request_id", "dataRequestId", wire.text),
        ("service_id", "serviceId", wire.text),
        ("requested_fields", "requestedFields", wire.many(wire.text)),
        ("status", "status", wire.text),
        ("decided_at", "decidedAt", wire.text),
    )


@dataclass(frozen=True, repr=False)
class DataRequestExpired(Record):
    """Payload of `merchant.identity.request.expired`: A data request expired without a decision."""

    merchant_id: str
    data_request_id: str
    service_id: str
    requested_fields: Tuple[str, ...]
    status: Literal["EXPIRED"]
    expired_at: str

    FIELDS: ClassVar[Tuple[Tuple[str, str, Reader], ...]] = (
        ("merchant_id", "merchantId", wire.text),
        ("data_request_id", "dataRequestId", wire.text),
        ("service_id", "serviceId", wire.text),
        ("requested_fields", "requestedFields", wire.many(wire.text)),
        ("status", "status", wire.text),
        ("expired_at", "expiredAt", wire.text),
    )


@dataclass(frozen=True, repr=False)
class DeliveryAttempt(Record):
    """DeliveryAttempt as the service returns it."""

    number: int
    started_at: str
    duration_millis: int
    response_status: Optional[int] = None
    response_body: Optional[str] = None
    error: Optional[str] = None

    FIELDS: ClassVar[Tuple[Tuple[str, str, Reader], ...]] = (
        ("number", "number", wire.integer),
        ("started_at", "startedAt", wire.text),
        ("duration_millis", "durationMillis", wire.integer),
        ("response_status", "responseStatus", wire.integer),
        ("response_body", "responseBody", wire.text),
        ("error", "error", wire.text),
    )


@dataclass(frozen=True, repr=False)
class Delivery(Record):
    """Delivery as the service returns it."""

    id: str
    endpoint_id: str
    status: Literal["PENDING", "DELIVERED", "FAILED"]
    attempts: Tuple[DeliveryAttempt, ...]
    created_at: str
    next_attempt_at: Optional[str] = None

    FIELDS: ClassVar[Tuple[Tuple[str, str, Reader], ...]] = (
        ("id", "id", wire.text),
        ("endpoint_id", "endpointId", wire.text),
        ("status", "status", wire.text),
        ("attempts", "attempts", wire.many(DeliveryAttempt.of)),
        ("created_at", "createdAt", wire.text),
        ("next_attempt_at", "nextAttemptAt", wire.text),
    )


@dataclass(frozen=True, repr=False)
class EndpointDisabled(Record):
    """Payload of `endpoint.disabled`: An endpoint of the merchant was disabled. Its other
    endpoints get this event.
    """

    merchant_id: str
    endpoint_id: str
    disabled_at: str
    reason: Optional[str] = None

    FIELDS: ClassVar[Tuple[Tuple[str, str, Reader], ...]] = (
        ("merchant_id", "merchantId", wire.text),
        ("endpoint_id", "endpointId", wire.text),
        ("disabled_at", "disabledAt", wire.text),
        ("reason", "reason", wire.text),
    )


@dataclass(frozen=True, repr=False)
class Event(Record):
    """Event as the service returns it."""

    id: str
    topic: Literal["transaction.settled", "refund.completed", "merchant.identity.consent_granted", "merchant.identity.request.approved", "merchant.identity.request.denied", "merchant.identity.request.expired", "merchant.identity.consent_revoked", "merchant.identity.consent_expired", "merchant.identity.data_changed", "kyc.verification.completed", "refund.failed", "endpoint.disabled"]
    environment: Literal["TEST", "LIVE"]
    occurred_at: str
    version: str
    sequence: str
    payload: Any
    test: Optional[bool] = None

    FIELDS: ClassVar[Tuple[Tuple[str, str, Reader], ...]] = (
        ("id", "id", wire.text),
        ("topic", "topic", wire.text),
        ("environment", "environment", wire.text),
        ("occurred_at", "occurredAt", wire.text),
        ("version", "version", wire.text),
        ("sequence", "sequence", wire.text),
        ("payload", "payload", wire.anything),
        ("test", "test", wire.boolean),
    )


@dataclass(frozen=True, repr=False)
class EventType(Record):
    """EventType as the service returns it."""

    topic: Literal["transaction.settled", "refund.completed", "merchant.identity.consent_granted", "merchant.identity.request.approved", "merchant.identity.request.denied", "merchant.identity.request.expired", "merchant.identity.consent_revoked", "merchant.identity.consent_expired", "merchant.identity.data_changed", "kyc.verification.completed", "refund.failed", "endpoint.disabled"]
    description: str
    version: str
    is_default: bool
    schema: Mapping[str, Any]
    example: Mapping[str, Any]

    FIELDS: ClassVar[Tuple[Tuple[str, str, Reader], ...]] = (
        ("topic", "topic", wire.text),
        ("description", "description", wire.text),
        ("version", "version", wire.text),
        ("is_default", "isDefault", wire.boolean),
        ("schema", "schema", wire.mapping(wire.anything)),
        ("example", "example", wire.mapping(wire.anything)),
    )


@dataclass(frozen=True, repr=False)
class Fault(Record):
    """One thing wrong with a request, and where."""

    detail: str
    code: str
    pointer: Optional[str] = None
    parameter: Optional[str] = None
    header: Optional[str] = None

    FIELDS: ClassVar[Tuple[Tuple[str, str, Reader], ...]] = (
        ("detail", "detail", wire.text),
        ("code", "code", wire.text),
        ("pointer", "pointer", wire.text),
        ("parameter", "parameter", wire.text),
        ("header", "header", wire.text),
    )


@dataclass(frozen=True, repr=False)
class Grant(Record):
    """Grant as the service returns it."""

    id: str
    service_id: str
    fields: Tuple[str, ...]
    purpose: str
    status: Literal["ACTIVE", "REVOKED", "EXPIRED"]
    origin: Literal["REQUEST", "HOST", "OPERATOR"]
    granted_at: str
    expires_at: str
    data_request_id: Optional[str] = None
    revoked_at: Optional[str] = None
    one_time: Optional[bool] = None
    used_at: Optional[str] = None

    FIELDS: ClassVar[Tuple[Tuple[str, str, Reader], ...]] = (
        ("id", "id", wire.text),
        ("service_id", "serviceId", wire.text),
        ("fields", "fields", wire.many(wire.text)),
        ("purpose", "purpose", wire.text),
        ("status", "status", wire.text),
        ("origin", "origin", wire.text),
        ("granted_at", "grantedAt", wire.text),
        ("expires_at", "expiresAt", wire.text),
        ("data_request_id", "dataRequestId", wire.text),
        ("revoked_at", "revokedAt", wire.text),
        ("one_time", "oneTime", wire.boolean),
        ("used_at", "usedAt", wire.text),
    )


@dataclass(frozen=True, repr=False)
class GrantReceipt(Record):
    """GrantReceipt as the service returns it."""

    id: str
    sequence: int
    previous_hash: str
    hash: str
    receipt: Any
    jws: str

    FIELDS: ClassVar[Tuple[Tuple[str, str, Reader], ...]] = (
        ("id", "id", wire.text),
        ("sequence", "sequence", wire.integer),
        ("previous_hash", "previousHash", wire.text),
        ("hash", "hash", wire.text),
        ("receipt", "receipt", wire.anything),
        ("jws", "jws", wire.text),
    )


@dataclass(frozen=True, repr=False)
class Identity(Record):
    """Identity as the service returns it."""

    service_id: str
    fields: Mapping[str, Any]
    not_approved: Mapping[str, Literal["never_requested", "pending", "denied", "expired", "revoked"]]

    FIELDS: ClassVar[Tuple[Tuple[str, str, Reader], ...]] = (
        ("service_id", "serviceId", wire.text),
        ("fields", "fields", wire.mapping(wire.anything)),
        ("not_approved", "notApproved", wire.mapping(wire.text)),
    )


@dataclass(frozen=True, repr=False)
class Payment(Record):
    """Payment as the service returns it."""

    transaction_id: str
    merchant_id: str
    environment: Literal["TEST", "LIVE"]
    amount: Decimal
    currency: str
    refunded_amount: Decimal
    method: Literal["WALLET", "CARD", "BANK_TRANSFER"]
    status: Literal["PENDING", "SETTLED"]
    created_at: str
    reference: Optional[str] = None
    user_id: Optional[str] = None
    service_id: Optional[str] = None
    settled_at: Optional[str] = None
    refund_outcome: Optional[Literal["pending", "decline", "unavailable", "no_wallet", "no_balance"]] = None

    FIELDS: ClassVar[Tuple[Tuple[str, str, Reader], ...]] = (
        ("transaction_id", "transactionId", wire.text),
        ("merchant_id", "merchantId", wire.text),
        ("environment", "environment", wire.text),
        ("amount", "amount", wire.amount),
        ("currency", "currency", wire.text),
        ("refunded_amount", "refundedAmount", wire.amount),
        ("method", "method", wire.text),
        ("status", "status", wire.text),
        ("created_at", "createdAt", wire.text),
        ("reference", "reference", wire.text),
        ("user_id", "userId", wire.text),
        ("service_id", "serviceId", wire.text),
        ("settled_at", "settledAt", wire.text),
        ("refund_outcome", "refundOutcome", wire.text),
    )


@dataclass(frozen=True, repr=False)
class Problem(Record):
    """RFC 9457 problem details."""

    type: str
    title: str
    status: int
    detail: str
    instance: str
    code: str
    request_id: str
    errors: Optional[Tuple[Fault, ...]] = None
    currency: Optional[str] = None
    original: Optional[Decimal] = None
    refunded: Optional[Decimal] = None
    refundable: Optional[Decimal] = None
    merchant_status: Optional[str] = None
    data_request_status: Optional[str] = None
    allowed: Optional[Tuple[str, ...]] = None
    field: Optional[str] = None
    limit: Optional[int] = None
    refund_id: Optional[str] = None
    refund_status: Optional[str] = None
    required_scope: Optional[str] = None
    left_seconds: Optional[int] = None

    FIELDS: ClassVar[Tuple[Tuple[str, str, Reader], ...]] = (
        ("type", "type", wire.text),
        ("title", "title", wire.text),
        ("status", "status", wire.integer),
        ("detail", "detail", wire.text),
        ("instance", "instance", wire.text),
        ("code", "code", wire.text),
        ("request_id", "requestId", wire.text),
        ("errors", "errors", wire.many(Fault.of)),
        ("currency", "currency", wire.text),
        ("original", "original", wire.amount),
        ("refunded", "refunded", wire.amount),
        ("refundable", "refundable", wire.amount),
        ("merchant_status", "merchantStatus", wire.text),
        ("data_request_status", "dataRequestStatus", wire.text),
        ("allowed", "allowed", wire.many(wire.text)),
        ("field", "field", wire.text),
        ("limit", "limit", wire.integer),
        ("refund_id", "refundId", wire.text),
        ("refund_status", "refundStatus", wire.text),
        ("required_scope", "requiredScope", wire.text),
        ("left_seconds", "leftSeconds", wire.integer),
    )


@dataclass(frozen=True, repr=False)
class RefundItem(Record):
    """RefundItem as the service returns it."""

    amount: Decimal
    currency: str
    reason: Optional[str] = None

    FIELDS: ClassVar[Tuple[Tuple[str, str, Reader], ...]] = (
        ("amount", "amount", wire.amount),
        ("currency", "currency", wire.text),
        ("reason", "reason", wire.text),
    )


@dataclass(frozen=True, repr=False)
class Refund(Record):
    """Refund as the service returns it."""

    merchant_id: str
    refund_id: str
    transaction_id: str
    amount: Decimal
    currency: str
    status: Literal["PENDING", "COMPLETED", "FAILED"]
    reference: Optional[str] = None
    reason: Optional[str] = None
    service_id: Optional[str] = None
    completed_at: Optional[str] = None
    merchant_reference: Optional[str] = None
    items: Optional[Tuple[RefundItem, ...]] = None

    FIELDS: ClassVar[Tuple[Tuple[str, str, Reader], ...]] = (
        ("merchant_id", "merchantId", wire.text),
        ("refund_id", "refundId", wire.text),
        ("transaction_id", "transactionId", wire.text),
        ("amount", "amount", wire.amount),
        ("currency", "currency", wire.text),
        ("status", "status", wire.text),
        ("reference", "reference", wire.text),
        ("reason", "reason", wire.text),
        ("service_id", "serviceId", wire.text),
        ("completed_at", "completedAt", wire.text),
        ("merchant_reference", "merchantReference", wire.text),
        ("items", "items", wire.many(RefundItem.of)),
    )


@dataclass(frozen=True, repr=False)
class RefundCompleted(Record):
    """Payload of `refund.completed`: The customer's primary wallet has been credited."""

    merchant_id: str
    refund_id: str
    transaction_id: str
    amount: Decimal
    currency: str
    status: Literal["COMPLETED"]
    completed_at: str
    reference: Optional[str] = None
    reason: Optional[str] = None
    service_id: Optional[str] = None
    merchant_reference: Optional[str] = None

    FIELDS: ClassVar[Tuple[Tuple[str, str, Reader], ...]] = (
        ("merchant_id", "merchantId", wire.text),
        ("refund_id", "refundId", wire.text),
        ("transaction_id", "transactionId", wire.text),
        ("amount", "amount", wire.amount),
        ("currency", "currency", wire.text),
        ("status", "status", wire.text),
        ("completed_at", "completedAt", wire.text),
        ("reference", "reference", wire.text),
        ("reason", "reason", wire.text),
        ("service_id", "serviceId", wire.text),
        ("merchant_reference", "merchantReference", wire.text),
    )


@dataclass(frozen=True, repr=False)
class RefundFailed(Record):
    """Payload of `refund.failed`: The wallet declined a refund: the money is back with the
    merchant, and the idempotency key can be used again.
    """

    merchant_id: str
    refund_id: str
    transaction_id: str
    amount: Decimal
    currency: str
    status: Literal["FAILED"]
    failure_reason: Literal["wallet_declined"]
    failed_at: str
    reference: Optional[str] = None
    reason: Optional[str] = None
    service_id: Optional[str] = None
    merchant_reference: Optional[str] = None

    FIELDS: ClassVar[Tuple[Tuple[str, str, Reader], ...]] = (
        ("merchant_id", "merchantId", wire.text),
        ("refund_id", "refundId", wire.text),
        ("transaction_id", "transactionId", wire.text),
        ("amount", "amount", wire.amount),
        ("currency", "currency", wire.text),
        ("status", "status", wire.text),
        ("failure_reason", "failureReason", wire.text),
        ("failed_at", "failedAt", wire.text),
        ("reference", "reference", wire.text),
        ("reason", "reason", wire.text),
        ("service_id", "serviceId", wire.text),
        ("merchant_reference", "merchantReference", wire.text),
    )


@dataclass(frozen=True, repr=False)
class RequestEntry(Record):
    """RequestEntry as the service returns it."""

    method: str
    status: int
    request_id: str
    key_last4: str
    at: str
    route: Optional[str] = None
    code: Optional[str] = None

    FIELDS: ClassVar[Tuple[Tuple[str, str, Reader], ...]] = (
        ("method", "method", wire.text),
        ("status", "status", wire.integer),
        ("request_id", "requestId", wire.text),
        ("key_last4", "keyLast4", wire.text),
        ("at", "at", wire.text),
        ("route", "route", wire.text),
        ("code", "code", wire.text),
    )


@dataclass(frozen=True, repr=False)
class Resend(Record):
    """Resend as the service returns it."""

    event_id: str
    scheduled: int

    FIELDS: ClassVar[Tuple[Tuple[str, str, Reader], ...]] = (
        ("event_id", "eventId", wire.text),
        ("scheduled", "scheduled", wire.integer),
    )


@dataclass(frozen=True, repr=False)
class TestClock(Record):
    """TestClock as the service returns it."""

    now: str
    advanced_seconds: int

    FIELDS: ClassVar[Tuple[Tuple[str, str, Reader], ...]] = (
        ("now", "now", wire.text),
        ("advanced_seconds", "advancedSeconds", wire.integer),
    )


@dataclass(frozen=True, repr=False)
class TestMerchant(Record):
    """TestMerchant as the service returns it."""

    merchant_id: str
    environment: Literal["TEST", "LIVE"]
    refunds_enabled: bool

    FIELDS: ClassVar[Tuple[Tuple[str, str, Reader], ...]] = (
        ("merchant_id", "merchantId", wire.text),
        ("environment", "environment", wire.text),
        ("refunds_enabled", "refundsEnabled", wire.boolean),
    )


@dataclass(frozen=True, repr=False)
class TransactionSettled(Record):
    """Payload of `transaction.settled`: A payment to the merchant has settled."""

    merchant_id: str
    transaction_id: str
    amount: Decimal
    currency: str
    status: Literal["SETTLED"]
    settled_at: str
    reference: Optional[str] = None
    service_id: Optional[str] = None

    FIELDS: ClassVar[Tuple[Tuple[str, str, Reader], ...]] = (
        ("merchant_id", "merchantId", wire.text),
        ("transaction_id", "transactionId", wire.text),
        ("amount", "amount", wire.amount),
        ("currency", "currency", wire.text),
        ("status", "status", wire.text),
        ("settled_at", "settledAt", wire.text),
        ("reference", "reference", wire.text),
        ("service_id", "serviceId", wire.text),
    )


@dataclass(frozen=True, repr=False)
class VerificationChecks(Record):
    """VerificationChecks as the service returns it."""

    first_name: Literal["MATCH", "PARTIAL", "NO_MATCH", "NOT_CHECKED"]
    last_name: Literal["MATCH", "PARTIAL", "NO_MATCH", "NOT_CHECKED"]
    date_of_birth: Literal["MATCH", "PARTIAL", "NO_MATCH", "NOT_CHECKED"]
    selfie: Literal["MATCH", "PARTIAL", "NO_MATCH", "NOT_CHECKED"]

    FIELDS: ClassVar[Tuple[Tuple[str, str, Reader], ...]] = (
        ("first_name", "first_name", wire.text),
        ("last_name", "last_name", wire.text),
        ("date_of_birth", "date_of_birth", wire.text),
        ("selfie", "selfie", wire.text),
    )


@dataclass(frozen=True, repr=False)
class Verification(Record):
    """Verification as the service returns it."""

    reference: str
    status: Literal["PENDING", "REQUIRES_ACTION", "VERIFIED", "FAILED", "ERROR"]
    kind: Literal["bvn", "nin", "vnin", "phone", "nin_phone"]
    service_id: str
    user_id: str
    checks: VerificationChecks
    created_at: str
    provider_reference: Optional[str] = None
    tier: Optional[str] = None
    failure_reason: Optional[str] = None
    next_action: Optional[Any] = None
    provider: Optional[str] = None
    completed_at: Optional[str] = None

    FIELDS: ClassVar[Tuple[Tuple[str, str, Reader], ...]] = (
        ("reference", "reference", wire.text),
        ("status", "status", wire.text),
        ("kind", "kind", wire.text),
        ("service_id", "serviceId", wire.text),
        ("user_id", "userId", wire.text),
        ("checks", "checks", VerificationChecks.of),
        ("created_at", "createdAt", wire.text),
        ("provider_reference", "providerReference", wire.text),
        ("tier", "tier", wire.text),
        ("failure_reason", "failureReason", wire.text),
        ("next_action", "nextAction", wire.anything),
        ("provider", "provider", wire.text),
        ("completed_at", "completedAt", wire.text),
    )


@dataclass(frozen=True, repr=False)
class VerificationCompletedChecks(Record):
    """VerificationCompletedChecks as the service returns it."""

    first_name: Literal["MATCH", "PARTIAL", "NO_MATCH", "NOT_CHECKED"]
    last_name: Literal["MATCH", "PARTIAL", "NO_MATCH", "NOT_CHECKED"]
    date_of_birth: Literal["MATCH", "PARTIAL", "NO_MATCH", "NOT_CHECKED"]
    selfie: Literal["MATCH", "PARTIAL", "NO_MATCH", "NOT_CHECKED"]

    FIELDS: ClassVar[Tuple[Tuple[str, str, Reader], ...]] = (
        ("first_name", "first_name", wire.text),
        ("last_name", "last_name", wire.text),
        ("date_of_birth", "date_of_birth", wire.text),
        ("selfie", "selfie", wire.text),
    )


@dataclass(frozen=True, repr=False)
class VerificationCompleted(Record):
    """Payload of `kyc.verification.completed`: A verification has ended. The payload is its
    record.
    """

    reference: str
    status: Literal["VERIFIED", "FAILED", "ERROR"]
    kind: Literal["bvn", "nin", "vnin", "phone", "nin_phone"]
    service_id: str
    user_id: str
    checks: VerificationCompletedChecks
    created_at: str
    completed_at: str
    provider_reference: Optional[str] = None
    tier: Optional[str] = None
    failure_reason: Optional[str] = None
    provider: Optional[str] = None

    FIELDS: ClassVar[Tuple[Tuple[str, str, Reader], ...]] = (
        ("reference", "reference", wire.text),
        ("status", "status", wire.text),
        ("kind", "kind", wire.text),
        ("service_id", "serviceId", wire.text),
        ("user_id", "userId", wire.text),
        ("checks", "checks", VerificationCompletedChecks.of),
        ("created_at", "createdAt", wire.text),
        ("completed_at", "completedAt", wire.text),
        ("provider_reference", "providerReference", wire.text),
        ("tier", "tier", wire.text),
        ("failure_reason", "failureReason", wire.text),
        ("provider", "provider", wire.text),
    )


@dataclass(frozen=True, repr=False)
class Whoami(Record):
    """Whoami as the service returns it."""

    merchant_id: str
    name: str
    status: Literal["PENDING_REVIEW", "ACTIVE", "REJECTED", "SUSPENDED", "CLOSED"]
    environment: Literal["TEST", "LIVE"]
    sandbox_access: bool
    live_access: bool

    FIELDS: ClassVar[Tuple[Tuple[str, str, Reader], ...]] = (
        ("merchant_id", "merchantId", wire.text),
        ("name", "name", wire.text),
        ("status", "status", wire.text),
        ("environment", "environment", wire.text),
        ("sandbox_access", "sandboxAccess", wire.boolean),
        ("live_access", "liveAccess", wire.boolean),
    )
