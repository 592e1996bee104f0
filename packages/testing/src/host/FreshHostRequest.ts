import { assert } from "@effect/vitest"
import {
  HostRequestKey,
  type HostRequestOutcome,
  type LeasedHostRequest,
  type NewHostRequest
} from "@surety/core/host/HostRequest"
import { HostRequestStore } from "@surety/core/host/HostRequestStore"
import { type DateTime, Duration, Effect, Option } from "effect"
import * as Fresh from "../FreshIds.js"

export const minute = Duration.toMillis(Duration.minutes(1))

export const newRequest = (request: Partial<NewHostRequest> = {}): NewHostRequest => ({
  key: HostRequestKey.make(Fresh.randomText("request")),
  kind: "refunds.create",
  payload: { transactionId: "order-1", amountMinor: 12_345n },
  queue: undefined,
  ...request
})

export const enqueued = Effect.fnUntraced(function* (request: Partial<NewHostRequest> = {}) {
  const store = yield* HostRequestStore
  return yield* store.enqueue(newRequest(request))
})

export const found = Effect.fnUntraced(function* (key: HostRequestKey) {
  const store = yield* HostRequestStore
  return Option.getOrThrow(yield* store.find(key))
})

/**
 * Maximum number of claims in `claimOf`. A request whose lease has expired is claimed alone, so the maximum must exceed
 * the number of such requests.
 */
const mostClaims = 50

/** Claims at `now` until no more requests can be leased. Returns the leased requests with these keys. */
export const claimOf = Effect.fnUntraced(function* (now: DateTime.Utc, ...keys: ReadonlyArray<HostRequestKey>) {
  const store = yield* HostRequestStore
  const all: Array<LeasedHostRequest> = []
  for (let claims = 0; claims < mostClaims; claims += 1) {
    const claimed = yield* store.claim({ now, leasedUntil: Fresh.later(now, minute), limit: 1_000 })
    if (claimed.length === 0) break
    all.push(...claimed)
  }
  return all.filter(({ key }) => keys.includes(key))
})

/** One minute from now. A new request is due by then, even if the clock that dated it is up to a minute fast. */
export const soon = Effect.map(Fresh.now, (now) => Fresh.later(now, minute))

export const leaseOf = Effect.fnUntraced(function* (now: DateTime.Utc, key: HostRequestKey) {
  const [leased] = yield* claimOf(now, key)
  return leased ?? assert.fail("the request is leased")
})

export const settleLease = Effect.fnUntraced(function* (
  leased: LeasedHostRequest,
  now: DateTime.Utc,
  outcome: HostRequestOutcome = { _tag: "Done", result: {} }
) {
  const store = yield* HostRequestStore
  return yield* store.settle(leased, now, Effect.succeed(outcome))
})

export const reused = Effect.fnUntraced(function* (request: NewHostRequest) {
  const store = yield* HostRequestStore
  const end = yield* Effect.result(store.enqueue(request))
  assert.strictEqual(end._tag === "Failure" ? end.failure._tag : end._tag, "HostRequestKeyReused")
})

export const failure = { name: "RefundRefused", reason: "PaymentNotFound", message: "No such payment." }
export const failed: HostRequestOutcome = { _tag: "Failed", error: failure }
export const madeRefund = { id: "refund_1", status: "COMPLETED", amountMinor: 9_007_199_254_740_993n, currency: "NGN" }
