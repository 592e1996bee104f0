import { Context, DateTime, Duration, Effect, Layer, Metric, Option, Result, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import * as Traceparent from "../event/Traceparent.js"
import { callHost } from "../host/callHost.js"
import type { ReadAnswer } from "../host/HostAnswer.js"
import { EventId, type RefundId, TransferId } from "../Ids.js"
import { Responses } from "../idempotency/Responses.js"
import type { MerchantScope } from "../merchant/Merchant.js"
import type { PlayedOutcome } from "../payment/Payment.js"
import { type StoreError, skipDamaged } from "../StoreError.js"
import { completedEvent, failedEvent } from "./decideRefund.js"
import { firstRefundFence, play } from "./playedWallet.js"
import type { Refund } from "./Refund.js"
import { RefundNotFound, RefundNotWaiting, WalletDeclined } from "./RefundError.js"
import { type LeasedRefund, RefundStore } from "./RefundStore.js"
import {
  readWalletKnowledge,
  readWalletOutcome,
  Wallet,
  WalletDeferred,
  type WalletKnowledge,
  type WalletOutcome,
  WalletUnavailable
} from "./Wallet.js"

/** Timeout of a credit at the host's wallet. */
export const walletTimeout = Duration.seconds(10)

/** Timeout of a lookup at the host's wallet. */
export const lookupTimeout = Duration.seconds(5)

/** Duration of a pending refund's lease. Longer than `lookupTimeout` and `walletTimeout` together. */
export const leaseTime = Duration.seconds(20)

/**
 * A failure within this time is not a timeout, so no call is in flight. `finish` then releases the lease, so that the
 * merchant may retry immediately. After a later failure, `finish` keeps the lease.
 */
export const soonFailed = Duration.seconds(4)

/** A completed refund and its stored response. */
export interface CompletedRefund {
  readonly refund: Refund
  readonly response: string
}

/**
 * Settles pending refunds: credits the consumer through the host's wallet, then commits the outcome. For TEST refunds
 * with a played outcome (contract 14), the sandbox supplies the wallet's response.
 */
export class HostRefunds extends Context.Service<
  HostRefunds,
  {
    /**
     * Credits the consumer for a pending refund and commits the outcome. Returns `None` if another call has leased or
     * settled the refund. If the wallet declines, reverses the refund and fails with `WalletDeclined`. If the wallet
     * fails or defers, the refund stays pending. A deferral, or a failure within `soonFailed`, releases its lease.
     */
    readonly finish: (
      id: RefundId
    ) => Effect.Effect<Option.Option<CompletedRefund>, WalletDeclined | WalletUnavailable | WalletDeferred | StoreError>

    /**
     * For test helpers: settles a pending TEST refund with `outcome` instead of its played outcome. Fails with
     * `RefundNotWaiting` if the refund is LIVE, is settled, waits for a host's wallet or stays leased for `leaseTime`.
     */
    readonly settlePlayed: (
      scope: MerchantScope,
      id: RefundId,
      outcome: "completed" | "failed"
    ) => Effect.Effect<Refund, RefundNotFound | RefundNotWaiting | StoreError>

    /**
     * Attempts unleased pending refunds that were created before `madeBefore` and do not wait for a test helper. Works
     * in batches, and stops early after a batch that settles none. Returns the number of attempts.
     */
    readonly recover: (madeBefore: DateTime.Utc) => Effect.Effect<number, StoreError>
  }
>()("@surety/core/refund/HostRefunds") {}

const recoveredAtOnce = 100

/** Gauge of pending refunds for which the wallet failed, in the last batch of this process's latest recovery. */
export const waiting = Metric.gauge("refunds_waiting", {
  description: "Pending refunds without an outcome from the wallet, as of this process's latest recovery run."
})

const isDeferred = Schema.is(WalletDeferred)

/** Extends `read` to accept a deferral, so that `callHost` does not report it as a failure of the wallet. */
const orDeferred =
  <A>(read: ReadAnswer<A>): ReadAnswer<A | WalletDeferred> =>
  (answer) =>
    isDeferred(answer) ? Result.succeed(answer) : read(answer)

const scopeOf = ({ environment, merchantId }: Refund) => ({ environment, merchantId })

const settleRecheckEvery = Duration.millis(50)

const make = Effect.gen(function* () {
  const store = yield* RefundStore
  const wallet = yield* Wallet
  const random = yield* SecureRandom.SecureRandom
  const responses = yield* Responses

  /** A response rejected by `read` leaves the refund's outcome unknown. */
  const ask = <A>(
    { id, userId }: Refund,
    call: { readonly operation: string; readonly timeout: Duration.Duration; readonly read: ReadAnswer<A> },
    answer: () => Effect.Effect<unknown, WalletUnavailable | WalletDeferred>
  ): Effect.Effect<A, WalletUnavailable | WalletDeferred> =>
    callHost(
      {
        part: "wallet",
        ...call,
        read: orDeferred(call.read),
        unavailable: (cause) => new WalletUnavailable({ cause }),
        consequence: "the refund stays pending",
        given: () => (userId === undefined ? [] : [userId]),
        about: { refundId: id }
      },
      () => Effect.catchTag(answer(), "WalletDeferred", (deferred) => Effect.succeed(deferred))
    ).pipe(Effect.flatMap((answered) => (isDeferred(answered) ? Effect.fail(answered) : Effect.succeed(answered))))

  const credit = (refund: Refund): Effect.Effect<WalletOutcome, WalletUnavailable | WalletDeferred> => {
    const { amount, id, paymentId, serviceId, userId } = refund
    if (userId === undefined) return Effect.die(new Error(`refund ${id} has no customer`))
    const call = { operation: "credit", timeout: walletTimeout, read: readWalletOutcome }
    const given = serviceId === undefined ? {} : { serviceId }
    return ask(refund, call, () =>
      wallet.credit({ refundId: id, scope: scopeOf(refund), paymentId, userId, amount, ...given })
    )
  }

  /**
   * Looks up the outcome of an earlier credit. Returns `NotKnown` if this is the refund's first lease, so no credit was
   * sent, or if the wallet has no lookup.
   */
  const lookup = ({
    fence,
    refund
  }: LeasedRefund): Effect.Effect<WalletKnowledge, WalletUnavailable | WalletDeferred> => {
    const find = wallet.lookup
    if (fence === firstRefundFence || find === undefined) return Effect.succeed({ _tag: "NotKnown" })
    const call = { operation: "lookup", timeout: lookupTimeout, read: readWalletKnowledge }
    return ask(refund, call, () => find({ refundId: refund.id, scope: scopeOf(refund) }))
  }

  /** On failure, releases the lease immediately, since no call is in flight. */
  const playedOutcome = (played: PlayedOutcome, leased: LeasedRefund) =>
    Effect.tapError(play(played, leased), () => store.release(leased))

  const hostOutcome = Effect.fnUntraced(function* (leased: LeasedRefund) {
    const known = yield* lookup(leased)
    return known._tag === "NotKnown" ? yield* credit(leased.refund) : known
  })

  const complete = Effect.fnUntraced(
    function* (leased: LeasedRefund) {
      const now = yield* DateTime.now
      const refund: Refund = { ...leased.refund, status: "COMPLETED", completedAt: now }
      const response = responses.refund(refund)
      const event = completedEvent(refund, yield* EventId.next, now, yield* Traceparent.current)
      const kept = yield* store.settleCompleted({ leased, refund, answer: response, event })
      return kept ? Option.some({ refund, response }) : Option.none()
    },
    Effect.provideService(SecureRandom.SecureRandom, random)
  )

  const undo = Effect.fnUntraced(
    function* (leased: LeasedRefund) {
      const { amount, environment, id, merchantId, userId } = leased.refund
      const account = { environment, currency: amount.currency, books: merchantId }
      const now = yield* DateTime.now
      yield* store.settleFailed({
        leased,
        event: failedEvent(leased.refund, yield* EventId.next, now, yield* Traceparent.current),
        reversal: {
          id: yield* TransferId.next,
          kind: "REFUND_REVERSAL",
          debit: { ...account, kind: "WALLET", owner: userId ?? "" },
          credit: { ...account, kind: "SETTLEMENT", owner: merchantId },
          amount,
          cause: id,
          at: now
        }
      })
    },
    Effect.provideService(SecureRandom.SecureRandom, random)
  )

  /** If the release fails, the lease simply expires. */
  const releaseFailed = Effect.fnUntraced(function* (leased: LeasedRefund, since: DateTime.Utc) {
    const asked = DateTime.distance(since, yield* DateTime.now)
    if (Duration.isLessThan(asked, soonFailed)) yield* Effect.ignore(store.release(leased))
  })

  const finishLeased = Effect.fnUntraced(function* (id: RefundId, retriedBy: "merchant" | "schedule") {
    const now = yield* DateTime.now
    const leased = yield* store.lease(id, now, DateTime.addDuration(now, leaseTime))
    if (Option.isNone(leased)) return Option.none<CompletedRefund>()
    const { played } = leased.value
    const ofHost = hostOutcome(leased.value).pipe(
      Effect.tapErrorTag("WalletUnavailable", () =>
        // A recovery keeps the lease of a refund that failed at the wallet, so its next batch contains other refunds.
        retriedBy === "merchant" ? releaseFailed(leased.value, now) : Effect.void
      ),
      // This attempt sent no credit to the wallet, so the next worker need not wait.
      Effect.tapErrorTag("WalletDeferred", () => Effect.ignore(store.release(leased.value)))
    )
    const outcome = yield* played === undefined ? ofHost : playedOutcome(played, leased.value)
    if (outcome._tag === "Credited") return yield* complete(leased.value)
    yield* undo(leased.value)
    return yield* new WalletDeclined({ reason: outcome.reason })
  })

  const finish = Effect.fn("HostRefunds.finish")((id: RefundId) => finishLeased(id, "merchant"))

  const found = Effect.fnUntraced(function* (scope: MerchantScope, id: RefundId) {
    const refund = yield* store.find(scope, id)
    return Option.isSome(refund) ? refund.value : yield* new RefundNotFound({ refundId: id })
  })

  /** Leases the refund after any earlier lease ends. Fails if the refund is settled or stays leased for `leaseTime`. */
  const leaseWaiting = Effect.fnUntraced(function* (scope: MerchantScope, id: RefundId) {
    const giveUpAt = DateTime.addDuration(yield* DateTime.now, leaseTime)
    while (true) {
      const now = yield* DateTime.now
      const { status } = yield* found(scope, id)
      if (status !== "PENDING" || DateTime.isGreaterThan(now, giveUpAt)) {
        return yield* new RefundNotWaiting({ refundId: id, status })
      }
      const leased = yield* store.lease(id, now, DateTime.addDuration(now, leaseTime))
      if (Option.isSome(leased)) return leased.value
      yield* Effect.sleep(settleRecheckEvery)
    }
  })

  const settlePlayed = Effect.fn("HostRefunds.settlePlayed")(function* (
    scope: MerchantScope,
    id: RefundId,
    outcome: "completed" | "failed"
  ) {
    const { environment, status } = yield* found(scope, id)
    if (environment !== "TEST" || status !== "PENDING") return yield* new RefundNotWaiting({ refundId: id, status })
    const leased = yield* leaseWaiting(scope, id)
    if (leased.played === undefined) {
      yield* store.release(leased)
      return yield* new RefundNotWaiting({ refundId: id, status })
    }
    yield* outcome === "completed" ? complete(leased) : undo(leased)
    return yield* found(scope, id)
  })

  /**
   * Attempts a refund for the recovery. Returns `ended` if this call settles it, and `waiting` if the wallet fails.
   * Otherwise `elsewhere`: another worker leased or settled it, the call is deferred, or the record is damaged.
   */
  const recovered = (id: RefundId): Effect.Effect<"ended" | "waiting" | "elsewhere", StoreError> =>
    finishLeased(id, "schedule").pipe(
      Effect.map((completed) => (Option.isSome(completed) ? "ended" : "elsewhere")),
      Effect.catchTags({
        WalletDeclined: () => Effect.succeed("ended" as const),
        WalletUnavailable: () => Effect.succeed("waiting" as const),
        WalletDeferred: () => Effect.succeed("elsewhere" as const)
      }),
      skipDamaged(id, "elsewhere" as const)
    )

  const recover = Effect.fn("HostRefunds.recover")(function* (madeBefore: DateTime.Utc) {
    let found = 0
    while (true) {
      const ids = yield* store.due(yield* DateTime.now, madeBefore, recoveredAtOnce)
      const left = yield* Effect.forEach(ids, recovered, { concurrency: 8 })
      found += ids.length
      yield* Metric.update(waiting, left.filter((one) => one === "waiting").length)
      // While the wallet settles refunds, the recovery continues through the backlog. Otherwise it stops until the next
      // round.
      if (ids.length < recoveredAtOnce || !left.includes("ended")) return found
    }
  })

  return HostRefunds.of({ finish, settlePlayed, recover })
})

export const layer: Layer.Layer<HostRefunds, never, RefundStore | Wallet | Responses | SecureRandom.SecureRandom> =
  Layer.effect(HostRefunds, make)

/** Wallet for deployments whose only wallet is the ledger. Refunds with a played outcome do not call it. */
const noWallet = Layer.succeed(Wallet, {
  credit: () => Effect.fail(new WalletUnavailable({ cause: "this deployment has no wallet but its ledger" }))
})

/**
 * Layer for deployments whose only wallet is the ledger. Builds `layer` afresh, so that other uses of `layer` do not
 * get `noWallet`.
 */
export const layerLedger: Layer.Layer<HostRefunds, never, RefundStore | Responses | SecureRandom.SecureRandom> =
  Layer.provide(Layer.fresh(layer), noWallet)
