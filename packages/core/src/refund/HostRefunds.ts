import { Context, DateTime, Duration, Effect, Layer, Option, Result, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import * as Traceparent from "../event/Traceparent.js"
import { callHost } from "../host/callHost.js"
import type { ReadAnswer } from "../host/HostAnswer.js"
import { EventId, type RefundId, TransferId, type UserId } from "../Ids.js"
import { Responses } from "../idempotency/Responses.js"
import type { StoreError } from "../StoreError.js"
import { completedEvent, failedEvent } from "./decideRefund.js"
import type { Refund } from "./Refund.js"
import { WalletDeclined } from "./RefundError.js"
import { type LeasedRefund, RefundStore } from "./RefundStore.js"
import { readWalletOutcome, Wallet, WalletDeferred, type WalletOutcome, WalletUnavailable } from "./Wallet.js"

/** Timeout of a call to the host's wallet. */
export const walletTimeout = Duration.seconds(10)

/** How long a pending refund is leased: longer than `walletTimeout`. */
export const leaseTime = Duration.seconds(15)

/** A completed refund and its stored response. */
export interface CompletedRefund {
  readonly refund: Refund
  readonly response: string
}

/** Completes refunds to a host's own wallet: credits the consumer, then commits the outcome. */
export class HostRefunds extends Context.Service<
  HostRefunds,
  {
    /**
     * Credits the consumer for a pending refund and commits the outcome. Returns none if another worker has leased the
     * refund or completed it.
     */
    readonly finish: (
      id: RefundId
    ) => Effect.Effect<Option.Option<CompletedRefund>, WalletDeclined | WalletUnavailable | WalletDeferred | StoreError>

    /** Completes unleased pending refunds created before `madeBefore`. Returns how many it found. */
    readonly recover: (madeBefore: DateTime.Utc) => Effect.Effect<number, StoreError>
  }
>()("@surety/core/refund/HostRefunds") {}

const recoveredAtOnce = 100

const isDeferred = Schema.is(WalletDeferred)

const readCredit: ReadAnswer<WalletOutcome | WalletDeferred> = (answer) =>
  isDeferred(answer) ? Result.succeed(answer) : readWalletOutcome(answer)

const make = Effect.gen(function* () {
  const store = yield* RefundStore
  const wallet = yield* Wallet
  const random = yield* SecureRandom.SecureRandom
  const responses = yield* Responses

  /** A deferral is not a failure of the wallet, so it passes through the call as a success. */
  const ask = (refund: Refund, userId: UserId) =>
    wallet
      .credit({ refundId: refund.id, scope: refund, paymentId: refund.paymentId, userId, amount: refund.amount })
      .pipe(Effect.catchTag("WalletDeferred", (deferred) => Effect.succeed(deferred)))

  const credit = (refund: Refund): Effect.Effect<WalletOutcome, WalletUnavailable | WalletDeferred> => {
    const { userId } = refund
    if (userId === undefined) return Effect.die(new Error(`refund ${refund.id} has no customer`))
    return callHost(
      {
        part: "wallet",
        operation: "credit",
        read: readCredit,
        timeout: walletTimeout,
        unavailable: (cause) => new WalletUnavailable({ cause }),
        consequence: "the refund stays pending",
        given: [userId],
        about: { refundId: refund.id }
      },
      () => ask(refund, userId)
    ).pipe(Effect.flatMap((answer) => (isDeferred(answer) ? Effect.fail(answer) : Effect.succeed(answer))))
  }

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
      const account = { environment, currency: amount.currency }
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

  const finish = Effect.fn("HostRefunds.finish")(function* (id: RefundId) {
    const now = yield* DateTime.now
    const leased = yield* store.lease(id, now, DateTime.addDuration(now, leaseTime))
    if (Option.isNone(leased)) return Option.none<CompletedRefund>()
    const outcome = yield* credit(leased.value.refund)
    if (outcome._tag === "Credited") return yield* complete(leased.value)
    yield* undo(leased.value)
    return yield* new WalletDeclined({ reason: outcome.reason })
  })

  const recover = Effect.fn("HostRefunds.recover")(function* (madeBefore: DateTime.Utc) {
    const ids = yield* store.due(yield* DateTime.now, madeBefore, recoveredAtOnce)
    yield* Effect.forEach(
      ids,
      (id) =>
        Effect.catchTag(
          finish(id),
          ["WalletDeclined", "WalletUnavailable", "WalletDeferred"],
          () => Effect.succeedNone
        ),
      {
        concurrency: 8,
        discard: true
      }
    )
    return ids.length
  })

  return HostRefunds.of({ finish, recover })
})

export const layer: Layer.Layer<HostRefunds, never, RefundStore | Wallet | Responses | SecureRandom.SecureRandom> =
  Layer.effect(HostRefunds, make)
