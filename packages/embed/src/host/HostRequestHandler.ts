import {
  type HostRequestError,
  HostRequestKind,
  type HostRequestOutcome,
  type HostRequestResult,
  type LeasedHostRequest
} from "@surety/core/host/HostRequest"
import type { HostRequestHandler } from "@surety/core/host/HostRequests"
import { RefundId } from "@surety/core/Ids"
import { HostRefunds } from "@surety/core/refund/HostRefunds"
import type { Refund } from "@surety/core/refund/Refund"
import { Patience, RefundOutcomeUnknown, Refunds } from "@surety/core/refund/Refunds"
import { StoreError } from "@surety/core/StoreError"
import { DateTime, Duration, Effect, Predicate, Schema } from "effect"
import { type CallServices, type Run, unreadCall } from "../Call.js"
import { consumers } from "../facade/consumers.js"
import { payments } from "../facade/payments.js"
import { refunds } from "../facade/refunds.js"
import { type Outcome, outcomeOf } from "../Outcome.js"
import { HostTransaction } from "./HostTransaction.js"

const callsOf = (run: Run): Readonly<Record<HostRequestKind, object>> => {
  const { ensure, link, unlink } = consumers(run)
  const { record, settle } = payments(run)
  return {
    "consumers.ensure": ensure,
    "consumers.link": link,
    "consumers.unlink": unlink,
    "payments.record": record,
    "payments.settle": settle,
    "refunds.create": refunds(run).create
  }
}

const isKind = Schema.is(HostRequestKind)

const failed = (error: HostRequestError): HostRequestOutcome => ({ _tag: "Failed", error })

const textAt = (value: unknown, field: string): string | undefined => {
  const found: unknown = Predicate.hasProperty(value, field) ? value[field] : undefined
  return typeof found === "string" ? found : undefined
}

const errorOf = (error: unknown): HostRequestError => {
  const reason = Predicate.hasProperty(error, "reason") ? textAt(error.reason, "_tag") : undefined
  return {
    name: textAt(error, "_tag") ?? "Error",
    ...(reason === undefined ? {} : { reason }),
    message: textAt(error, "message") ?? ""
  }
}

const amountOf = (value: unknown): unknown => {
  if (typeof value === "string" && /^\d{1,30}$/.test(value)) return BigInt(value)
  return typeof value === "number" && Number.isSafeInteger(value) ? BigInt(value) : value
}

/** Converts `amountMinor` from a decimal string or a number to the bigint that calls take. */
const withAmount = (given: unknown): unknown =>
  Predicate.hasProperty(given, "amountMinor") ? { ...given, amountMinor: amountOf(given.amountMinor) } : given

/** A refund without its own idempotency key uses the request's key. */
const inputOf = (kind: HostRequestKind, { key, payload }: LeasedHostRequest): unknown => {
  const given = withAmount(payload)
  if (kind !== "refunds.create" || !Predicate.isObject(given)) return given
  const keyed = { idempotencyKey: key, ...given }
  return Predicate.hasProperty(keyed, "items") && Array.isArray(keyed.items)
    ? { ...keyed, items: keyed.items.map(withAmount) }
    : keyed
}

/**
 * Fields of a payment or refund that are stored as the request's result. A consumer lacks some of these fields, so a
 * consumer call's result is empty and contains no personal data.
 */
const Money = Schema.Struct({
  id: Schema.String,
  status: Schema.String,
  amountMinor: Schema.BigInt,
  currency: Schema.String
})

const isMoney = Schema.is(Money)

const resultOf = (value: unknown): HostRequestResult => {
  if (!isMoney(value)) return {}
  const { amountMinor, currency, id, status } = value
  return { id, status, amountMinor, currency }
}

const refundResult = ({ amount, id, status }: Refund): HostRequestResult => ({
  id,
  status,
  amountMinor: amount.minor,
  currency: amount.currency
})

const isStoreError = Schema.is(StoreError)
const isUnknown = Schema.is(RefundOutcomeUnknown)

/** True if another worker is settling the refund of this idempotency key, so its outcome is not known yet. */
const isInProgress = (error: unknown): boolean => textAt(error, "_tag") === "IdempotencyInProgress"

const decodeRefundId = Schema.decodeUnknownEffect(RefundId)

const refundNow = Effect.fnUntraced(function* (begun: HostRequestResult) {
  const service = yield* Refunds
  const id = yield* Effect.orDie(decodeRefundId(begun.id))
  return yield* Effect.catchTag(service.getAny(id), "RefundNotFound", (missing) => Effect.die(missing))
})

const outcomeOfRefund = (refund: Refund): HostRequestOutcome => {
  if (refund.status === "COMPLETED") return { _tag: "Done", result: refundResult(refund) }
  return refund.status === "FAILED"
    ? failed({ name: "RefundRefused", reason: "WalletDeclined", message: "The host's wallet declined the refund." })
    : { _tag: "Begun", result: refundResult(refund) }
}

/**
 * Uninterruptible: after an interruption the promise would continue on a connection whose transaction has been rolled
 * back.
 */
const called = Effect.fnUntraced(function* (kind: HostRequestKind, request: LeasedHostRequest) {
  const context = yield* Effect.context<CallServices>()
  const run: Run = async (work) => outcomeOf(await Effect.runPromiseExit(Effect.provideContext(work, context)))
  const unread = unreadCall(callsOf(run)[kind])
  if (unread === undefined) return yield* Effect.die(new Error(`${kind} is not a call`))
  const outcome: Outcome<unknown, unknown> = yield* Effect.promise(() => unread(inputOf(kind, request)))
  return outcome
}, Effect.uninterruptible)

/**
 * Performs requests through the facade's own calls. Within Surety's transaction, the host's wallet is not called: a
 * credit could not be rolled back, and a slow wallet would hold the transaction's connection and locks.
 */
export const handler: HostRequestHandler<CallServices> = {
  perform: Effect.fnUntraced(function* (request) {
    const { kind, result: begun } = request
    if (!isKind(kind)) {
      const message = `Expected a kind of: ${HostRequestKind.literals.join(", ")}.`
      return failed({ name: "UnknownKind", message })
    }
    if (begun !== undefined) return outcomeOfRefund(yield* refundNow(begun))
    const outcome = yield* called(kind, request).pipe(
      Effect.provideService(HostTransaction, "deferred"),
      Effect.provideService(Patience, Duration.zero)
    )
    if (outcome.ok) return { _tag: "Done", result: resultOf(outcome.value) }
    const { error } = outcome
    if (isStoreError(error)) return yield* error
    if (isUnknown(error)) {
      return outcomeOfRefund(yield* refundNow({ id: error.refundId }))
    }
    if (isInProgress(error)) {
      const at = DateTime.add(yield* DateTime.now, { seconds: 5 })
      return { _tag: "Again", at, error: errorOf(error), counts: false }
    }
    return failed(errorOf(error))
  }),

  finish: Effect.fnUntraced(function* (begun) {
    if (begun.id === undefined) return { _tag: "Begun", result: begun }
    const { finish } = yield* HostRefunds
    const id = yield* Effect.orDie(decodeRefundId(begun.id))
    yield* Effect.exit(finish(id))
    return outcomeOfRefund(yield* refundNow(begun))
  })
}
