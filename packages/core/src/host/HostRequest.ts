import { type DateTime, Schema } from "effect"

/** The calls of the facade that a host may queue as rows: those that a rollback undoes as a whole. */
export const HostRequestKind = Schema.Literals([
  "consumers.ensure",
  "consumers.link",
  "consumers.unlink",
  "payments.record",
  "payments.settle",
  "refunds.create"
])
export type HostRequestKind = typeof HostRequestKind.Type

/** The host's name of one request: 1 to 200 printable ASCII characters, without personal data. */
export const HostRequestKey = Schema.String.check(
  Schema.isPattern(/^[\x20-\x7e]{1,200}$/u, { expected: "1 to 200 printable ASCII characters" })
).pipe(Schema.brand("HostRequestKey"))
export type HostRequestKey = typeof HostRequestKey.Type

export const HostRequestStatus = Schema.Literals(["PENDING", "DONE", "FAILED"])
export type HostRequestStatus = typeof HostRequestStatus.Type

/** What a request made: the id and state of its payment or refund. Empty for a consumer, whom the host knows by id. */
export const HostRequestResult = Schema.Struct({
  id: Schema.optionalKey(Schema.String),
  status: Schema.optionalKey(Schema.String),
  /** Minor units of the currency. */
  amountMinor: Schema.optionalKey(Schema.BigIntFromString),
  currency: Schema.optionalKey(Schema.String)
})
export type HostRequestResult = typeof HostRequestResult.Type

/** Why a request failed, or why its latest attempt did. */
export const HostRequestError = Schema.Struct({
  /** The error's tag, such as `RefundRefused`. */
  name: Schema.String,
  /** The tag of the reason within it, such as `AmountExceedsRefundable`. */
  reason: Schema.optionalKey(Schema.String),
  message: Schema.String
})
export type HostRequestError = typeof HostRequestError.Type

/** A JSON object: the input of the call, with digits for bigints. */
export type HostRequestPayload = Readonly<Record<string, unknown>>

/** The payload's JSON. Digits stand for bigints, which JSON lacks. */
export const hostRequestText = (payload: HostRequestPayload): string =>
  JSON.stringify(payload, (_, value: unknown) => (typeof value === "bigint" ? value.toString() : value))

/** A request as a host queues it. */
export interface NewHostRequest {
  readonly key: HostRequestKey
  /** One of `HostRequestKind`; any other fails when it is taken up. */
  readonly kind: string
  readonly payload: HostRequestPayload
  /** Requests of one queue are taken up in their order, one at a time. */
  readonly queue: string | undefined
}

/** A queued call of the host's. The payload is kept only while it is pending. */
export interface HostRequest {
  readonly key: HostRequestKey
  readonly kind: string
  readonly queue: string | undefined
  readonly status: HostRequestStatus
  /** Attempts since the last one that had an outcome. */
  readonly attempts: number
  readonly createdAt: DateTime.Utc
  readonly endedAt: DateTime.Utc | undefined
  /** The state so far of a pending refund. */
  readonly result: HostRequestResult | undefined
  readonly error: HostRequestError | undefined
}

/** A request leased to one worker. */
export interface LeasedHostRequest {
  readonly key: HostRequestKey
  readonly kind: string
  readonly payload: unknown
  readonly createdAt: DateTime.Utc
  /** This one included. */
  readonly attempts: number
  /** What an earlier attempt has begun and not finished. */
  readonly result: HostRequestResult | undefined
  /** A later lease carries a higher fence; a write with an older fence stores nothing. */
  readonly fence: number
}

/** What an attempt came to. */
export type HostRequestOutcome =
  | { readonly _tag: "Done"; readonly result: HostRequestResult }
  | { readonly _tag: "Failed"; readonly error: HostRequestError }
  /** Its refund is pending at the host's wallet. The lease continues. */
  | { readonly _tag: "Begun"; readonly result: HostRequestResult }
  /** To be retried at `at`. Waiting for a refund's outcome does not count as an attempt. */
  | {
      readonly _tag: "Again"
      readonly at: DateTime.Utc
      readonly error: HostRequestError | undefined
      readonly counts: boolean
    }

/** Another request has this key: its kind, payload or queue differ. */
export class HostRequestKeyReused extends Schema.TaggedError<HostRequestKeyReused>(
  "@surety/core/host/HostRequest/HostRequestKeyReused"
)("HostRequestKeyReused", { key: Schema.String }) {
  override get message(): string {
    return `Another request has the key ${this.key}, with another kind, payload or queue.`
  }
}

export class HostRequestNotFound extends Schema.TaggedError<HostRequestNotFound>(
  "@surety/core/host/HostRequest/HostRequestNotFound"
)("HostRequestNotFound", { key: Schema.String }) {
  override get message(): string {
    return `No request has the key ${this.key}. It may not be committed yet, or have ended over 30 days ago.`
  }
}
