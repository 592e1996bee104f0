# Generated from the interface's definition by `vitest -u tests/sdks`. Do not edit.
"""Records that the service returns and delivers."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal, Mapping, Optional, Tuple

from .._record import Record, amount, anything, boolean, integer, many, mapping, text


@dataclass(frozen=True, repr=False)
class ConsentGranted(Record):
    """Payload of `merchant.identity.consent_granted`: a person lets the merchant read these
    fields.
    """

    merchant_id: str
    service_id: str
    grant_id: str
    fields: Tuple[str, ...]
    granted_at: str
    expires_at: str
    data_request_id: Optional[str] = None

    FIELDS = (
        ("merchant_id", "merchantId", text),
        ("service_id", "serviceId", text),
        ("grant_id", "grantId", text),
        ("fields", "fields", many(text)),
        ("granted_at", "grantedAt", text),
        ("expires_at", "expiresAt", text),
        ("data_request_id", "dataRequestId", text),
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

    FIELDS = (
        ("user_id", "userId", text),
        ("service_id", "serviceId", text),
        ("environment", "environment", text),
        ("phone_verified", "phoneVerified", boolean),
        ("created_at", "createdAt", text),
        ("external_id", "externalId", text),
        ("display_name", "displayName", text),
        ("country", "country", text),
        ("email", "email", text),
        ("ask_limits", "askLimits", boolean),
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
    purpose: Optional[str] = None
    approved_fields: Optional[Tuple[str, ...]] = None
    grant_id: Optional[str] = None
    decided_at: Optional[str] = None
    consent_url: Optional[str] = None

    FIELDS = (
        ("id", "id", text),
        ("service_id", "serviceId", text),
        ("requested_fields", "requestedFields", many(text)),
        ("status", "status", text),
        ("created_at", "createdAt", text),
        ("expires_at", "expiresAt", text),
        ("purpose", "purpose", text),
        ("approved_fields", "approvedFields", many(text)),
        ("grant_id", "grantId", text),
        ("decided_at", "decidedAt", text),
        ("consent_url", "consentUrl", text),
    )


@dataclass(frozen=True, repr=False)
class DataRequestApproved(Record):
    """Payload of `merchant.identity.request.approved`: the approved fields may be fewer than were
    requested.
    """

    merchant_id: str
    data_request_id: str
    service_id: str
    requested_fields: Tuple[str, ...]
    approved_fields: Tuple[str, ...]
    status: Literal["APPROVED"]
    decided_at: str

    FIELDS = (
        ("merchant_id", "merchantId", text),
        ("data_request_id", "dataRequestId", text),
        ("service_id", "serviceId", text),
        ("requested_fields", "requestedFields", many(text)),
        ("approved_fields", "approvedFields", many(text)),
        ("status", "status", text),
        ("decided_at", "decidedAt", text),
    )


@dataclass(frozen=True, repr=False)
class DataRequestDenied(Record):
    """Payload of `merchant.identity.request.denied`."""

    merchant_id: str
    data_request_id: str
    service_id: str
    requested_fields: Tuple[str, ...]
    status: Literal["DENIED"]
    decided_at: str

    FIELDS = (
        ("merchant_id", "merchantId", text),
        ("data_request_id", "dataRequestId", text),
        ("service_id", "serviceId", text),
        ("requested_fields", "requestedFields", many(text)),
        ("status", "status", text),
        ("decided_at", "decidedAt", text),
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

    FIELDS = (
        ("number", "number", integer),
        ("started_at", "startedAt", text),
        ("duration_millis", "durationMillis", integer),
        ("response_status", "responseStatus", integer),
        ("response_body", "responseBody", text),
        ("error", "error", text),
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

    FIELDS = (
        ("id", "id", text),
        ("endpoint_id", "endpointId", text),
        ("status", "status", text),
        ("attempts", "attempts", many(DeliveryAttempt.of)),
        ("created_at", "createdAt", text),
        ("next_attempt_at", "nextAttemptAt", text),
    )


@dataclass(frozen=True, repr=False)
class Event(Record):
    """Event as the service returns it."""

    id: str
    topic: Literal["transaction.settled", "refund.completed", "merchant.identity.consent_granted", "merchant.identity.request.approved", "merchant.identity.request.denied"]
    environment: Literal["TEST", "LIVE"]
    occurred_at: str
    payload: Any
    test: Optional[bool] = None

    FIELDS = (
        ("id", "id", text),
        ("topic", "topic", text),
        ("environment", "environment", text),
        ("occurred_at", "occurredAt", text),
        ("payload", "payload", anything),
        ("test", "test", boolean),
    )


@dataclass(frozen=True, repr=False)
class Fault(Record):
    """One thing wrong with a request, and where."""

    detail: str
    code: str
    pointer: Optional[str] = None
    parameter: Optional[str] = None
    header: Optional[str] = None

    FIELDS = (
        ("detail", "detail", text),
        ("code", "code", text),
        ("pointer", "pointer", text),
        ("parameter", "parameter", text),
        ("header", "header", text),
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

    FIELDS = (
        ("id", "id", text),
        ("service_id", "serviceId", text),
        ("fields", "fields", many(text)),
        ("purpose", "purpose", text),
        ("status", "status", text),
        ("origin", "origin", text),
        ("granted_at", "grantedAt", text),
        ("expires_at", "expiresAt", text),
        ("data_request_id", "dataRequestId", text),
        ("revoked_at", "revokedAt", text),
    )


@dataclass(frozen=True, repr=False)
class Identity(Record):
    """Identity as the service returns it."""

    service_id: str
    fields: Mapping[str, Any]
    not_approved: Mapping[str, Literal["never_requested", "pending", "denied", "expired", "revoked"]]

    FIELDS = (
        ("service_id", "serviceId", text),
        ("fields", "fields", mapping(anything)),
        ("not_approved", "notApproved", mapping(text)),
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

    FIELDS = (
        ("transaction_id", "transactionId", text),
        ("merchant_id", "merchantId", text),
        ("environment", "environment", text),
        ("amount", "amount", amount),
        ("currency", "currency", text),
        ("refunded_amount", "refundedAmount", amount),
        ("method", "method", text),
        ("status", "status", text),
        ("created_at", "createdAt", text),
        ("reference", "reference", text),
        ("user_id", "userId", text),
        ("service_id", "serviceId", text),
        ("settled_at", "settledAt", text),
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

    FIELDS = (
        ("type", "type", text),
        ("title", "title", text),
        ("status", "status", integer),
        ("detail", "detail", text),
        ("instance", "instance", text),
        ("code", "code", text),
        ("request_id", "requestId", text),
        ("errors", "errors", many(Fault.of)),
        ("currency", "currency", text),
        ("original", "original", amount),
        ("refunded", "refunded", amount),
        ("refundable", "refundable", amount),
        ("merchant_status", "merchantStatus", text),
        ("data_request_status", "dataRequestStatus", text),
        ("allowed", "allowed", many(text)),
        ("field", "field", text),
        ("limit", "limit", integer),
    )


@dataclass(frozen=True, repr=False)
class RefundItem(Record):
    """RefundItem as the service returns it."""

    amount: Decimal
    currency: str
    reason: Optional[str] = None

    FIELDS = (
        ("amount", "amount", amount),
        ("currency", "currency", text),
        ("reason", "reason", text),
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

    FIELDS = (
        ("merchant_id", "merchantId", text),
        ("refund_id", "refundId", text),
        ("transaction_id", "transactionId", text),
        ("amount", "amount", amount),
        ("currency", "currency", text),
        ("status", "status", text),
        ("reference", "reference", text),
        ("reason", "reason", text),
        ("service_id", "serviceId", text),
        ("completed_at", "completedAt", text),
        ("merchant_reference", "merchantReference", text),
        ("items", "items", many(RefundItem.of)),
    )


@dataclass(frozen=True, repr=False)
class RefundCompleted(Record):
    """Payload of `refund.completed`: the customer's primary wallet has been credited."""

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

    FIELDS = (
        ("merchant_id", "merchantId", text),
        ("refund_id", "refundId", text),
        ("transaction_id", "transactionId", text),
        ("amount", "amount", amount),
        ("currency", "currency", text),
        ("status", "status", text),
        ("completed_at", "completedAt", text),
        ("reference", "reference", text),
        ("reason", "reason", text),
        ("service_id", "serviceId", text),
        ("merchant_reference", "merchantReference", text),
    )


@dataclass(frozen=True, repr=False)
class Resend(Record):
    """Resend as the service returns it."""

    event_id: str
    scheduled: int

    FIELDS = (
        ("event_id", "eventId", text),
        ("scheduled", "scheduled", integer),
    )


@dataclass(frozen=True, repr=False)
class TransactionSettled(Record):
    """Payload of `transaction.settled`: a payment to the merchant has settled."""

    merchant_id: str
    transaction_id: str
    amount: Decimal
    currency: str
    status: Literal["SETTLED"]
    settled_at: str
    reference: Optional[str] = None
    service_id: Optional[str] = None

    FIELDS = (
        ("merchant_id", "merchantId", text),
        ("transaction_id", "transactionId", text),
        ("amount", "amount", amount),
        ("currency", "currency", text),
        ("status", "status", text),
        ("settled_at", "settledAt", text),
        ("reference", "reference", text),
        ("service_id", "serviceId", text),
    )


@dataclass(frozen=True, repr=False)
class VerificationChecks(Record):
    """VerificationChecks as the service returns it."""

    first_name: Literal["MATCH", "PARTIAL", "NO_MATCH", "NOT_CHECKED"]
    last_name: Literal["MATCH", "PARTIAL", "NO_MATCH", "NOT_CHECKED"]
    date_of_birth: Literal["MATCH", "PARTIAL", "NO_MATCH", "NOT_CHECKED"]
    selfie: Literal["MATCH", "PARTIAL", "NO_MATCH", "NOT_CHECKED"]

    FIELDS = (
        ("first_name", "first_name", text),
        ("last_name", "last_name", text),
        ("date_of_birth", "date_of_birth", text),
        ("selfie", "selfie", text),
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
    provider: Optional[str] = None
    completed_at: Optional[str] = None

    FIELDS = (
        ("reference", "reference", text),
        ("status", "status", text),
        ("kind", "kind", text),
        ("service_id", "serviceId", text),
        ("user_id", "userId", text),
        ("checks", "checks", VerificationChecks.of),
        ("created_at", "createdAt", text),
        ("provider_reference", "providerReference", text),
        ("tier", "tier", text),
        ("failure_reason", "failureReason", text),
        ("provider", "provider", text),
        ("completed_at", "completedAt", text),
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

    FIELDS = (
        ("merchant_id", "merchantId", text),
        ("name", "name", text),
        ("status", "status", text),
        ("environment", "environment", text),
        ("sandbox_access", "sandboxAccess", boolean),
        ("live_access", "liveAccess", boolean),
    )
