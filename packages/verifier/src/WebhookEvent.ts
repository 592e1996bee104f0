/** The two worlds that never meet: TEST for the sandbox, LIVE for real people and real money. */
export type Environment = "TEST" | "LIVE"

/** Payload of `transaction.settled`: a payment to the merchant has settled. Missing values are omitted, never null. */
export interface TransactionSettled {
  readonly merchantId: string
  readonly transactionId: string
  /** The checkout reference, when the payment has one. */
  readonly reference?: string
  /** In major units: `2500.5` is two thousand five hundred naira fifty kobo. */
  readonly amount: number
  /** ISO 4217. */
  readonly currency: string
  readonly status: "SETTLED"
  readonly serviceId?: string
  /** ISO 8601, UTC. */
  readonly settledAt: string
}

/** Payload of `refund.completed`: the customer's primary wallet has been credited. */
export interface RefundCompleted {
  readonly merchantId: string
  readonly refundId: string
  /** The original payment. */
  readonly transactionId: string
  /** The original checkout reference, when the payment has one. */
  readonly reference?: string
  /** In major units: `2500.5` is two thousand five hundred naira fifty kobo. */
  readonly amount: number
  /** ISO 4217. */
  readonly currency: string
  readonly reason?: string
  readonly status: "COMPLETED"
  readonly serviceId?: string
  /** ISO 8601, UTC. */
  readonly completedAt: string
  /** The `merchant_reference` of the refund's request. */
  readonly merchantReference?: string
}

/** Payload of `merchant.identity.consent_granted`: a person lets the merchant read these fields. */
export interface ConsentGranted {
  readonly merchantId: string
  readonly serviceId: string
  readonly grantId: string
  readonly fields: ReadonlyArray<string>
  /** Absent when the grant was given without a request. */
  readonly dataRequestId?: string
  /** ISO 8601, UTC. */
  readonly grantedAt: string
  /** ISO 8601, UTC. */
  readonly expiresAt: string
}

/** Payload of `merchant.identity.request.approved`: `approvedFields` may be fewer than were requested. */
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

/** Payload of `merchant.identity.request.denied`. */
export interface DataRequestDenied {
  readonly merchantId: string
  readonly dataRequestId: string
  readonly serviceId: string
  readonly requestedFields: ReadonlyArray<string>
  readonly status: "DENIED"
  /** ISO 8601, UTC. */
  readonly decidedAt: string
}

/** Each topic's payload. */
export interface Payloads {
  readonly "transaction.settled": TransactionSettled
  readonly "refund.completed": RefundCompleted
  readonly "merchant.identity.consent_granted": ConsentGranted
  readonly "merchant.identity.request.approved": DataRequestApproved
  readonly "merchant.identity.request.denied": DataRequestDenied
}

/** The topics that this version of the package knows. */
export type Topic = keyof Payloads

interface Delivered {
  /** The same in every attempt and at every endpoint: what to deduplicate by. Signed. */
  readonly id: string
  /** When this attempt was signed, to the second. Signed. */
  readonly timestamp: Date
  /** From a header that no signature covers; `undefined` if it is missing or has another value. */
  readonly environment: Environment | undefined
  /**
   * A requested sample: nothing happened, its amounts are 0 and its ids name no record. From a header that no
   * signature covers.
   */
  readonly test: boolean
  /** 1 for the first attempt. From a header that no signature covers; `undefined` if it is missing. */
  readonly attempt: number | undefined
}

export interface KnownEvent<T extends Topic> extends Delivered {
  readonly known: true
  readonly topic: T
  readonly payload: Payloads[T]
}

/** An event of a topic that is newer than this package: genuine, but its payload has no type here. */
export interface UnknownEvent extends Delivered {
  readonly known: false
  readonly topic: string
  readonly payload: unknown
}

/** A verified delivery. If it is `known`, its `topic` determines its payload's type. */
export type WebhookEvent = { [T in Topic]: KnownEvent<T> }[Topic] | UnknownEvent

/** A key that only this topic's payload has. */
const marks: { readonly [T in Topic]: (payload: object) => boolean } = {
  "transaction.settled": (payload) => "settledAt" in payload,
  "refund.completed": (payload) => "refundId" in payload,
  "merchant.identity.consent_granted": (payload) => "grantId" in payload,
  "merchant.identity.request.approved": (payload) => "approvedFields" in payload,
  "merchant.identity.request.denied": (payload) => "status" in payload && payload.status === "DENIED"
}

export const isTopic = (topic: string): topic is Topic => Object.hasOwn(marks, topic)

/**
 * Whether the signed payload shows that the topic, which only an unsigned header names, was exchanged: the payload has
 * another topic's mark and not its own. Keys added by later versions are ignored.
 */
export const contradicts = (topic: Topic, payload: object): boolean =>
  !marks[topic](payload) && Object.values(marks).some((has) => has(payload))
