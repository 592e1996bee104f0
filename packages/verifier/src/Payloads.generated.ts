// Generated from @surety/core/event/EventTypes by `vitest -u packages/verifier`.

/**
 * Payload of `transaction.settled`. Missing values are omitted, never null.
 *
 * A payment to the merchant has settled.
 */
export interface TransactionSettled {
  readonly merchantId: string
  readonly transactionId: string
  readonly reference?: string
  /** In major units: 2500.5 is two thousand five hundred naira fifty kobo. */
  readonly amount: number
  readonly currency: string
  readonly status: "SETTLED"
  readonly serviceId?: string
  /** ISO 8601, UTC. */
  readonly settledAt: string
}

/**
 * Payload of `refund.completed`. Missing values are omitted, never null.
 *
 * The customer's primary wallet has been credited.
 */
export interface RefundCompleted {
  readonly merchantId: string
  readonly refundId: string
  readonly transactionId: string
  readonly reference?: string
  /** In major units: 2500.5 is two thousand five hundred naira fifty kobo. */
  readonly amount: number
  readonly currency: string
  readonly reason?: string
  readonly status: "COMPLETED"
  readonly serviceId?: string
  /** ISO 8601, UTC. */
  readonly completedAt: string
  readonly merchantReference?: string
}

/**
 * Payload of `merchant.identity.consent_granted`. Missing values are omitted, never null.
 *
 * A person lets the merchant read these fields.
 */
export interface ConsentGranted {
  readonly merchantId: string
  readonly serviceId: string
  readonly grantId: string
  readonly fields: ReadonlyArray<string>
  readonly dataRequestId?: string
  /** ISO 8601, UTC. */
  readonly grantedAt: string
  /** ISO 8601, UTC. */
  readonly expiresAt: string
}

/**
 * Payload of `merchant.identity.request.approved`. Missing values are omitted, never null.
 *
 * A person approved a data request; `approvedFields` may be fewer than were requested.
 */
export interface DataRequestApproved {
  readonly merchantId: string
  readonly dataRequestId: string
  readonly serviceId: string
  readonly requestedFields: ReadonlyArray<string>
  readonly approvedFields: ReadonlyArray<string>
  readonly status: "APPROVED"
  /** ISO 8601, UTC. */
  readonly decidedAt: string
}

/**
 * Payload of `merchant.identity.request.denied`. Missing values are omitted, never null.
 *
 * A person denied a data request.
 */
export interface DataRequestDenied {
  readonly merchantId: string
  readonly dataRequestId: string
  readonly serviceId: string
  readonly requestedFields: ReadonlyArray<string>
  readonly status: "DENIED"
  /** ISO 8601, UTC. */
  readonly decidedAt: string
}

/**
 * Payload of `merchant.identity.request.expired`. Missing values are omitted, never null.
 *
 * A data request expired without a decision.
 */
export interface DataRequestExpired {
  readonly merchantId: string
  readonly dataRequestId: string
  readonly serviceId: string
  readonly requestedFields: ReadonlyArray<string>
  readonly status: "EXPIRED"
  /** ISO 8601, UTC. */
  readonly expiredAt: string
}

/**
 * Payload of `merchant.identity.consent_revoked`. Missing values are omitted, never null.
 *
 * A grant was revoked: the next read of these fields fails.
 */
export interface ConsentRevoked {
  readonly merchantId: string
  readonly serviceId: string
  readonly grantId: string
  readonly fields: ReadonlyArray<string>
  /** ISO 8601, UTC. */
  readonly at: string
  readonly grantStatus: "REVOKED"
}

/**
 * Payload of `merchant.identity.consent_expired`. Missing values are omitted, never null.
 *
 * A grant expired: the next read of these fields fails.
 */
export interface ConsentExpired {
  readonly merchantId: string
  readonly serviceId: string
  readonly grantId: string
  readonly fields: ReadonlyArray<string>
  /** ISO 8601, UTC. */
  readonly at: string
  readonly grantStatus: "EXPIRED"
}

/**
 * Payload of `merchant.identity.data_changed`. Missing values are omitted, never null.
 *
 * Fields that the merchant may read have new values. Read them again; the event contains no values.
 */
export interface DataChanged {
  readonly merchantId: string
  readonly serviceId: string
  readonly fields: ReadonlyArray<string>
  /** ISO 8601, UTC. */
  readonly changedAt: string
}

/**
 * Payload of `kyc.verification.completed`. Missing values are omitted, never null.
 *
 * A verification has ended. The payload is its record.
 */
export interface VerificationCompleted {
  readonly reference: string
  readonly providerReference?: string
  readonly status: "VERIFIED" | "FAILED" | "ERROR"
  readonly kind: "bvn" | "nin" | "vnin" | "phone" | "nin_phone"
  readonly serviceId: string
  readonly userId: string
  readonly tier?: string
  readonly checks: {
    readonly first_name: "MATCH" | "PARTIAL" | "NO_MATCH" | "NOT_CHECKED"
    readonly last_name: "MATCH" | "PARTIAL" | "NO_MATCH" | "NOT_CHECKED"
    readonly date_of_birth: "MATCH" | "PARTIAL" | "NO_MATCH" | "NOT_CHECKED"
    readonly selfie: "MATCH" | "PARTIAL" | "NO_MATCH" | "NOT_CHECKED"
  }
  readonly failureReason?: string
  readonly provider?: string
  /** ISO 8601, UTC. */
  readonly createdAt: string
  /** ISO 8601, UTC. */
  readonly completedAt: string
}

/**
 * Payload of `refund.failed`. Missing values are omitted, never null.
 *
 * The wallet declined a refund: the money is back with the merchant, and the idempotency key can be used again.
 */
export interface RefundFailed {
  readonly merchantId: string
  readonly refundId: string
  readonly transactionId: string
  readonly reference?: string
  /** In major units: 2500.5 is two thousand five hundred naira fifty kobo. */
  readonly amount: number
  readonly currency: string
  readonly reason?: string
  readonly status: "FAILED"
  readonly serviceId?: string
  readonly merchantReference?: string
  readonly failureReason: "wallet_declined"
  /** ISO 8601, UTC. */
  readonly failedAt: string
}

/**
 * Payload of `endpoint.disabled`. Missing values are omitted, never null.
 *
 * An endpoint of the merchant was disabled. Its other endpoints get this event.
 */
export interface EndpointDisabled {
  readonly merchantId: string
  readonly endpointId: string
  readonly reason?: string
  /** ISO 8601, UTC. */
  readonly disabledAt: string
}

/** Each topic's payload. */
export interface Payloads {
  readonly "transaction.settled": TransactionSettled
  readonly "refund.completed": RefundCompleted
  readonly "merchant.identity.consent_granted": ConsentGranted
  readonly "merchant.identity.request.approved": DataRequestApproved
  readonly "merchant.identity.request.denied": DataRequestDenied
  readonly "merchant.identity.request.expired": DataRequestExpired
  readonly "merchant.identity.consent_revoked": ConsentRevoked
  readonly "merchant.identity.consent_expired": ConsentExpired
  readonly "merchant.identity.data_changed": DataChanged
  readonly "kyc.verification.completed": VerificationCompleted
  readonly "refund.failed": RefundFailed
  readonly "endpoint.disabled": EndpointDisabled
}

/** For each topic, checks for fields that only its payload has. */
export const marks: { readonly [T in keyof Payloads]: (payload: object) => boolean } = {
  "transaction.settled": (payload) => "settledAt" in payload,
  "refund.completed": (payload) => "status" in payload && payload.status === "COMPLETED",
  "merchant.identity.consent_granted": (payload) => "grantedAt" in payload,
  "merchant.identity.request.approved": (payload) => "approvedFields" in payload,
  "merchant.identity.request.denied": (payload) => "status" in payload && payload.status === "DENIED",
  "merchant.identity.request.expired": (payload) => "expiredAt" in payload,
  "merchant.identity.consent_revoked": (payload) => "grantStatus" in payload && payload.grantStatus === "REVOKED",
  "merchant.identity.consent_expired": (payload) => "grantStatus" in payload && payload.grantStatus === "EXPIRED",
  "merchant.identity.data_changed": (payload) => "changedAt" in payload,
  "kyc.verification.completed": (payload) => "checks" in payload,
  "refund.failed": (payload) => "failedAt" in payload,
  "endpoint.disabled": (payload) => "disabledAt" in payload
}
