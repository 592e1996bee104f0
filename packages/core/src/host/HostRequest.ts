import { type DateTime, Schema } from "effect"

/**
 * Calls to Surety that a host may queue as rows in its own transaction. A rollback of that transaction also removes the
 * queued calls.
 */
export const HostRequestKind = Schema.Literals([
  "consumers.ensure",
  "consumers.link",
  "consumers.unlink",
  "payments.record",
  "payments.settle",
  "refunds.create"
])
export type HostRequestKind = typeof HostRequestKind.Type

/** The host's key for a request: 1 to 200 printable ASCII characters. Must contain no personal data. */
export const HostRequestKey = Schema.String.check(
  Schema.isPattern(/^[\x20-\x7e]{1,200}$/u, { expected: "1 to 200 printable ASCII characters" })
).pipe(Schema.brand("HostRequestKey"))
export type HostRequestKey = typeof HostRequestKey.Type

export const HostRequestStatus = Schema.Literals(["PENDING", "DONE", "FAILED"])
export type HostRequestStatus = typeof HostRequestStatus.Type

/**
 * Result of a request: the id, status and amount of its payment or refund. Empty for a call about a consumer, whose id
 * the host knows.
 */
export const HostRequestResult = Schema.Struct({
  id: Schema.optionalKey(Schema.String),
  status: Schema.optionalKey(Schema.String),
  /** In minor units. */
  amountMinor: Schema.optionalKey(Schema.BigIntFromString),
  currency: Schema.optionalKey(Schema.String)
})
export type HostRequestResult = typeof HostRequestResult.Type

/** Why a request or its latest attempt failed. */
export const HostRequestError = Schema.Struct({
  /** The error's tag, such as `RefundRefused`, or a name without an error class, such as `GaveUp`. */
  name: Schema.String,
  /** Tag of the reason inside the error, such as `AmountExceedsRefundable`. */
  reason: Schema.optionalKey(Schema.String),
  message: Schema.String
})
export type HostRequestError = typeof HostRequestError.Type

/** Input of the call. Stored as a JSON object, with bigints as decimal strings. */
export type HostRequestPayload = Readonly<Record<string, unknown>>

/** Serialises a payload as JSON, with bigints as decimal strings. */
export const hostRequestText = (payload: HostRequestPayload): string =>
  JSON.stringify(payload, (_, value: unknown) => (typeof value === "bigint" ? value.toString() : value))

/** A request as queued by a host. */
export interface NewHostRequest {
  readonly key: HostRequestKey
  /** One of `HostRequestKind`. A request of any other kind fails when a worker attempts it. */
  readonly kind: string
  readonly payload: HostRequestPayload
  /** Requests in one queue are processed in order, one at a time. A request without a queue never waits for another. */
  readonly queue: string | undefined
}

/** A call queued by the host. Its payload is stored only while the request is pending. */
export interface HostRequest {
  readonly key: HostRequestKey
  readonly kind: string
  readonly queue: string | undefined
  readonly status: HostRequestStatus
  /** Number of attempts. Waiting for a refund's outcome resets it to 0. */
  readonly attempts: number
  readonly createdAt: DateTime.Utc
  readonly endedAt: DateTime.Utc | undefined
  /** Result of a `DONE` request. For any other request, the pending state of the refund that it began, if any. */
  readonly result: HostRequestResult | undefined
  readonly error: HostRequestError | undefined
}

/** A request leased to one worker. */
export interface LeasedHostRequest {
  readonly key: HostRequestKey
  readonly kind: string
  readonly payload: unknown
  readonly createdAt: DateTime.Utc
  /** Number of attempts, including this one. Waiting for a refund's outcome resets it to 0. */
  readonly attempts: number
  /** The refund that an earlier attempt began but did not finish. */
  readonly result: HostRequestResult | undefined
  /** A later lease carries a higher fence; a write with an older fence stores nothing. */
  readonly fence: number
}

/** The outcome of an attempt. Only `Done` and `Failed` end the request. */
export type HostRequestOutcome =
  | { readonly _tag: "Done"; readonly result: HostRequestResult }
  | { readonly _tag: "Failed"; readonly error: HostRequestError }
  /** The refund has begun and is still pending. The lease continues. */
  | { readonly _tag: "Begun"; readonly result: HostRequestResult }
  /**
   * Retry at `at`. If `counts` is false, the request is waiting for a refund's outcome, and its attempts are reset to
   * 0.
   */
  | {
      readonly _tag: "Again"
      readonly at: DateTime.Utc
      readonly error: HostRequestError | undefined
      readonly counts: boolean
    }

/** The key belongs to a request that differs in kind, payload or queue, or concerns a person erased since then. */
export class HostRequestKeyReused extends Schema.TaggedError<HostRequestKeyReused>(
  "@surety/core/host/HostRequest/HostRequestKeyReused"
)("HostRequestKeyReused", { key: Schema.String }) {
  override get message(): string {
    return `The key ${this.key} already names another request, with a different kind, payload or queue.`
  }
}

export class HostRequestNotFound extends Schema.TaggedError<HostRequestNotFound>(
  "@surety/core/host/HostRequest/HostRequestNotFound"
)("HostRequestNotFound", { key: Schema.String }) {
  override get message(): string {
    return `No request has the key ${this.key}. It may not be committed yet, or have ended over 30 days ago.`
  }
}
